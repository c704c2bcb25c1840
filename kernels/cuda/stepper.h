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

/* Of a CUDA backend's row: everything but its name, title, options and costs. */
#if CALAB_CUDA
#define CUDA_BACKEND(create_function)                                                              \
    .device = CA_CUDA, .available = ca_needs_cuda, .create = (create_function),                    \
    .destroy = cuda_destroy, .load = cuda_load, .store = cuda_store, .gather = cuda_gather,        \
    .reduce = cuda_reduce, .step = cuda_step, .generations = cuda_generations, .clock = cuda_clock
#else
#define CUDA_BACKEND(create_function) .device = CA_CUDA, .available = ca_needs_cuda
#endif

/* The functions of the CUDA stepper (kernels/cuda/stepper.cuh), as struct ca_backend has them. */
void cuda_destroy(void *self);
enum ca_status cuda_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                         struct ca_error *error);
enum ca_status cuda_store(void *self, void *const planes[], int64_t first, int64_t rows,
                          struct ca_error *error);
enum ca_status cuda_gather(void *self, const struct ca_places *places, void *const planes[],
                           struct ca_error *error);
enum ca_status cuda_reduce(void *self, const struct ca_places *places,
                           const struct ca_blocks *blocks, const struct ca_looks *looks,
                           struct ca_sum *sums, struct ca_error *error);
enum ca_status cuda_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);
int cuda_generations(const void *self);
void cuda_clock(void *self, struct ca_clock *clock);

#ifdef __cplusplus
}
#endif
#endif
