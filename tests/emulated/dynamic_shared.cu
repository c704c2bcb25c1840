/* SPDX-License-Identifier: MIT */
/* Right: two arrays in dynamic shared memory, 64 KiB of it by the attribute that allows it. */
#include <stdio.h>

#define N 128

__global__ void swap_halves(const float *from, float *to, int bytes)
{
    extern __shared__ float both[];
    float *first = both, *second = both + bytes / 2 / sizeof(float);
    int i = threadIdx.x;

    first[i] = from[i];
    second[i] = from[N + i];
    __syncthreads();
    to[i] = second[N - 1 - i];
    to[N + i] = first[N - 1 - i];
}

int main()
{
    const int bytes = 64 << 10;
    float host[2 * N], result[2 * N], *from, *to;
    int wrong = 0;

    for (int i = 0; i < 2 * N; i++)
        host[i] = (float)i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(swap_halves, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    swap_halves<<<1, N, bytes>>>(from, to, bytes);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * N; i++)
        wrong += !(result[i] == host[2 * N - 1 - i]);
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
