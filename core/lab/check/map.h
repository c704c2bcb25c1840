/* SPDX-License-Identifier: MIT */
/* Shows where a state is wrong, as text: a character for a cell or for a square of cells. */
#ifndef CALAB_CORE_LAB_CHECK_MAP_H
#define CALAB_CORE_LAB_CHECK_MAP_H

#include "core/lab/check/check.h"

#define CA_LAB_MAP_WIDE 64 /* characters for cells, at most */
#define CA_LAB_MAP_HIGH 32

/*
 * The layer z of a plane: `.` right, `#` wrong, `?` wrong and never written; of a square the worst.
 * Between tiles (0: not known) stand lines. The first line says what a character stands for.
 * Malloc'd, NULL without memory.
 */
char *ca_lab_map(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                 int64_t z, const int64_t tile[2], int pattern);

/* Puts the first wrong cell of a state and the map of all of them into a report. `pattern` is what
 * fills cells that nobody has written; -1: nothing does. CA_NO_MEMORY without memory for the map.
 */
enum ca_status lab_report_difference(const struct ca_lab *lab, const struct ca_lattice *expected,
                                     const struct ca_lattice *got, int pattern,
                                     struct ca_difference difference, uint64_t generation,
                                     struct ca_lab_report *report, struct ca_error *error);

#endif
