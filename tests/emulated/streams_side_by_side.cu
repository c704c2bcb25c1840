/* SPDX-License-Identifier: MIT */
/* Right: two streams read the same array and write different ones; the host waits for both. */
#include <stdio.h>

#define N 256

__global__ void times(const int *from, int *to, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = factor * from[i];
}

int main()
{
    int host[N], *from, *to[2], wrong = 0;
    cudaStream_t stream[2];

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++) {
        cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        cudaMalloc(&to[s], sizeof host);
        times<<<2, N / 2, 0, stream[s]>>>(from, to[s], s + 2);
    }
    cudaDeviceSynchronize();
    for (int s = 0; s < 2; s++) {
        cudaMemcpy(host, to[s], sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            wrong += host[i] != (s + 2) * i;
        cudaFree(to[s]);
        cudaStreamDestroy(stream[s]);
    }
    cudaFree(from);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
