/*
 * Right: ghost cells whose corners are copied before anybody has written them, and written before
 * anybody uses them; and other copies of values that nothing depends on.
 */
#include <stdio.h>

#define SIZE 32
#define ROW (SIZE + 2)

typedef unsigned char cell;

/* Rows first, with the corners that they do not have yet; the columns then fill those. */
__global__ void ghost_rows(cell *grid)
{
    int x = threadIdx.x;

    if (x < ROW) {
        grid[x] = grid[SIZE * ROW + x];
        grid[(SIZE + 1) * ROW + x] = grid[ROW + x];
    }
}

__global__ void ghost_columns(cell *grid)
{
    int y = threadIdx.x;

    if (y < ROW) {
        grid[y * ROW] = grid[y * ROW + SIZE];
        grid[y * ROW + SIZE + 1] = grid[y * ROW + 1];
    }
}

__global__ void vote(const cell *now, cell *next)
{
    int x = threadIdx.x + 1, y = blockIdx.x + 1, sum = 0;

    for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++)
            sum += now[j * ROW + i];
    next[y * ROW + x] = sum == 4 || sum >= 6;
}

/* Half of the tile is not there, and not used. */
__global__ void through_tile(const int *from, const int4 *wide, int *to, int4 *wide_to, int n)
{
    __shared__ int tile[64];
    __shared__ int4 wide_tile[64];
    int i = threadIdx.x, value;

    tile[i] = from[i];
    wide_tile[i] = wide[i];
    __syncthreads();
    value = tile[63 - i];
    __syncthreads();
    tile[i] = value;
    wide_to[i] = wide_tile[i];
    __syncthreads();
    if (63 - i < n)
        to[63 - i] = tile[i] + 1;
}

/* A struct with a hole. */
struct pair {
    char sort;
    int value;
};

__global__ void swapped(struct pair *pairs)
{
    struct pair first = pairs[2 * threadIdx.x];

    pairs[2 * threadIdx.x] = pairs[2 * threadIdx.x + 1];
    pairs[2 * threadIdx.x + 1] = first;
}

__global__ void set(struct pair *pairs)
{
    pairs[threadIdx.x].sort = 'a';
    pairs[threadIdx.x].value = threadIdx.x;
}

int main()
{
    static cell host[ROW * ROW];
    cell *now, *next;
    int *from, *to, living = 0;
    int4 *wide, *wide_to;
    struct pair *pairs;

    for (int i = 0; i < ROW * ROW; i++)
        host[i] = i * 7 % 11 < 6;
    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    cudaMemcpy2D(now + ROW + 1, ROW, host + ROW + 1, ROW, SIZE, SIZE, cudaMemcpyHostToDevice);
    for (int t = 0; t < 4; t++) {
        cell *swap = now;

        ghost_rows<<<1, 64>>>(now);
        ghost_columns<<<1, 64>>>(now);
        vote<<<SIZE, SIZE>>>(now, next);
        now = next;
        next = swap;
    }
    cudaMemcpy2D(host, ROW, now + ROW + 1, ROW, SIZE, SIZE, cudaMemcpyDeviceToHost);
    for (int i = 0; i < SIZE * SIZE; i++)
        living += host[i / SIZE * ROW + i % SIZE];
    printf("%d living\n", living);

    cudaMalloc(&from, 64 * sizeof(int));
    cudaMalloc(&to, 64 * sizeof(int));
    cudaMalloc(&wide, 64 * sizeof(int4));
    cudaMalloc(&wide_to, 64 * sizeof(int4));
    cudaMemset(from, 0, 32 * sizeof(int));
    through_tile<<<1, 64>>>(from, wide, to, wide_to, 32);
    cudaMalloc(&pairs, 64 * sizeof *pairs);
    set<<<1, 64>>>(pairs);
    swapped<<<1, 32>>>(pairs);
    cudaDeviceSynchronize();
    cudaFree(now);
    cudaFree(next);
    cudaFree(from);
    cudaFree(to);
    cudaFree(wide);
    cudaFree(wide_to);
    cudaFree(pairs);
    return 0;
}
