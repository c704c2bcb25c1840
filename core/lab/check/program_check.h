/* SPDX-License-Identifier: MIT */
/*
 * The check of a lab that is a whole program: its command is run for each size and seed and each
 * number of generations, the largest several times, and the files that it writes are compared with
 * the reference.
 */
#ifndef CALAB_CORE_LAB_CHECK_PROGRAM_CHECK_H
#define CALAB_CORE_LAB_CHECK_PROGRAM_CHECK_H

#include "core/lab/check/check.h"
#include "core/lab/check/program.h"

/* Does what ca_lab_check does, into a report of zeros. */
enum ca_status lab_program_check(const struct ca_lab *lab, struct ca_lab_report *report,
                                 ca_lab_progress *progress, void *context, struct ca_error *error);

/* The reference's start of a case, in state[0] of `oracle`, and how long it takes for n
 * generations. Draws begin at a late generation in every second seed only where the command has
 * {t}. CA_USAGE where the model has no such lattice. Free it in any case. */
enum ca_status lab_program_oracle(struct ca_lab_oracle *oracle, const struct lab_program *program,
                                  struct ca_size size, int seed, uint64_t n,
                                  struct ca_error *error);

/* Why its cells are wrong: from its outputs alone, and, where the command has {input}, from starts
 * that differ in single cells. Nothing is found of a program that fails there. */
enum ca_status lab_program_why(struct lab_program *program, struct ca_findings *findings,
                               struct ca_error *error);

#endif
