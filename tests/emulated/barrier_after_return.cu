/* SPDX-License-Identifier: MIT */
/* Wrong, though it works on GPUs of today: threads return before a barrier of their block. */
#include <stdio.h>

#define N 60
#define BLOCK 64

__global__ void shift(int *data)
{
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;

    if (i >= N)
        return;
    tile[i] = data[i];
    __syncthreads(); // expect: barrier
    data[i] = tile[(i + 1) % N];
}

int main()
{
    static int host[N];
    int *data, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, BLOCK>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != (i + 1) % N;
    printf("%d wrong\n", wrong);
    cudaFree(data);
    return wrong > 0;
}
