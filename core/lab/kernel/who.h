/* SPDX-License-Identifier: MIT */
/*
 * Who asks LAB_AT for which cell, and when: `calab lab who` compiles the kernel with LAB_WHO, so
 * that LAB_AT notes the worker that calls it. No other build has any of this. A worker is a thread
 * of the CPU, a multiprocessor of the GPU, or, on the emulator, which has none, a block.
 */
#ifndef CALAB_LAB_WHO_H
#define CALAB_LAB_WHO_H

#include <stdint.h>

#define LAB_WHO_MAGIC 0x316f68772d62616cull /* "lab-who1" */
#define LAB_WHO_THREADS 256                 /* at most so many workers are told apart, */
#define LAB_WHO_BLOCKS 4096                 /* and so many blocks of a launch */

enum lab_who_kind { LAB_WHO_THREAD, LAB_WHO_SM, LAB_WHO_BLOCK };

/* When somebody asked first and last, in ns; last 0: never. */
struct lab_who_span {
    uint64_t first, last, asks;
    uint64_t worker; /* of a block: the multiprocessor that it ran on */
};

/* The file `who` begins with this; then come the workers, the blocks of a GPU, and of each index of
 * a plane 1 + the worker that asked for it most often, 0 for nobody, as uint16_t. */
struct lab_who_file {
    uint64_t magic;
    uint32_t kind, workers, blocks, reserved;
    uint64_t cells;
    uint64_t first, last; /* of the generation */
};

#ifdef LAB_WHO

#ifdef __CUDACC__
#define LAB_WHO_BOTH static __host__ __device__ inline
#else
#define LAB_WHO_BOTH static inline
#include <time.h>
#endif

struct lab_who {
    uint64_t cells;
    uint32_t workers, blocks, kind, next; /* next: threads that have asked */
    struct lab_who_span *worker, *block;
    uint32_t *count; /* [worker][cell] */
};

#ifdef __CUDACC__
#ifdef CALAB_REWRITTEN
bool emulated_in_kernel(); /* of the emulator */
#define LAB_WHO_ON_DEVICE emulated_in_kernel()
#elif defined __CUDA_ARCH__
#define LAB_WHO_ON_DEVICE 1
#else
#define LAB_WHO_ON_DEVICE 0
#endif

LAB_WHO_BOTH void lab_who_note(struct lab_who *who, uint64_t at)
{
#if defined __CUDA_ARCH__ || defined CALAB_REWRITTEN
    uint64_t now = 0;
    uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), worker = block;
    struct lab_who_span *span = &who->block[block % who->blocks];

#ifndef CALAB_REWRITTEN
    asm volatile("mov.u32 %0, %%smid;" : "=r"(worker));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    atomicMin((unsigned long long *)&span->first, (unsigned long long)now);
    atomicMax((unsigned long long *)&span->last, (unsigned long long)now);
#endif
    worker %= who->workers;
    span->worker = worker;
    atomicAdd((unsigned long long *)&span->asks, 1ull);
    atomicAdd((unsigned long long *)&who->worker[worker].asks, 1ull);
    if (at < who->cells)
        atomicAdd((unsigned *)&who->count[worker * who->cells + at], 1u);
#endif
}
#else /* C */
#define LAB_WHO_ON_DEVICE 1

/* Of libgomp, where the kernel is linked with it. */
int omp_get_thread_num(void) __attribute__((weak));
int omp_in_parallel(void) __attribute__((weak));

static inline uint32_t lab_who_thread(struct lab_who *who)
{
    static _Thread_local uint32_t number; /* 1 and more */

    if (omp_in_parallel && omp_get_thread_num && omp_in_parallel())
        return (uint32_t)omp_get_thread_num() % who->workers;
    if (number == 0)
        number = 1 + __atomic_fetch_add(&who->next, 1, __ATOMIC_RELAXED);
    return (number - 1) % who->workers;
}

static inline void lab_who_note(struct lab_who *who, uint64_t at)
{
    uint32_t worker = lab_who_thread(who);
    struct lab_who_span *span = &who->worker[worker];
    struct timespec clock;

    clock_gettime(CLOCK_MONOTONIC, &clock);
    span->last = (uint64_t)clock.tv_sec * 1000000000u + (uint64_t)clock.tv_nsec;
    if (span->asks == 0)
        span->first = span->last;
    span->asks++;
    if (at < who->cells)
        who->count[worker * who->cells + at]++;
}
#endif

LAB_WHO_BOTH int64_t lab_who_at(struct lab_who *who, int64_t at)
{
    if (LAB_WHO_ON_DEVICE && who)
        lab_who_note(who, (uint64_t)at);
    return at;
}

#endif
#endif
