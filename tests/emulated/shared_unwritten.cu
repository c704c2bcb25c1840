/* SPDX-License-Identifier: MIT */
/* Wrong: a block adds to shared memory that nobody has set to zero. */
#include <stdio.h>

__global__ void count(const int *values, int *result)
{
    __shared__ int counts[8];

    atomicAdd(&counts[values[threadIdx.x] % 8], 1); // expect: unwritten
    __syncthreads();
    if (threadIdx.x < 8)
        result[threadIdx.x] = counts[threadIdx.x];
}

int main()
{
    int host[64], *values, *result;

    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, 8 * sizeof(int));
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    count<<<1, 64>>>(values, result);
    cudaMemcpy(host, result, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    cudaFree(result);
    return 0;
}
