/* SPDX-License-Identifier: MIT */
/* Wrong: without a barrier threads copy what others have not written yet. The race alone is told,
 * and not that the host gets what nobody wrote. */
#include <stdio.h>

__global__ void shift(int *to)
{
    __shared__ int tile[64];
    int i = threadIdx.x;

    tile[i] = i;                // expect: race
    to[i] = tile[(i + 1) % 64]; // expect: race with
}

int main()
{
    int host[64], *to;

    cudaMalloc(&to, sizeof host);
    shift<<<1, 64>>>(to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(to);
    return 0;
}
