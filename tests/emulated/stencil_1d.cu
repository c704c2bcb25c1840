/* SPDX-License-Identifier: MIT */
/* Right: a 1D stencil with a tile and its halo in shared memory, from one array to another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 256
#define BLOCK 64
#define RADIUS 3

__global__ void smooth(const float *from, float *to)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, at = threadIdx.x + RADIUS;
    float sum = 0;

    tile[at] = from[i];
    if (threadIdx.x < RADIUS) {
        tile[at - RADIUS] = i >= RADIUS ? from[i - RADIUS] : 0;
        tile[at + BLOCK] = i + BLOCK < N ? from[i + BLOCK] : 0;
    }
    __syncthreads();
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += tile[at + d];
    to[i] = sum;
}

int main()
{
    static float host[N], result[N];
    float *from, *to;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = (float)(i * i % 17);
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    smooth<<<N / BLOCK, BLOCK>>>(from, to);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        float sum = 0;

        for (int d = -RADIUS; d <= RADIUS; d++)
            sum += i + d >= 0 && i + d < N ? host[i + d] : 0;
        wrong += !(fabsf(sum - result[i]) < 1e-4f);
    }
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
