/* SPDX-License-Identifier: MIT */
/* Asynchronous copies of 8 and 16 bytes from global to shared memory, which need compute capability
 * 8.0; before it, and on the CPU, the copies are synchronous. */
#ifndef CALAB_KERNELS_CUDA_COPY_ASYNC_CUH
#define CALAB_KERNELS_CUDA_COPY_ASYNC_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define COPY_ASYNC
#endif

/* Both addresses are multiples of 16 bytes. */
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

/* Both addresses are multiples of 8 bytes. */
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

/* Commits the copies that this thread has started as a group, which may be empty. */
static __device__ __forceinline__ void copy_group()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for all but the last `groups` groups; the thread then sees the copied bytes. */
template <int groups> static __device__ __forceinline__ void copy_wait_for_all_but()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/* Waits for all copies that this thread has started; it then sees the copied bytes. */
static __device__ __forceinline__ void copy_wait()
{
#ifdef COPY_ASYNC
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Prefetches a line of global memory into L2. The CPU reads the address instead, so that an address
 * out of bounds is detected. */
static __device__ __forceinline__ void copy_ahead(const void *global)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
#else
    (void)*(const volatile uint8_t *)global;
#endif
}

#endif
