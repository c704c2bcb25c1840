/* SPDX-License-Identifier: MIT */
/* Right: headers of the C++ library, which have names that CUDA has, too. */
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stdio.h>

__global__ __noinline__ void twice(int *values) { values[threadIdx.x] *= 2; }

int main()
{
    auto host = std::make_shared<std::vector<int>>(64, 3);
    int *values;

    cudaMalloc(&values, 64 * sizeof(int));
    cudaMemcpy(values, host->data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, 64>>>(values);
    cudaMemcpy(host->data(), values, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(values);
    printf("%d\n", (int)std::count(host->begin(), host->end(), 6));
    return std::count(host->begin(), host->end(), 6) != 64;
}
