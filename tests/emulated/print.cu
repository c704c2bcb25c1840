/* SPDX-License-Identifier: MIT */
/* Right: a kernel prints. */
#include <stdio.h>

__global__ void greet(const char *name)
{
    if (threadIdx.x == 0)
        printf("block %d of %d greets %s\n", (int)blockIdx.x, (int)gridDim.x, name);
}

int main()
{
    const char name[] = "the host";
    char *device;

    cudaMalloc(&device, sizeof name);
    cudaMemcpy(device, name, sizeof name, cudaMemcpyHostToDevice);
    greet<<<2, 32>>>(device);
    cudaDeviceSynchronize();
    cudaFree(device);
    return 0;
}
