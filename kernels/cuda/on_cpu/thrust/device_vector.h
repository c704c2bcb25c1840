/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THRUST_DEVICE_VECTOR_H
#define CALAB_KERNELS_CUDA_ON_CPU_THRUST_DEVICE_VECTOR_H
#error "calab's emulator has no Thrust (thrust/device_vector.h)"
#endif
