/* SPDX-License-Identifier: MIT */
/* Wrong: more threads than elements, and no test for the end. */
#include <stdio.h>

#define N 1000

__global__ void scale(float *values, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    values[i] *= factor; // expect: bounds
}

int main()
{
    static float host[N];
    float *values;

    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<(N + 255) / 256, 256>>>(values, 2);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[N - 1]);
    cudaFree(values);
    return 0;
}
