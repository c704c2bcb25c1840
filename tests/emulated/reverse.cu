/* SPDX-License-Identifier: MIT */
/* Right: a block reverses an array through shared memory, with a barrier between. */
#include <stdio.h>

#define N 64

__global__ void reverse(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i];
    __syncthreads();
    data[i] = tile[N - 1 - i];
}

int main()
{
    int host[N], *device, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int i = 0; i < N; i++)
        wrong += host[i] != N - 1 - i;
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
