/* SPDX-License-Identifier: MIT */
/* Wrong: a tile in shared memory whose halo is read, but never filled. */
#include <stdio.h>

#define N 128
#define BLOCK 32

__global__ void smooth(const float *from, float *to)
{
    __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x, at = threadIdx.x + 1;

    tile[at] = from[i];
    __syncthreads();
    to[i] = tile[at] +
            tile[at - 1] + // expect: unwritten
            tile[at + 1];  // expect: unwritten
}

int main()
{
    static float host[N];
    float *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    smooth<<<N / BLOCK, BLOCK>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
