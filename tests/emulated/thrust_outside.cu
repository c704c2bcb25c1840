/* SPDX-License-Identifier: MIT */
/* Wrong: a kernel goes beyond a vector of Thrust, and the host reads what Thrust did not allocate.
 */
#include <stdio.h>
#if __has_include(<thrust/version.h>)
#include <thrust/device_vector.h>
#else
namespace thrust
{
template <class T> struct device_vector {
    T *memory;

    device_vector(int n, T) { cudaMalloc(&memory, n * sizeof(T)); }
    ~device_vector() { cudaFree(memory); }
    T *data() { return memory; }
};
template <class T> T *raw_pointer_cast(T *at) { return at; }
} // namespace thrust
#endif

__global__ void set(int *values, int *more)
{
    values[threadIdx.x] = threadIdx.x; // expect: bounds
    more[threadIdx.x] = 1;
}

int main()
{
    thrust::device_vector<int> values(63, 5);
    int *more;

    cudaMalloc(&more, 64 * sizeof(int));
    set<<<1, 64>>>(thrust::raw_pointer_cast(values.data()), more);
    cudaDeviceSynchronize();
    printf("%d\n", more[0]); // expect: host
    cudaFree(more);
    return 0;
}
