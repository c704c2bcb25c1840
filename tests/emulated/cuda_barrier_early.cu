/* SPDX-License-Identifier: MIT */
/* Wrong: threads arrive at a barrier, and read what others wrote before they wait at it. */
#include <cuda/barrier>
#include <stdio.h>

#define N 64

__global__ void reverse(int *values)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int row[N];
    int value;

    if (threadIdx.x == 0)
        init(&barrier, N);
    __syncthreads();
    row[threadIdx.x] = values[threadIdx.x]; // expect: race with
    auto token = barrier.arrive();
    value = row[N - 1 - threadIdx.x]; // expect: race, may: unwritten
    barrier.wait(token);
    values[threadIdx.x] = value;
}

int main()
{
    int *values;

    cudaMalloc(&values, N * sizeof(int));
    cudaMemset(values, 0, N * sizeof(int));
    reverse<<<1, N>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
    return 0;
}
