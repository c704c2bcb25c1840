/* SPDX-License-Identifier: MIT */
/* Wrong: a tile is read while it is still copied, since the wait is for the copy before. */
#include <cuda_pipeline.h>
#include <stdio.h>

#define TILE 64
#define TILES 5

__global__ void sums(const int *from, int *to)
{
    __shared__ int tile[2][TILE];
    int i = threadIdx.x, sum = 0;

    __pipeline_memcpy_async(&tile[0][i], &from[i], sizeof(int));
    __pipeline_commit();
    for (int t = 0; t < TILES; t++) {
        if (t + 1 < TILES)
            __pipeline_memcpy_async(&tile[(t + 1) % 2][i], &from[(t + 1) * TILE + i], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += tile[t % 2][TILE - 1 - i]; // expect: unwritten
        __syncthreads();
    }
    to[i] = sum;
}

int main()
{
    int host[TILE * TILES], *from, *to, wrong = 0;

    for (int i = 0; i < TILE * TILES; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, TILE * sizeof(int));
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, TILE>>>(from, to);
    cudaMemcpy(host, to, TILE * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < TILE; i++)
        wrong += host[i] != TILES * (TILE - 1 - i) + TILE * TILES * (TILES - 1) / 2;
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return 0;
}
