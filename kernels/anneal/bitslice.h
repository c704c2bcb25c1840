/* SPDX-License-Identifier: MIT */
/*
 * ANNEAL on words: the rule for as many cells at once as a word has bits (kernels/cpu/word.h).
 * Checked against anneal_rule for all neighbourhoods.
 */
#ifndef CALAB_KERNELS_ANNEAL_BITSLICE_H
#define CALAB_KERNELS_ANNEAL_BITSLICE_H

#include "kernels/cpu/word.h"

/* The number of live cells among three, bit by bit: low + 2 high. */
struct anneal_sum {
    word low, high;
};

/* A full adder: five operations, or two of three inputs. */
RULE struct anneal_sum anneal_add(word a, word b, word c)
{
    word low = word_sum(a, b, c);
    struct anneal_sum sum = {low, word_carry_of_sum(a, b, c, low)};

    return sum;
}

/* What the sums of three rows have in common with those one row on: bits of the two in both. */
struct anneal_pair {
    word half, both; /* where they differ, and what they are where they do not */
};

RULE struct anneal_pair anneal_pair(word b, word c)
{
#ifdef WORD_TERNARY
    struct anneal_pair pair = {b ^ c, b}; /* what b is elsewhere does not matter */
#else
    struct anneal_pair pair = {b ^ c, b & c};
#endif
    return pair;
}

/* A third number onto the pair: that of the row above, or (used last) of the row below. */
RULE struct anneal_sum anneal_add_above(struct anneal_pair pair, word above)
{
    word low = pair.half ^ above;
#ifdef WORD_TERNARY
    WORD_BEFORE(low, above);
    return (struct anneal_sum){low, WORD_TERNARY(above, pair.half, pair.both, 0xe2)};
#else
    return (struct anneal_sum){low, pair.both | (pair.half & above)};
#endif
}

RULE struct anneal_sum anneal_add_below(struct anneal_pair pair, word below)
{
    word low = pair.half ^ below;

#ifdef WORD_TERNARY
    return (struct anneal_sum){low, WORD_TERNARY(pair.both, pair.half, below, 0xb8)};
#else
    return (struct anneal_sum){low, pair.both | (pair.half & below)};
#endif
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
#ifdef WORD_TERNARY
    word exchanged = WORD_TERNARY(l.low, l.high, h.low, 0x18);

    return WORD_TERNARY(exchanged, l.high, h.high, 0xca);
#else
    word exchanged = (l.high ^ l.low) & ~(l.high ^ h.low);

    return h.high ^ (exchanged & (h.high ^ l.high));
#endif
}

/*
 * The same for two rows b and c, one below the other, with less: what their results have in common
 * is made once, three operations of three inputs for both; then a row's result takes three more,
 * with the row on the pair's other side, o:
 *
 *     most = majority(b1, c0, c1)    even = c0 = most = (b0 + b1 + c1) mod 2
 *     cell' = majority(even ? o0 : o1, not (o0 + b0 + c0) mod 2, most)
 *
 * That has no meaning by parts; it is the least that a search found.
 */
struct anneal_two {
    word even, most, b, c;
};

RULE struct anneal_two anneal_two(struct anneal_sum b, struct anneal_sum c)
{
    word odd = word_sum(b.low, b.high, c.high), most = word_carry(b.high, c.low, c.high);
#ifdef WORD_TERNARY
    word even = WORD_TERNARY(odd, c.low, most, 0x81);
#else
    word even = ~((odd ^ c.low) | (c.low ^ most));
#endif

    return (struct anneal_two){even, most, b.low, c.low};
}

RULE word anneal_two_rule(struct anneal_two two, struct anneal_sum other)
{
#ifdef WORD_TERNARY
    word chosen = WORD_TERNARY(two.even, other.low, other.high, 0xca);

    return word_carry(chosen, WORD_TERNARY(other.low, two.b, two.c, 0x69), two.most);
#else
    word chosen = other.high ^ (two.even & (other.high ^ other.low));

    return word_carry(chosen, ~word_sum(other.low, two.b, two.c), two.most);
#endif
}

#endif
