/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUDA_BF16_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUDA_BF16_H
#error "calab's emulator has no bfloat16 (cuda_bf16.h)"
#endif
