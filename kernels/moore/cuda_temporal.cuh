/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of a rule of nine cells: several generations in one pass over memory
 * (streaming temporal blocking).
 *
 * A warp sweeps down the rows of a segment. Two rows that come from memory go through generation 1,
 * whose results, one row further up, go through generation 2, and so on; each generation keeps
 * what it has made of two rows: their sums, 16 registers, and four more where the rule reads the
 * centre. The rows that come out have moved through memory once for all generations, so that the
 * kernel is bound by logic: six and a half operations on words for anneal, seven and a half for
 * Conway's Life, and half a shift, for 32 cells and a generation.
 *
 * The halo is computed twice: the rows before and behind each chunk of a segment, as many as there
 * are generations on either side, and the first and last of a warp's 32 lanes. Chunks are as long
 * as makes every multiprocessor equally busy. Each generation of a pass costs registers: with fewer
 * warps on a multiprocessor, the latency of shuffles is hidden less.
 *
 * Rows a warp and generations a pass are chosen by what they take at least. All sizes take
 * this path; a width that is not a multiple of 128 costs a small kernel more a pass, which fills
 * the halo of rows. A single generation that a call leaves over goes through cuda-bitslice's
 * kernel.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_TEMPORAL_CUH
#define CALAB_KERNELS_MOORE_CUDA_TEMPORAL_CUH

#include "kernels/moore/cuda_still.cuh"
#include "kernels/moore/cuda_temporal_step.cuh"

/* A rule's kernels, by generations of a pass: NULL beyond Rule::GENERATIONS, where a rule takes so
 * many operations that more of them in a pass save nothing, and beyond four with dead edges, so
 * that programs are smaller. */
struct moore_temporal_kernels {
    const char *name;
    moore_bits_kernel *step[MOORE_SWEEP_MOST + 1];
    moore_still_kernel *still[MOORE_SWEEP_MOST / 2 + 1]; /* at half of an even number of them */
};

template <class Rule, bool DEAD> static constexpr int moore_temporal_most()
{
    return DEAD && Rule::GENERATIONS > 4 ? 4 : Rule::GENERATIONS;
}

template <class Rule, int GENERATIONS, bool DEAD>
static constexpr moore_bits_kernel *moore_temporal_kernel()
{
    if constexpr (GENERATIONS <= moore_temporal_most<Rule, DEAD>())
        return moore_cuda_temporal_step<Rule, GENERATIONS, DEAD>;
    else
        return NULL;
}

template <class Rule, int GENERATIONS, bool DEAD>
static constexpr moore_still_kernel *moore_temporal_still()
{
    if constexpr (GENERATIONS <= moore_temporal_most<Rule, DEAD>())
        return moore_cuda_temporal_still<Rule, GENERATIONS, DEAD>;
    else
        return NULL;
}

#define MOORE_TEMPORAL_KERNELS(name, Rule, dead)                                                   \
    {                                                                                              \
        name,                                                                                      \
            {NULL,                                                                                 \
             NULL,                                                                                 \
             moore_temporal_kernel<Rule, 2, dead>(),                                               \
             moore_temporal_kernel<Rule, 3, dead>(),                                               \
             moore_temporal_kernel<Rule, 4, dead>(),                                               \
             moore_temporal_kernel<Rule, 5, dead>(),                                               \
             moore_temporal_kernel<Rule, 6, dead>(),                                               \
             moore_temporal_kernel<Rule, 7, dead>(),                                               \
             moore_temporal_kernel<Rule, 8, dead>()},                                              \
        {                                                                                          \
            NULL, moore_temporal_still<Rule, 2, dead>(), moore_temporal_still<Rule, 4, dead>(),    \
                moore_temporal_still<Rule, 6, dead>(), moore_temporal_still<Rule, 8, dead>()       \
        }                                                                                          \
    }

struct moore_temporal {
    struct moore_bits bits;
    const struct moore_temporal_kernels *kernels;
    struct moore_temporal_kernels own_kernels; /* to which `kernels` leads when they are there */
    struct moore_still_state still;
    int rows[MOORE_SWEEP_MOST + 1]; /* of a warp, by generations of a pass */
};

/* The plan of a backend, and what else its operations are. */
enum ca_status moore_temporal_plan(struct cuda *cuda, const struct moore_rule *rule,
                                   const struct moore_temporal_kernels *kernels,
                                   const struct moore_bitslice_kernels *bitslice,
                                   const struct moore_own_rule *own, struct ca_error *error);
enum ca_status moore_temporal_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
struct cuda_band_sizes moore_temporal_bands(const struct cuda *cuda, int n);
enum ca_status moore_temporal_start(struct cuda *cuda, struct ca_error *error);
void moore_temporal_stop(struct cuda *cuda);

#define MOORE_TEMPORAL_OPS(plan_function, access_of_bits)                                          \
    {                                                                                              \
        .state_size = sizeof(struct moore_temporal), .plan = (plan_function),                      \
        .access = &(access_of_bits), .pass = moore_temporal_pass, .swap = moore_bits_swap,         \
        .bands = moore_temporal_bands, .start = moore_temporal_start, .stop = moore_temporal_stop  \
    }

#endif
