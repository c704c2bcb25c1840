/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of a rule of nine cells: a bit a cell, 128 cells a lane, one generation a
 * pass.
 *
 * A cell's square is looked at by logic on words, 32 cells at a time. A lane takes a few rows
 * of a group: it loads all of them and the one above and below at once, makes each row's part in
 * the results once, and what two rows have in common once for both. So memory moves an eighth of a
 * byte for a cell in and as much out, and the kernel is bound by memory, as a copy of the lattice
 * is.
 *
 * Threads are many and short, and blocks that run together work on neighbouring rows, as one front
 * that moves over the lattice. Warps that go down hundreds of rows each would compute less, but
 * memory then serves as many places at once, a quarter more slowly.
 *
 * All sizes take this path. It is also the one-generation kernel of cuda-temporal.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_BITSLICE_CUH
#define CALAB_KERNELS_MOORE_CUDA_BITSLICE_CUH

#include "kernels/moore/cuda_bits.cuh"
#include "kernels/moore/cuda_bitslice_step.cuh"

/* A rule's kernels; of a name for messages. */
#define MOORE_BITSLICE_KERNELS(name, Rule, dead)                                                   \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            moore_cuda_bitslice_step<Rule, 2, dead>, moore_cuda_bitslice_step<Rule, 4, dead>,      \
                moore_cuda_bitslice_step<Rule, 8, dead>                                            \
        }                                                                                          \
    }

/* The plan of a backend. */
enum ca_status moore_bitslice_plan(struct cuda *cuda, const struct moore_rule *rule,
                                   const struct moore_bitslice_kernels *kernels,
                                   const struct moore_own_rule *own, struct ca_error *error);
enum ca_status moore_bitslice_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
enum ca_status moore_bitslice_start(struct cuda *cuda, struct ca_error *error);

#define MOORE_BITSLICE_OPS(plan_function, access_of_bits)                                          \
    {                                                                                              \
        .state_size = sizeof(struct moore_bits), .plan = (plan_function),                          \
        .access = &(access_of_bits), .pass = moore_bitslice_pass, .swap = moore_bits_swap,         \
        .start = moore_bitslice_start                                                              \
    }

#endif
