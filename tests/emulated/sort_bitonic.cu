/* SPDX-License-Identifier: MIT */
/* Right: a bitonic sort in shared memory, each pair swapped by one thread. */
#include <stdio.h>

#define N 128

__global__ void sort(int *data)
{
    __shared__ int values[N];
    int i = threadIdx.x;

    values[i] = data[i];
    for (int size = 2; size <= N; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            int other = i ^ distance;

            __syncthreads();
            if (other > i) {
                int a = values[i], b = values[other];

                if ((a > b) == ((i & size) == 0)) {
                    values[i] = b;
                    values[other] = a;
                }
            }
        }
    __syncthreads();
    data[i] = values[i];
}

int main()
{
    int host[N], *data, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i * 37 % N;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    sort<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != i;
    cudaFree(data);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
