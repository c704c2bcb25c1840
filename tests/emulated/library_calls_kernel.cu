/* SPDX-License-Identifier: MIT */
/* Wrong: memcpy and memset in kernels, outside of memory, of what nobody wrote, and of what other
 * threads use. */
#include <stdio.h>
#include <string.h>

#define N 64

struct row {
    int value[16];
};

__global__ void outside(char *to, const char *from)
{
    memcpy(to + N - 4, from, 8); // expect: bounds
    memset(to + N, 0, 4);        // expect: bounds
}

__global__ void unwritten(char *to, const char *from)
{
    memcpy(to, from, 8); // expect: unwritten
}

__global__ void race(char *to)
{
    memset(to + threadIdx.x * 4, threadIdx.x, 8); // expect: race
}

__global__ void rows(struct row *all)
{
    all[threadIdx.x] = all[(threadIdx.x + 1) % blockDim.x]; // expect: race
}

int main()
{
    char *to, *from;
    struct row *all;

    cudaMalloc(&to, N);
    cudaMalloc(&from, N);
    cudaMalloc(&all, 4 * sizeof *all);
    cudaMemset(to, 0, N);
    cudaMemset(all, 0, 4 * sizeof *all);
    outside<<<1, 1>>>(to, to);
    unwritten<<<1, 1>>>(to, from);
    race<<<1, 8>>>(to);
    rows<<<1, 4>>>(all);
    cudaDeviceSynchronize();
    cudaFree(to);
    cudaFree(from);
    cudaFree(all);
    return 0;
}
