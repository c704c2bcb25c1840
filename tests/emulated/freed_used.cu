/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel reads memory that was freed before the launch. */
#include <stdio.h>

__global__ void copy(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x]; // expect: bounds
}

int main()
{
    int host[32] = {0}, *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    cudaFree(from);
    copy<<<1, 32>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(to);
    return 0;
}
