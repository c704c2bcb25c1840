/* SPDX-License-Identifier: MIT */
/*
 * Collisions of fhp1 and fhp2 in logic of three inputs, an operation of a GPU each: 23 and 41 of
 * them (fhp3: words3.cuh). The tests meet all states at both chiralities. Where such logic takes
 * several operations bitslice.h is the shorter one.
 *
 * Directions 0, 2, 4 are counted by themselves, and 1, 3, 5, to s + 2 c each. Two particles of one
 * of these triples stand beside the direction between them, two of both are a head-on pair or
 * neighbours, and all of one and none of the other is a triple that flips.
 */
#ifndef CALAB_KERNELS_FHP_WORDS_CUH
#define CALAB_KERNELS_FHP_WORDS_CUH

#include "kernels/fhp/bitslice.h"
#include "kernels/fhp/words3.cuh"

#define FHP_NONE_(a, b, c) (~((a) | (b) | (c)))
#define FHP_ONLY_(a, b, c) ((a) & ~((b) | (c)))
#define FHP_ALIKE_DIFFER_(a, b, c) (~((a) ^ (b)) & ((a) ^ (c)))
#define FHP_DIFFER_UNLESS_(a, b, c) (((a) ^ (b)) & ~(c))

struct fhp_tally {
    word s[2], c[2]; /* of directions 0, 2, 4 and of 1, 3, 5 */
};

FHP_INLINE struct fhp_tally fhp_tally_of(const word a[6])
{
    struct fhp_tally n = {{word_sum(a[0], a[2], a[4]), word_sum(a[1], a[3], a[5])},
                          {word_carry(a[0], a[2], a[4]), word_carry(a[1], a[3], a[5])}};

    return n;
}

/* Which axes turn over: pairs whose two particles are the only ones that move, and triples. */
FHP_INLINE void fhp_axes(word axis[3], const word a[6], const struct fhp_tally *n, word chirality)
{
    word two = FHP_LOGIC(FHP_ONLY_, n->s[0], n->c[0], n->c[1]) & n->s[1];
    word triple = FHP_LOGIC(FHP_ALIKE_DIFFER_, n->s[0], n->c[0], n->s[1]), pair[3];

    triple = FHP_LOGIC(FHP_AND_DIFFER_, triple, n->c[0], n->c[1]);
    for (int j = 0; j < 3; j++)
        pair[j] = FHP_LOGIC(FHP_AND_, a[j], a[j + 3], two);
    for (int j = 0; j < 3; j++) {
        word turned = FHP_LOGIC(FHP_SELECT_, chirality, pair[(j + 2) % 3], pair[(j + 1) % 3]);

        axis[j] = FHP_LOGIC(FHP_OR_, pair[j], turned, triple);
    }
}

FHP_INLINE void fhp1_words(struct fhp_bits *node, word chirality)
{
    struct fhp_tally n = fhp_tally_of(node->move);
    word axis[3];

    fhp_axes(axis, node->move, &n, chirality);
    for (int i = 0; i < 6; i++)
        node->move[i] ^= axis[i % 3];
}

/*
 * And {k, rest} <-> {k - 1, k + 1}: where two join, direction i has a particle next if both beside
 * it had one; where one splits, if either had one: the majority of both and `splits`.
 */
FHP_INLINE void fhp2_words(struct fhp_bits *node, word chirality)
{
    const struct fhp_bits old = *node;
    const word *a = old.move;
    struct fhp_tally n = fhp_tally_of(a);
    word joins = FHP_LOGIC(FHP_NONE_, n.s[0], n.s[1], old.rest);
    word splits = FHP_LOGIC(FHP_ONLY_, old.rest, n.c[0], n.c[1]), either, axis[3];

    joins = FHP_LOGIC(FHP_AND_DIFFER_, joins, n.c[0], n.c[1]);
    splits = FHP_LOGIC(FHP_AND_DIFFER_, splits, n.s[0], n.s[1]);
    either = joins | splits;
    fhp_axes(axis, a, &n, chirality);
    for (int i = 0; i < 6; i++) {
        word turned = FHP_LOGIC(FHP_DIFFER_UNLESS_, a[i], axis[i % 3], either);
        word beside = word_carry(a[(i + 5) % 6], a[(i + 1) % 6], splits);

        node->move[i] = FHP_LOGIC(FHP_OR_BOTH_, turned, either, beside);
    }
    node->rest = old.rest ^ either;
}

/* fhp_bits_collide with these. */
static __device__ __forceinline__ void fhp_words_collide(enum fhp_bits_set set,
                                                         struct fhp_bits *node, word chirality)
{
    if (set == FHP_BITS_1)
        fhp1_words(node, chirality);
    else if (set == FHP_BITS_2)
        fhp2_words(node, chirality);
    else
        fhp3_words(node, chirality);
}

#endif
