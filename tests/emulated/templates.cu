/* SPDX-License-Identifier: MIT */
/* Right: a kernel template over types, a block size and an operation. */
#include <stdio.h>

struct larger {
    template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

struct sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

template <class T, int BLOCK, class Operation>
__global__ void reduce(const T *values, T *result, Operation operation)
{
    __shared__ T part[BLOCK];
    int i = threadIdx.x;

    part[i] = values[i];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (i < half)
            part[i] = operation(part[i], part[i + half]);
        __syncthreads();
    }
    if (i == 0)
        *result = part[0];
}

template <class T, class Operation> static double reduced(Operation operation)
{
    T host[64], *values, *result;

    for (int i = 0; i < 64; i++)
        host[i] = (T)(i * 7 % 64);
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof(T));
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    reduce<T, 64><<<1, 64>>>(values, result, operation);
    cudaMemcpy(host, result, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(values);
    cudaFree(result);
    return (double)host[0];
}

int main()
{
    double a = reduced<int>(larger()), b = reduced<double>(sum());

    printf("%g %g\n", a, b);
    return !(a == 63 && b == 2016);
}
