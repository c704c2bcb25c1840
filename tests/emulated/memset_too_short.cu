/* SPDX-License-Identifier: MIT */
/* Wrong: cudaMemset is given the number of integers, not of bytes. */
#include <stdio.h>

#define N 64

__global__ void accumulate(int *sums)
{
    sums[threadIdx.x] += 1; // expect: unwritten
}

int main()
{
    int host[N], *sums;

    cudaMalloc(&sums, sizeof host);
    cudaMemset(sums, 0, N);
    accumulate<<<1, N>>>(sums);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[N - 1]);
    cudaFree(sums);
    return 0;
}
