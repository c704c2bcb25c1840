/* SPDX-License-Identifier: MIT */
/* Wrong: a tile in shared memory without room for its halo. */
#include <stdio.h>

#define BLOCK 64

__global__ void smooth(const int *from, int *to)
{
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;

    tile[i] = from[i];
    if (i == 0)
        tile[BLOCK] = from[BLOCK]; // expect: bounds
    __syncthreads();
    to[i] = i + 1 < BLOCK ? tile[i] + tile[i + 1] : tile[i];
}

int main()
{
    static int host[BLOCK + 1];
    int *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    smooth<<<1, BLOCK>>>(from, to);
    cudaMemcpy(host, to, BLOCK * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
