/* SPDX-License-Identifier: MIT */
/* Wrong: a product of matrices whose tiles are overwritten before all have read them. */
#include <stdio.h>

#define N 32
#define TILE 8

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;

    for (int k = 0; k < N; k += TILE) {
        tile_a[y][x] = a[row * N + k + x];      // expect: race with
        tile_b[y][x] = b[(k + y) * N + column]; // expect: race with
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x]; // expect: race
    }
    c[row * N + column] = sum;
}

int main()
{
    static float host[N * N];
    float *a, *b, *c;

    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
