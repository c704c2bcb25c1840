/* SPDX-License-Identifier: MIT */
/* Right: the last block to end adds up the sums of all, after a fence and an atomic counter. */
#include <stdio.h>

#define BLOCKS 8
#define BLOCK 64

__device__ unsigned ended;

__global__ void sum(const int *values, volatile int *parts, int *result)
{
    __shared__ bool last;
    __shared__ int part;

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, values[blockIdx.x * BLOCK + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        __threadfence();
        last = atomicInc(&ended, BLOCKS - 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;

        __threadfence();
        for (int i = 0; i < BLOCKS; i++)
            total += parts[i];
        *result = total;
    }
}

int main()
{
    int host[BLOCKS * BLOCK], total, *values, *parts, *result;

    for (int i = 0; i < BLOCKS * BLOCK; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&parts, BLOCKS * sizeof(int));
    cudaMalloc(&result, sizeof total);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    for (int turn = 0; turn < 2; turn++)
        sum<<<BLOCKS, BLOCK>>>(values, parts, result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(values);
    cudaFree(parts);
    cudaFree(result);
    return total != BLOCKS * BLOCK * (BLOCKS * BLOCK - 1) / 2;
}
