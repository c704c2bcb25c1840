/* SPDX-License-Identifier: MIT */
/*
 * Mail between the blocks of a thread block cluster, from compute capability 9.0 on: a thread
 * writes 4 or 16 bytes into another block's shared memory and goes on; a box there counts the bytes
 * that came (an mbarrier of PTX). So a block waits for what it needs of its neighbours alone, and
 * not for a barrier of all blocks, before which all writes would have to be made known.
 *
 * A box has phases. A phase is over when all the bytes have come that mail_expect says, once a
 * phase; bytes may come before it is said, of one phase at a time.
 */
#ifndef CALAB_KERNELS_CUDA_CLUSTER_CUH
#define CALAB_KERNELS_CUDA_CLUSTER_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MAIL_PTX
#endif

/* Clusters are there: kernels that need them are empty elsewhere. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define MAIL_CLUSTERS 1
#else
#define MAIL_CLUSTERS 0
#endif

#ifdef MAIL_PTX
static __device__ __forceinline__ uint32_t mail_address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}
#endif

/* By one thread, before mail_begin. */
static __device__ __forceinline__ void mail_open(uint64_t *box)
{
#ifdef MAIL_PTX
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mail_address(box)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#elif defined(CUDA_ON_CPU)
    shim_mail_open(box);
#endif
}

/* Of all threads of the cluster: what they wrote to their own block's shared memory until now is
 * seen before any mail. */
static __device__ __forceinline__ void mail_begin()
{
#if MAIL_CLUSTERS
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
}

/* Where something of this block's shared memory lies in that of another block of the cluster. */
template <class T> static __device__ __forceinline__ T *mail_of(T *shared, unsigned block)
{
#if MAIL_CLUSTERS
    return (T *)__cluster_map_shared_rank(shared, block);
#else
    return shared;
#endif
}

/* By one thread of the box's block. */
static __device__ __forceinline__ void mail_expect(uint64_t *box, uint32_t bytes)
{
#ifdef MAIL_PTX
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mail_address(box)),
                 "r"(bytes)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    shim_mail_expect(box, bytes);
#endif
}

/* By it if `is`. */
static __device__ __forceinline__ void mail_expect_if(bool is, uint64_t *box, uint32_t bytes)
{
#ifdef MAIL_PTX
    asm volatile("{\n"
                 ".reg .pred is;\n"
                 "setp.ne.u32 is, %2, 0;\n"
                 "@is mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                 "}" ::"r"(mail_address(box)),
                 "r"(bytes), "r"((uint32_t)is)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    if (is)
        shim_mail_expect(box, bytes);
#endif
}

/* To another block's memory, counted by a box of the same block. */
static __device__ __forceinline__ void mail_send(uint4 *to, uint4 words, uint64_t *box)
{
#ifdef MAIL_PTX
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(mail_address(to)),
                 "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "r"(mail_address(box))
                 : "memory");
#elif defined(CUDA_ON_CPU)
    shim_mail_send(to, words, box);
#endif
}

/* The same of four bytes if `is`, as a condition of the instruction: compilers branch around it all
 * the same, but do better with it than with a branch of ours. */
static __device__ __forceinline__ void mail_send_if(bool is, uint32_t *to, uint32_t word,
                                                    uint64_t *box)
{
#ifdef MAIL_PTX
    asm volatile("{\n"
                 ".reg .pred is;\n"
                 "setp.ne.u32 is, %3, 0;\n"
                 "@is st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];\n"
                 "}" ::"r"(mail_address(to)),
                 "r"(word), "r"(mail_address(box)), "r"((uint32_t)is)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    if (is)
        shim_mail_send(to, word, box);
#endif
}

static __device__ __forceinline__ void mail_send(uint32_t *to, uint32_t word, uint64_t *box)
{
    mail_send_if(true, to, word, box);
}

/* Until the box's phase is over, phases counted modulo 2 from 0 on. */
static __device__ __forceinline__ void mail_wait(uint64_t *box, uint32_t phase)
{
#ifdef MAIL_PTX
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(mail_address(box)),
                 "r"(phase)
                 : "memory");
#elif defined(CUDA_ON_CPU)
    shim_mail_wait(box, phase);
#endif
}

#endif
