/* SPDX-License-Identifier: MIT */
/* Wrong: the first thread reads the element before the first one. */
#include <stdio.h>

#define N 128

__global__ void difference(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = from[i] - from[i - 1]; // expect: bounds
}

int main()
{
    static int host[N];
    int *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    difference<<<N / 64, 64>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
