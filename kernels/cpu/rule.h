/* SPDX-License-Identifier: MIT */
/* How a model's rule is declared, so that C and CUDA include the same inline function. */
#ifndef CALAB_KERNELS_CPU_RULE_H
#define CALAB_KERNELS_CPU_RULE_H

#ifdef __CUDACC__
#define RULE static __host__ __device__ __forceinline__
#else
#define RULE static inline
#endif

#endif
