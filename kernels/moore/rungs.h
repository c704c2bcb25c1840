/* SPDX-License-Identifier: MIT */
/*
 * The rows that the ladders of the rules of nine cells have alike. A ladder says of each which of
 * its kernels it runs, and how many operations its rule takes.
 */
#ifndef CALAB_KERNELS_MOORE_RUNGS_H
#define CALAB_KERNELS_MOORE_RUNGS_H

#include "core/machine/cpu.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cuda/stepper.h"
#include "kernels/moore/still.h"

extern const struct ca_param moore_block_options[], moore_bitslice_options[],
    moore_overlapped_options[];
extern const char *const moore_still_choices[]; /* by enum moore_still */

/* What steps a rule for which no kernels are compiled in: those that look it up, or its own. */
enum moore_logic { MOORE_LOGIC_AUTO, MOORE_LOGIC_TABLE, MOORE_LOGIC_CIRCUIT };
extern const char *const moore_logic_choices[];

/* The option that chooses it. */
#define MOORE_LOGIC                                                                                \
    {                                                                                              \
        .name = "logic", .kind = CA_CHOICE, .number = MOORE_LOGIC_AUTO,                            \
        .choices = moore_logic_choices,                                                            \
        .help = "of rules that are not compiled in: by a table, or by the rule's own circuit, "    \
                "which has to be compiled; auto: by the circuit as soon as it is"                  \
    }

/* A byte a cell in two copies. */
#define MOORE_REFERENCE(text, bytes, operations)                                                   \
    {                                                                                              \
        .name = "reference", .title = (text), .options = options_ranks,                            \
        MOORE_BYTES(bytes, operations)                                                             \
    }
#define MOORE_THREADS(bytes, operations)                                                           \
    {                                                                                              \
        .name = "threads", .title = "the reference, a band of rows for each thread",               \
        .options = options_threads, MOORE_BYTES(bytes, operations)                                 \
    }
#define MOORE_BYTES(bytes, operations)                                                             \
    .device = CA_CPU, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,                        \
    .ops_per_cell_step = (operations), .ops = &(bytes), .stepper = &byte_stepper

/* A bit a cell in two copies; `logic` is the number of operations for a word of 64 cells. */
#define MOORE_BITSLICE(text, bits, logic)                                                          \
    {                                                                                              \
        .name = "bitslice", .title = (text), .ops = &(bits), MOORE_WORDS(logic)                    \
    }
#define MOORE_BITSLICE_AVX2(bits, logic)                                                           \
    {                                                                                              \
        .name = "bitslice-avx2", .title = "256 cells a vector", .available = ca_needs_avx2,        \
        X86_OPS(bits), MOORE_WORDS(logic)                                                          \
    }
#define MOORE_BITSLICE_AVX512(bits, logic)                                                         \
    {                                                                                              \
        .name = "bitslice-avx512", .title = "512 cells a vector, three inputs an operation",       \
        .available = ca_needs_avx512, X86_OPS(bits), MOORE_WORDS(logic)                            \
    }
#define MOORE_WORDS(logic)                                                                         \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .ops_per_cell_step = (logic) / 64.0, .stepper = &bit_stepper

/* Two extended domains of bytes; each cell is read once and written once. */
#define MOORE_CUDA_NAIVE(kernel, operations)                                                       \
    {                                                                                              \
        .name = "cuda-naive",                                                                      \
        .title = "a byte and a thread a cell, ghost cells copied by kernels",                      \
        MOORE_CUDA_BYTES(kernel, operations)                                                       \
    }
#define MOORE_CUDA_SHARED(kernel, operations)                                                      \
    {                                                                                              \
        .name = "cuda-shared", .title = "a byte a cell from a tile in shared memory",              \
        MOORE_CUDA_BYTES(kernel, operations)                                                       \
    }
#define MOORE_CUDA_BYTES(kernel, operations)                                                       \
    .options = moore_block_options, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,          \
    .ops_per_cell_step = (operations), CUDA_BACKEND(kernel)

/* A bit in two copies, read and written once a pass. A lane's four words take `logic` operations by
 * the rule, and each row's sums 8 and two shifts; `sums` rows are summed for each row that is
 * stepped: in cuda-bitslice eight rows a lane and one on either side. */
#define MOORE_CUDA_BITSLICE(kernel, logic, choice)                                                 \
    {                                                                                              \
        .name = "cuda-bitslice", .title = "128 cells a lane, one generation a pass",               \
        .options = (choice), MOORE_CUDA_BITS(kernel, logic, 10.0 / 8)                              \
    }
#define MOORE_CUDA_TEMPORAL(kernel, logic, choice)                                                 \
    {                                                                                              \
        .name = "cuda-temporal", .title = "warps sweep down the rows, several generations a pass", \
        .options = (choice), MOORE_CUDA_BITS(kernel, logic, 1)                                     \
    }
#define MOORE_CUDA_OVERLAPPED(kernel, logic, choice)                                               \
    {                                                                                              \
        .name = "cuda-overlapped",                                                                 \
        .title = "overlapped tiles stay in registers for several generations",                     \
        .options = (choice), MOORE_CUDA_BITS(kernel, logic, 1)                                     \
    }
#define MOORE_CUDA_BITS(kernel, logic, sums)                                                       \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = ((logic) + 10 * (sums)) / 128.0, CUDA_BACKEND(kernel)

/* Options of cuda-bitslice, of cuda-overlapped and of cuda-temporal; `text` says how many
 * generations. */
#define MOORE_BITSLICE_ROWS                                                                        \
    CUDA_CHOSEN("rows", 8, "2 4 8", "rows a lane: 2, 4 or 8, others are rounded")
#define MOORE_OVERLAPPED_OPTIONS                                                                   \
    CUDA_DEVICES,                                                                                  \
        CUDA_CHOSEN("generations", 128, "1 2 3 4 5 6 7 8 12 16 24 32",                             \
                    "generations in one pass over memory, fewer than half of a tile's rows"),      \
        CUDA_CHOSEN("rows", 12, "1 2 4 6 8 12",                                                    \
                    "rows a lane: 1, 2, 4, 6, 8 or 12, others are rounded down")
#define MOORE_TEMPORAL_OPTIONS(text)                                                               \
    CUDA_DEVICES, CUDA_CHOSEN("generations", 8, "2 3 4 5 6 7 8", text),                            \
        CUDA_CHOSEN("rows", 1 << 24, "16 32 64 128 256 512", "rows that a warp sweeps"),           \
    {                                                                                              \
        .name = "still", .kind = CA_CHOICE, .number = MOORE_STILL_AUTO,                            \
        .choices = moore_still_choices,                                                            \
        .help = "skip tiles that are as before the last pass of as many generations, an "          \
                "even number; auto: where few are busy"                                            \
    }

#endif
