/* SPDX-License-Identifier: MIT */
/* Wrong: four floats are loaded at once from an address that is no multiple of 16 bytes. */
#include <stdio.h>

__global__ void sum(const float *values, float *sums)
{
    int i = threadIdx.x;
    float4 four = *(const float4 *)(values + 4 * i + 1); // expect: alignment

    sums[i] = four.x + four.y + four.z + four.w;
}

int main()
{
    static float host[136];
    float *values, *sums;

    cudaMalloc(&values, sizeof host); // may: leak
    cudaMalloc(&sums, 32 * sizeof(float)); // may: leak
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(values, sums);
    cudaMemcpy(host, sums, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(values);
    cudaFree(sums);
    return 0;
}
