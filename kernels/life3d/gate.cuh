/* SPDX-License-Identifier: MIT */
/*
 * A barrier of a block in two halves: a warp arrives when others may go on to what it has written
 * to shared memory, and waits when it needs what they have. What it does in between is time in
 * which the warps need not be abreast. Before compute capability 8.0, and on the CPU, arriving is
 * nothing and waiting is the whole barrier.
 */
#ifndef CALAB_KERNELS_LIFE3D_GATE_CUH
#define CALAB_KERNELS_LIFE3D_GATE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define GATE_HALVES
#endif

#define GATE_LANES 32

struct gate { /* in shared memory */
    uint64_t state;
    int zero;
};

/* By one thread; the block's barrier is to follow. */
static __device__ __forceinline__ void gate_begin(struct gate *gate, int warps)
{
    gate->zero = 0;
#ifdef GATE_HALVES
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(&gate->state)),
                 "r"(warps)
                 : "memory");
#else
    (void)warps;
#endif
}

/* By all threads of each warp. Returns 0, but if it is to `hold` what follows, compilers do not
 * know: what is made with it they cannot do before arriving, as they else would while others wait.
 */
static __device__ __forceinline__ int gate_arrive(struct gate *gate, bool hold)
{
    int zero = 0;

#ifdef GATE_HALVES
    __syncwarp();
    if (threadIdx.x % GATE_LANES == 0)
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(
                         (uint32_t)__cvta_generic_to_shared(&gate->state))
                     : "memory");
    if (hold)
        asm volatile("ld.volatile.shared.s32 %0, [%1];"
                     : "=r"(zero)
                     : "r"((uint32_t)__cvta_generic_to_shared(&gate->zero))
                     : "memory");
#else
    (void)gate, (void)hold;
#endif
    return zero;
}

/* Until all have arrived: `turn` is even the first time, odd the second, and so on. */
static __device__ __forceinline__ void gate_wait(struct gate *gate, int turn)
{
#ifdef GATE_HALVES
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&gate->state), open;

    do {
#if __CUDA_ARCH__ >= 900
        asm volatile("{\n\t.reg .pred open;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 open, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, open;\n\t}"
                     : "=r"(open)
                     : "r"(at), "r"(turn & 1)
                     : "memory");
#else
        asm volatile("{\n\t.reg .pred open;\n\t"
                     "mbarrier.test_wait.parity.shared.b64 open, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, open;\n\t}"
                     : "=r"(open)
                     : "r"(at), "r"(turn & 1)
                     : "memory");
#endif
    } while (!open);
    __syncwarp();
#else
    (void)gate, (void)turn;
    __syncthreads();
#endif
}

#endif
