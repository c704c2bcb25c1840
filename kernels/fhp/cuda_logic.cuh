/* SPDX-License-Identifier: MIT */
/*
 * Collisions of fhp1 and fhp2 as LOP3 operations on words of 32 nodes: 23 and 41 of them (fhp3 is
 * in cuda_logic_fhp3.cuh). The tests cover all states at both chiralities. bitslice.h has the form
 * for processors where logic of three inputs takes several operations.
 *
 * Directions 0, 2, 4 and directions 1, 3, 5 are counted apart, to s + 2 c each. Two particles of
 * the same three directions are beside the direction between them; two particles of different ones
 * are a head-on pair or neighbours; all of the one and none of the other three are a triple that
 * flips.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_LOGIC_CUH
#define CALAB_KERNELS_FHP_CUDA_LOGIC_CUH

#include "kernels/fhp/bitslice.h"
#include "kernels/fhp/cuda_logic_fhp3.cuh"

struct fhp_counts {
    word s[2], c[2]; /* of directions 0, 2, 4 and of 1, 3, 5 */
};

FHP_INLINE struct fhp_counts fhp_counts_of(const word a[6])
{
    struct fhp_counts n = {{word_sum(a[0], a[2], a[4]), word_sum(a[1], a[3], a[5])},
                           {word_carry(a[0], a[2], a[4]), word_carry(a[1], a[3], a[5])}};

    return n;
}

/* The axes that turn over: those of pairs that are the only moving particles, and of triples. */
FHP_INLINE void fhp_axes(word axis[3], const word a[6], const struct fhp_counts *n, word chirality)
{
    word two = LOP3(n->s[0], n->c[0], n->c[1], A & ~(B | C)) & n->s[1];
    word triple = LOP3(n->s[0], n->c[0], n->s[1], ~(A ^ B) & (A ^ C)), pair[3];

    triple = LOP3(triple, n->c[0], n->c[1], A & (B ^ C));
    for (int j = 0; j < 3; j++)
        pair[j] = LOP3(a[j], a[j + 3], two, A & B & C);
    for (int j = 0; j < 3; j++) {
        word turned = LOP3(chirality, pair[(j + 2) % 3], pair[(j + 1) % 3], (A & B) | (~A & C));

        axis[j] = LOP3(pair[j], turned, triple, A | B | C);
    }
}

FHP_INLINE void fhp1_words(struct fhp_bits *node, word chirality)
{
    struct fhp_counts n = fhp_counts_of(node->move);
    word axis[3];

    fhp_axes(axis, node->move, &n, chirality);
    for (int i = 0; i < 6; i++)
        node->move[i] ^= axis[i % 3];
}

/*
 * fhp2 adds {k, rest} <-> {k - 1, k + 1}. Where two particles join, direction i has one next if
 * both directions beside it had one; where one splits, if either had one. Both are the majority of
 * the two and `splits`.
 */
FHP_INLINE void fhp2_words(struct fhp_bits *node, word chirality)
{
    const struct fhp_bits old = *node;
    const word *a = old.move;
    struct fhp_counts n = fhp_counts_of(a);
    word joins = LOP3(n.s[0], n.s[1], old.rest, ~(A | B | C));
    word splits = LOP3(old.rest, n.c[0], n.c[1], A & ~(B | C)), either, axis[3];

    joins = LOP3(joins, n.c[0], n.c[1], A & (B ^ C));
    splits = LOP3(splits, n.s[0], n.s[1], A & (B ^ C));
    either = joins | splits;
    fhp_axes(axis, a, &n, chirality);
    for (int i = 0; i < 6; i++) {
        word turned = LOP3(a[i], axis[i % 3], either, (A ^ B) & ~C);
        word beside = word_carry(a[(i + 5) % 6], a[(i + 1) % 6], splits);

        node->move[i] = LOP3(turned, either, beside, A | (B & C));
    }
    node->rest = old.rest ^ either;
}

/* Computes what fhp_bits_collide does. */
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
