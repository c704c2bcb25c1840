/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THRUST_HOST_VECTOR_H
#define CALAB_KERNELS_CUDA_ON_CPU_THRUST_HOST_VECTOR_H
#error "calab's emulator has no Thrust (thrust/host_vector.h)"
#endif
