/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel is given a pointer of malloc. */
#include <stdio.h>
#include <stdlib.h>

__global__ void fill(int *values)
{
    values[threadIdx.x] = threadIdx.x; // expect: address
}

int main()
{
    int *values = (int *)malloc(32 * sizeof(int));

    fill<<<1, 32>>>(values);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    free(values);
    return 0;
}
