/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_CUSPARSE_H
#define CALAB_KERNELS_CUDA_ON_CPU_CUSPARSE_H
#error "calab's emulator has no cuSPARSE (cusparse.h)"
#endif
