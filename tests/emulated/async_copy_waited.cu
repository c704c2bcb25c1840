/* SPDX-License-Identifier: MIT */
/* Right: pinned memory is copied to and fro in a stream, and the host waits for the stream. */
#include <stdio.h>

__global__ void twice(int *values) { values[threadIdx.x] *= 2; }

int main()
{
    int *host, *values, wrong = 0;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaMalloc(&values, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMemcpyAsync(values, host, 64 * sizeof(int), cudaMemcpyHostToDevice, stream);
    twice<<<1, 64, 0, stream>>>(values);
    cudaMemcpyAsync(host, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 64; i++)
        wrong += host[i] != 2 * i;
    cudaFree(values);
    cudaFreeHost(host);
    cudaStreamDestroy(stream);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
