/* SPDX-License-Identifier: MIT */
/* Wrong: the host writes memory of cudaMalloc. */
#include <stdio.h>

__global__ void add_one(int *values)
{
    values[threadIdx.x]++; // may: unwritten
}

int main()
{
    int host[32], *values;

    cudaMalloc(&values, sizeof host);
    for (int i = 0; i < 32; i++)
        values[i] = i; // expect: host
    add_one<<<1, 32>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
