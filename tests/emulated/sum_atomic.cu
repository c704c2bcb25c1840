/* SPDX-License-Identifier: MIT */
/* Right: all threads of all blocks add to one number by atomicAdd. */
#include <stdio.h>

__global__ void add(const int *values, int *sum)
{
    atomicAdd(sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main()
{
    int host[256], sum = 0, *values, *device_sum;

    for (int i = 0; i < 256; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&device_sum, sizeof sum);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(device_sum, 0, sizeof sum);
    add<<<4, 64>>>(values, device_sum);
    cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    cudaFree(values);
    cudaFree(device_sum);
    return sum != 255 * 128;
}
