/* SPDX-License-Identifier: MIT */
/* Right: cooperative groups: sums of tiles of sixteen threads, and a barrier of the block. */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void sum(const int *values, int *sums)
{
    __shared__ int part[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int value = values[block.thread_rank()];

    for (int distance = tile.size() / 2; distance > 0; distance /= 2)
        value += tile.shfl_down(value, distance);
    if (tile.thread_rank() == 0)
        part[block.thread_rank() / 16] = value;
    block.sync();
    if (block.thread_rank() < block.size() / 16)
        sums[block.thread_rank()] = part[block.size() / 16 - 1 - block.thread_rank()];
}

int main()
{
    int host[128], *values, *sums, wrong = 0;

    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&sums, 8 * sizeof(int));
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 128>>>(values, sums);
    cudaMemcpy(host, sums, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        wrong += host[i] != 16 * 16 * (7 - i) + 120;
    cudaFree(values);
    cudaFree(sums);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
