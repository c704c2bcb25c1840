/* SPDX-License-Identifier: MIT */
/* Wrong: the host reads managed memory that a kernel is still writing. */
#include <stdio.h>

__global__ void fill(int *values) { values[threadIdx.x] = threadIdx.x; } // expect: synchronization with

int main()
{
    int *values, last;

    cudaMallocManaged(&values, 64 * sizeof(int));
    fill<<<1, 64>>>(values);
    last = values[63]; // expect: synchronization
    printf("%d\n", last);
    cudaDeviceSynchronize();
    cudaFree(values);
    return 0;
}
