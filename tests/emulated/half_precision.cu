/* SPDX-License-Identifier: MIT */
/* Right: numbers of half precision, summed in single precision. */
#include <cuda_fp16.h>
#include <stdio.h>

__global__ void scale(const __half *from, float *to)
{
    int i = threadIdx.x;

    to[i] = __half2float(from[i]) * 2 + __half2float(__float2half(0.5f));
}

int main()
{
    __half host[32], *from;
    float result[32], *to;
    int wrong = 0;

    for (int i = 0; i < 32; i++)
        host[i] = __float2half((float)i);
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof result);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(from, to);
    cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += !(result[i] == 2 * (float)i + 0.5f);
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
