/* SPDX-License-Identifier: MIT */
/* Wrong: a launch with 2048 threads a block, and nobody asks whether it failed. */
#include <stdio.h>

__global__ void fill(int *values) { values[threadIdx.x] = threadIdx.x; }

int main()
{
    static int host[2048];
    int *values;

    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    fill<<<1, 2048>>>(values); // expect: launch
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[2047]);
    cudaFree(values);
    return 0;
}
