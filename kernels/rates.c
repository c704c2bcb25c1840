/* SPDX-License-Identifier: MIT */
/*
 * Measured rates of the backends whose plan predicts no time by itself (those that do: the table in
 * kernels/cuda/cost.c): a generation's start, and cell updates and draws a second of one thread or
 * of a whole GPU. They order backends that differ by much; close ones are tried
 * (core/bench/choose.h). On other machines they are as far off as these are slower or faster, all
 * together, which leaves the order.
 *
 * Measured on 2026-11-22: CPU rows on an Intel Xeon with 16 threads and AVX-512, CUDA rows on an
 * NVIDIA H200 (driver 580.159.04), from calab bench over five sizes of each model; fhp's sse2 and
 * avx by their ratio to avx2 on another CPU (BENCHMARKS.md).
 *
 * Draws are rougher, since a CPU leaves out those that decide nothing. Their rates come from what
 * events add to a generation: cloud's bitslice rows from 64x64x20 with p_ext=0.01, 7.4 us with
 * AVX-512 there, and its ratio to the others from 256x256x20 with all events on two threads of
 * another CPU, whose rates also gave reference and threads; fhp's from 2048x2048 with p_force on
 * that one, in proportion to the cells. CUDA rows have fhp's cuda-tiles at 16384x16384 with p_force
 * 1/128. These, cloud's cuda-shared-32x1x32 and water's cuda-elimination were measured on the 23rd.
 * Water's elimination has its ratio to threads on another CPU, 1 to 1.25; it and cuda-elimination
 * are never chosen.
 */
#include "core/model/registry.h"

static const struct ca_rate rows[] = {
    {"anneal", "reference", 0.1e-6, 0.55e9, 0},
    {"anneal", "threads", 0.3e-6, 0.27e9, 0},
    {"anneal", "bitslice", 0.18e-6, 14e9, 0},
    {"anneal", "bitslice-avx2", 0.15e-6, 26e9, 0},
    {"anneal", "bitslice-avx512", 0.15e-6, 71e9, 0},
    {"anneal", "cuda-naive", 14e-6, 277e9, 0},
    {"anneal", "cuda-shared", 14e-6, 195e9, 0},
    {"life3d", "reference", 0.1e-6, 0.12e9, 0},
    {"life3d", "threads", 0.3e-6, 0.13e9, 0},
    {"life3d", "bitslice", 0.2e-6, 2.2e9, 0},
    {"life3d", "bitslice-avx2", 0.25e-6, 9.2e9, 0},
    {"life3d", "bitslice-avx512", 0.25e-6, 15e9, 0},
    {"life3d", "cuda-naive", 4e-6, 58e9, 0},
    {"life3d", "cuda-shared", 4e-6, 43e9, 0},
    {"cloud", "reference", 0.1e-6, 0.14e9, 4.5e6},
    {"cloud", "threads", 0.3e-6, 0.075e9, 2.3e6},
    {"cloud", "bitslice", 0.3e-6, 7.9e9, 0.36e9},
    {"cloud", "bitslice-avx2", 0.4e-6, 20e9, 1.4e9},
    {"cloud", "bitslice-avx512", 0.4e-6, 22e9, 2e9},
    {"cloud", "cuda-naive", 3.6e-6, 147e9, 5.6e9},
    {"cloud", "cuda-shared-32x1x32", 3.9e-6, 60e9, 5.6e9},
    {"cloud", "cuda-shared-8x8x8", 3.6e-6, 103e9, 5.6e9},
    {"cloud", "cuda-packed-8x1x1", 3.8e-6, 1060e9, 5.6e9},
    {"cloud", "cuda-packed-2x2x2", 3.8e-6, 1030e9, 5.6e9},
    {"fhp", "reference", 0.1e-6, 0.14e9, 4.3e6},
    {"fhp", "threads", 1e-6, 0.1e9, 3e6},
    {"fhp", "sse2", 1e-6, 0.48e9, 0},
    {"fhp", "avx", 1e-6, 0.53e9, 0},
    {"fhp", "avx2", 1e-6, 1.05e9, 0},
    {"fhp", "avx512", 1e-6, 3.5e9, 0},
    {"fhp", "bitslice", 1.5e-6, 2.5e9, 0.067e9},
    {"fhp", "bitslice-avx2", 1.5e-6, 4.6e9, 0.13e9},
    {"fhp", "bitslice-avx512", 1.5e-6, 7.6e9, 0.24e9},
    {"fhp", "cuda-naive", 3.9e-6, 130e9, 5.6e9},
    {"fhp", "cuda-tiles", 3.3e-6, 84e9, 5.6e9},
    {"water", "reference", 0.1e-6, 0.026e9, 0},
    {"water", "threads", 1e-6, 0.017e9, 0},
    {"water", "elimination", 1e-6, 0.014e9, 0},
    {"water", "avx2", 1e-6, 0.26e9, 0},
    {"water", "avx512", 1e-6, 0.45e9, 0},
    {"water", "cuda-global", 8.5e-6, 93e9, 0},
    {"water", "cuda-elimination", 7.7e-6, 60e9, 0},
    {"water", "cuda-shared", 8.5e-6, 59e9, 0},
    {.model = NULL},
};

const struct ca_rates ca_rates = {
    .barrier_s = 1e-6,
    .cpu_bytes_per_s = 200e9,
    .gpu_bytes_per_s = 4.1e12,
    .cpu_cache_bytes = 32e6,
    .gpu_cache_bytes = 50e6,
    .rows = rows,
};
