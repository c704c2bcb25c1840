/* SPDX-License-Identifier: MIT */
/*
 * Life in three dimensions on words: the count of 27 cells and the rule for as many cells at once
 * as a word has bits (kernels/cpu/word.h). Checked against life3d_next for all counts.
 */
#ifndef CALAB_KERNELS_LIFE3D_BITSLICE_H
#define CALAB_KERNELS_LIFE3D_BITSLICE_H

#include <stdbool.h>

#include "kernels/cpu/word.h"

/* Nine cells, whose sum is kept as two partial sums: l.low + 2 (l.high + h.low) + 4 h.high. */
struct life3d_sum9 {
    struct bit_sum l, h;
};

/* From the sums of three columns of three cells: low bits and high bits are added separately. */
RULE struct life3d_sum9 life3d_add_columns(struct bit_sum a, struct bit_sum b, struct bit_sum c)
{
    struct life3d_sum9 sum = {word_full_add(a.low, b.low, c.low),
                              word_full_add(a.high, b.high, c.high)};

    return sum;
}

/* Two sums of nine, added as far as possible without a third: both sums of 27 that contain them
 * need it. */
struct life3d_pair {
    word ones[2];
    word twos[2];
    word four, eight;
};

RULE struct life3d_pair life3d_add_pair(struct life3d_sum9 a, struct life3d_sum9 b)
{
    struct bit_sum twos = word_full_add(a.l.high, a.h.low, b.l.high);
    struct bit_sum fours = word_full_add(a.h.high, b.h.high, twos.high);
    struct life3d_pair pair = {{a.l.low, b.l.low}, {twos.low, b.h.low}, fours.low, fours.high};

    return pair;
}

/* 27 cells, whose sum is kept as partial sums: one + 2 two + 4 (four[0] + four[1]) + 8 (...). */
struct life3d_partial_sums {
    word one, two, four[2], eight[2];
};

RULE struct life3d_partial_sums life3d_add_third(struct life3d_pair pair, struct life3d_sum9 c)
{
    struct bit_sum ones = word_full_add(pair.ones[0], pair.ones[1], c.l.low);
    struct bit_sum first = word_full_add(pair.twos[0], pair.twos[1], c.l.high);
    struct bit_sum twos = word_full_add(first.low, c.h.low, ones.high);
    struct bit_sum fours = word_full_add(pair.four, c.h.high, first.high);
    struct life3d_partial_sums sums = {
        ones.low, twos.low, {fours.low, twos.high}, {pair.eight, fours.high}};

    return sums;
}

/* A number 0 ... 27: bit i of it in s[i]. */
struct life3d_count {
    word s0, s1, s2, s3, s4;
};

RULE struct life3d_count life3d_count(struct life3d_partial_sums n)
{
    struct bit_sum fours = word_half_add(n.four[0], n.four[1]);
    struct bit_sum eights = word_full_add(n.eight[0], n.eight[1], fours.high);
    struct life3d_count count = {n.one, n.two, fours.low, eights.low, eights.high};

    return count;
}

/*
 * How the rule is evaluated. The count is that of all 27 cells, the cell itself included, so a live
 * cell with n neighbours counts n + 1.
 */
enum life3d_form {
    LIFE3D_STANDARD,  /* 4 5 7 6: born at 4 and 5, survives at counts 7 and 8 */
    LIFE3D_INTERVALS, /* births and survivals are one interval each */
    LIFE3D_TABLE,     /* any rule */
};

/*
 * The ends of rows. Rows of several words: `end` cells are in the last word (0: all 64), `valid`
 * masks them; on a torus the cell after the last one is in the last word (`wrap_inside`) or in the
 * next one (`wrap_beyond`). Rows of at most one word: `side` is the width less 1, and the masks say
 * which cells take the shifted neighbour and which the wrapped one.
 */
struct life3d_ends {
    int end;
    uint64_t valid, wrap_inside, wrap_beyond; /* all bits or none, but for `valid` */
    int side;
    uint64_t keep_left, wrap_left, keep_right, wrap_right;
    bool halves; /* two periodic rows of 32 cells in a word */
};

/*
 * A rule as its form needs it. LIFE3D_INTERVALS: a live cell survives from limit 0 on but not from
 * limit 1 on, an empty cell is born from limit 2 on but not from limit 3 on; `not_limits` holds the
 * inverted bits of these numbers. LIFE3D_TABLE: see life3d_of_table.
 */
struct life3d_bits {
    enum life3d_form form;
    uint64_t not_limits[4][5];
    uint8_t survive[14], born[14];
    struct life3d_ends ends;
};

/*
 * Counts 4 and 5 of an empty cell, 7 and 8 of a live one. Among the two fours (two of which make an
 * eight) and the two eights exactly one is set, and the lower bits have to match.
 */
RULE word life3d_standard(struct life3d_partial_sums n, word live)
{
    word four = n.four[0] | n.four[1], other = word_sum(n.four[0], n.four[1], n.two);
    word low = LOP3(n.two, n.one, live, A ^ (B & C));
    word once = LOP3(four, n.eight[0], n.eight[1], (A ^ B ^ C) & ~(A & (B & C)));

    return LOP3(other, low, live, (A ^ C) & ~B) & once;
}

/* n >= k, from the inverted bits of k: the highest bit in which n and k differ decides. */
RULE word life3d_at_least(struct life3d_count n, const word not_k[5])
{
    word above = n.s0 | not_k[0];

    above = word_carry(n.s1, not_k[1], above);
    above = word_carry(n.s2, not_k[2], above);
    above = word_carry(n.s3, not_k[3], above);
    return word_carry(n.s4, not_k[4], above);
}

/* `not_limits` as in life3d_bits, each bit spread over a word. */
RULE word life3d_intervals(struct life3d_count n, word live, const word not_limits[4][5])
{
    word survive = life3d_at_least(n, not_limits[0]) & ~life3d_at_least(n, not_limits[1]);
    word born = life3d_at_least(n, not_limits[2]) & ~life3d_at_least(n, not_limits[3]);

    return word_select(live, survive, born);
}

/*
 * Any rule: pairs[i] = 0 ... 3 says that neither, the even, the odd, or both of the counts 2 i and
 * 2 i + 1 are in it, so the result is 0, not s0, s0 or 1. The higher bits of the count select i.
 */
RULE word life3d_of_table(struct life3d_count n, const uint8_t pairs[14])
{
    const word odd = n.s0, even = ~n.s0, kinds[4] = {odd & even, even, odd, odd | even};
    word of[7];

    for (int i = 0; i < 7; i++)
        of[i] = word_select(n.s1, kinds[pairs[2 * i + 1]], kinds[pairs[2 * i]]);
    of[0] = word_select(n.s2, of[1], of[0]);
    of[2] = word_select(n.s2, of[3], of[2]);
    of[4] = word_select(n.s2, of[5], of[4]); /* no count has 28 ... 31 */
    of[0] = word_select(n.s3, of[2], of[0]);
    of[4] = word_select(n.s3, of[6], of[4]);
    return word_select(n.s4, of[4], of[0]);
}

RULE word life3d_table(struct life3d_count n, word live, const struct life3d_bits *bits)
{
    return word_select(live, life3d_of_table(n, bits->survive), life3d_of_table(n, bits->born));
}

#endif
