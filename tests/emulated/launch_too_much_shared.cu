/* SPDX-License-Identifier: MIT */
/* Wrong: 96 KiB of dynamic shared memory without the attribute that allows it. */
#include <stdio.h>

__global__ void fill(int *values)
{
    extern __shared__ int tile[];

    tile[threadIdx.x] = threadIdx.x;
    values[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    int host[64], *values;

    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    fill<<<1, 64, 96 << 10>>>(values); // expect: launch
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
