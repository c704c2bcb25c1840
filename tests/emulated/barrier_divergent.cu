/* SPDX-License-Identifier: MIT */
/* Wrong: a barrier that only half of the threads come to, while the others wait at another. */
#include <stdio.h>

#define N 64

__global__ void shift(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i];
    if (i < N / 2) {
        __syncthreads(); // expect: stall
        data[i] = tile[i + 1];
    }
    __syncthreads(); // expect: stall with
    if (i == 0)
        data[N - 1] = 0;
}

int main()
{
    static int host[N];
    int *data;

    cudaMalloc(&data, sizeof host); // may: leak
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(data);
    return 0;
}
