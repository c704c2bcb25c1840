/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel writes constant memory through a pointer that is cast. */
#include <stdio.h>

__constant__ int table[4];

__global__ void look_up(int *result)
{
    int *writable = (int *)&table[0];

    if (threadIdx.x == 0)
        writable[1] = 7; // expect: constant
    result[threadIdx.x] = table[0];
}

int main()
{
    int host[4] = {1, 2, 3, 4}, *result;

    cudaMemcpyToSymbol(table, host, sizeof host);
    cudaMalloc(&result, sizeof host);
    look_up<<<1, 4>>>(result);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(result);
    return 0;
}
