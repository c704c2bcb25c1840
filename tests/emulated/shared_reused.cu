/* SPDX-License-Identifier: MIT */
/* Right: one array in shared memory is used twice, with a barrier before it is written again. */
#include <stdio.h>

#define N 64

__global__ void rotate_twice(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x, value = data[i];

    for (int turn = 0; turn < 2; turn++) {
        tile[i] = value;
        __syncthreads();
        value = tile[(i + 1) % N];
        __syncthreads();
    }
    data[i] = value;
}

int main()
{
    int host[N], *data, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    rotate_twice<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != (i + 2) % N;
    cudaFree(data);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
