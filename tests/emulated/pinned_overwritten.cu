/* SPDX-License-Identifier: MIT */
/* Wrong: the host writes the next values into the buffer of a copy that it has not waited for. */
#include <stdio.h>

#define N 64

int main()
{
    int *host, *values;

    cudaMallocHost(&host, N * sizeof *host);
    cudaMalloc(&values, N * sizeof *host);
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMemcpyAsync(values, host, N * sizeof *host, cudaMemcpyHostToDevice, 0); // expect: synchronization with
    for (int i = 0; i < N; i++)
        host[i] = 2 * i; // expect: synchronization
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFreeHost(host);
    return 0;
}
