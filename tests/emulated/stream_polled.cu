/* SPDX-License-Identifier: MIT */
/* Right: the host goes on with its own work until an event, and then a stream, are ready. */
#include <stdio.h>

#define N 256

__global__ void add(int *values, int value) { values[blockIdx.x * blockDim.x + threadIdx.x] += value; }

int main()
{
    int *host, *values, wrong = 0, turns = 0;
    cudaStream_t stream;
    cudaEvent_t half;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&half, cudaEventDisableTiming);
    cudaMalloc(&values, N * sizeof *values);
    cudaMallocHost(&host, N * sizeof *host);
    wrong += cudaStreamQuery(stream) != cudaSuccess; /* it has nothing to do, */
    wrong += cudaEventQuery(half) != cudaSuccess;    /* and nobody recorded this one */
    cudaMemsetAsync(values, 0, N * sizeof *values, stream);
    add<<<2, N / 2, 0, stream>>>(values, 3);
    cudaMemcpyAsync(host, values, N * sizeof *host, cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(half, stream);
    add<<<2, N / 2, 0, stream>>>(values, 4);
    while (cudaEventQuery(half) == cudaErrorNotReady)
        turns++;
    wrong += turns == 0;
    for (int i = 0; i < N; i++)
        wrong += host[i] != 3;
    turns = 0;
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        turns++;
    wrong += turns == 0 || cudaStreamQuery(stream) != cudaSuccess;
    cudaMemcpyAsync(host, values, N * sizeof *host, cudaMemcpyDeviceToHost, stream);
    wrong += cudaStreamQuery(stream) != cudaErrorNotReady;
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 7;
    printf("%d wrong\n", wrong);
    cudaFreeHost(host);
    cudaFree(values);
    cudaEventDestroy(half);
    cudaStreamDestroy(stream);
    return wrong > 0;
}
