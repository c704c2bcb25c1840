/* SPDX-License-Identifier: MIT */
/* Right: sums begin at zero by cudaMemset, and what is not written is never read. */
#include <stdio.h>

#define N 64

__global__ void accumulate(int *sums, int n)
{
    if (threadIdx.x < n)
        sums[threadIdx.x] += 1;
}

int main()
{
    int host[N], *sums, wrong = 0;

    cudaMalloc(&sums, sizeof host);
    cudaMemset(sums, 0, N / 2 * sizeof(int));
    for (int t = 0; t < 3; t++)
        accumulate<<<1, N>>>(sums, N / 2);
    cudaMemcpy(host, sums, N / 2 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N / 2; i++)
        wrong += host[i] != 3;
    printf("%d wrong\n", wrong);
    cudaFree(sums);
    return wrong > 0;
}
