/* SPDX-License-Identifier: MIT */
/* Right: the host fills managed memory, waits for the kernel, and then reads it. */
#include <stdio.h>

__managed__ int calls;

__global__ void twice(int *values)
{
    values[threadIdx.x] *= 2;
    if (threadIdx.x == 0)
        calls++;
}

int main()
{
    int *values, wrong = 0;

    cudaMallocManaged(&values, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        values[i] = i;
    twice<<<1, 64>>>(values);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        wrong += values[i] != 2 * i;
    wrong += calls != 1;
    cudaFree(values);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
