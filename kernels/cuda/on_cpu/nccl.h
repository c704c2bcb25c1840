/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_NCCL_H
#define CALAB_KERNELS_CUDA_ON_CPU_NCCL_H
#error "calab's emulator has no NCCL (nccl.h)"
#endif
