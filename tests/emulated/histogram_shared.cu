/* SPDX-License-Identifier: MIT */
/* Right: a histogram by atomic operations in shared memory, and then in global memory. */
#include <stdio.h>

#define BINS 16
#define N 1000

__global__ void histogram(const unsigned char *values, int *bins)
{
    __shared__ int own[BINS];

    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&own[values[i] % BINS], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], own[i]);
}

int main()
{
    static unsigned char host[N];
    int result[BINS], counted[BINS] = {0}, wrong = 0, *bins;
    unsigned char *values;

    for (int i = 0; i < N; i++) {
        host[i] = (unsigned char)(i * i);
        counted[host[i] % BINS]++;
    }
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&bins, sizeof result);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof result);
    histogram<<<4, 64>>>(values, bins);
    cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i++)
        wrong += result[i] != counted[i];
    cudaFree(values);
    cudaFree(bins);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
