/* SPDX-License-Identifier: MIT */
/* A part of cooperative_groups.h. */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define CALAB_KERNELS_CUDA_ON_CPU_COOPERATIVE_GROUPS_REDUCE_H
#include <cooperative_groups.h>
#endif
