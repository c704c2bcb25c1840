/* SPDX-License-Identifier: MIT */
/* Wrong: the Game of Life with ghost cells, of which the corners are never filled. */
#include <stdio.h>

#define SIZE 32
#define BLOCK 16
#define ROW (SIZE + 2)

typedef unsigned char cell;

__global__ void ghost_rows(cell *grid)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (x <= SIZE) {
        grid[x] = grid[SIZE * ROW + x];
        grid[(SIZE + 1) * ROW + x] = grid[ROW + x];
    }
}

__global__ void ghost_columns(cell *grid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (y < SIZE + 1) {
        grid[y * ROW] = grid[y * ROW + SIZE];
        grid[y * ROW + SIZE + 1] = grid[y * ROW + 1];
    }
}

__global__ void step(const cell *now, cell *next)
{
    int x = blockIdx.x * BLOCK + threadIdx.x + 1, y = blockIdx.y * BLOCK + threadIdx.y + 1;
    int living = -now[y * ROW + x];

    for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++)
            living += now[j * ROW + i];         // expect: unwritten
    next[y * ROW + x] = living == 3 || (living == 2 && now[y * ROW + x]);
}

int main()
{
    static cell host[ROW * ROW];
    const int x[] = {2, 3, 1, 2, 3}, y[] = {1, 2, 3, 3, 3};
    cell *now, *next;
    int living = 0, wrong = 0;

    for (int i = 0; i < 5; i++)
        host[y[i] * ROW + x[i]] = 1;
    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    cudaMemcpy2D(now + ROW + 1, ROW, host + ROW + 1, ROW, SIZE, SIZE, cudaMemcpyHostToDevice);
    for (int t = 0; t < 4 * SIZE; t++) {
        cell *swapped = now;

        ghost_rows<<<1, SIZE>>>(now);
        ghost_columns<<<2, SIZE>>>(now);
        step<<<dim3(SIZE / BLOCK, SIZE / BLOCK), dim3(BLOCK, BLOCK)>>>(now, next);
        now = next;
        next = swapped;
    }
    cudaMemcpy2D(host, ROW, now + ROW + 1, ROW, SIZE, SIZE, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 5; i++)
        wrong += !host[(y[i] - 1) * ROW + x[i] - 1];
    for (int i = 0; i < SIZE * SIZE; i++)
        living += host[i / SIZE * ROW + i % SIZE];
    cudaFree(now);
    cudaFree(next);
    printf("%d living, %d of the glider wrong\n", living, wrong);
    return 0;
}
