/* SPDX-License-Identifier: MIT */
/* A part of cuda_runtime.h. */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_DEVICE_FUNCTIONS_H
#define CALAB_KERNELS_CUDA_ON_CPU_DEVICE_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
