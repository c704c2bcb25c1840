/* SPDX-License-Identifier: MIT */
/*
 * What the CUDA rungs of water that work in two kernels share: their planes, a cell's best level
 * without a branch, and a generation as two launches. A rung brings the two kernels.
 *
 * The second kernel needs old levels of its own cells alone, so it writes new ones in their place,
 * and one copy of the planes is enough.
 */
#ifndef CALAB_KERNELS_WATER_LEVELS_CUH
#define CALAB_KERNELS_WATER_LEVELS_CUH

#include "kernels/cuda/grid_chunks.cuh"
#include "kernels/water/rule.h"
#include "kernels/water/water.h"

struct water_levels {
    float *plane[WATER_PLANES];
    float *best;
};

/* The planes as the stepper loads and stores them. */
struct water_cells {
    typedef float value;

    struct water_levels levels;
    int64_t w;

    static water_cells of(const struct cuda *cuda)
    {
        return {*(const struct water_levels *)cuda->own, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        return levels.plane[plane][row * w + x];
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        levels.plane[plane][row * w + x] = v;
    }
};

/* What stands for a neighbour that does not exist, so that it gives and takes nothing. */
#define WATER_NO_LEVEL INFINITY
#define WATER_NO_BEST (-INFINITY)

static __device__ __forceinline__ void water_exchange(float *low, float *high)
{
    float a = *low, b = *high;

    *low = fminf(a, b);
    *high = fmaxf(a, b);
}

/*
 * water_best of kernels/water/rule.h for all four neighbours at once, absent ones infinite. Nine
 * exchanges sort five altitudes; infinite ones go to the end, where the search has stopped. The
 * search runs on with its result held fast. The order of equal zeros may differ from the rule's,
 * which shows nowhere: l - g is +0 or more, and +0 plus any zero is +0.
 */
static __device__ __forceinline__ float water_best_sorted(float g, float l, float north, float west,
                                                          float east, float south)
{
    float q[5] = {g, north, west, east, south}, sum, n = 1;
    bool goes_on = true;

    water_exchange(&q[0], &q[3]);
    water_exchange(&q[1], &q[4]);
    water_exchange(&q[0], &q[2]);
    water_exchange(&q[1], &q[3]);
    water_exchange(&q[0], &q[1]);
    water_exchange(&q[2], &q[4]);
    water_exchange(&q[1], &q[2]);
    water_exchange(&q[3], &q[4]);
    water_exchange(&q[2], &q[3]);

    sum = (l - g) + q[0];
    for (int i = 1; i < 5; i++) {
        goes_on = goes_on && !(q[i] * (float)i > sum);
        sum = goes_on ? sum + q[i] : sum;
        n = goes_on ? (float)(i + 1) : n;
    }
    return sum / n;
}

/*
 * water_level of kernels/water/rule.h for all four neighbours at once. One that is absent has best
 * level -inf and adds +0: that could only turn a change of -0 to +0, and l + change is l for both.
 */
static __device__ __forceinline__ float water_level_of_all(float g, float l, float s, float b,
                                                           float north, float west, float east,
                                                           float south, enum water_mode mode)
{
    float neighbour[WATER_NEIGHBOURS] = {north, west, east, south};

    return water_level(g, l, s, b, neighbour, WATER_NEIGHBOURS, mode);
}

/* Best levels of a piece's cells; pointers stand at its first, rows are w cells apart. */
typedef void water_best_kernel(const float *__restrict__ terrain, const float *__restrict__ level,
                               float *__restrict__ best, int64_t w, struct grid_chunk piece);
/* New levels, likewise. */
typedef void water_distribute_kernel(const float *__restrict__ terrain,
                                     const float *__restrict__ source,
                                     const float *__restrict__ best, float *__restrict__ level,
                                     int64_t w, struct grid_chunk piece, enum water_mode mode);

enum ca_status water_levels_plan(struct cuda *cuda, struct ca_error *error);
/* n generations in blocks as the option says, each kernel with `shared` bytes of shared memory. */
enum ca_status water_levels_step(struct cuda *cuda, uint64_t n, water_best_kernel *find_best,
                                 water_distribute_kernel *distribute, size_t shared,
                                 struct ca_error *error);

#endif
