/* SPDX-License-Identifier: MIT */
/* Memory that comes while the thread does other things. Copies of 8 and 16 bytes from global to
 * shared memory do from compute capability 8.0 on; before it, and on the CPU, they are done at
 * once. */
#ifndef CALAB_KERNELS_CUDA_COPY_ASYNC_CUH
#define CALAB_KERNELS_CUDA_COPY_ASYNC_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define COPY_ASYNC
#endif

/* Both at a multiple of 16 bytes. */
static __device__ __forceinline__ void copy_async(uint4 *shared, const uint4 *global)
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(global)
                 : "memory");
#else
    *shared = *global;
#endif
}

/* Both at a multiple of 8 bytes. */
static __device__ __forceinline__ void copy_async(uint2 *shared, const uint2 *global)
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(global)
                 : "memory");
#else
    *shared = *global;
#endif
}

/* Ends a group of what this thread has started; it may be empty. */
static __device__ __forceinline__ void copy_group()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until all groups but the last `groups` are done: the thread then sees what they brought. */
template <int groups> static __device__ __forceinline__ void copy_wait_for_all_but()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/* Until all that this thread has started are done: it then sees what they brought. */
static __device__ __forceinline__ void copy_wait()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Into the second cache, for a read to come of what is there in global memory. The CPU reads it at
 * once, so that an address outside is seen. */
static __device__ __forceinline__ void copy_ahead(const void *global)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
#else
    (void)*(const volatile uint8_t *)global;
#endif
}

#endif
