/* SPDX-License-Identifier: MIT */
/* Right: a counter in shared memory is set to zero, then counted, then read, with barriers between. */
#include <stdio.h>

__global__ void count(const int *values, int *counts)
{
    __shared__ int counter;

    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    if (values[blockIdx.x * blockDim.x + threadIdx.x] % 2 == 0)
        atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = counter;
}

int main()
{
    int host[128], even[2], *values, *counts;

    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&counts, sizeof even);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    count<<<2, 64>>>(values, counts);
    cudaMemcpy(even, counts, sizeof even, cudaMemcpyDeviceToHost);
    printf("%d %d\n", even[0], even[1]);
    cudaFree(values);
    cudaFree(counts);
    return even[0] != 32 || even[1] != 32;
}
