/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel writes constant memory, whose address the host has asked for. */
#include <stdio.h>

__constant__ int table[4];

__global__ void look_up(int *writable, int *result)
{
    if (threadIdx.x == 0)
        writable[1] = 7; // expect: constant
    result[threadIdx.x] = table[0];
}

int main()
{
    int host[4] = {1, 2, 3, 4}, *result, *address;

    cudaMemcpyToSymbol(table, host, sizeof host);
    cudaGetSymbolAddress((void **)&address, table);
    cudaMalloc(&result, sizeof host);
    look_up<<<1, 4>>>(address, result);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(result);
    return 0;
}
