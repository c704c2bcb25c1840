/* SPDX-License-Identifier: MIT */
/* Right: more threads than elements, and a test for the end. */
#include <stdio.h>

#define N 1000

__global__ void scale(float *values, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        values[i] *= factor;
}

int main()
{
    static float host[N];
    float *values;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<(N + 255) / 256, 256>>>(values, 2);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += !(host[i] == (float)(2 * i));
    printf("%d wrong\n", wrong);
    cudaFree(values);
    return wrong > 0;
}
