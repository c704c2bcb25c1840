/* SPDX-License-Identifier: MIT */
/* Right: a block size that the occupancy calculator chooses, and as many blocks as stay resident. */
#include <stdio.h>

#define N 5000

__global__ void twice(int *values)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        values[i] *= 2;
}

int main()
{
    static int host[N];
    int *values, least, block, resident, wrong = 0;
    cudaDeviceProp properties;

    cudaGetDeviceProperties(&properties, 0);
    cudaOccupancyMaxPotentialBlockSize(&least, &block, twice, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, twice, block, 0);
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<least < 4 ? least : 4, block>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 2 * i;
    cudaFree(values);
    printf("%d wrong\n", wrong);
    return wrong > 0 || resident * block > properties.maxThreadsPerMultiProcessor ||
           least < properties.multiProcessorCount;
}
