/* SPDX-License-Identifier: MIT */
/* Wrong: each turn of a loop takes memory of the device, and only the last is freed. */
#include <stdio.h>

__global__ void fill(int *values, int value) { values[threadIdx.x] = value; }

int main()
{
    int host[32], *values = NULL;

    for (int t = 0; t < 3; t++) {
        cudaMalloc(&values, sizeof host); // expect: leak
        fill<<<1, 32>>>(values, t);
    }
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
