/* SPDX-License-Identifier: MIT */
/* The ceilings of a GPU. */
#ifndef CALAB_CORE_PROBE_GPU_H
#define CALAB_CORE_PROBE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 10^9 bytes read and written, or 32-bit operations, per second; launches in thousands. */
enum ca_gpu_rate {
    CA_GPU_COPY,        /* by the driver, within the device memory */
    CA_GPU_KERNEL_COPY, /* by a kernel, 16 bytes per thread */
    CA_GPU_L2_COPY,     /* the same for data in L2, bypassing L1 */
    CA_GPU_LOGIC,       /* three-input logic (LOP3) */
    CA_GPU_SHIFT,       /* funnel shifts */
    CA_GPU_FLOAT,       /* float additions and maxima in equal numbers */
    CA_GPU_SHARED,      /* bytes read from shared memory */
    CA_GPU_TO_DEVICE,   /* bytes from pinned host memory */
    CA_GPU_TO_HOST,
    CA_GPU_LAUNCH, /* kernels that do nothing, one after the other, on all multiprocessors */
    CA_GPU_RATES
};

struct ca_gpu_rate_row {
    const char *key; /* names in files */
    const char *unit;
    const char *help;
};

extern const struct ca_gpu_rate_row ca_gpu_rates[CA_GPU_RATES];

struct ca_gpu_probe {
    char name[128];
    int64_t l2_bytes;
    bool emulated; /* so that there are no rates */
    double rate[CA_GPU_RATES];
};

/* Measures one GPU in about a second. CA_NO_DEVICE, CA_CUDA_FAILED. */
enum ca_status ca_gpu_probe_measure(struct ca_gpu_probe *probe, int index, struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
