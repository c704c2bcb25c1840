/* SPDX-License-Identifier: MIT */
/*
 * The rule of life3d on words of 32 cells, in ternary logic (LOP3, kernels/cpu/word.h): one GPU
 * instruction for any function of three inputs. The adders are bitslice.h's; the rules below end
 * the addition early where they can.
 *
 * The nine cells of a layer around each cell are summed in two parts. Layers come in pairs: a and b
 * are added once; the pair is then added to the layer before a for the result in a, and to the
 * layer after b for the result in b.
 */
#ifndef CALAB_KERNELS_LIFE3D_CUDA_LOGIC_CUH
#define CALAB_KERNELS_LIFE3D_CUDA_LOGIC_CUH

#include "kernels/cuda/stepper.cuh"

#define WORD uint32_t
#include "kernels/life3d/bitslice.h"

/* 0 or 1, by which words are multiplied. It is opaque because compilers that know the value select
 * words in the logic units instead, while the multipliers idle. */
static __device__ __forceinline__ word life3d_factor(bool keep) { return cuda_opaque((word)keep); }

/* --- rules ----------------------------------------------------------------------------------- */

/* The rules that kernels are compiled for. The last two are general: any two intervals, and any
 * counts, given at run time. */
enum life3d_rule_variant {
    LIFE3D_RULE_4576,
    LIFE3D_RULE_4555,
    LIFE3D_RULE_5766,
    LIFE3D_RULE_INTERVALS,
    LIFE3D_RULE_TABLE,
    LIFE3D_RULE_VARIANTS
};

/* The rule at run time: see struct life3d_bits. In a table, the result for the counts 2 i and
 * 2 i + 1 is even[i] for the even one and even[i] ^ odd[i] for the odd one. */
struct life3d_masks {
    word not_limits[4][5];
    word even[2][14], odd[2][14]; /* born, survive */
};

/* `also`, where the count has exactly one four (`odd` set) or exactly two (`odd` clear); an eight
 * counts as two fours. */
static __device__ __forceinline__ word life3d_fours_are(struct life3d_partial_sums n, word odd,
                                                        word also)
{
    word any_four = n.four[0] | n.four[1];
    word parity = LOP3(n.four[0], n.four[1], odd, ~(A ^ B ^ C));
    word one_or_two =
        LOP3(any_four, n.eight[0], n.eight[1], (A & ~B & ~C) | (~A & B & ~C) | (~A & ~B & C));

    return LOP3(also, parity, one_or_two, A & B & C);
}

/*
 * Born at 4 and 5, survives at counts 7 and 8 with the cell itself. A live cell stays at 7 = 3 + 4
 * and at 8 = 0 + 4 + 4: s0 = s1, and there is one four where they are set, else two. An empty cell
 * is born with one four where s1 is not set.
 */
struct life3d_rule_4576 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        word low = LOP3(n.one, n.two, live, (C & ~(A ^ B)) | (~C & ~B));

        return life3d_fours_are(n, LOP3(n.two, live, live, A | ~B), low);
    }
};

/* Born at 5, survives at counts 5 and 6 with the cell itself: one four, and s1 s0 is 01 or, in a
 * live cell, 10. */
struct life3d_rule_4555 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        word low = LOP3(n.one, n.two, live, (C & (A ^ B)) | (~C & A & ~B));
        word one = LOP3(n.four[0], n.four[1], n.eight[0], (A ^ B) & ~C);

        return LOP3(low, one, n.eight[1], A & B & ~C);
    }
};

/*
 * Born at 6, survives at counts 6, 7 and 8 with the cell itself. An empty cell needs s1 s0 = 10, a
 * live one anything but 01; then there is one four where s1 is set, else two.
 */
struct life3d_rule_5766 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        word low = LOP3(n.one, n.two, live, (C & ~(A & ~B)) | (~C & ~A & B));

        return life3d_fours_are(n, n.two, low);
    }
};

struct life3d_rule_intervals {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &masks)
    {
        return life3d_intervals(life3d_count(n), live, masks.not_limits);
    }
};

/* The higher bits of the count select among the results of two counts each. */
static __device__ __forceinline__ word life3d_select_result(struct life3d_count n,
                                                            const word results[14])
{
    word selected[7];

#pragma unroll
    for (int i = 0; i < 7; i++)
        selected[i] = word_select(n.s1, results[2 * i + 1], results[2 * i]);
    selected[0] = word_select(n.s2, selected[1], selected[0]);
    selected[2] = word_select(n.s2, selected[3], selected[2]);
    selected[4] = word_select(n.s2, selected[5], selected[4]); /* no count has 28 ... 31 */
    selected[0] = word_select(n.s3, selected[2], selected[0]);
    selected[4] = word_select(n.s3, selected[6], selected[4]);
    return word_select(n.s4, selected[4], selected[0]);
}

struct life3d_rule_table {
    static __device__ __forceinline__ word next(struct life3d_partial_sums sums, word live,
                                                const struct life3d_masks &masks)
    {
        struct life3d_count n = life3d_count(sums);
        word results[2][14];

#pragma unroll
        for (int i = 0; i < 14; i++)
            for (int l = 0; l < 2; l++)
                results[l][i] = (n.s0 & masks.odd[l][i]) ^ masks.even[l][i];
        return word_select(live, life3d_select_result(n, results[1]),
                           life3d_select_result(n, results[0]));
    }
};

#endif
