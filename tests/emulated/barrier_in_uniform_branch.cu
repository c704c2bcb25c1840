/* SPDX-License-Identifier: MIT */
/* Right: a barrier in a branch that all threads of a block take, or none. */
#include <stdio.h>

#define N 64

__global__ void shift(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x, at = blockIdx.x * N + i;

    if (blockIdx.x % 2 == 0) {
        tile[i] = data[at];
        __syncthreads();
        data[at] = tile[(i + 1) % N];
    }
}

int main()
{
    static int host[2 * N];
    int *data, wrong = 0;

    for (int i = 0; i < 2 * N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<2, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * N; i++)
        wrong += host[i] != (i < N ? (i + 1) % N : i);
    printf("%d wrong\n", wrong);
    cudaFree(data);
    return wrong > 0;
}
