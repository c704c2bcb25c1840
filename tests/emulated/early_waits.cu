/* SPDX-License-Identifier: MIT */
/* Right: a kernel that is launched while the one before it runs waits for that. */
#include <stdio.h>

__global__ void fill(int *values)
{
    values[threadIdx.x] = threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void twice(int *values)
{
    int i = threadIdx.x;

    cudaGridDependencySynchronize();
    values[i] *= 2;
}

int main()
{
    int *values, host[64];
    cudaLaunchAttribute early;
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    config.attrs = &early;
    config.numAttrs = 1;
    cudaMalloc(&values, sizeof host);
    fill<<<1, 64>>>(values);
    cudaLaunchKernelEx(&config, twice, values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(values);
    printf("%d\n", host[63]);
    return host[63] != 126;
}
