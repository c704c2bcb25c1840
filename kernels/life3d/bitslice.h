/* SPDX-License-Identifier: MIT */
/*
 * Life in three dimensions on words: the count of 27 cells and the rule for as many cells at once
 * as a word has bits (kernels/cpu/word.h). Checked against life3d_next for all counts.
 */
#ifndef CALAB_KERNELS_LIFE3D_BITSLICE_H
#define CALAB_KERNELS_LIFE3D_BITSLICE_H

#include <stdbool.h>

#include "kernels/cpu/word.h"

/* low + 2 high */
struct life3d_sum {
    word low, high;
};

/* A full adder. */
RULE struct life3d_sum life3d_add(word a, word b, word c)
{
    struct life3d_sum sum;

    sum.low = word_sum(a, b, c);
    sum.high = word_carry_of_sum(a, b, c, sum.low);
    return sum;
}

RULE word life3d_select(word condition, word yes, word no)
{
#ifdef WORD_TERNARY
    return WORD_TERNARY(condition, yes, no, 0xca);
#else
    return no ^ (condition & (yes ^ no));
#endif
}

/* Nine cells, their sum left in two parts: l.low + 2 (l.high + h.low) + 4 h.high. */
struct life3d_nine {
    struct life3d_sum l, h;
};

/* From the sums of three columns of three: low bits and high bits added up by themselves. */
RULE struct life3d_nine life3d_add_columns(struct life3d_sum a, struct life3d_sum b,
                                           struct life3d_sum c)
{
    struct life3d_nine nine = {life3d_add(a.low, b.low, c.low), life3d_add(a.high, b.high, c.high)};

    return nine;
}

/* Two nines added up as far as that goes without a third, for the two sums that they are in. */
struct life3d_pair {
    word ones[2];
    word twos[2];
    word four, eight;
};

RULE struct life3d_pair life3d_add_pair(struct life3d_nine a, struct life3d_nine b)
{
    struct life3d_sum twos = life3d_add(a.l.high, a.h.low, b.l.high);
    struct life3d_sum fours = life3d_add(a.h.high, b.h.high, twos.high);
    struct life3d_pair pair = {{a.l.low, b.l.low}, {twos.low, b.h.low}, fours.low, fours.high};

    return pair;
}

/* 27 cells, their sum left in parts: one + 2 two + 4 (four[0] + four[1]) + 8 (...). */
struct life3d_parts {
    word one, two, four[2], eight[2];
};

RULE struct life3d_parts life3d_add_third(struct life3d_pair pair, struct life3d_nine c)
{
    struct life3d_sum ones = life3d_add(pair.ones[0], pair.ones[1], c.l.low);
    struct life3d_sum some = life3d_add(pair.twos[0], pair.twos[1], c.l.high);
    struct life3d_sum twos = life3d_add(some.low, c.h.low, ones.high);
    struct life3d_sum fours = life3d_add(pair.four, c.h.high, some.high);
    struct life3d_parts parts = {
        ones.low, twos.low, {fours.low, twos.high}, {pair.eight, fours.high}};

    return parts;
}

/* A number 0 ... 27: bit i of it in s[i]. */
struct life3d_count {
    word s0, s1, s2, s3, s4;
};

RULE struct life3d_count life3d_count(struct life3d_parts n)
{
    struct life3d_sum eights = life3d_add(n.eight[0], n.eight[1], n.four[0] & n.four[1]);
    struct life3d_count count = {n.one, n.two, n.four[0] ^ n.four[1], eights.low, eights.high};

    return count;
}

/*
 * What is made of the count of all 27 cells, the cell itself included, so that a live cell of n
 * neighbours counts n + 1.
 */
enum life3d_form {
    LIFE3D_STANDARD,  /* 4 5 7 6: born at 4 and 5, survives at counts 7 and 8 */
    LIFE3D_INTERVALS, /* one interval each */
    LIFE3D_TABLE,     /* any */
};

/* How rows end; masks of the cells of a word. */
struct life3d_ends {
    int end;                     /* rows of several words: cells in the last word, 0: all */
    uint64_t valid, own, beyond; /* those; whether cell 0 follows in the last word or after it */
    int side;                    /* rows of one word at most: cells - 1 */
    uint64_t keep_left, wrap_left, keep_right, wrap_right;
    bool halves; /* rows of 32 cells that are closed, two in a word */
};

/*
 * Intervals: a live cell stays from limit 0 on but not from limit 1 on, an empty one is born from
 * limit 2 on but not from limit 3 on; their bits, inverted. Tables: see life3d_of_table.
 */
struct life3d_bits {
    enum life3d_form form;
    uint64_t not_limits[4][5];
    uint8_t survive[14], born[14];
    struct life3d_ends ends;
};

/*
 * 4 and 5 of an empty cell, 7 and 8 of a live one: of the two fours and the two eights exactly one
 * kind is there and once, two fours being an eight; and the lower bits are right.
 */
RULE word life3d_standard(struct life3d_parts n, word live)
{
    word four = n.four[0] | n.four[1], other = word_sum(n.four[0], n.four[1], n.two);
#ifdef WORD_TERNARY
    word low = WORD_TERNARY(n.two, n.one, live, 0x78);
    word once = WORD_TERNARY(four, n.eight[0], n.eight[1], 0x16);

    return WORD_TERNARY(other, low, live, 0x12) & once;
#else
    word low = n.two ^ (n.one & live), two = n.eight[0] & n.eight[1];
    word once = (four ^ n.eight[0] ^ n.eight[1]) & ~(four & two);

    return (other ^ live) & once & ~low;
#endif
}

/* n >= k, with the bits of k inverted: from the low end, the higher bit that differs decides. */
RULE word life3d_at_least(struct life3d_count n, const word not_k[5])
{
    word above = n.s0 | not_k[0];

    above = word_carry(n.s1, not_k[1], above);
    above = word_carry(n.s2, not_k[2], above);
    above = word_carry(n.s3, not_k[3], above);
    return word_carry(n.s4, not_k[4], above);
}

/* not_limits as words. */
RULE word life3d_intervals(struct life3d_count n, word live, const word not_limits[4][5])
{
    word survive = life3d_at_least(n, not_limits[0]) & ~life3d_at_least(n, not_limits[1]);
    word born = life3d_at_least(n, not_limits[2]) & ~life3d_at_least(n, not_limits[3]);

    return life3d_select(live, survive, born);
}

/*
 * Any rule: of counts 2 i and 2 i + 1, neither, the even, the odd, or both are in it, which is
 * pairs[i] = 0 ... 3 and makes 0, not s0, s0 or 1. The higher bits of the count choose among those.
 */
RULE word life3d_of_table(struct life3d_count n, const uint8_t pairs[14])
{
    const word odd = n.s0, even = ~n.s0, kinds[4] = {odd & even, even, odd, odd | even};
    word of[7];

    for (int i = 0; i < 7; i++)
        of[i] = life3d_select(n.s1, kinds[pairs[2 * i + 1]], kinds[pairs[2 * i]]);
    of[0] = life3d_select(n.s2, of[1], of[0]);
    of[2] = life3d_select(n.s2, of[3], of[2]);
    of[4] = life3d_select(n.s2, of[5], of[4]); /* no count has 28 ... 31 */
    of[0] = life3d_select(n.s3, of[2], of[0]);
    of[4] = life3d_select(n.s3, of[6], of[4]);
    return life3d_select(n.s4, of[4], of[0]);
}

RULE word life3d_table(struct life3d_count n, word live, const struct life3d_bits *bits)
{
    return life3d_select(live, life3d_of_table(n, bits->survive), life3d_of_table(n, bits->born));
}

#endif
