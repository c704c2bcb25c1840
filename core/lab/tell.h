/* SPDX-License-Identifier: MIT */
/* The first wrong cell of a state and the map of all of them, in a report. */
#ifndef CALAB_CORE_LAB_TELL_H
#define CALAB_CORE_LAB_TELL_H

#include "core/lab/check.h"

/* `pattern` is what fills cells that nobody has written; -1: nothing does. CA_NO_MEMORY without
 * room for the map. */
enum ca_status lab_tell(const struct ca_lab *lab, const struct ca_lattice *expected,
                        const struct ca_lattice *got, int pattern, struct ca_difference difference,
                        uint64_t generation, struct ca_lab_report *report, struct ca_error *error);

#endif
