/* SPDX-License-Identifier: MIT */
/* Wrong: blocks count in global memory by an atomic operation that holds within a block alone. */
#include <stdio.h>

__global__ void count(int *counter)
{
    atomicAdd_block(counter, 1); // expect: race
}

int main()
{
    int threads, *counter;

    cudaMalloc(&counter, sizeof threads);
    cudaMemset(counter, 0, sizeof threads);
    count<<<4, 32>>>(counter);
    cudaMemcpy(&threads, counter, sizeof threads, cudaMemcpyDeviceToHost);
    printf("%d\n", threads);
    cudaFree(counter);
    return 0;
}
