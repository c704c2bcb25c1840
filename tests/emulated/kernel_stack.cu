/* SPDX-License-Identifier: MIT */
/* Wrong: each thread calls itself without an end. */
#include <stdio.h>

// clang-format off
__device__ int depth(volatile int *out, int n) { *out = n; return depth(out, n + 1) + *out; } // expect: crash
// clang-format on

__global__ void deep(int *out) { *out = depth(out, 0); }

int main()
{
    int *out;

    cudaMalloc(&out, sizeof *out);
    deep<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
