/* SPDX-License-Identifier: MIT */
/* Wrong: memory is given back in the order of a stream, before a kernel there that uses it. */
#include <stdio.h>

__global__ void set(int *values)
{
    values[threadIdx.x] = threadIdx.x; // expect: bounds
}

int main()
{
    int *values;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMallocAsync(&values, 64 * sizeof(int), stream);
    set<<<1, 64, 0, stream>>>(values);
    cudaFreeAsync(values, stream);
    set<<<1, 64, 0, stream>>>(values);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return 0;
}
