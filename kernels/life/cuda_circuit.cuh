/* SPDX-License-Identifier: MIT */
/*
 * The kernels of one rule by its own circuit, which are compiled while the program runs. The text
 * that is put before this (circuit_text.c) defines
 *
 *     LIFE_INPUTS        5: the circuit takes sums, 9: it takes the cells of a square
 *     LIFE_GENERATIONS   the most of a pass of cuda-temporal; 1: there are the kernels of
 *                        cuda-bitslice alone, 0: not these either
 *     LIFE_TILES         LIFE_TILE(rows) for each kernel of cuda-overlapped that there is, of so
 *                        many rows a lane
 *     LIFE_DEAD          whether edges are dead
 *
 * and the text behind it the circuit, life_circuit().
 */
#ifndef CALAB_KERNELS_LIFE_CUDA_CIRCUIT_CUH
#define CALAB_KERNELS_LIFE_CUDA_CIRCUIT_CUH

#include "kernels/life/cuda_rows.cuh"
#include "kernels/moore/cuda_bitslice_step.cuh"
#include "kernels/moore/cuda_overlapped_step.cuh"
#include "kernels/moore/cuda_temporal_step.cuh"

#ifdef LIFE_INPUTS

/* A function of three inputs by its table: bit 4 a + 2 b + c. */
template <int TABLE> static __device__ __forceinline__ word life_of_three(word a, word b, word c)
{
#ifdef WORD_TERNARY
    return word_ternary<TABLE>(a, b, c);
#else
    word result = 0;

    for (int i = 0; i < 8; i++)
        if (TABLE >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
#endif
}

static __device__ __forceinline__ word life_circuit(const word in[LIFE_INPUTS]);

#if LIFE_INPUTS == 5
/* By the sums of three rows, the low and the high bits of which are added once more: a square has
 * low.low + 2 (low.high + high.low) + 4 high.high live cells. */
struct life_own : life_of_sums {
    enum { KEPT = 20 };

    static __device__ __forceinline__ void step(word cells[4], const row &a, const row &b,
                                                const row &c)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            struct bit_sum low = word_full_add(a.sum[i].low, b.sum[i].low, c.sum[i].low);
            struct bit_sum high = word_full_add(a.sum[i].high, b.sum[i].high, c.sum[i].high);
            const word in[] = {low.low, low.high, high.low, high.high, b.centre[i]};

            cells[i] = life_circuit(in);
        }
    }
#else
/* By the nine cells, of which 0, 1 and 2 are SE, S and SW. */
struct life_own : life_of_cells {
    enum { KEPT = 12 };

    static __device__ __forceinline__ void step(word cells[4], const row &a, const row &b,
                                                const row &c)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const word in[] = {c.cell[i + 2], c.cell[i + 1], c.cell[i],
                               b.cell[i + 2], b.cell[i + 1], b.cell[i],
                               a.cell[i + 2], a.cell[i + 1], a.cell[i]};

            cells[i] = life_circuit(in);
        }
    }
#endif
    struct two {
    };

    explicit __device__ life_own(const struct moore_parameters &) {}
    __device__ __forceinline__ two two_of(const row &, const row &) const { return {}; }
    __device__ __forceinline__ void upper(word cells[4], const two &, const row &a, const row &b,
                                          const row &c) const
    {
        step(cells, a, b, c);
    }
    __device__ __forceinline__ void lower(word cells[4], const two &, const row &b, const row &c,
                                          const row &d) const
    {
        step(cells, b, c, d);
    }
};

#if LIFE_INPUTS == 9
template <> struct moore_unrolled<life_own> {
    enum { ROWS = 2, LOOPS = 1 };
};
#endif

#define LIFE_ROWS(rows)                                                                            \
    extern "C" __global__ void MOORE_BITSLICE_BOUNDS moore_own_rows##rows(                         \
        const uint4 *__restrict__ now, uint4 *__restrict__ next, struct moore_bits_layout layout,  \
        struct moore_parameters parameters)                                                        \
    {                                                                                              \
        moore_bitslice_rows<life_own, rows, LIFE_DEAD>(now, next, layout, parameters);             \
    }
#if LIFE_GENERATIONS >= 1
LIFE_ROWS(2)
LIFE_ROWS(4)
LIFE_ROWS(8)
#endif

#define LIFE_SWEEP(generations)                                                                    \
    extern "C" __global__ void MOORE_SWEEP_BOUNDS(life_own, generations)                           \
        moore_own_sweep##generations(const uint4 *__restrict__ now, uint4 *__restrict__ next,      \
                                     struct moore_bits_layout layout,                              \
                                     struct moore_parameters parameters)                           \
    {                                                                                              \
        moore_sweep_all<life_own, generations, LIFE_DEAD>(now, next, layout, parameters);          \
    }
#define LIFE_STILL(generations)                                                                    \
    extern "C" __global__ void MOORE_STILL_BOUNDS(life_own, generations)                           \
        moore_own_still##generations(const uint4 *__restrict__ now, uint4 *__restrict__ next,      \
                                     struct moore_bits_layout layout,                              \
                                     struct moore_parameters parameters,                           \
                                     struct moore_still_tiles tiles)                               \
    {                                                                                              \
        moore_sweep_listed<life_own, generations, LIFE_DEAD>(now, next, layout, parameters,        \
                                                             tiles);                               \
    }
#if LIFE_GENERATIONS >= 2
LIFE_SWEEP(2)
LIFE_STILL(2)
#endif
#if LIFE_GENERATIONS >= 3
LIFE_SWEEP(3)
#endif
#if LIFE_GENERATIONS >= 4
LIFE_SWEEP(4)
LIFE_STILL(4)
#endif

#define LIFE_TILE(rows)                                                                            \
    extern "C" __global__ void MOORE_TILE_BOUNDS moore_own_tiles##rows(                            \
        const uint4 *__restrict__ now, uint4 *__restrict__ next, struct moore_bits_layout layout,  \
        struct moore_tiling tiling, struct moore_parameters parameters)                            \
    {                                                                                              \
        moore_tile_pass<life_own, rows, LIFE_DEAD>(now, next, layout, tiling, parameters);         \
    }
LIFE_TILES

#endif
#endif
