/* SPDX-License-Identifier: MIT */
/*
 * Measured rates of the backends whose plan predicts no time by itself. Predictions order backends
 * that differ by much; close ones are tried (core/bench/choose.h).
 *
 * NVIDIA H200, driver 580.159.04; AMD EPYC 9575F? threads; 2026-11-22.
 */
#include "core/model/registry.h"

static const struct ca_rate rows[] = {
    {.model = NULL},
};

const struct ca_rates ca_rates = {
    .barrier_s = 1.5e-6,
    .cpu_bytes_per_s = 200e9,
    .gpu_bytes_per_s = 4.1e12,
    .cpu_cache_bytes = 32e6,
    .gpu_cache_bytes = 50e6,
    .rows = rows,
};
