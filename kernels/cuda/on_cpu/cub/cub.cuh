/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUB_CUB_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUB_CUB_H
#error "calab's emulator has no CUB (cub/cub.cuh)"
#endif
