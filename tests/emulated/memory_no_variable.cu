/* SPDX-License-Identifier: MIT */
/* Wrong: cudaMalloc is given the pointer itself, which is null, in place of its address. */
#include <stdio.h>

__device__ int *counters;

int main()
{
    cudaError_t error = cudaMalloc((void **)counters, 16 * sizeof(int)); // expect: memory

    printf("%s\n", cudaGetErrorString(error));
    return 0;
}
