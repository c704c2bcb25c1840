/* SPDX-License-Identifier: MIT */
/* Wrong: the last sums of a warp in shared memory, as written before Volta: no __syncwarp. */
#include <stdio.h>

__global__ void sum(const int *values, int *result)
{
    __shared__ volatile int part[32];
    int lane = threadIdx.x;

    part[lane] = values[lane];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2)
        if (lane < half)
            part[lane] = part[lane] + part[lane + half]; // expect: race
    if (lane == 0)
        *result = part[0];
}

int main()
{
    int host[32], total, *values, *result;

    for (int i = 0; i < 32; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof total);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(values, result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(values);
    cudaFree(result);
    return 0;
}
