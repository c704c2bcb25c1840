/* SPDX-License-Identifier: MIT */
/*
 * Life in three dimensions on words of 32 cells, in logic of three inputs: an operation of a GPU
 * each. The adders are bitslice.h's; what is here ends them early where the rule allows it.
 *
 * A layer's nine cells around a word are left in two parts. Layers come in pairs: a and b are added
 * once, and then with the layer before a for the result in a, and with the layer after b for the
 * result in b.
 */
#ifndef CALAB_KERNELS_LIFE3D_WORDS_CUH
#define CALAB_KERNELS_LIFE3D_WORDS_CUH

#include "kernels/cuda/stepper.cuh"

#define WORD uint32_t
#include "kernels/cuda/lop3.cuh"
#include "kernels/life3d/bitslice.h"

/* An operation by what it is of its inputs: LIFE3D_LOGIC(a, b, c, A & ~C). */
enum { LIFE3D_A = 0xf0, LIFE3D_B = 0xcc, LIFE3D_C = 0xaa };
#define LIFE3D_LOGIC(a, b, c, expression) lop3<(expression)&255>(a, b, c)

/* 0 or 1 to multiply words with: from what they know to be that compilers would choose words in the
 * logic units, where multipliers are idle. */
static __device__ __forceinline__ word life3d_factor(bool is) { return cuda_opaque((word)is); }

/* --- rules ----------------------------------------------------------------------------------- */

/* Rules that kernels are made for; the last two take any interval and any counts at run time. */
enum life3d_made {
    LIFE3D_MADE_4576,
    LIFE3D_MADE_4555,
    LIFE3D_MADE_5766,
    LIFE3D_MADE_INTERVALS,
    LIFE3D_MADE_TABLE,
    LIFE3D_MADES
};

/* What a kernel knows of its rule: see struct life3d_bits. Of counts 2 i and 2 i + 1 of a table,
 * the result is even[i] where the count is even, else even[i] ^ odd[i]. */
struct life3d_masks {
    word not_limits[4][5];
    word even[2][14], odd[2][14]; /* born, survive */
};

/* `also`, where the fours in the count, eights being two of them, are one (`odd`) or two (else). */
static __device__ __forceinline__ word life3d_fours_are(struct life3d_partial_sums n, word odd,
                                                        word also)
{
    const int A = LIFE3D_A, B = LIFE3D_B, C = LIFE3D_C;
    word some = n.four[0] | n.four[1];
    word is_so = LIFE3D_LOGIC(n.four[0], n.four[1], odd, ~(A ^ B ^ C));
    word one_or_two =
        LIFE3D_LOGIC(some, n.eight[0], n.eight[1], (A & ~B & ~C) | (~A & B & ~C) | (~A & ~B & C));

    return LIFE3D_LOGIC(also, is_so, one_or_two, A & B & C);
}

/*
 * Born at 4 and 5, survives at counts 7 and 8 with itself. A live cell stays at 7 = 3 + 4 and at
 * 8 = 0 + 4 + 4: s0 = s1, and there is one four where they are set, else two. An empty one is born
 * with one four where s1 is not set.
 */
struct life3d_made_4576 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        const int A = LIFE3D_A, B = LIFE3D_B, C = LIFE3D_C;
        word low = LIFE3D_LOGIC(n.one, n.two, live, (C & ~(A ^ B)) | (~C & ~B));

        return life3d_fours_are(n, LIFE3D_LOGIC(n.two, live, live, A | ~B), low);
    }
};

/* Born at 5, survives at counts 5 and 6 with itself: one four, and s1 s0 is 01 or, if live, 10. */
struct life3d_made_4555 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        const int A = LIFE3D_A, B = LIFE3D_B, C = LIFE3D_C;
        word low = LIFE3D_LOGIC(n.one, n.two, live, (C & (A ^ B)) | (~C & A & ~B));
        word one = LIFE3D_LOGIC(n.four[0], n.four[1], n.eight[0], (A ^ B) & ~C);

        return LIFE3D_LOGIC(low, one, n.eight[1], A & B & ~C);
    }
};

/*
 * Born at 6, survives at counts 6, 7 and 8 with itself. An empty cell needs s1 s0 = 10, a live one
 * anything but 01; then there is one four where s1 is set, else two.
 */
struct life3d_made_5766 {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &)
    {
        const int A = LIFE3D_A, B = LIFE3D_B, C = LIFE3D_C;
        word low = LIFE3D_LOGIC(n.one, n.two, live, (C & ~(A & ~B)) | (~C & ~A & B));

        return life3d_fours_are(n, n.two, low);
    }
};

struct life3d_made_intervals {
    static __device__ __forceinline__ word next(struct life3d_partial_sums n, word live,
                                                const struct life3d_masks &masks)
    {
        return life3d_intervals(life3d_count(n), live, masks.not_limits);
    }
};

/* The higher bits of the count choose among the results of two counts each. */
static __device__ __forceinline__ word life3d_choose(struct life3d_count n, const word of[14])
{
    word some[7];

#pragma unroll
    for (int i = 0; i < 7; i++)
        some[i] = word_select(n.s1, of[2 * i + 1], of[2 * i]);
    some[0] = word_select(n.s2, some[1], some[0]);
    some[2] = word_select(n.s2, some[3], some[2]);
    some[4] = word_select(n.s2, some[5], some[4]); /* no count has 28 ... 31 */
    some[0] = word_select(n.s3, some[2], some[0]);
    some[4] = word_select(n.s3, some[6], some[4]);
    return word_select(n.s4, some[4], some[0]);
}

struct life3d_made_table {
    static __device__ __forceinline__ word next(struct life3d_partial_sums tally, word live,
                                                const struct life3d_masks &masks)
    {
        struct life3d_count n = life3d_count(tally);
        word of[2][14];

#pragma unroll
        for (int i = 0; i < 14; i++)
            for (int l = 0; l < 2; l++)
                of[l][i] = (n.s0 & masks.odd[l][i]) ^ masks.even[l][i];
        return word_select(live, life3d_choose(n, of[1]), life3d_choose(n, of[0]));
    }
};

#endif
