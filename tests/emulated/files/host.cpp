/* SPDX-License-Identifier: MIT */
/* A file of main.cu's program that is none of CUDA. */
#ifdef __CUDACC__
#error "nvcc hands this to the compiler of the host"
#endif
#include <cuda_runtime.h>

__host__ __device__ static int same(int x) { return x; }

int host_number(const char *text)
{
    return cudaGetLastError() == cudaSuccess && text ? same(text[0] - '0') : 0;
}
