/* SPDX-License-Identifier: MIT */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THRUST_SCAN_H
#define CALAB_KERNELS_CUDA_ON_CPU_THRUST_SCAN_H
#error "calab's emulator has no Thrust (thrust/scan.h)"
#endif
