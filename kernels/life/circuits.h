/* SPDX-License-Identifier: MIT */
/*
 * These functions step rules of life by logic of three inputs on words, as many cells at once as a
 * word has bits: one makes what two neighbouring rows share, another from that the result of either
 * row with the row on its other side. They take the sums of three cells of each row, and the centre
 * of the row whose result it is.
 *
 * Searches over circuits found them, so intermediate values have no meaning of their own. A word
 * and row take two operations for the sum of three, half of those that two rows share, and those of
 * the result. For Life, with three shared and four of the result, there is no circuit with fewer of
 * either kind, nor with four and three:
 *
 *     Replicator 3.5   ANNEAL 6.5   Seeds 7   Life, 34 Life, Diamoeba 7.5   HighLife 8
 *     Day & Night 9.5
 */
#ifndef CALAB_KERNELS_LIFE_CIRCUITS_H
#define CALAB_KERNELS_LIFE_CIRCUITS_H

#include "kernels/cpu/word.h"

/* X(name, births, survivals, operations on a word and row beside the sum of three, registers that a
 * group's centres take) of each rule: bit n of births and survivals is for n live neighbours. */
#define LIFE_COMPILED(X)                                                                           \
    X(conway, 0x008, 0x00c, 5.5, 4)                                                                \
    X(highlife, 0x048, 0x00c, 6, 4)                                                                \
    X(day_and_night, 0x1c8, 0x1d8, 7.5, 4)                                                         \
    X(seeds, 0x004, 0x000, 5, 4)                                                                   \
    X(34, 0x018, 0x018, 5.5, 4)                                                                    \
    X(diamoeba, 0x1e8, 0x1e0, 5.5, 4)                                                              \
    X(vote, 0x1d0, 0x1e8, 4.5, 0)                                                                  \
    X(replicator, 0x0aa, 0x0aa, 1.5, 4)

/* Rows b and c share these values, and results take these sums of theirs; o is the row on the other
 * side. */
struct life_two {
    struct bit_sum b, c;
    word s0, s1, s2, s3, s4;
};

/* B3/S23: Conway's Life. */
RULE struct life_two life_two_conway(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = LOP3(b.low, b.high, c.high, A ^ ((A ^ B) | (A ^ C)));
    two.s1 = LOP3(b.high, c.high, two.s0, A ^ ((A ^ B) & (B ^ C)));
    two.s2 = LOP3(b.low, c.low, two.s0, (A & B) | ((A ^ B) & C));
    return two;
}

RULE word life_next_conway(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.s0, two.s2, o.low, (A & B) | ((A ^ B) & C));
    word r1 = LOP3(two.b.low, two.c.low, o.low, A ^ B ^ C);
    word r2 = LOP3(two.s1, o.high, r0, A ^ ((A & B) | (B ^ C)));

    return LOP3(centre, r1, r2, C & (A | B));
}

/* B36/S23: HighLife. */
RULE struct life_two life_two_highlife(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = LOP3(b.low, c.low, c.high, C ^ (A | B));
    two.s1 = LOP3(b.high, c.high, two.s0, C | (A ^ B));
    two.s2 = LOP3(b.low, c.low, two.s1, (A ^ B) | (A & ~C));
    two.s3 = LOP3(b.high, two.s0, two.s1, (A & B) | (A ^ B ^ C));
    return two;
}

RULE word life_next_highlife(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.s2, o.low, centre, C | (A ^ B));
    word r1 = LOP3(two.s1, two.s2, o.low, (A ^ B) & (B | C));
    word r2 = LOP3(two.s3, o.high, r0, (A & B) ^ (C & (A | B)));

    return LOP3(o.high, r1, r2, B ^ (C | (A & B)));
}

/* B2/S: Seeds. */
RULE struct life_two life_two_seeds(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = LOP3(b.low, c.low, b.high, C & (A | B));
    two.s1 = LOP3(b.low, c.low, b.high, (A ^ B) | (A & C));
    return two;
}

RULE word life_next_seeds(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.b.low, two.c.low, two.b.high, A | B | C);
    word r1 = LOP3(two.s1, o.low, centre, C | (A ^ B));
    word r2 = LOP3(two.c.high, o.high, r0, A ^ ((A & B) | (B ^ C)));

    return LOP3(two.s0, r1, r2, C & ~A & ~B);
}

/* B34/S34: 34 Life. */
RULE struct life_two life_two_34(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = b.low ^ c.low;
    two.s1 = LOP3(b.low, c.low, c.high, C ^ (A & B));
    two.s2 = LOP3(b.high, c.high, two.s1, B ^ (C & (A ^ B)));
    return two;
}

RULE word life_next_34(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.s0, o.low, centre, A ^ ((A ^ B) & (B ^ C)));
    word r1 = LOP3(two.b.high, two.s1, o.high, A ^ B ^ C);
    word r2 = LOP3(two.s2, o.high, r1, (A ^ B) | (C & ~A));

    return LOP3(r0, r1, r2, C & (A ^ ~B));
}

/* B35678/S5678: Diamoeba. */
RULE struct life_two life_two_diamoeba(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = b.low ^ c.low;
    two.s1 = LOP3(b.high, c.high, two.s0, A ^ B ^ C);
    two.s2 = LOP3(c.high, two.s0, two.s1, A ^ ((A ^ C) & (B ^ C)));
    return two;
}

RULE word life_next_diamoeba(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.s0, o.low, centre, A ^ ((A ^ B) & (B ^ C)));
    word r1 = LOP3(two.c.low, two.s0, o.low, (A | B) ^ (B & C));
    word r2 = LOP3(two.s1, o.high, r1, A ^ ((A ^ B) | (A ^ C)));

    return LOP3(two.s2, r0, r2, (A & B) | ((A ^ B) & C));
}

/* B4678/S35678: ANNEAL. */
RULE struct life_two life_two_vote(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = LOP3(b.low, c.low, b.high, A ^ ((A ^ B) | (A ^ C)));
    two.s1 = LOP3(c.low, c.high, two.s0, A ^ B ^ C);
    two.s2 = LOP3(b.high, c.high, two.s1, A ^ ((A ^ B) & (B ^ C)));
    return two;
}

RULE word life_next_vote(struct life_two two, struct bit_sum o, word centre)
{
    (void)centre;
    word r0 = LOP3(two.s1, o.low, o.high, (A & B) | ((A ^ B) & C));
    word r1 = LOP3(two.b.low, two.c.low, o.low, A ^ B ^ C);

    return LOP3(two.s2, r0, r1, A ^ ((A ^ B) & (B ^ C)));
}

/* B3678/S34678: Day & Night. */
RULE struct life_two life_two_day_and_night(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = LOP3(b.low, c.low, c.high, C ^ (A | B));
    two.s1 = b.low ^ c.low;
    two.s2 = LOP3(b.high, c.high, two.s0, B ^ (C & (A ^ B)));
    two.s3 = b.high ^ two.s0;
    two.s4 = LOP3(b.high, two.s0, two.s1, A ^ B ^ C);
    return two;
}

RULE word life_next_day_and_night(struct life_two two, struct bit_sum o, word centre)
{
    word r0 = LOP3(two.s4, o.low, centre, A ^ B ^ C);
    word r1 = LOP3(two.s1, o.low, o.high, C ^ (B & ~A));
    word r2 = LOP3(two.s3, o.high, r1, B ^ (C & (A ^ B)));
    word r3 = LOP3(r0, r1, r2, A ^ B ^ C);

    return LOP3(two.s2, r2, r3, B ^ (C & (A ^ B)));
}

/* B1357/S1357: Replicator, the parity of the eight neighbours. */
RULE struct life_two life_two_replicator(struct bit_sum b, struct bit_sum c)
{
    struct life_two two = {.b = b, .c = c};

    two.s0 = b.low ^ c.low;
    return two;
}

RULE word life_next_replicator(struct life_two two, struct bit_sum o, word centre)
{
    return LOP3(two.s0, o.low, centre, A ^ B ^ C);
}

#endif
