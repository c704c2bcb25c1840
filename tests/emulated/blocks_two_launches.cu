/* SPDX-License-Identifier: MIT */
/* Right: a block reads what its neighbour wrote in the launch before. */
#include <stdio.h>

#define N 8

__global__ void fill(int *first) { first[blockIdx.x] = blockIdx.x; }

__global__ void pass_on(const int *first, int *second)
{
    second[blockIdx.x] = first[(blockIdx.x + N - 1) % N];
}

int main()
{
    int host[N], *first, *second, wrong = 0;

    cudaMalloc(&first, sizeof host);
    cudaMalloc(&second, sizeof host);
    fill<<<N, 1>>>(first);
    pass_on<<<N, 1>>>(first, second);
    cudaMemcpy(host, second, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != (i + N - 1) % N;
    cudaFree(first);
    cudaFree(second);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
