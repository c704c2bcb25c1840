/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUDNN_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUDNN_H
#error "calab's emulator has no cuDNN (cudnn.h)"
#endif
