/* SPDX-License-Identifier: MIT */
/* Right: a kernel that is launched by cudaLaunchKernel, with pointers to its arguments. */
#include <stdio.h>

__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += a * x[i];
}

int main()
{
    float host[100], a = 3, *x, *y;
    int n = 100, wrong = 0;
    void *arguments[] = {&n, &a, &x, &y};

    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToDevice);
    if (cudaLaunchKernel((const void *)axpy, dim3(4), dim3(32), arguments, 0, NULL) != cudaSuccess)
        return 1;
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        wrong += !(host[i] == (float)(4 * i));
    cudaFree(x);
    cudaFree(y);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
