/* SPDX-License-Identifier: MIT */
/* Right: a tree of sums in shared memory, and a second launch for the sums of blocks. */
#include <stdio.h>

#define BLOCK 128
#define BLOCKS 16

__global__ void sum(const int *values, int n, int *result)
{
    __shared__ int part[BLOCK];
    int i = threadIdx.x, at = blockIdx.x * BLOCK + i;

    part[i] = at < n ? values[at] : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        __syncthreads();
    }
    if (i == 0)
        result[blockIdx.x] = part[0];
}

int main()
{
    const int n = BLOCK * BLOCKS - 5;
    static int host[BLOCK * BLOCKS];
    int total, *values, *parts, *result;

    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMalloc(&values, n * sizeof(int));
    cudaMalloc(&parts, BLOCKS * sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemcpy(values, host, n * sizeof(int), cudaMemcpyHostToDevice);
    sum<<<BLOCKS, BLOCK>>>(values, n, parts);
    sum<<<1, BLOCK>>>(parts, BLOCKS, result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(values);
    cudaFree(parts);
    cudaFree(result);
    return total != n * (n - 1) / 2;
}
