/* SPDX-License-Identifier: MIT */
/*
 * The options and row fields of CUDA backends in a model's ladder. The rows are in every build; a
 * build without the CUDA Toolkit lists them as not built.
 */
#ifndef CALAB_KERNELS_CUDA_STEPPER_H
#define CALAB_KERNELS_CUDA_STEPPER_H

#include "core/machine/cuda.h"
#include "core/model/model.h"
#include "core/model/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The options of backends. Block shapes are written as the numbers of threads in x, y and z. */
#define CUDA_DEVICES                                                                               \
    {.name = "device",                                                                             \
     .kind = CA_INT,                                                                               \
     .number = 0,                                                                                  \
     .min = 0,                                                                                     \
     .max = 63,                                                                                    \
     .help = "GPU to run on, as `calab list devices` counts them"},                                \
        {.name = "devices",                                                                        \
         .kind = CA_TEXT,                                                                          \
         .help = "GPUs that share the lattice, as in 0,1, or all; empty: `device` alone"},         \
        RANKS_OPTIONS
#define CUDA_BLOCK(shapes, index)                                                                  \
    {                                                                                              \
        .name = "block", .kind = CA_CHOICE, .number = (index), .choices = (shapes), .tune = "*",   \
        .help = "threads of a block: x, y and z"                                                   \
    }
/* The backend chooses the number itself where it is 0; `values` are what a search tries. */
#define CUDA_CHOSEN(option, most, values, text)                                                    \
    {                                                                                              \
        .name = (option), .kind = CA_INT, .number = 0, .min = 0, .max = (most), .tune = (values),  \
        .help = text "; 0: chosen"                                                                 \
    }

/* The fields of a ladder's row that run a CUDA backend; `kernel` is its struct cuda_ops. */
#if CALAB_CUDA
#define CUDA_BACKEND(kernel)                                                                       \
    .device = CA_CUDA, .available = ca_needs_cuda, .stepper = &cuda_stepper, .ops = &(kernel)
#else
#define CUDA_BACKEND(kernel) .device = CA_CUDA, .available = ca_needs_cuda
#endif

struct cuda_ops; /* kernels/cuda/stepper.cuh */

extern const struct ca_stepper cuda_stepper;

#ifdef __cplusplus
}
#endif
#endif
