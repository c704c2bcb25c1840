/* SPDX-License-Identifier: MIT */
/*
 * Thrust, as a compiler of C++ sees it: its device system is the sequential CPP one
 * (THRUST_DEVICE_SYSTEM), and so are the headers that it includes. All of its headers begin with
 * this one.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_DETAIL_CONFIG_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_DETAIL_CONFIG_H

#ifdef CALAB_CORE_EMULATOR_RUNTIME_CUDA_STD_H
#error "calab's emulator takes headers of Thrust only before those of <cuda/...>"
#endif
#define EMULATED_THRUST
/* Of the emulator's small floats they know nothing. */
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
#define CCCL_DISABLE_NVFP8_SUPPORT
#define CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP4_SUPPORT
#undef __CUDACC__
#undef __NVCC__
#undef __CUDACC_VER_MAJOR__
#undef __CUDACC_VER_MINOR__
#undef __CUDACC_VER_BUILD__

#endif

#include_next <thrust/detail/config.h>
