/* SPDX-License-Identifier: MIT */
/*
 * A cell's best and new level on a GPU in as few instructions as we could find, with the bits of
 * kernels/water/rule.h: minima, maxima and comparisons go at half the pace of additions there and
 * bind first.
 *
 * Levels north and east of a cell are those west and south of the cell to its upper right. So each
 * pair along that diagonal is put in order once for both, and a cell's four neighbours come as two
 * pairs that are in order. Merging them takes six minima and maxima, putting the terrain between
 * them eight.
 *
 * Neighbours that do not exist have level +inf and best level -inf. The order of equal zeros may
 * differ from the rule's, which shows nowhere: see kernels/water/levels.cuh.
 */
#ifndef CALAB_KERNELS_WATER_BEST_CUH
#define CALAB_KERNELS_WATER_BEST_CUH

#include "kernels/water/levels.cuh"
#include "kernels/water/quotient.h"

struct water_pair {
    float low, high;
};

static __device__ __forceinline__ struct water_pair water_pair_of(float a, float b)
{
    return {fminf(a, b), fmaxf(a, b)};
}

/*
 * 1 / n for n = 1 ... 5: exact for 1, 2, 4 and to an ulp for 3 and 5. That is near enough: what
 * water_quotient adds last is then off by a millionth of an ulp, and a third or fifth of a float is
 * at least a tenth of one away from the middle between two others.
 */
static __device__ __forceinline__ float water_reciprocal(float n)
{
#ifdef __CUDA_ARCH__
    float r;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(n));
    return r;
#else
    return 1.0F / n;
#endif
}

/*
 * From the least of five altitudes, with the cell's water, takes in q[0] ... q[3] as long as the
 * next is no higher than the mean. A comparison that goes on from the one before it, and additions
 * that it lets happen or not: that is less than choosing results.
 */
static __device__ __forceinline__ void water_take_in(float *sum, float *n, const float q[4])
{
#ifdef __CUDA_ARCH__
    asm("{\n\t"
        ".reg .pred p;\n\t"
        ".reg .f32 t;\n\t"
        "setp.leu.f32 p, %2, %0;\n\t"
        "selp.f32 %1, 0f40000000, 0f3f800000, p;\n\t"
        "@p add.rn.f32 %0, %0, %2;\n\t"
        "mul.rn.f32 t, %3, 0f40000000;\n\t"
        "setp.leu.and.f32 p, t, %0, p;\n\t"
        "@p add.rn.f32 %1, %1, 0f3f800000;\n\t"
        "@p add.rn.f32 %0, %0, %3;\n\t"
        "mul.rn.f32 t, %4, 0f40400000;\n\t"
        "setp.leu.and.f32 p, t, %0, p;\n\t"
        "@p add.rn.f32 %1, %1, 0f3f800000;\n\t"
        "@p add.rn.f32 %0, %0, %4;\n\t"
        "mul.rn.f32 t, %5, 0f40800000;\n\t"
        "setp.leu.and.f32 p, t, %0, p;\n\t"
        "@p add.rn.f32 %1, %1, 0f3f800000;\n\t"
        "@p add.rn.f32 %0, %0, %5;\n\t"
        "}"
        : "+&f"(*sum), "=&f"(*n)
        : "f"(q[0]), "f"(q[1]), "f"(q[2]), "f"(q[3]));
#else
    *n = 1;
    for (int i = 0; i < 4 && !(q[i] * (float)(i + 1) > *sum); i++) {
        *sum = *sum + q[i];
        *n = (float)(i + 2);
    }
#endif
}

/* Best level of a cell whose neighbours' levels are two pairs. */
static __device__ __forceinline__ float water_best_of_pairs(float g, float l, struct water_pair a,
                                                            struct water_pair b)
{
    float s0 = fminf(a.low, b.low), s3 = fmaxf(a.high, b.high), n;
    struct water_pair middle = water_pair_of(fmaxf(a.low, b.low), fminf(a.high, b.high));
    float s1 = middle.low, s2 = middle.high;
    float q[4] = {fminf(fmaxf(g, s0), s1), fminf(fmaxf(g, s1), s2), fminf(fmaxf(g, s2), s3),
                  fmaxf(g, s3)};
    float sum = (l - g) + fminf(g, s0);

    water_take_in(&sum, &n, q);
    return water_quotient(sum, n, water_reciprocal(n));
}

/*
 * Far below what overflows. A level that grows by less than this in a step stops growing, by
 * rounding, before it is 2^25 times as high, and even such water of 2^34 cells in a single one is
 * less than 2^127.
 */
#define WATER_HUGE 1e20F

/* What flows from a neighbour of best level b: b - l, or 0 where that is less. */
static __device__ __forceinline__ float water_flow_of(float b, float l) { return fmaxf(0, b - l); }

/*
 * The change with that flow. With d = b - l, the flow is half of d + |d|, both of which are exact
 * if b is finite and d below 2^127; so this is rounded once, as the sum is, and has no maximum.
 */
static __device__ __forceinline__ float water_add_flow(float change, float b, float l, bool finite)
{
    float d = b - l;

    return finite ? fmaf(0.5F, d + fabsf(d), change) : change + fmaxf(0, d);
}

/*
 * New level from the best levels of the cell and its neighbours, and a change to begin with: that
 * by the source and the flow from the north. `finite`: levels are below WATER_HUGE and best levels
 * not WATER_NO_BEST.
 */
static __device__ __forceinline__ float water_settled(float g, float l, float change, float best,
                                                      float west, float east, float south,
                                                      bool finite)
{
    change = water_add_flow(change, west, l, finite);
    change = water_add_flow(change, east, l, finite);
    change = water_add_flow(change, south, l, finite);
    change = change + (fmaxf(g, best) - l);
    return fmaxf(l + change, g);
}

/* What a source does to a new level where sources fill. */
static __device__ __forceinline__ float water_filled(float g, float l, float s)
{
    l = s > 0 ? fmaxf(l, g + s) : l;
    return s < 0 ? g : l;
}

#endif
