/* SPDX-License-Identifier: MIT */
/* Wrong: a scan in one array of shared memory, which others read while it is written. */
#include <stdio.h>

#define N 128

__global__ void scan(int *data)
{
    __shared__ int sums[N];
    int i = threadIdx.x;

    sums[i] = data[i];
    __syncthreads();
    for (int distance = 1; distance < N; distance *= 2) {
        if (i >= distance)
            sums[i] += sums[i - distance]; // expect: race
        __syncthreads();
    }
    data[i] = sums[i];
}

int main()
{
    static int host[N];
    int *data;

    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[N - 1]);
    cudaFree(data);
    return 0;
}
