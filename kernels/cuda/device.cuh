/* SPDX-License-Identifier: MIT */
/*
 * What kernels need of the stepper: how many of them are resident, how they begin, and the bands of
 * layers that they are launched for. It has nothing of the host's, so that NVRTC compiles it too.
 */
#ifndef CALAB_KERNELS_CUDA_DEVICE_CUH
#define CALAB_KERNELS_CUDA_DEVICE_CUH

#include <stdint.h>

#ifdef __CUDACC_RTC__
/* NVRTC has no runtime, whose functions these are elsewhere. */
static __device__ __forceinline__ void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" :::);
}
#else
#include <cuda_runtime.h>
#endif

/* The most resident threads and blocks of a multiprocessor of the architecture that is compiled
 * for (CUDA C++ Programming Guide, technical specifications per compute capability). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ / 100 == 9 ||                 \
    __CUDA_ARCH__ / 100 == 10
#define CUDA_RESIDENT_THREADS 2048
#define CUDA_RESIDENT_BLOCKS 32
#elif __CUDA_ARCH__ < 800
#define CUDA_RESIDENT_THREADS 1024
#define CUDA_RESIDENT_BLOCKS 16
#else
#define CUDA_RESIDENT_THREADS 1536
#define CUDA_RESIDENT_BLOCKS 16
#endif

/* The second argument of __launch_bounds__: `blocks` resident blocks, or as many as a
 * multiprocessor holds. */
static __host__ __device__ constexpr int cuda_resident(int threads, int blocks)
{
    return blocks * threads > CUDA_RESIDENT_THREADS ? CUDA_RESIDENT_THREADS / threads
           : blocks > CUDA_RESIDENT_BLOCKS          ? CUDA_RESIDENT_BLOCKS
                                                    : blocks;
}

/* An optimization barrier: it returns the value, but hides its origin from the compiler, which then
 * keeps it in a register and does not compute it again. */
template <class Value> static __device__ __forceinline__ Value cuda_opaque(Value value)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof value == 8)
        asm("" : "+l"(value));
    else
        asm("" : "+r"(value));
#endif
    return value;
}

/*
 * The beginning of a kernel that cuda_launch_early launches while the one before it still runs:
 * a block waits here until that is done. The kernel behind it may come as soon as all blocks of
 * this one run, so that its launch, some 2 us, takes no time of its own.
 */
static __device__ __forceinline__ void cuda_begin_early()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Layers of a slab, those before `end`. */
struct cuda_layers {
    int64_t from, end;
};
static __host__ __device__ __forceinline__ int64_t cuda_layers_count(struct cuda_layers layers)
{
    return layers.end - layers.from;
}

/*
 * The bands of layers that the blocks of a pass store, and which of them are launched: those from
 * `first` to `split`, and as many behind them as `count` has left, `skip` further on. The halos of
 * a slab take part in its first and last bands alone, so that those between can be stepped while
 * halos are on their way (kernels/cuda/passes.cu).
 */
struct cuda_band_sizes {
    int64_t count, layers; /* of a band; the last one may have less; 0: always launched whole */
};
struct cuda_bands {
    uint32_t count, first, split, skip;
    bool rest; /* those between the ends of a slab, which the ends are launched without */
    struct cuda_layers stored; /* in all bands; more may be, where nobody reads it */
};

/* The band of block row i of a launch. */
static __host__ __device__ __forceinline__ uint32_t cuda_band(const struct cuda_bands &bands,
                                                              uint32_t i)
{
    return bands.first + i + (i >= bands.split ? bands.skip : 0);
}

#endif
