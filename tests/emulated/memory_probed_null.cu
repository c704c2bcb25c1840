/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel writes through NULL, which is not what an allocation should have given that
 * failed at first: with fewer bytes it was made. */
#include <stdio.h>

__global__ void fill(int *values, int *result)
{
    values[threadIdx.x] = 1;
    *result = 2; // expect: address
}

int main()
{
    size_t bytes = (size_t)1 << 50;
    int *values = NULL;

    while (cudaMalloc(&values, bytes) != cudaSuccess)
        bytes = bytes > 4096 ? 4096 : 0;
    cudaGetLastError();
    fill<<<1, 1>>>(values, NULL);
    cudaDeviceSynchronize();
    return 0;
}
