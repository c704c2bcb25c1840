/* SPDX-License-Identifier: MIT */
/*
 * cloud on words: the rule for as many cells at once as a word has bits (kernels/cpu/word.h).
 * Checked against cloud_rule and cloud_events for all inputs.
 */
#ifndef CALAB_KERNELS_CLOUD_BITSLICE_H
#define CALAB_KERNELS_CLOUD_BITSLICE_H

#include "kernels/cpu/word.h"

struct cloud_word {
    word hum, act, cld;
};

/* Any of three. */
RULE word cloud_any(word a, word b, word c)
{
#ifdef WORD_TERNARY
    return WORD_TERNARY(a, b, c, 0xfe);
#else
    return a | b | c;
#endif
}

/*
 * near: act at any of the eleven cells; what it says of a cell that is active itself is of no
 * account, so that the cell may be among them.
 */
RULE struct cloud_word cloud_bits_rule(struct cloud_word cell, word near)
{
    struct cloud_word next;

    next.hum = cell.hum & ~cell.act;
    next.act = next.hum & near;
    next.cld = cell.cld | cell.act;
    return next;
}

/* Masks of the cells of a word that have a neighbour at that distance in their row. */
struct cloud_ends {
    uint64_t valid;             /* rows of several words: cells of the last */
    uint64_t left[2], right[2]; /* rows of one word at most: at distance 1, 2 */
};

#define CLOUD_BANDS_MAX (8 * 64) /* lanes and, where rows have a single cell, rows a word */

/* What the passes take from the parameters and the size. */
struct cloud_bits {
    struct cloud_ends ends;
    uint32_t extinct, humid, active; /* chances in 65536ths */
    uint64_t start[CLOUD_BANDS_MAX]; /* of bands in y: lane by lane the first row of each
                                        word, then the second ... */
};

#endif
