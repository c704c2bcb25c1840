/* SPDX-License-Identifier: MIT */
/* Wrong: generations in one launch, with a barrier of the block where one of the grid is needed. */
#include <cooperative_groups.h>
#include <stdio.h>

#define N 128

namespace cg = cooperative_groups;

__global__ void rotate(int *now, int *next, int generations)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();

    for (int t = 0; t < generations; t++) {
        int *swapped = now,
            value = now[(i + 1) % N];          // expect: race, may: unwritten

        next[i] = value;        // expect: race with
        cg::this_thread_block().sync();
        now = next;
        next = swapped;
    }
}

int main()
{
    int host[N], *now, *next, generations = 4, wrong = 0;
    void *arguments[] = {&now, &next, &generations};

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    cudaMemcpy(now, host, sizeof host, cudaMemcpyHostToDevice);
    cudaLaunchCooperativeKernel((const void *)rotate, dim3(4), dim3(N / 4), arguments, 0, 0);
    cudaMemcpy(host, now, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != (i + generations) % N;
    cudaFree(now);
    cudaFree(next);
    printf("%d wrong\n", wrong);
    return 0;
}
