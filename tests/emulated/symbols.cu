/* SPDX-License-Identifier: MIT */
/* Right: variables of the device, copied by their names and reached by their addresses. */
#include <stdio.h>

__device__ int total = 5, squares[8];

__global__ void add(void)
{
    squares[threadIdx.x] = threadIdx.x * threadIdx.x;
    atomicAdd(&total, 1);
}

int main()
{
    int host[8], sum, begin = 100, wrong = 0, *address;

    add<<<1, 8>>>();
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    wrong += sum != 13;
    cudaMemcpyToSymbol(total, &begin, sizeof begin);
    add<<<1, 8>>>();
    cudaGetSymbolAddress((void **)&address, total);
    cudaMemcpy(&sum, address, sizeof sum, cudaMemcpyDeviceToHost);
    wrong += sum != 108;
    cudaMemcpyFromSymbol(host, squares, sizeof host);
    for (int i = 0; i < 8; i++)
        wrong += host[i] != i * i;
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
