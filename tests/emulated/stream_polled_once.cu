/* SPDX-License-Identifier: MIT */
/* Wrong: the host asks once whether a copy is there, and reads it whatever the answer is. */
#include <stdio.h>

#define N 256

__global__ void fill(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 5; }

int main()
{
    int *host, *values;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMalloc(&values, N * sizeof *values);
    cudaMallocHost(&host, N * sizeof *host);
    fill<<<2, N / 2, 0, stream>>>(values);
    cudaMemcpyAsync(host, values, N * sizeof *host, cudaMemcpyDeviceToHost, stream); // expect: synchronization with
    if (cudaStreamQuery(stream) == cudaErrorNotReady)
        printf("not ready yet\n");
    printf("%d\n", host[0]); // expect: synchronization
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        printf("not ready yet\n");
    cudaFreeHost(host);
    cudaFree(values);
    cudaStreamDestroy(stream);
    return 0;
}
