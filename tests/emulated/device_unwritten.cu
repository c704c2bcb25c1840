/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel adds to memory of cudaMalloc that nobody has set to zero. */
#include <stdio.h>

__global__ void accumulate(float *sums)
{
    sums[threadIdx.x] += 1; // expect: unwritten
}

int main()
{
    float host[32], *sums;

    cudaMalloc(&sums, sizeof host);
    for (int t = 0; t < 3; t++)
        accumulate<<<1, 32>>>(sums);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(sums);
    return 0;
}
