/* SPDX-License-Identifier: MIT */
/* Right: a 2D stencil with tiles and halos in shared memory, on a torus. */
#include <stdio.h>

#define N 40
#define TILE 8

__global__ void step(const int *from, int *to)
{
    __shared__ int tile[TILE + 2][TILE + 2];
    int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * TILE, top = blockIdx.y * TILE;

    for (int j = y; j < TILE + 2; j += TILE)
        for (int i = x; i < TILE + 2; i += TILE)
            tile[j][i] = from[(top + j + N - 1) % N * N + (left + i + N - 1) % N];
    __syncthreads();
    to[(top + y) * N + left + x] = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] +
                                   tile[y + 1][x + 2] - 4 * tile[y + 1][x + 1];
}

int main()
{
    static int host[N * N], result[N * N];
    int *from, *to, wrong = 0;

    for (int i = 0; i < N * N; i++)
        host[i] = i * i % 31;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    step<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(from, to);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            wrong += result[y * N + x] !=
                     host[(y + N - 1) % N * N + x] + host[(y + 1) % N * N + x] +
                         host[y * N + (x + N - 1) % N] + host[y * N + (x + 1) % N] -
                         4 * host[y * N + x];
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
