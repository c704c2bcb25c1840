/* SPDX-License-Identifier: MIT */
/* Wrong: the host reads pinned memory before the copy to it has ended. */
#include <stdio.h>

__global__ void fill(int *values) { values[threadIdx.x] = threadIdx.x; }

int main()
{
    int *host, *values, last;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaMalloc(&values, 64 * sizeof(int));
    fill<<<1, 64, 0, stream>>>(values);
    cudaMemcpyAsync(host, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, // expect: synchronization with
                    stream);
    last = host[63]; // expect: synchronization
    printf("%d\n", last);
    cudaStreamSynchronize(stream);
    cudaFree(values);
    cudaFreeHost(host);
    cudaStreamDestroy(stream);
    return 0;
}
