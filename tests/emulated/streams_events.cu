/* SPDX-License-Identifier: MIT */
/* Right: two streams, of which one waits for an event of the other, and the time between events. */
#include <stdio.h>

#define N 256

__global__ void fill(int *values, int value) { values[blockIdx.x * blockDim.x + threadIdx.x] = value; }

__global__ void add(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] += from[i];
}

int main()
{
    int host[N], *first, *second, wrong = 0;
    cudaStream_t one, two;
    cudaEvent_t filled, start, stop;
    float ms = -1;

    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&first, sizeof host);
    cudaMalloc(&second, sizeof host);
    cudaEventRecord(start, two);
    fill<<<2, N / 2, 0, one>>>(first, 3);
    cudaEventRecord(filled, one);
    fill<<<2, N / 2, 0, two>>>(second, 4);
    cudaStreamWaitEvent(two, filled, 0);
    add<<<2, N / 2, 0, two>>>(first, second);
    cudaMemcpyAsync(host, second, sizeof host, cudaMemcpyDeviceToHost, two);
    cudaEventRecord(stop, two);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 7;
    cudaFree(first);
    cudaFree(second);
    cudaEventDestroy(filled);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    printf("%d wrong, a time %s\n", wrong, ms >= 0 ? "measured" : "not measured");
    return wrong > 0 || !(ms >= 0);
}
