/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THRUST_REDUCE_H
#define CALAB_KERNELS_CUDA_ON_CPU_THRUST_REDUCE_H
#error "calab's emulator has no Thrust (thrust/reduce.h)"
#endif
