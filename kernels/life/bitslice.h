/* SPDX-License-Identifier: MIT */
/*
 * Rules of life that go by counts, on words: from the sums of a square's low and high bits
 * (kernels/moore/bitslice.h) and its centre. The square has l0 + 2 m live cells, m = l1 + h0 + 2
 * h1.
 */
#ifndef CALAB_KERNELS_LIFE_BITSLICE_H
#define CALAB_KERNELS_LIFE_BITSLICE_H

#include "kernels/life/life.h"
#include "kernels/life/program.h"
#include "kernels/moore/bitslice.h"

/* X(name, born, stays): bit n, with n live neighbours. Rules that people use are compiled in. */
#define LIFE_COMMON_RULES(X)                                                                       \
    X(highlife, 0x048, 0x00c)         /* B36/S23 */                                                \
    X(day_and_night, 0x1c8, 0x1d8)    /* B3678/S34678 */                                           \
    X(seeds, 0x004, 0x000)            /* B2/S */                                                   \
    X(replicator, 0x0aa, 0x0aa)       /* B1357/S1357 */                                            \
    X(fredkin, 0x0aa, 0x155)          /* B1357/S02468 */                                           \
    X(majority, 0x1e0, 0x1f0)         /* B5678/S45678 */                                           \
    X(diamoeba, 0x1e8, 0x1e0)         /* B35678/S5678 */                                           \
    X(two_by_two, 0x048, 0x026)       /* B36/S125 */                                               \
    X(morley, 0x148, 0x034)           /* B368/S245 */                                              \
    X(maze, 0x008, 0x03e)             /* B3/S12345 */                                              \
    X(coral, 0x008, 0x1f0)            /* B3/S45678 */                                              \
    X(no_death, 0x008, 0x1ff)         /* B3/S012345678 */                                          \
    X(long_life, 0x038, 0x020)        /* B345/S5 */                                                \
    X(life_34, 0x018, 0x018)          /* B34/S34 */                                                \
    X(live_free_or_die, 0x004, 0x001) /* B2/S0 */

/* How a rule is stepped. */
enum life_form {
    LIFE_CONWAY,  /* B3/S23 */
    LIFE_VOTE,    /* B4678/S35678, the twisted majority vote */
    LIFE_COMMON,  /* one of LIFE_COMMON_RULES */
    LIFE_COUNTED, /* another that goes by counts */
    LIFE_PROGRAM, /* any other */
};

/* Lanes of the widest word. */
#define LIFE_LANES 8

/* The context of the bit-sliced backends. */
struct life_bits {
    enum life_form form;
    int common; /* its place in LIFE_COMMON_RULES */
    /* Of LIFE_COUNTED: masks of the result at each m, by l0 and the centre:
     * mask 0 ^ l0 mask 1 ^ centre (mask 2 ^ l0 mask 3). */
    uint64_t mask[5][4][LIFE_LANES];
    struct life_program program;
};

/* bitslice_context.c: bit_ops.prepare, and what it makes of a rule. */
struct life_rule;
void life_bits_make(struct life_bits *bits, const struct life_rule *rule);
void life_bits_prepare(const struct ca_setup *setup, void *context);
/* bit_ops.work: a rule's operations as a multiple of those of B3/S23. */
double life_bits_work(const struct ca_setup *setup);
double life_bits_work_of(const struct life_rule *rule);

/*
 * B3/S23: three live cells, or four with the centre. With l0 set that is m = 1, so that of l1 and
 * h0 one is set and h1 is not; without it m = 2, so that both or none are set, and h1 differs from
 * l1. A search over circuits found the form of three ternary operations.
 */
RULE word life_conway(struct bit_sum l, struct bit_sum h, word centre)
{
#ifdef WORD_TERNARY
    word one = LOP3(l.low, l.high, h.high, (A ^ B ^ C) & ~(A & B));
    word other = LOP3(h.low, h.high, one, (A ^ B ^ C) | (A & B));

    return LOP3(l.low, centre, other, (A | B) & ~C);
#else
    word count = (h.high ^ (l.high | l.low)) & (centre | l.low);

    return count & ~(l.high ^ h.low ^ l.low);
#endif
}

/* The result at one m: bit l0 + 2 centre of a table that is constant. */
RULE word life_leaf(unsigned table, word low, word centre)
{
    switch (table & 15) {
    case 0:
        return low & ~low;
    case 1:
        return ~(low | centre);
    case 2:
        return low & ~centre;
    case 3:
        return ~centre;
    case 4:
        return ~low & centre;
    case 5:
        return ~low;
    case 6:
        return low ^ centre;
    case 7:
        return ~(low & centre);
    case 8:
        return low & centre;
    case 9:
        return ~(low ^ centre);
    case 10:
        return low;
    case 11:
        return low | ~centre;
    case 12:
        return centre;
    case 13:
        return ~low | centre;
    case 14:
        return low | centre;
    default:
        return ~(low & ~low);
    }
}

/* The table of a leaf: the results of 2 m and 2 m + 1 live cells. No square is full or empty but
 * one with such a centre, so either result serves there. */
RULE unsigned life_leaf_table(unsigned born, unsigned stays, unsigned m)
{
    unsigned empty = born | (stays >> 8 & 1) << 9, live = stays << 1 | (born & 1);

    return (empty >> 2 * m & 3) | (live >> 2 * m & 3) << 2;
}

/* The bits of `yes` or `no`, in plain logic, which compilers simplify where one is constant. */
RULE word life_select(word condition, word yes, word no) { return no ^ (condition & (yes ^ no)); }

/* The leaf that m chooses. */
RULE word life_choose(struct bit_sum l, struct bit_sum h, const word leaf[5])
{
    word one = l.high ^ h.low;
    word few = life_select(one, leaf[1], life_select(l.high, leaf[2], leaf[0]));
    word many = life_select(one, leaf[3], life_select(l.high, leaf[4], leaf[2]));

    return life_select(h.high, many, few);
}

/* A rule that is constant. */
RULE word life_by_counts(struct bit_sum l, struct bit_sum h, word centre, unsigned born,
                         unsigned stays)
{
    word leaf[5];

    for (unsigned m = 0; m < 5; m++)
        leaf[m] = life_leaf(life_leaf_table(born, stays, m), l.low, centre);
    return life_choose(l, h, leaf);
}

#endif
