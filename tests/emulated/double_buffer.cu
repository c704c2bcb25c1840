/* SPDX-License-Identifier: MIT */
/* Right: two streams take turns with a pinned buffer each, and the host waits before it fills one
 * again. */
#include <stdio.h>

#define N 128
#define ROUNDS 6

__global__ void add_up(const int *values, int *total)
{
    atomicAdd(total, values[threadIdx.x]);
}

int main()
{
    int *host[2], *values[2], *total, sum = 0, expected = 0;
    cudaStream_t stream[2];

    cudaMalloc(&total, sizeof *total);
    cudaMemset(total, 0, sizeof *total);
    for (int s = 0; s < 2; s++) {
        cudaStreamCreate(&stream[s]);
        cudaMallocHost(&host[s], N * sizeof(int));
        cudaMalloc(&values[s], N * sizeof(int));
    }
    for (int round = 0; round < ROUNDS; round++) {
        int s = round % 2;

        cudaStreamSynchronize(stream[s]);
        for (int i = 0; i < N; i++)
            expected += host[s][i] = round + i;
        cudaMemcpyAsync(values[s], host[s], N * sizeof(int), cudaMemcpyHostToDevice, stream[s]);
        add_up<<<1, N, 0, stream[s]>>>(values[s], total);
    }
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    for (int s = 0; s < 2; s++) {
        cudaFree(values[s]);
        cudaFreeHost(host[s]);
        cudaStreamDestroy(stream[s]);
    }
    cudaFree(total);
    printf("%d of %d\n", sum, expected);
    return sum != expected;
}
