/* SPDX-License-Identifier: MIT */
/* Right: 17 generations of 512x512 cells by a thread a cell, as they are often taught; what
 * BENCHMARKS.md says of the emulator's time is of them. */
#include <stdio.h>

#define N 512
#define GENERATIONS 17
#define LIVE 130162 /* by a loop on the host */

__device__ int next(const unsigned char *from, int x, int y)
{
    int sum = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += from[((y + dy + N) % N) * N + (x + dx + N) % N];
    return sum > 5 || sum == 4;
}

__global__ void step(const unsigned char *from, unsigned char *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    to[y * N + x] = next(from, x, y);
}

static unsigned char cells[N * N];

int main()
{
    unsigned char *from, *to, *swap;
    unsigned state = 1;
    int live = 0;

    for (int i = 0; i < N * N; i++)
        cells[i] = (state = state * 1664525u + 1013904223u) >> 31;
    cudaMalloc(&from, sizeof cells);
    cudaMalloc(&to, sizeof cells);
    cudaMemcpy(from, cells, sizeof cells, cudaMemcpyHostToDevice);
    for (int i = 0; i < GENERATIONS; i++) {
        step<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(from, to);
        swap = from, from = to, to = swap;
    }
    cudaMemcpy(cells, from, sizeof cells, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++)
        live += cells[i];
    cudaFree(from);
    cudaFree(to);
    printf("%d live\n", live);
    return live != LIVE;
}
