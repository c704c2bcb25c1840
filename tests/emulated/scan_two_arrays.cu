/* SPDX-License-Identifier: MIT */
/* Right: a scan (Hillis and Steele) that goes from one array of shared memory to another and back. */
#include <stdio.h>

#define N 128

__global__ void scan(int *data)
{
    __shared__ int sums[2][N];
    int i = threadIdx.x, now = 0;

    sums[0][i] = data[i];
    __syncthreads();
    for (int distance = 1; distance < N; distance *= 2) {
        sums[1 - now][i] = sums[now][i] + (i >= distance ? sums[now][i - distance] : 0);
        now = 1 - now;
        __syncthreads();
    }
    data[i] = sums[now][i];
}

int main()
{
    static int host[N];
    int *data, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != i * (i + 1) / 2;
    cudaFree(data);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
