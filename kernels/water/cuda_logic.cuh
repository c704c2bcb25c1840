/* SPDX-License-Identifier: MIT */
/*
 * The rule of kernels/water/rule.h for GPUs, with the same bits: first for one cell a thread, then
 * for the four cells of a lane with as few instructions as we could find.
 *
 * A multiprocessor executes minima, maxima and comparisons at half the rate of additions, so they
 * are the bottleneck. Levels north and east of a cell are those west and south of the cell to its
 * upper right. Each pair along that diagonal is therefore sorted once for both cells, and the four
 * neighbours of a cell arrive as two sorted pairs. Merging them takes six minima and maxima, and
 * inserting the terrain takes eight.
 *
 * Neighbours that do not exist have level +inf and best level -inf, so they give and take nothing.
 * The order of equal zeros may differ from the rule's. That is not visible, because l - g is +0 or
 * more, and +0 plus any zero is +0.
 */
#ifndef CALAB_KERNELS_WATER_CUDA_LOGIC_CUH
#define CALAB_KERNELS_WATER_CUDA_LOGIC_CUH

#include "kernels/cuda/stepper.cuh"
#include "kernels/water/quotient.h"
#include "kernels/water/rule.h"

#define WATER_COLUMNS 4 /* columns of a lane: the cells of a float4 */

/* Values of a neighbour that does not exist. */
#define WATER_NO_LEVEL INFINITY
#define WATER_NO_BEST (-INFINITY)

/* --- one cell ----------------------------------------------------------------------------------
 */

static __device__ __forceinline__ void water_compare_exchange(float *low, float *high)
{
    float a = *low, b = *high;

    *low = fminf(a, b);
    *high = fmaxf(a, b);
}

/*
 * water_best of kernels/water/rule.h for all four neighbours at once. Nine compare-exchanges sort
 * five altitudes without a branch. Infinite ones end up last, where the search has stopped; the
 * search runs on with its result unchanged.
 */
static __device__ __forceinline__ float water_best_sorted(float g, float l, float north, float west,
                                                          float east, float south)
{
    float q[5] = {g, north, west, east, south}, sum, n = 1;
    bool active = true;

    water_compare_exchange(&q[0], &q[3]);
    water_compare_exchange(&q[1], &q[4]);
    water_compare_exchange(&q[0], &q[2]);
    water_compare_exchange(&q[1], &q[3]);
    water_compare_exchange(&q[0], &q[1]);
    water_compare_exchange(&q[2], &q[4]);
    water_compare_exchange(&q[1], &q[2]);
    water_compare_exchange(&q[3], &q[4]);
    water_compare_exchange(&q[2], &q[3]);

    sum = (l - g) + q[0];
    for (int i = 1; i < 5; i++) {
        active = active && !(q[i] * (float)i > sum);
        sum = active ? sum + q[i] : sum;
        n = active ? (float)(i + 1) : n;
    }
    return sum / n;
}

/*
 * water_level of kernels/water/rule.h for all four neighbours at once. An absent one has best level
 * -inf and adds +0. That could only turn a change of -0 to +0, and l + change is l for both.
 */
static __device__ __forceinline__ float water_level_of_all(float g, float l, float s, float b,
                                                           float north, float west, float east,
                                                           float south, enum water_mode mode)
{
    float neighbour[WATER_NEIGHBOURS] = {north, west, east, south};

    return water_level(g, l, s, b, neighbour, WATER_NEIGHBOURS, mode);
}

/* --- sorted pairs of neighbours ----------------------------------------------------------------
 */

struct water_pair {
    float low, high;
};

static __device__ __forceinline__ struct water_pair water_pair_of(float a, float b)
{
    return {fminf(a, b), fmaxf(a, b)};
}

/*
 * 1 / n for n = 1 ... 5, exact for 1, 2 and 4 and to one ulp for 3 and 5. That suffices for
 * water_quotient: its last summand is then wrong by a millionth of an ulp, while a third or a fifth
 * of a float is at least a tenth of an ulp away from the middle between two floats.
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
 * The search of water_best. *sum holds the least of five altitudes and the cell's water at first;
 * q[0] ... q[3] are added as long as the next is no higher than the mean. Each comparison is
 * combined with the one before it and predicates the additions, which takes fewer instructions
 * than selecting results.
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

/* The best level of a cell whose neighbours' levels are the sorted pairs a and b. */
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
 * Levels below this cannot overflow. A level that grows by less than this in a step stops growing,
 * because of rounding, before it is 2^25 times as high, and even if the water of 2^34 such cells
 * came together in one cell, it would be less than 2^127.
 */
#define WATER_HUGE 1e20F

/* The flow from a neighbour of best level b: b - l, at least 0. */
static __device__ __forceinline__ float water_flow_of(float b, float l) { return fmaxf(0, b - l); }

/*
 * `change` plus that flow. With d = b - l, the flow is half of d + |d|. Both are exact if b is
 * finite and d is below 2^127, so the fused multiply-add rounds once, as the sum does, and replaces
 * a maximum.
 */
static __device__ __forceinline__ float water_add_flow(float change, float b, float l, bool finite)
{
    float d = b - l;

    return finite ? fmaf(0.5F, d + fabsf(d), change) : change + fmaxf(0, d);
}

/*
 * The new level from the best levels of the cell and its neighbours. `change` already has the
 * source and the flow from the north. `finite`: levels are below WATER_HUGE and no best level is
 * WATER_NO_BEST.
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

/* The new level l after the source s, in mode WATER_FILL. */
static __device__ __forceinline__ float water_filled(float g, float l, float s)
{
    l = s > 0 ? fmaxf(l, g + s) : l;
    return s < 0 ? g : l;
}

/* --- the four cells of a lane ------------------------------------------------------------------
 */

static __device__ __forceinline__ float4 water_pack(const float cell[WATER_COLUMNS])
{
    return make_float4(cell[0], cell[1], cell[2], cell[3]);
}

static __device__ __forceinline__ void water_unpack(float cell[WATER_COLUMNS], float4 from)
{
    cell[0] = from.x, cell[1] = from.y, cell[2] = from.z, cell[3] = from.w;
}

/*
 * Best levels of a lane's cells in one row. `level` and `south` are levels of that row and of the
 * row to its south; west_level and east_south lie beside their ends. `pair` comes in with the
 * levels north and east of each cell and goes out with those of the row to the south.
 */
static __device__ __forceinline__ void
water_row_best(float best[WATER_COLUMNS], const float terrain[WATER_COLUMNS],
               const float level[WATER_COLUMNS], const float south[WATER_COLUMNS], float west_level,
               float east_south, struct water_pair pair[WATER_COLUMNS])
{
    struct water_pair next[WATER_COLUMNS + 1];

    next[0] = water_pair_of(west_level, south[0]);
#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++)
        next[i + 1] = water_pair_of(level[i], i + 1 < WATER_COLUMNS ? south[i + 1] : east_south);
#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++) {
        best[i] = water_best_of_pairs(terrain[i], level[i], pair[i], next[i]);
        pair[i] = next[i + 1];
    }
}

/* A lane's cells in one row, and the best levels of the rows to their north and south. */
struct water_row_levels {
    const float *terrain, *level, *north, *best, *south;
    float west, east; /* best levels beside the ends of the row */
};

/* The new levels of that row; `next` may be row.level. */
template <bool FINITE, bool SOURCES>
static __device__ __forceinline__ void
water_row_next(float next[WATER_COLUMNS], const struct water_row_levels &row,
               const float source[WATER_COLUMNS], enum water_mode mode)
{
#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++) {
        float g = row.terrain[i], l = row.level[i], s = source[i];
        float left = i > 0 ? row.best[i - 1] : row.west;
        float right = i + 1 < WATER_COLUMNS ? row.best[i + 1] : row.east;
        float change = water_flow_of(row.north[i], l);

        if (SOURCES)
            change = (mode == WATER_ADD ? s : 0) + change;
        next[i] = water_settled(g, l, change, row.best[i], left, right, row.south[i], FINITE);
        if (SOURCES && mode == WATER_FILL)
            next[i] = water_filled(g, next[i], s);
    }
}

#endif
