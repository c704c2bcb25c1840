/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUBLAS_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUBLAS_H
#error "calab's emulator has no cuBLAS (cublas.h)"
#endif
