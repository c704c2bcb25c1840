/* SPDX-License-Identifier: MIT */
/* Right: a 3D stencil that sweeps down the layers with one of them in shared memory. */
#include <stdio.h>

#define N 16
#define TILE 8

__global__ void step(const int *from, int *to)
{
    __shared__ int layer[TILE + 2][TILE + 2];
    int i = threadIdx.x + 1, j = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int at = y * N + x, above = 0, centre = from[at], below;

    for (int z = 0; z < N; z++, at += N * N) {
        below = z + 1 < N ? from[at + N * N] : 0;
        layer[j][i] = centre;
        if (i == 1)
            layer[j][0] = x > 0 ? from[at - 1] : 0;
        if (i == TILE)
            layer[j][TILE + 1] = x < N - 1 ? from[at + 1] : 0;
        if (j == 1)
            layer[0][i] = y > 0 ? from[at - N] : 0;
        if (j == TILE)
            layer[TILE + 1][i] = y < N - 1 ? from[at + N] : 0;
        __syncthreads();
        to[at] = above + below + layer[j - 1][i] + layer[j + 1][i] + layer[j][i - 1] +
                 layer[j][i + 1] - 6 * centre;
        __syncthreads();
        above = centre;
        centre = below;
    }
}

static int cell(const int *from, int x, int y, int z)
{
    bool inside = x >= 0 && y >= 0 && z >= 0 && x < N && y < N && z < N;

    return inside ? from[(z * N + y) * N + x] : 0;
}

int main()
{
    static int host[N * N * N], result[N * N * N];
    int *from, *to, wrong = 0;

    for (int i = 0; i < N * N * N; i++)
        host[i] = i * i % 37;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    step<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(from, to);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int z = 0; z < N; z++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                wrong += cell(result, x, y, z) !=
                         cell(host, x - 1, y, z) + cell(host, x + 1, y, z) +
                             cell(host, x, y - 1, z) + cell(host, x, y + 1, z) +
                             cell(host, x, y, z - 1) + cell(host, x, y, z + 1) -
                             6 * cell(host, x, y, z);
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
