/* SPDX-License-Identifier: MIT */
/* The bound of passes whose memory and logic overlap in part. */
#ifndef CALAB_KERNELS_MOORE_OVERLAP_H
#define CALAB_KERNELS_MOORE_OVERLAP_H

#include "kernels/cuda/bound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of a generation: near the root of the sum of their squares, and not the longer of both.
 */
double moore_overlap_s(const struct ca_cuda_device *device, const struct cuda_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
