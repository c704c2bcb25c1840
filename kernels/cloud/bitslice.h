/* SPDX-License-Identifier: MIT */
/*
 * cloud on words: the rule for as many cells at once as a word has bits (kernels/cpu/word.h).
 * Checked against cloud_rule for all inputs.
 */
#ifndef CALAB_KERNELS_CLOUD_BITSLICE_H
#define CALAB_KERNELS_CLOUD_BITSLICE_H

#include "kernels/cpu/word.h"

struct cloud_word {
    word hum, act, cld;
};

/*
 * `any_act`: act at any of the eleven cells. Its value does not matter for an active cell, so the
 * cell itself may be among them.
 */
RULE struct cloud_word cloud_bits_rule(struct cloud_word cell, word any_act)
{
    struct cloud_word next;

    next.hum = cell.hum & ~cell.act;
    next.act = next.hum & any_act;
    next.cld = cell.cld | cell.act;
    return next;
}

/* Masks of the cells of a word that have a neighbour in their row at a distance. */
struct cloud_ends {
    uint64_t valid;             /* rows of several words: the cells of the last word */
    uint64_t left[2], right[2]; /* rows of at most one word: at distance 1 and 2 */
};

#define CLOUD_BANDS_MAX (8 * 64) /* 8 lanes, and 64 rows a word where rows have a single cell */

/* The passes take this from the parameters and the size. */
struct cloud_context {
    struct cloud_ends ends;
    uint32_t extinct, humid, active; /* probabilities of the events, in 65536ths */
    uint64_t start[CLOUD_BANDS_MAX]; /* first row of each band: those of field 0 of all lanes, then
                                        those of field 1 ... */
};

#endif
