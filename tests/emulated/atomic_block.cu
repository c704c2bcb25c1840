/* SPDX-License-Identifier: MIT */
/* Right: each block counts in a place of its own by an atomic operation within the block. */
#include <stdio.h>

__global__ void count(int *counters)
{
    atomicAdd_block(&counters[blockIdx.x], 1);
    atomicAdd_system(&counters[gridDim.x], 1);
}

int main()
{
    int threads[5], *counters;

    cudaMalloc(&counters, sizeof threads);
    cudaMemset(counters, 0, sizeof threads);
    count<<<4, 32>>>(counters);
    cudaMemcpy(threads, counters, sizeof threads, cudaMemcpyDeviceToHost);
    printf("%d %d\n", threads[0], threads[4]);
    cudaFree(counters);
    return threads[0] != 32 || threads[3] != 32 || threads[4] != 128;
}
