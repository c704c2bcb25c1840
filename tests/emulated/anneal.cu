/* SPDX-License-Identifier: MIT */
/* Right: the ANNEAL automaton with ghost cells, by a plain kernel and by one with shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 8
#define SIZE 40
#define ROW (SIZE + 2)

typedef unsigned char cell;

__global__ void copy_top_bottom(cell *grid)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (x < ROW - 1) {
        grid[x] = grid[(ROW - 2) * ROW + x];
        grid[(ROW - 1) * ROW + x] = grid[ROW + x];
    }
}

__global__ void copy_left_right(cell *grid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;

    if (y < ROW) {
        grid[y * ROW] = grid[y * ROW + ROW - 2];
        grid[y * ROW + ROW - 1] = grid[y * ROW + 1];
    }
}

__global__ void step(const cell *now, cell *next)
{
    int x = blockIdx.x * BLOCK + threadIdx.x + 1, y = blockIdx.y * BLOCK + threadIdx.y + 1, n = 0;

    for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++)
            n += now[j * ROW + i];
    next[y * ROW + x] = n >= 6 || n == 4;
}

__global__ void step_shared(const cell *now, cell *next)
{
    __shared__ cell tile[BLOCK + 2][BLOCK + 2];
    int x = blockIdx.x * BLOCK + threadIdx.x + 1, y = blockIdx.y * BLOCK + threadIdx.y + 1, n = 0;
    int i = threadIdx.x + 1, j = threadIdx.y + 1;

    tile[j][i] = now[y * ROW + x];
    if (j == 1) {
        tile[0][i] = now[(y - 1) * ROW + x];
        tile[BLOCK + 1][i] = now[(y + BLOCK) * ROW + x];
    }
    if (i == 1) {
        tile[j][0] = now[y * ROW + x - 1];
        tile[j][BLOCK + 1] = now[y * ROW + x + BLOCK];
    }
    if (i == 1 && j == 1) {
        tile[0][0] = now[(y - 1) * ROW + x - 1];
        tile[0][BLOCK + 1] = now[(y - 1) * ROW + x + BLOCK];
        tile[BLOCK + 1][0] = now[(y + BLOCK) * ROW + x - 1];
        tile[BLOCK + 1][BLOCK + 1] = now[(y + BLOCK) * ROW + x + BLOCK];
    }
    __syncthreads();
    for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++)
            n += tile[j + dj][i + di];
    next[y * ROW + x] = n >= 6 || n == 4;
}

int main()
{
    static cell host[ROW * ROW], result[2][ROW * ROW];
    dim3 grid(SIZE / BLOCK, SIZE / BLOCK), block(BLOCK, BLOCK);

    srand(1);
    for (int y = 1; y <= SIZE; y++)
        for (int x = 1; x <= SIZE; x++)
            host[y * ROW + x] = rand() % 2;
    for (int shared = 0; shared < 2; shared++) {
        cell *now, *next;

        cudaMalloc(&now, sizeof host);
        cudaMalloc(&next, sizeof host);
        cudaMemcpy(now, host, sizeof host, cudaMemcpyHostToDevice);
        for (int t = 0; t < 16; t++) {
            cell *swapped = now;

            copy_top_bottom<<<(ROW + 31) / 32, 32>>>(now);
            copy_left_right<<<(ROW + 31) / 32, 32>>>(now);
            if (shared)
                step_shared<<<grid, block>>>(now, next);
            else
                step<<<grid, block>>>(now, next);
            now = next;
            next = swapped;
        }
        cudaMemcpy2D(result[shared], ROW, now + ROW + 1, ROW, SIZE, SIZE, cudaMemcpyDeviceToHost);
        cudaFree(now);
        cudaFree(next);
    }
    printf("%s\n", memcmp(result[0], result[1], sizeof result[0]) ? "different" : "the same");
    return memcmp(result[0], result[1], sizeof result[0]) != 0;
}
