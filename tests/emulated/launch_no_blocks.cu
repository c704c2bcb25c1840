/* SPDX-License-Identifier: MIT */
/* Wrong: the number of blocks is rounded down, to none. */
#include <stdio.h>

__global__ void fill(int *values, int n)
{
    if (threadIdx.x < n)
        values[threadIdx.x] = threadIdx.x;
}

int main()
{
    const int n = 100, block = 128;
    int host[n], *values;

    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    fill<<<n / block, block>>>(values, n); // expect: launch
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
