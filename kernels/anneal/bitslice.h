/* SPDX-License-Identifier: MIT */
/*
 * ANNEAL on words: the rule for as many cells at once as a word has bits (kernels/common/word.h).
 * Checked against anneal_rule for all neighbourhoods.
 */
#ifndef CALAB_KERNELS_ANNEAL_BITSLICE_H
#define CALAB_KERNELS_ANNEAL_BITSLICE_H

#include "kernels/common/word.h"

/* The number of live cells among three, bit by bit: low + 2 high. */
struct anneal_sum {
    word low, high;
};

/* A full adder: five operations. */
RULE struct anneal_sum anneal_add(word a, word b, word c)
{
    word half = a ^ b;
    struct anneal_sum sum = {half ^ c, (a & b) | (half & c)};

    return sum;
}

/* A third number onto two of which half = a ^ b and both = a & b are known. */
RULE struct anneal_sum anneal_add_third(word half, word both, word c)
{
    struct anneal_sum sum = {half ^ c, both | (half & c)};

    return sum;
}

/*
 * Of the three rows' sums, the low bits add up to l = l0 + 2 l1 and the high bits to h = h0 + 2 h1:
 *
 *     B = l + 2 h = l0 + 2 (l1 + h0) + 4 h1
 *
 * Where l1 = h0 = not l0, B is 4 or 8 with l0 = 0, and 1 or 5 with l0 = 1: cell' = l1. All else
 * is live where h1 is: without it B is 0, 2, 3 or 5, with it 4, 6, 7 or 9.
 */
RULE word anneal_bits_rule(struct anneal_sum l, struct anneal_sum h)
{
    word exchanged = (l.high ^ l.low) & ~(l.high ^ h.low);

    return h.high ^ (exchanged & (h.high ^ l.high));
}

#endif
