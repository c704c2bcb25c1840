/* SPDX-License-Identifier: MIT */
/* Wrong: cudaMemcpy is told the opposite direction, and nobody asks whether it failed. */
#include <stdio.h>

__global__ void add_one(int *values)
{
    values[threadIdx.x]++; // expect: unwritten
}

int main()
{
    int host[32] = {0}, *values;

    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyDeviceToHost); // expect: copy
    add_one<<<1, 32>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
