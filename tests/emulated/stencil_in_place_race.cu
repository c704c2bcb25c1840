/* SPDX-License-Identifier: MIT */
/* Wrong: a stencil writes the array that its neighbours still read. */
#include <stdio.h>

#define N 256

__global__ void smooth(float *u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0 && i < N - 1)
        u[i] = (u[i - 1] + u[i] + u[i + 1]) / 3; // expect: race
}

int main()
{
    static float host[N];
    float *u;

    host[N / 2] = 1;
    cudaMalloc(&u, sizeof host);
    cudaMemcpy(u, host, sizeof host, cudaMemcpyHostToDevice);
    for (int t = 0; t < 4; t++)
        smooth<<<N / 64, 64>>>(u);
    cudaMemcpy(host, u, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[N / 2]);
    cudaFree(u);
    return 0;
}
