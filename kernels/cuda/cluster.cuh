/* SPDX-License-Identifier: MIT */
/*
 * Mail between the blocks of a thread block cluster, from compute capability 9.0 on: a thread
 * writes 4 or 16 bytes into another block's shared memory and goes on; a box there counts the bytes
 * that came (an mbarrier of PTX). So a block waits for what it needs of its neighbours alone, and
 * not for a barrier of all blocks, before which all writes would have to be made known.
 *
 * A box has phases. A phase is over when all the bytes have come that mbar_expect_tx says, once a
 * phase; bytes may come before it is said, of one phase at a time.
 */
#ifndef CALAB_KERNELS_CUDA_CLUSTER_CUH
#define CALAB_KERNELS_CUDA_CLUSTER_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CLUSTER_PTX
#endif

/* Clusters are there: kernels that need them are empty elsewhere. */
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

/* By one thread, before cluster_sync. */
static __device__ __forceinline__ void mbar_init(uint64_t *box)
{
#ifdef CLUSTER_PTX
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(box)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#elif defined(CUDA_ON_CPU)
    shim_mbar_init(box);
#endif
}

/* Of all threads of the cluster: what they wrote to their own block's shared memory until now is
 * seen before any mail. */
static __device__ __forceinline__ void cluster_sync()
{
#if CLUSTER_SUPPORTED
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
}

/* Where something of this block's shared memory lies in that of another block of the cluster. */
template <class T>
static __device__ __forceinline__ T *cluster_map_shared(T *shared, unsigned block)
{
#if CLUSTER_SUPPORTED
    return (T *)__cluster_map_shared_rank(shared, block);
#else
    return shared;
#endif
}

/* By one thread of the box's block. */
static __device__ __forceinline__ void mbar_expect_tx(uint64_t *box, uint32_t bytes)
{
#ifdef CLUSTER_PTX
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(box)),
        "r"(bytes)
        : "memory");
#elif defined(CUDA_ON_CPU)
    shim_mbar_expect_tx(box, bytes);
#endif
}

/* By it if `is`. */
static __device__ __forceinline__ void mbar_expect_tx_if(bool is, uint64_t *box, uint32_t bytes)
{
#ifdef CLUSTER_PTX
    asm volatile("{\n"
                 ".reg .pred is;\n"
                 "setp.ne.u32 is, %2, 0;\n"
                 "@is mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                 "}" ::"r"(shared_address(box)),
                 "r"(bytes), "r"((uint32_t)is)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    if (is)
        shim_mbar_expect_tx(box, bytes);
#endif
}

/* To another block's memory, counted by a box of the same block. */
static __device__ __forceinline__ void dsmem_store_async(uint4 *to, uint4 words, uint64_t *box)
{
#ifdef CLUSTER_PTX
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(shared_address(to)),
                 "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "r"(shared_address(box))
                 : "memory");
#elif defined(CUDA_ON_CPU)
    shim_dsmem_store_async(to, words, box);
#endif
}

/* The same of four bytes if `is`, as a condition of the instruction: compilers branch around it all
 * the same, but do better with it than with a branch of ours. */
static __device__ __forceinline__ void dsmem_store_async_if(bool is, uint32_t *to, uint32_t word,
                                                            uint64_t *box)
{
#ifdef CLUSTER_PTX
    asm volatile("{\n"
                 ".reg .pred is;\n"
                 "setp.ne.u32 is, %3, 0;\n"
                 "@is st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];\n"
                 "}" ::"r"(shared_address(to)),
                 "r"(word), "r"(shared_address(box)), "r"((uint32_t)is)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    if (is)
        shim_dsmem_store_async(to, word, box);
#endif
}

static __device__ __forceinline__ void dsmem_store_async(uint32_t *to, uint32_t word, uint64_t *box)
{
    dsmem_store_async_if(true, to, word, box);
}

/* Until the box's phase is over, phases counted modulo 2 from 0 on. */
static __device__ __forceinline__ void mbar_wait(uint64_t *box, uint32_t phase)
{
#ifdef CLUSTER_PTX
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(shared_address(box)),
                 "r"(phase)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    shim_mbar_wait(box, phase);
#endif
}

#endif
