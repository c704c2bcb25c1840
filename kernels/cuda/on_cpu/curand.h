/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CURAND_H
#define CALAB_KERNELS_CUDA_ON_CPU_CURAND_H
#error "calab's emulator has no cuRAND (curand.h)"
#endif
