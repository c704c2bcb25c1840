/* SPDX-License-Identifier: MIT */
/* The rows of a model in a file that run on a GPU. */
#ifndef CALAB_KERNELS_FILE_RUNGS_H
#define CALAB_KERNELS_FILE_RUNGS_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FILE_CUDA_NAIVE, FILE_CUDA_SHARED, FILE_CUDA_RUNGS };

/* Fills them for a model of so many planes, of floats or of states of so many bits (0: floats). */
void file_cuda_rungs(struct ca_backend rungs[FILE_CUDA_RUNGS], int dimensions, int planes,
                     int bits);

struct cuda_ops; /* kernels/cuda/stepper.cuh */
/* Those of cuda_steps.cu; NULL: it has none for so many planes. */
const struct cuda_ops *file_cuda_ops(int rung, int planes, int bits);

#ifdef __cplusplus
}
#endif
#endif
