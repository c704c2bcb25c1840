/* SPDX-License-Identifier: MIT */
/* The oracle has the states that a kernel has to compute: those of the reference in one case, after
 * each call of some generations. */
#ifndef CALAB_CORE_LAB_CHECK_ORACLE_H
#define CALAB_CORE_LAB_CHECK_ORACLE_H

#include "core/lab/kernel/secret.h"

#define CA_LAB_SLOW_FACTOR 20     /* times that may a kernel take */
#define CA_LAB_LATE_START 1000003 /* a generation at which every second case begins */

struct ca_lab_oracle {
    struct ca_experiment experiment;
    struct ca_setup setup;
    uint64_t t;  /* of the start: not 0 in every case, as draws depend on it */
    bool random; /* the start is no start of the model's, but has random values: its own lack what
                  * a file may have, such as particles on the solid nodes of a gas, or cells of
                  * floats that take more than two additions */
    int calls;
    struct ca_lattice state[CA_LAB_CASES_MAX + 1]; /* the start, and after each call */
    double
        longest_s; /* that the longest call took the backend that the lab names, or, where so many
                    * times that of the reference is less than the lab's seconds, the reference:
                    * opening a GPU only to learn that it is faster takes longer than the case */
};

/* Makes that of a size and of seed number `seed` of the lab: every second one begins late, from
 * random values. CA_USAGE where the model has no such lattice. Free it in any case. */
enum ca_status ca_lab_oracle_make(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                  struct ca_size size, int seed, struct ca_error *error);
/* The same of any case, whose group does not matter. */
enum ca_status ca_lab_oracle_of(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                const struct ca_lab_case *one, struct ca_error *error);
/* The reference's next generation of a state at generation t, in place. */
enum ca_status ca_lab_oracle_next(const struct ca_lab_oracle *oracle, struct ca_lattice *state,
                                  uint64_t t, struct ca_error *error);
void ca_lab_oracle_free(struct ca_lab_oracle *oracle);

#endif
