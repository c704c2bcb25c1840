/* SPDX-License-Identifier: MIT */
/* Right: Thrust, where it is installed: its vectors, and its algorithms on memory of cudaMalloc. */
#include <stdio.h>
#if __has_include(<thrust/version.h>)
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct twice {
    __host__ __device__ int operator()(const int &x) const { return 2 * x; }
};

__global__ void add(int *values) { values[threadIdx.x] += 1; }

int main()
{
    thrust::host_vector<int> host(32);
    int *raw, sum, most;

    for (int i = 0; i < 32; i++)
        host[i] = 32 - i;
    thrust::device_vector<int> values = host, doubled(32);
    thrust::sort(values.begin(), values.end());
    add<<<1, 32>>>(thrust::raw_pointer_cast(values.data()));
    thrust::transform(values.begin(), values.end(), doubled.begin(), twice());
    sum = thrust::reduce(doubled.begin(), doubled.end(), 0, thrust::plus<int>());

    cudaMalloc(&raw, 32 * sizeof(int));
    thrust::device_ptr<int> first(raw);
    thrust::sequence(first, first + 32);
    add<<<1, 32>>>(raw);
    most = *thrust::max_element(first, first + 32);
    cudaFree(raw);
    return sum != 2 * (33 * 16 + 32) || most != 32 || doubled[3] != 10;
}
#else
int main() { puts("no Thrust"); }
#endif
