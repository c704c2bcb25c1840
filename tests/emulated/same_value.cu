/* SPDX-License-Identifier: MIT */
/* Wrong in letter: several threads write the same value to one place; it is a hint alone. */
#include <stdio.h>

__global__ void search(const int *values, int wanted, int *found)
{
    if (values[threadIdx.x] == wanted)
        *found = 1; // expect: same value
}

int main()
{
    int host[64], found, *values, *device_found;

    for (int i = 0; i < 64; i++)
        host[i] = i % 8;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&device_found, sizeof found);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(device_found, 0, sizeof found);
    search<<<1, 64>>>(values, 5, device_found);
    cudaMemcpy(&found, device_found, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(values);
    cudaFree(device_found);
    printf("%d\n", found);
    return found != 1;
}
