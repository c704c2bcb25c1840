/* SPDX-License-Identifier: MIT */
/* Wrong: one thread sets a counter to zero while the others count in the same launch. */
#include <stdio.h>

__global__ void count(const int *values, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == 0)
        *counter = 0; // expect: race with
    if (values[i] % 2 == 0)
        atomicAdd(counter, 1); // expect: race
}

int main()
{
    int host[128], even, *values, *counter;

    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&counter, sizeof even);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(counter, 0, sizeof even);
    count<<<2, 64>>>(values, counter);
    cudaMemcpy(&even, counter, sizeof even, cudaMemcpyDeviceToHost);
    printf("%d\n", even);
    cudaFree(values);
    cudaFree(counter);
    return 0;
}
