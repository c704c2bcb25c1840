/* SPDX-License-Identifier: MIT */
/* Wrong: memory of the device is freed twice, under two names. */
#include <stdio.h>

__global__ void fill(int *values) { values[threadIdx.x] = threadIdx.x; }

int main()
{
    int host[32], *now, *next;

    cudaMalloc(&now, sizeof host);
    next = now;
    fill<<<1, 32>>>(next);
    cudaMemcpy(host, now, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[31]);
    cudaFree(now);
    cudaFree(next); // expect: free
    return 0;
}
