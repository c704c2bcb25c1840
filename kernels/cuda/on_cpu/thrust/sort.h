/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THRUST_SORT_H
#define CALAB_KERNELS_CUDA_ON_CPU_THRUST_SORT_H
#error "calab's emulator has no Thrust (thrust/sort.h)"
#endif
