/* SPDX-License-Identifier: MIT */
/* Wrong: a tree of sums in shared memory without the barrier between its levels. */
#include <stdio.h>

#define N 128

__global__ void sum(const int *values, int *result)
{
    __shared__ int part[N];
    int i = threadIdx.x;

    part[i] = values[i];
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2)
        if (i < half)
            part[i] += part[i + half]; // expect: race
    if (i == 0)
        *result = part[0];
}

int main()
{
    int host[N], total, *values, *result;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof total);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, N>>>(values, result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(values);
    cudaFree(result);
    return 0;
}
