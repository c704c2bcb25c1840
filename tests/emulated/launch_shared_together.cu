/* Wrong: static and dynamic shared memory are together more than a block may have. */
#include <stdio.h>

__global__ void fill(int *values)
{
    extern __shared__ int tile[];
    __shared__ int sums[8192]; // expect: launch with

    tile[threadIdx.x] = threadIdx.x;
    sums[threadIdx.x] = tile[threadIdx.x];
    values[threadIdx.x] = sums[threadIdx.x];
}

int main()
{
    int *values;

    cudaMalloc(&values, 64 * sizeof *values);
    fill<<<1, 64, 32 << 10>>>(values); // expect: launch
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(values);
    return 0;
}
