/* SPDX-License-Identifier: MIT */
/* Right: a kernel asserts what holds. */
#include <assert.h>
#include <stdio.h>

__global__ void inverse(const int *permutation, int *result)
{
    int i = threadIdx.x, to = permutation[i];

    assert(to >= 0 && to < (int)blockDim.x);
    result[to] = i;
}

int main()
{
    int host[64], *permutation, *result, wrong = 0;

    for (int i = 0; i < 64; i++)
        host[i] = i * 5 % 64;
    cudaMalloc(&permutation, sizeof host);
    cudaMalloc(&result, sizeof host);
    cudaMemcpy(permutation, host, sizeof host, cudaMemcpyHostToDevice);
    inverse<<<1, 64>>>(permutation, result);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        wrong += host[i] * 5 % 64 != i;
    cudaFree(permutation);
    cudaFree(result);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
