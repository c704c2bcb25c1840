/* SPDX-License-Identifier: MIT */
/* Wrong: a thread waits for a flag that nobody sets. */
#include <stdio.h>

__global__ void wait(const volatile int *flag)
{
    while (*flag == 0) // expect: limit
        ;
}

int main()
{
    int *flag;

    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    wait<<<1, 1>>>(flag);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(flag);
    return 0;
}
