/* SPDX-License-Identifier: MIT */
/*
 * What a ladder says of its CUDA backends. The rows stand there in every build; without the CUDA
 * Toolkit they are listed as not built.
 */
#ifndef CALAB_KERNELS_CUDA_STEPPER_H
#define CALAB_KERNELS_CUDA_STEPPER_H

#include "core/machine/cuda.h"
#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options that backends take. Shapes of blocks are written as the threads of x, y and z. */
#define CUDA_DEVICE                                                                                \
    {                                                                                              \
        .name = "device", .kind = CA_INT, .number = 0, .min = 0, .max = 63,                        \
        .help = "GPU to run on, as `calab list devices` counts them"                               \
    }
#define CUDA_BLOCK(shapes, index)                                                                  \
    {                                                                                              \
        .name = "block", .kind = CA_CHOICE, .number = (index), .choices = (shapes), .tune = "*",   \
        .help = "threads of a block: x, y and z"                                                   \
    }
/* A number that the backend chooses where it is 0; `values` are worth a search. */
#define CUDA_CHOSEN(option, most, values, text)                                                    \
    {                                                                                              \
        .name = (option), .kind = CA_INT, .number = 0, .min = 0, .max = (most), .tune = (values),  \
        .help = text "; 0: chosen"                                                                 \
    }
/* A way to go, the first of which is to choose. */
#define CUDA_FORM(forms, text)                                                                     \
    {                                                                                              \
        .name = "form", .kind = CA_CHOICE, .number = 0, .choices = (forms), .tune = "*",           \
        .help = text                                                                               \
    }

/* What a CUDA backend's row says of how it runs, `kernel` being its struct cuda_ops. */
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
