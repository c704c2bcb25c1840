/* SPDX-License-Identifier: MIT */
/* The second file of main.cu's program. */
#include <count.cuh>

int count_there()
{
    int *out, value;

    cudaMalloc(&out, sizeof *out);
    count<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return value;
}
