/* SPDX-License-Identifier: MIT */
/*
 * The check of a lab that is a whole program: its command is run for each size and seed and each
 * number of generations, the largest several times, and the files that it writes are compared with
 * the reference. The folder is copied and built once, and each run has a copy of that of its own,
 * with a file for the start and without outputs of before. A run fails with CA_WRONG and
 * program->fault where the program is at fault.
 */
#ifndef CALAB_CORE_LAB_CHECK_PROGRAM_H
#define CALAB_CORE_LAB_CHECK_PROGRAM_H

#include "core/files/embedded.h"
#include "core/lab/check/check.h"

struct lab_program {
    const struct ca_lab *lab;
    struct ca_lab_build build; /* its folders */
    unsigned has;              /* CA_LAB_HAS_... of the command */
    double limit_s;            /* of a run */
    struct ca_lab_fault fault;
    char command[CA_LAB_COMMAND_MAX]; /* of the last run */
    char *said;                       /* what the last run printed, or make; NULL: nothing */
    int64_t printed;
    double longest_s; /* that a run has taken so far */
    bool has_threads; /* something in its folder starts threads, or processes */
};

/* The files that a run has written, in the order of their generations. Of one file alone it is the
 * last; of several the number that ends the name, before the ending, says which. */
struct lab_outputs {
    struct ca_listing files;
    uint64_t *generation;
};

/* Copies the folder, and builds it by the lab's `build`. CA_COMPILE as a fault with verdict
 * CA_LAB_BROKEN, CA_IO, CA_NO_MEMORY. Close it in any case. */
enum ca_status lab_program_open(struct lab_program *program, const struct ca_lab *lab,
                                struct ca_error *error);
/* Runs the command from `start`, which is written only where the command has {input}, and finds
 * its outputs, of which the last is of generation n. Free them in any case. */
enum ca_status lab_program_run(struct lab_program *program, const struct ca_lab_numbers *numbers,
                               const struct ca_lattice *start, struct lab_outputs *outputs,
                               struct ca_error *error);
/* Reads output i into a lattice that has the size that is expected. */
enum ca_status lab_program_read(struct lab_program *program, const struct lab_outputs *outputs,
                                int i, struct ca_lattice *got, struct ca_error *error);
void lab_outputs_free(struct lab_outputs *outputs);
void lab_program_close(struct lab_program *program);

/* Does what ca_lab_check does, into a report of zeros: CA_OK once there is a verdict. */
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

/* The finding that two runs of the same case have ended differently, and no other. */
void lab_program_unstable(const struct lab_program *program, struct ca_findings *findings);

#endif
