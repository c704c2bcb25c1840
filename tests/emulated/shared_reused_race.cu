/* SPDX-License-Identifier: MIT */
/* Wrong: one array in shared memory is written again while others still read it. */
#include <stdio.h>

#define N 64

__global__ void rotate_twice(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x, value = data[i];

    for (int turn = 0; turn < 2; turn++) {
        tile[i] = value; // expect: race with
        __syncthreads();
        value = tile[(i + 1) % N]; // expect: race
    }
    data[i] = value;
}

int main()
{
    int host[N], *data;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    rotate_twice<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(data);
    return 0;
}
