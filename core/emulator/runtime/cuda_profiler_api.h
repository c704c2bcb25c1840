/* SPDX-License-Identifier: MIT */
/* A profiler that does nothing. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_PROFILER_API_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_PROFILER_API_H
#include <cuda_runtime.h>
static inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
#endif
