/* SPDX-License-Identifier: MIT */
/* The rows of a model in a file that run on a GPU. */
#ifndef CALAB_KERNELS_FILE_RUNGS_H
#define CALAB_KERNELS_FILE_RUNGS_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct life_rule;

enum { FILE_CUDA_NAIVE, FILE_CUDA_SHARED, FILE_CUDA_RUNGS };
#define FILE_BIT_RUNGS 3      /* of the CPU, and */
#define FILE_CUDA_BIT_RUNGS 3 /* of a GPU, by the table of nine cells (bits.c) */

/* Fills them for a model of so many planes, of floats or of states of so many bits (0: floats). */
void file_cuda_rungs(struct ca_backend rungs[FILE_CUDA_RUNGS], int dimensions, int planes,
                     int bits);

struct cuda_ops; /* kernels/cuda/stepper.cuh */
/* Those of cuda_steps.cu; NULL: it has none for so many planes. */
const struct cuda_ops *file_cuda_ops(int rung, int planes, int bits);

/* The rule of nine cells under the setup's parameters, of a file that has bit-sliced backends, and
 * whether its edges are closed. CA_USAGE where cell() does what it must not, CA_IO. */
enum ca_status file_bits_rule(const struct ca_setup *setup, struct life_rule *rule,
                              struct ca_error *error);
bool file_bits_torus(const struct ca_setup *setup);

#ifdef __cplusplus
}
#endif
#endif
