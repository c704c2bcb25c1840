/* SPDX-License-Identifier: MIT */
/*
 * Sums over squares of nine cells on words (kernels/cpu/word.h): three sums of three cells, as
 * numbers of two bits, are added up bit by bit, so that a rule gets
 *
 *     l = l0 + 2 l1, the sum of their low bits,    h = h0 + 2 h1, that of their high bits,
 *     and l + 2 h = l0 + 2 (l1 + h0) + 4 h1 live cells.
 */
#ifndef CALAB_KERNELS_MOORE_BITSLICE_H
#define CALAB_KERNELS_MOORE_BITSLICE_H

#include "kernels/cpu/word.h"

/*
 * A pair of neighbouring rows, which is in the sums of three rows of both its upper and its lower
 * row: one bit of the rows' sums added up.
 */
struct moore_pair {
    word half, both; /* where the two bits differ, and their value where they are equal */
};

RULE struct moore_pair moore_pair(word b, word c)
{
#ifdef WORD_TERNARY
    struct moore_pair pair = {b ^ c, b}; /* `both` is not read where the bits differ */
#else
    struct bit_sum sum = word_half_add(b, c);
    struct moore_pair pair = {sum.low, sum.high};
#endif
    return pair;
}

/*
 * Adds the third row: the one above, or the one below. On AVX-512 they differ in the operand whose
 * register the carry overwrites: `above` is not needed afterwards, nor is the pair by the time that
 * `below` is added.
 */
RULE struct bit_sum moore_add_above(struct moore_pair pair, word above)
{
    word low = pair.half ^ above;
#ifdef WORD_TERNARY
    WORD_BEFORE(low, above);
    return (struct bit_sum){low, LOP3(above, pair.half, pair.both, (A & B) | (~B & C))};
#else
    return (struct bit_sum){low, pair.both | (pair.half & above)};
#endif
}

RULE struct bit_sum moore_add_below(struct moore_pair pair, word below)
{
    word low = pair.half ^ below;

#ifdef WORD_TERNARY
    return (struct bit_sum){low, LOP3(pair.both, pair.half, below, (A & ~B) | (B & C))};
#else
    return (struct bit_sum){low, pair.both | (pair.half & below)};
#endif
}

/*
 * The twisted majority vote (ANNEAL, B4678/S35678). The low bits of the three rows' sums add up to
 * l = l0 + 2 l1, and the high bits to h = h0 + 2 h1:
 *
 *     B = l + 2 h = l0 + 2 (l1 + h0) + 4 h1
 *
 * Where l1 = h0 = not l0, B is 4 or 8 with l0 = 0, and 1 or 5 with l0 = 1, so cell' = l1. Every
 * other cell is live where h1 is set: B is 0, 2, 3 or 5 without it, and 4, 6, 7 or 9 with it.
 */
RULE word moore_vote(struct bit_sum l, struct bit_sum h)
{
    word exchanged = LOP3(l.low, l.high, h.low, (B ^ A) & ~(B ^ C));

    return word_select(exchanged, l.high, h.high);
}

#endif
