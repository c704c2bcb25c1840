/* SPDX-License-Identifier: MIT */
/* Right: the default stream and a blocking one wait for each other, without an event. */
#include <stdio.h>

#define N 256

__global__ void increase(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main()
{
    int host[N], *values, wrong = 0;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    increase<<<2, N / 2, 0, stream>>>(values);
    increase<<<2, N / 2>>>(values);
    increase<<<2, N / 2, 0, stream>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 3;
    cudaFree(values);
    cudaStreamDestroy(stream);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
