/* SPDX-License-Identifier: MIT */
/* Wrong: of two kernels that are launched while the one before them runs one does not wait. */
#include <stdio.h>

__global__ void fill(int *values)
{
    values[threadIdx.x] = threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void twice(int *values)
{
    cudaGridDependencySynchronize();
    values[threadIdx.x] *= 2;
}

__global__ void twice_at_once(int *values)
{ // expect: launch
    values[threadIdx.x] *= 2;
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
    cudaLaunchKernelEx(&config, twice_at_once, values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(values);
    printf("%d\n", host[63]);
    return host[63] != 252;
}
