/* SPDX-License-Identifier: MIT */
/*
 * FHP on words: what happens at a node, for as many nodes at once as a word has bits
 * (kernels/cpu/word.h), a word for each bit of a node. Checked against fhp_collide and
 * fhp_bounce for all states and chiralities.
 *
 * Only the changes are computed: which directions' bits flip, and whether rest flips. There are two
 * kinds of changes, and a node takes one of them at most:
 *
 *   axis      both directions of axis k, i.e. k and k + 3: pairs that turn, triples that flip
 *   centre    directions k - 1, k, k + 1 and rest: {k, rest} <-> {k - 1, k + 1} and its like
 */
#ifndef CALAB_KERNELS_FHP_BITSLICE_H
#define CALAB_KERNELS_FHP_BITSLICE_H

#include "kernels/cpu/word.h"

#ifdef __CUDACC__
#define FHP_INLINE RULE
#else
#define FHP_INLINE static inline __attribute__((always_inline))
#endif

/* Nodes: a word for each direction, and rest. */
struct fhp_bits {
    word move[6], rest;
};

/* Which bits flip. */
struct fhp_changes {
    word axis[3], centre[6];
};

/* The number of particles of a node: low + 2 middle + 4 high. */
struct fhp_count {
    word low, middle, high;
};

FHP_INLINE struct fhp_count fhp_bits_count(const struct fhp_bits *node)
{
    const word *a = node->move;
    word sum0 = word_sum(a[0], a[1], a[2]), carry0 = word_carry(a[0], a[1], a[2]);
    word sum1 = word_sum(a[3], a[4], a[5]), carry1 = word_carry(a[3], a[4], a[5]);
    word low = word_sum(sum0, sum1, node->rest), carry2 = word_carry(sum0, sum1, node->rest);
    struct fhp_count count = {low, word_sum(carry0, carry1, carry2),
                              word_carry(carry0, carry1, carry2)};

    return count;
}

/* Exactly {0, 2, 4} or {1, 3, 5} are occupied: neighbouring and opposite directions differ. */
FHP_INLINE word fhp_bits_triple(const word a[6])
{
    word triple = LOP3(a[0], a[1], a[2], (A ^ B) & (B ^ C));

    triple = LOP3(triple, a[0], a[3], A & (B ^ C));
    triple = LOP3(triple, a[1], a[4], A & (B ^ C));
    return LOP3(triple, a[2], a[5], A & (B ^ C));
}

/*
 * A pair on axis i that turns changes two axes: i and that of the turned pair, which is i + 1 at
 * chirality 1 and i - 1 at 0. The axis k that it does not change is i + 2 or i + 1, which
 * `leaves[k]` says. So axis k changes where one of the other two is left out, or with a triple.
 */
FHP_INLINE void fhp_bits_axes(struct fhp_changes *changes, const word leaves[3], word triple)
{
    changes->axis[0] = LOP3(leaves[1], leaves[2], triple, A | B | C);
    changes->axis[1] = LOP3(leaves[2], leaves[0], triple, A | B | C);
    changes->axis[2] = LOP3(leaves[0], leaves[1], triple, A | B | C);
}

/* A pair on axis i turns where no other direction is occupied. */
FHP_INLINE struct fhp_changes fhp1_bits(const struct fhp_bits *node, word chirality)
{
    const word *a = node->move;
    const word none = {0};
    struct fhp_changes changes;
    word pair[3], leaves[3];

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        pair[i] = a[i] & a[i + 3] & ~(a[j] | a[j + 3] | a[k] | a[k + 3]);
    }
    for (int k = 0; k < 3; k++)
        leaves[k] = LOP3(chirality, pair[(k + 1) % 3], pair[(k + 2) % 3], (A & B) | (~A & C));
    fhp_bits_axes(&changes, leaves, fhp_bits_triple(a));
    for (int k = 0; k < 6; k++)
        changes.centre[k] = none;
    return changes;
}

/*
 * With n the number of particles, a head-on pair is alone where n = 2, or where n = 3 and one of
 * them is at rest; {k, rest} and {k - 1, k + 1} are alone where n = 2.
 */
FHP_INLINE struct fhp_changes fhp2_bits(const struct fhp_bits *node, word chirality)
{
    const word *a = node->move;
    struct fhp_count n = fhp_bits_count(node);
    word few = n.middle & ~n.high, two = few & ~n.low;
    word alone = LOP3(n.low, node->rest, few, (~A | B) & C), rests = node->rest & two;
    struct fhp_changes changes;
    word pair[3], leaves[3];

    for (int i = 0; i < 3; i++)
        pair[i] = LOP3(a[i], a[i + 3], alone, A & B & C);
    for (int k = 0; k < 3; k++)
        leaves[k] = LOP3(chirality, pair[(k + 1) % 3], pair[(k + 2) % 3], (A & B) | (~A & C));
    fhp_bits_axes(&changes, leaves, fhp_bits_triple(a));
    for (int k = 0; k < 6; k++) {
        word beside = LOP3(a[(k + 5) % 6], a[(k + 1) % 6], two, A & B & C);

        changes.centre[k] = LOP3(beside, a[k], rests, A | (B & C));
    }
    return changes;
}

/*
 * From four particles on the holes collide as the particles do below that. So the logic is on b and
 * q, the directions and rest, inverted there: at most three of them are set, and a test for three
 * needs no test of the others. Apart from triples, states of three form cycles of three, which are
 * followed one way at chirality 1 and the other way at 0:
 *
 *     A = {i, i+1, i+4}  ->  B = {i, i+2, i+5}  ->  C = {i-1, i+1, rest}  ->  A
 *
 * A <-> B leaves out axis i, as a pair that turns does: A has the pair i + 1 and B the pair i + 2.
 * B <-> C has its centre at i + 1 and C <-> A at i - 1. So centre k changes with
 *
 *     {k-1, k+1} alone, or with k - 2 (B of k - 1) at chirality 1, with k + 2 (A of k + 1) at 0
 *     {k, rest}  alone, or with k + 2 (C of k + 1) at chirality 1, with k - 2 (C of k - 1) at 0
 */
FHP_INLINE struct fhp_changes fhp3_bits(const struct fhp_bits *node, word chirality)
{
    struct fhp_count n = fhp_bits_count(node);
    word two = LOP3(n.low, n.middle, n.high, (B ^ C) & ~(A ^ C));
    word b[6], q = node->rest ^ n.high, one_way[6], pair[3], leaves[3], triple;
    struct fhp_changes changes;

    for (int i = 0; i < 6; i++) {
        b[i] = node->move[i] ^ n.high;
        one_way[i] = LOP3(b[i], chirality, two, (A & B) | C);
    }
    triple = LOP3(b[1], b[3], b[5], A & B & C);
    triple = LOP3(b[0] & b[2], b[4], triple, (A & B) | C);
    for (int i = 0; i < 3; i++)
        pair[i] = b[i] & b[i + 3];
    for (int k = 0; k < 3; k++) {
        leaves[k] = LOP3(chirality, pair[(k + 1) % 3], pair[(k + 2) % 3], (A & B) | (~A & C));
        leaves[k] &= LOP3(two | q, b[k], b[k + 3], A | B | C);
    }
    fhp_bits_axes(&changes, leaves, triple);
    for (int k = 0; k < 6; k++) {
        word before = b[(k + 4) % 6], after = b[(k + 2) % 6];
        word beside = LOP3(one_way[(k + 4) % 6], after, chirality, A | (B & ~C));
        word resting = LOP3(one_way[(k + 2) % 6], before, chirality, A | (B & ~C));

        beside = LOP3(beside, b[(k + 5) % 6], b[(k + 1) % 6], A & B & C);
        changes.centre[k] = LOP3(resting, b[k] & q, beside, (A & B) | C);
    }
    return changes;
}

/* Applies the changes to the nodes. */
FHP_INLINE void fhp_bits_change(struct fhp_bits *node, const struct fhp_changes *changes)
{
    const word *c = changes->centre, *axis = changes->axis;
    word beside[6];

    beside[0] = LOP3(c[5], c[0], c[1], A | B | C);
    beside[1] = LOP3(c[1], c[0], c[2], A | B | C);
    beside[5] = LOP3(c[0], c[4], c[5], A | B | C);
    beside[2] = LOP3(c[1], c[2], c[3], A | B | C);
    beside[3] = LOP3(c[2], c[3], c[4], A | B | C);
    beside[4] = LOP3(c[3], c[4], c[5], A | B | C);
    for (int i = 0; i < 6; i++)
        node->move[i] = LOP3(node->move[i], axis[i % 3], beside[i], A ^ (B | C));
    node->rest = LOP3(node->rest, beside[1], beside[4], A ^ (B | C));
}

enum fhp_bits_set { FHP_BITS_1, FHP_BITS_2, FHP_BITS_3 };

/* fhp_collide, for a set that is known at compile time. */
FHP_INLINE void fhp_bits_collide(enum fhp_bits_set set, struct fhp_bits *node, word chirality)
{
    struct fhp_changes changes = set == FHP_BITS_1   ? fhp1_bits(node, chirality)
                                 : set == FHP_BITS_2 ? fhp2_bits(node, chirality)
                                                     : fhp3_bits(node, chirality);

    fhp_bits_change(node, &changes);
}

/* Bounces, where `solid` is set, the particles that `moved` in back, as fhp_bounce does. */
FHP_INLINE void fhp_bits_bounce(struct fhp_bits *node, const struct fhp_bits *moved, word solid)
{
    for (int i = 0; i < 6; i++)
        node->move[i] = LOP3(solid, moved->move[(i + 3) % 6], node->move[i], (A & B) | (~A & C));
    node->rest = LOP3(solid, moved->rest, node->rest, (A & B) | (~A & C));
}

#endif
