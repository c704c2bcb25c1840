/* SPDX-License-Identifier: MIT */
/* Right: 100 GB of memory, which few devices have, and a program that takes no for an answer. */
#include <stdio.h>

int main()
{
    char *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, (size_t)100 << 30);

    if (error == cudaErrorMemoryAllocation) {
        printf("%s\n", cudaGetErrorString(error));
        cudaGetLastError();
        return 0;
    }
    cudaFree(memory);
    return error != cudaSuccess;
}
