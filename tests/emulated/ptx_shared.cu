/* SPDX-License-Identifier: MIT */
/* Right: inline PTX of shared memory by 32-bit addresses, and asynchronous copies to it. */
#include <stdio.h>

#define N 64

__device__ unsigned address_of(const void *shared)
{
    unsigned address;

    asm("{ .reg .u64 a;\n\t"
        "cvta.to.shared.u64 a, %1;\n\t"
        "cvt.u32.u64 %0, a; }"
        : "=r"(address)
        : "l"(shared));
    return address;
}

__global__ void reverse(const int *from, int *to)
{
    __shared__ int tile[N];
    __shared__ alignas(16) int pairs[4], sum;
    unsigned base = (unsigned)__cvta_generic_to_shared(tile), i = threadIdx.x;
    int x, y;

    if (i == 0) {
        sum = 0;
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address_of(pairs)), "r"(1),
                     "r"(2), "r"(3), "r"(4)
                     : "memory");
    }
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + 4 * i), "r"(from[i]) : "memory");
    asm volatile("bar.sync 0;");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(base + 4 * (N - 1 - i)));
    asm volatile("ld.volatile.shared::cta.u32 %0, [%1+8];" : "=r"(y) : "r"(address_of(pairs)));
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address_of(&sum)), "r"(1) : "memory");
    __syncthreads();
    to[i] = x + y * 100 + sum * 1000 + (__cvta_shared_to_generic(base) == tile ? 0 : 1);
}

/* Two stages of a tile each: while one is summed the next one comes. */
__global__ void stream(const int4 *from, int *sums, int tiles)
{
    extern __shared__ int4 stage[];
    unsigned i = threadIdx.x, base = address_of(stage + i);
    int sum = 0;

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base), "l"(from + i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int tile = 0; tile < tiles; tile++) {
        unsigned next = base + (tile + 1) % 2 * N * sizeof(int4);

        if (tile + 1 < tiles)
            asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;" ::"r"(next),
                         "l"(from + (tile + 1) * N + i), "n"(16)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads();
        sum += stage[tile % 2 * N + (i + 1) % N].z;
        __syncthreads();
    }
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 4;" ::"r"(base), "l"(from + i)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    sums[i] = sum + (stage[i].y == 0 && stage[i].x == from[i].x ? 0 : 1);
}

int main()
{
    const int tiles = 3;
    int host[tiles * N * 4], back[N], *from, *to, wrong = 0;

    for (int i = 0; i < tiles * N * 4; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof back);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(from, to);
    cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += back[i] != N - 1 - i + 300 + 1000 * N;
    stream<<<1, N, 2 * N * sizeof(int4)>>>((const int4 *)from, to, tiles);
    cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += back[i] != 3 * (4 * ((i + 1) % N) + 2) + (0 + N * 4 + 2 * N * 4);
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
