/* SPDX-License-Identifier: MIT */
/* Wrong: a histogram in shared memory without atomic operations. */
#include <stdio.h>

#define BINS 16

__global__ void histogram(const unsigned char *values, int *bins)
{
    __shared__ int own[BINS];

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    own[values[blockIdx.x * blockDim.x + threadIdx.x] % BINS]++; // expect: race, may: same value
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main()
{
    static unsigned char host[256];
    int result[BINS], *bins;
    unsigned char *values;

    cudaMalloc(&values, sizeof host);
    cudaMalloc(&bins, sizeof result);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof result);
    histogram<<<4, 64>>>(values, bins);
    cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d\n", result[0]);
    cudaFree(values);
    cudaFree(bins);
    return 0;
}
