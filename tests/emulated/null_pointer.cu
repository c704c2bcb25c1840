/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel is given a pointer to which nothing was allocated. */
#include <stdio.h>

__global__ void fill(int *values)
{
    values[threadIdx.x] = threadIdx.x; // expect: address
}

int main()
{
    int *values = NULL;

    fill<<<1, 32>>>(values);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
