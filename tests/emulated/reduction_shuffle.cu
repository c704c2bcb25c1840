/* SPDX-License-Identifier: MIT */
/* Right: sums of warps by shuffles, of the block by shared memory, of all by atomicAdd. */
#include <stdio.h>

#define N 1000

__device__ int warp_sum(int value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

__global__ void sum(const int *values, int *result)
{
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        value += values[i];
    value = warp_sum(value);
    if (lane == 0)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
        if (lane == 0)
            atomicAdd(result, value);
    }
}

int main()
{
    int host[N], total = 0, *values, *result;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof total);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(result, &total, sizeof total, cudaMemcpyHostToDevice);
    sum<<<3, 128>>>(values, result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(values);
    cudaFree(result);
    return total != N * (N - 1) / 2;
}
