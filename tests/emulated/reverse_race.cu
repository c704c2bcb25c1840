/* SPDX-License-Identifier: MIT */
/* Wrong: a block reverses an array through shared memory without a barrier. */
#include <stdio.h>

#define N 64

__global__ void reverse(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i];         // expect: race with
    data[i] = tile[N - 1 - i]; // expect: race, may: unwritten
}

int main()
{
    int host[N], *device;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    printf("%d\n", host[0]);
    return 0;
}
