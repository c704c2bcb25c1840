/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUSOLVERDN_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUSOLVERDN_H
#error "calab's emulator has no cuSOLVER (cusolverDn.h)"
#endif
