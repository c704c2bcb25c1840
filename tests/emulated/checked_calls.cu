/* SPDX-License-Identifier: MIT */
/* Right: every call is checked, and the block is as large as the device allows. */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call, __LINE__)

static void check(cudaError_t error, const char *call, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(error));
        exit(1);
    }
}

__global__ void fill(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main()
{
    static int host[4096];
    int *values, sum = 0, device, most;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device));
    CHECK(cudaMalloc(&values, sizeof host));
    fill<<<4096 / most, most>>>(values);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4096; i++)
        sum += host[i];
    CHECK(cudaFree(values));
    printf("%d\n", sum);
    return sum != 4096;
}
