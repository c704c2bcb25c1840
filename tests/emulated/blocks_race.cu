/* SPDX-License-Identifier: MIT */
/* Wrong: a block reads what its neighbour writes in the same launch. */
#include <stdio.h>

#define N 8

__global__ void pass_on(int *first, int *second)
{
    int i = blockIdx.x;

    first[i] = i;                      // expect: race with
    second[i] = first[(i + N - 1) % N]; // expect: race
}

int main()
{
    int host[N], *first, *second;

    cudaMalloc(&first, sizeof host);
    cudaMalloc(&second, sizeof host);
    cudaMemset(first, 0, sizeof host);
    pass_on<<<N, 1>>>(first, second);
    cudaMemcpy(host, second, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(first);
    cudaFree(second);
    return 0;
}
