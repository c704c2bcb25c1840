/* SPDX-License-Identifier: MIT */
/* Right: overloaded kernels, default arguments, spaces in <<< >>>, and what nvcc includes itself.
 */
#include <stdio.h>

#define N 64

__global__ void fill(int *values, int n);
__global__ void fill(float *values, int n)
{
    if (threadIdx.x < n)
        values[threadIdx.x] = 2.5f;
}
__global__ void fill(int *values, int n)
{
    if (threadIdx.x < n)
        values[threadIdx.x] = INT_MAX;
}

template <class T> __global__ void scale(T *values, T factor = T(2), int n = N)
{
    if (threadIdx.x < n)
        values[threadIdx.x] *= factor;
}

__global__ void shift(int *values, int by = -(3 - 1), int n = N)
{
    if (threadIdx.x < n)
        values[threadIdx.x] += by;
}

__constant__ int offsets[2] = {4, 5};
__device__ int total;

__global__ void sum(const int *values)
{
    long long start = clock64();

    atomicAdd(&total, values[threadIdx.x] + offsets[threadIdx.x % 2]);
    if (clock64() < start)
        total = 0;
}

int main(int argc, char **argv)
{
    int *ints, last, all;
    float *floats, half[N];
    auto seven = [](int x) {
        if (x > 7)
            return;
        puts("seven");
    };

    if (argc > 5)
        return;
    seven(argc + 9);
    cudaMalloc(&ints, N * sizeof(int));
    cudaMalloc(&floats, N * sizeof(float));
    // clang-format off
    fill << <1, N >> > (ints, N);
    // clang-format on
    fill<<<1, N>>>(floats, N);
    scale<<<1, N>>>(floats);
    scale<float><<<1, N>>>(floats, 3);
    shift<<<1, N>>>(ints);
    // clang-format off
    shift<<<1, N>> >(ints, 1);
    // clang-format on
    cudaThreadSynchronize();
    cudaMemcpy(&last, ints + N - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaMemcpy(half, floats, sizeof half, cudaMemcpyDeviceToHost);
    if (last != INT_MAX - 1 || half[N - 1] != 15 || memcmp(&half[0], &half[1], sizeof half[0]))
        exit(1);
    cudaMemset(ints, 0, N * sizeof(int));
    sum<<<1, N>>>(ints);
    cudaMemcpyFromSymbol(&all, total, sizeof all);
    cudaFree(ints);
    cudaFree(floats);
    return all != N / 2 * 9;
}
