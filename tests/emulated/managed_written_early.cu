/* SPDX-License-Identifier: MIT */
/* Wrong: the host prepares the next round in managed memory that a kernel still reads. */
#include <stdio.h>

#define N 64

__global__ void sum(const int *values, int *total)
{
    atomicAdd(total, values[threadIdx.x]); // expect: synchronization with
}

int main()
{
    int *values, *total;

    cudaMallocManaged(&values, N * sizeof(int));
    cudaMallocManaged(&total, sizeof(int));
    *total = 0;
    for (int i = 0; i < N; i++)
        values[i] = 1;
    sum<<<1, N>>>(values, total);
    for (int i = 0; i < N; i++)
        values[i] = 2; // expect: synchronization
    cudaDeviceSynchronize();
    printf("%d\n", *total);
    cudaFree(values);
    cudaFree(total);
    return 0;
}
