/* SPDX-License-Identifier: MIT */
/*
 * Stores to distributed shared memory (DSMEM) between the blocks of a thread block cluster, for
 * compute capability 9.0 and later. A thread stores 4 or 16 bytes asynchronously in another block's
 * shared memory, and an mbarrier there counts the bytes that have arrived. So a block waits only
 * for the data of its neighbours, and not for a barrier of the whole cluster, which would also
 * have to make all writes visible.
 *
 * An mbarrier has phases. One thread arms it once a phase with the number of bytes
 * (mbar_expect_tx), and the phase completes when they have arrived. Bytes may arrive before the
 * barrier is armed, but only those of the current phase.
 */
#ifndef CALAB_KERNELS_CUDA_CLUSTER_CUH
#define CALAB_KERNELS_CUDA_CLUSTER_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CLUSTER_PTX
#endif

/* Kernels for clusters are compiled with empty bodies for architectures without them. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTER_SUPPORTED 1
#else
#define CLUSTER_SUPPORTED 0
#endif

#ifdef CLUSTER_PTX
static __device__ __forceinline__ uint32_t shared_address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}
#endif

/* Called by one thread, before cluster_sync. */
static __device__ __forceinline__ void mbar_init(uint64_t *barrier)
{
#ifdef CLUSTER_PTX
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#elif defined(CUDA_ON_CPU)
    emulated_mbar_init(barrier);
#endif
}

/* A barrier of all threads of the cluster. What a block has written to its own shared memory before
 * it is visible before any remote store made after it. */
static __device__ __forceinline__ void cluster_sync()
{
#if CLUSTER_SUPPORTED
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
}

/* The address in another block's shared memory of the object at `shared` in this block's. */
template <class T>
static __device__ __forceinline__ T *cluster_map_shared(T *shared, unsigned block)
{
#if CLUSTER_SUPPORTED
    return (T *)__cluster_map_shared_rank(shared, block);
#else
    return shared;
#endif
}

/* Called by one thread of the barrier's block. */
static __device__ __forceinline__ void mbar_expect_tx(uint64_t *barrier, uint32_t bytes)
{
#ifdef CLUSTER_PTX
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#elif defined(CUDA_ON_CPU)
    emulated_mbar_expect_tx(barrier, bytes);
#endif
}

/* Predicated mbar_expect_tx: it arms the barrier only where `active` is true. */
static __device__ __forceinline__ void mbar_expect_tx_if(bool active, uint64_t *barrier,
                                                         uint32_t bytes)
{
#ifdef CLUSTER_PTX
    asm volatile("{\n"
                 ".reg .pred active;\n"
                 "setp.ne.u32 active, %2, 0;\n"
                 "@active mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(bytes), "r"((uint32_t)active)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    if (active)
        emulated_mbar_expect_tx(barrier, bytes);
#endif
}

/* `to` and `barrier` are addresses in the same block, the receiver. */
static __device__ __forceinline__ void dsmem_store_async(uint4 *to, uint4 words, uint64_t *barrier)
{
#ifdef CLUSTER_PTX
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(shared_address(to)),
                 "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w),
                 "r"(shared_address(barrier))
                 : "memory");
#elif defined(CUDA_ON_CPU)
    emulated_dsmem_store_async(to, words, barrier);
#endif
}

/* Stores four bytes if `active`, by a predicated instruction: compilers branch around it anyway,
 * but generate better code than for a branch in the source. */
static __device__ __forceinline__ void dsmem_store_async_if(bool active, uint32_t *to,
                                                            uint32_t word, uint64_t *barrier)
{
#ifdef CLUSTER_PTX
    asm volatile(
        "{\n"
        ".reg .pred active;\n"
        "setp.ne.u32 active, %3, 0;\n"
        "@active st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];\n"
        "}" ::"r"(shared_address(to)),
        "r"(word), "r"(shared_address(barrier)), "r"((uint32_t)active)
        : "memory");
#elif defined(CUDA_ON_CPU)
    if (active)
        emulated_dsmem_store_async(to, word, barrier);
#endif
}

static __device__ __forceinline__ void dsmem_store_async(uint32_t *to, uint32_t word,
                                                         uint64_t *barrier)
{
    dsmem_store_async_if(true, to, word, barrier);
}

/* Waits until the barrier's phase completes; phases are counted from 0, modulo 2. */
static __device__ __forceinline__ void mbar_wait(uint64_t *barrier, uint32_t phase)
{
#ifdef CLUSTER_PTX
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(phase)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    emulated_mbar_wait(barrier, phase);
#endif
}

#endif
