/* SPDX-License-Identifier: MIT */
/* Right: a transpose by tiles in shared memory, with a column more against bank conflicts. */
#include <stdio.h>

#define N 64
#define TILE 16

__global__ void transpose(const int *from, int *to)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

    tile[threadIdx.y][threadIdx.x] = from[(y + threadIdx.y) * N + x + threadIdx.x];
    __syncthreads();
    to[(x + threadIdx.y) * N + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    static int host[N * N], result[N * N];
    int *from, *to, wrong = 0;

    for (int i = 0; i < N * N; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    transpose<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(from, to);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            wrong += result[x * N + y] != host[y * N + x];
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
