/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUFFT_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUFFT_H
#error "calab's emulator has no cuFFT (cufft.h)"
#endif
