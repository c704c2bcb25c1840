/* SPDX-License-Identifier: MIT */
/* Shared memory that a block may read before anybody wrote it, because nothing that it stores comes
 * of what it reads there: so says the kernel, and CUDA on the CPU does not report it. */
#ifndef CALAB_KERNELS_CUDA_ANY_VALUE_CUH
#define CALAB_KERNELS_CUDA_ANY_VALUE_CUH

#include <cuda_runtime.h>

/* For all of an array or of the block's dynamic memory, given by any place in it. */
static __device__ __forceinline__ void cuda_any_value(const void *shared)
{
#ifdef CUDA_ON_CPU
    watch_any_value(shared);
#else
    (void)shared;
#endif
}

#endif
