/* SPDX-License-Identifier: MIT */
/*
 * Two kernels by length of call and by size of lattice, because what is faster in long calls or on
 * large lattices is not always so in short ones or on small ones. A table of ratios
 * (core/compare/ratio.h) that its owner fills, and in words where the winner changes.
 */
#ifndef CALAB_CORE_COMPARE_CROSSOVER_H
#define CALAB_CORE_COMPARE_CROSSOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compare/ratio.h"
#include "core/model/lattice.h"

#define CA_CROSSOVER_ROWS 16
#define CA_CROSSOVER_LONGEST 4096 /* generations of a call */

struct ca_crossover_row {
    struct ca_size size;
    uint64_t generations; /* of a call; 0: chosen when it is measured */
    struct ca_ratio_result result;
    char why[160]; /* there is no result, "" */
};

struct ca_crossover {
    struct ca_crossover_row row[CA_CROSSOVER_ROWS];
    int lengths; /* rows 0 ... lengths - 1 differ in length, the others in size */
    int count;
    int dimensions;
};

/* Rows of 1, 4, 16, ... CA_CROSSOVER_LONGEST generations a call and of `call`, where that is more;
 * then rows of a quarter, half, the same, twice and four times the cells, as far as the sides can
 * be halved. */
void ca_crossover_plan(struct ca_crossover *crossover, struct ca_size size, int dimensions,
                       uint64_t call);
/* "1,024 generations", "512x512". Returns text. */
char *ca_crossover_label(char text[64], const struct ca_crossover *crossover, int row);
/*
 * "A is faster at each length" ("each length measured" where one is missing), "B is faster up to 16
 * generations a call, A from 64 on", "A and B are the same at each size"; rows without a result, or
 * where both are the same, move no border. `by_size` chooses the rows. "" where nothing is known.
 * Returns text.
 */
char *ca_crossover_sentence(char *text, size_t size, const struct ca_crossover *crossover,
                            bool by_size);

#endif
