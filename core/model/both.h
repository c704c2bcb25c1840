/* SPDX-License-Identifier: MIT */
/* Inline functions are written once for CPUs and GPUs, so that both compute the same. */
#ifndef CALAB_CORE_MODEL_BOTH_H
#define CALAB_CORE_MODEL_BOTH_H

#ifdef __CUDACC__
#define CA_BOTH static inline __host__ __device__
#else
#define CA_BOTH static inline
#endif

#endif
