/* SPDX-License-Identifier: MIT */
/* Right: four floats are loaded at once, from addresses that are multiples of 16 bytes. */
#include <stdio.h>

__global__ void sum(const float *values, float *sums)
{
    int i = threadIdx.x;
    float4 four = *(const float4 *)(values + 4 * i + 4);

    sums[i] = four.x + four.y + four.z + four.w;
}

int main()
{
    static float host[136];
    float *values, *sums;
    int wrong = 0;

    for (int i = 0; i < 136; i++)
        host[i] = (float)i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&sums, 32 * sizeof(float));
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(values, sums);
    cudaMemcpy(host, sums, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += !(host[i] == (float)(16 * i + 22));
    printf("%d wrong\n", wrong);
    cudaFree(values);
    cudaFree(sums);
    return wrong > 0;
}
