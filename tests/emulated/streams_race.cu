/* SPDX-License-Identifier: MIT */
/* Wrong: a stream reads what another one writes, and no event orders them. */
#include <stdio.h>

#define N 256

__global__ void fill(int *values, int value)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] = value; // expect: race with
}

__global__ void add(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] += from[i]; // expect: race
}

int main()
{
    int *first, *second;
    cudaStream_t one, two;

    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMalloc(&first, N * sizeof(int));
    cudaMalloc(&second, N * sizeof(int));
    cudaMemset(second, 0, N * sizeof(int));
    fill<<<2, N / 2, 0, one>>>(first, 3);
    add<<<2, N / 2, 0, two>>>(first, second);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(first);
    cudaFree(second);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
