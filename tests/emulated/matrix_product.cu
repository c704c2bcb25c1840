/* SPDX-License-Identifier: MIT */
/* Right: a product of matrices by tiles in shared memory. */
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
        tile_a[y][x] = a[row * N + k + x];
        tile_b[y][x] = b[(k + y) * N + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

int main()
{
    static float host_a[N * N], host_b[N * N], host_c[N * N];
    float *a, *b, *c;
    int wrong = 0;

    for (int i = 0; i < N * N; i++) {
        host_a[i] = (float)(i % 5);
        host_b[i] = (float)(i % 3);
    }
    cudaMalloc(&a, sizeof host_a);
    cudaMalloc(&b, sizeof host_b);
    cudaMalloc(&c, sizeof host_c);
    cudaMemcpy(a, host_a, sizeof host_a, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host_b, sizeof host_b, cudaMemcpyHostToDevice);
    multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
    cudaMemcpy(host_c, c, sizeof host_c, cudaMemcpyDeviceToHost);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;

            for (int k = 0; k < N; k++)
                sum += host_a[y * N + k] * host_b[k * N + x];
            wrong += !(host_c[y * N + x] == sum);
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
