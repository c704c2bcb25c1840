/* SPDX-License-Identifier: MIT */
/* Wrong: a block reads from shared memory what a block of the launch before, or a former block of
 * its own launch, left there. */
#include <stdio.h>

#define N 64

__global__ void keep(int *data, int writers)
{
    __shared__ int words[N];
    __shared__ unsigned char bytes[N];
    int i = threadIdx.x;

    if (blockIdx.x < writers) {
        words[i] = i;
        bytes[i] = i;
    }
    __syncthreads();
    data[blockIdx.x * N + i] = words[N - 1 - i] + 1; // expect: unwritten
    data[blockIdx.x * N + i] += bytes[N - 1 - i];    // expect: unwritten
}

__global__ void keep_later(int *data, bool write)
{
    __shared__ int words[N];
    int i = threadIdx.x;

    if (write)
        words[i] = i;
    __syncthreads();
    data[i] = words[N - 1 - i]; // expect: unwritten
}

int main()
{
    int host[2 * N], *data;

    cudaMalloc(&data, sizeof host);
    keep<<<2, N>>>(data, 2);
    keep<<<2, N>>>(data, 1);
    keep_later<<<1, N>>>(data, true);
    keep_later<<<1, N>>>(data, false);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(data);
    return 0;
}
