/* SPDX-License-Identifier: MIT */
/*
 * The cases that a grade is made of: drawn from a secret that students do not know, so that answers
 * that were kept are of no use. They are of the kinds that lab.cfg has: for each of its sizes one
 * of the same group and about as large, with a seed, a first generation and a density of its own.
 */
#ifndef CALAB_CORE_LAB_KERNEL_SECRET_H
#define CALAB_CORE_LAB_KERNEL_SECRET_H

#include "core/lab/kernel/lab.h"

#define CA_LAB_SECRET_LEAST 8 /* bytes of a secret that nobody guesses */

struct ca_lab_secret {
    uint64_t key[2];
};

struct ca_lab_case {
    enum ca_lab_group group;
    struct ca_size size;
    uint64_t seed, t;
    bool random;             /* the start is of random values, and not one of the model's */
    struct ca_values params; /* those of the lab, with another density and geometry where it has
                              * them */
};

/* All bytes of a file, or of standard input, "-". CA_IO, CA_USAGE where they are too few. */
enum ca_status ca_lab_secret_read(struct ca_lab_secret *secret, const char *path,
                                  struct ca_error *error);
/* One that nobody knows. */
void ca_lab_secret_random(struct ca_lab_secret *secret);
/* Number `index` of a stream, below 2^56. */
uint64_t ca_lab_secret_draw(const struct ca_lab_secret *secret, uint32_t stream, uint32_t index);
/* Has every parameter of the start that is a choice, such as a geometry, take value `number` of
 * those that the model allows with the case's other parameters. */
void ca_lab_case_choose(const struct ca_lab *lab, struct ca_lab_case *one, uint64_t number);
/* Fills cases of the sizes that the model allows, and returns how many there are. */
int ca_lab_secret_cases(const struct ca_lab *lab, const struct ca_lab_secret *secret,
                        struct ca_lab_case cases[CA_LAB_CASES_MAX]);

#endif
