/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_MMA_H
#define CALAB_KERNELS_CUDA_ON_CPU_MMA_H
#error "calab's emulator has no tensor cores (mma.h)"
#endif
