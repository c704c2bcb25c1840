/* SPDX-License-Identifier: MIT */
/* Right: a block copies a row to shared memory together, and waits for it. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <stdio.h>

#define N 96

namespace cg = cooperative_groups;

__global__ void turn(const int *from, int *to)
{
    __shared__ int row[N];
    cg::thread_block block = cg::this_thread_block();

    cg::memcpy_async(block, row, from + blockIdx.x * N, sizeof(int) * N);
    cg::wait(block);
    to[blockIdx.x * N + threadIdx.x] = row[N - 1 - threadIdx.x];
}

int main()
{
    int host[2 * N], *from, *to, wrong = 0;

    for (int i = 0; i < 2 * N; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<2, N>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * N; i++)
        wrong += host[i] != i / N * N + N - 1 - i % N;
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
