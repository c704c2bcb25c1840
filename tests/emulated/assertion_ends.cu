/* Wrong: an assertion ends the kernel, so that its memory cannot be freed, which is not told. */
#include <assert.h>
#include <stdio.h>

__global__ void copy(const int *from, int *to, int n)
{
    int i = threadIdx.x;

    assert(i < n); // expect: assertion
    to[i] = from[i];
    __syncthreads();
}

int main()
{
    int *from, *to;

    cudaMalloc(&from, 64);
    cudaMalloc(&to, 64);
    cudaMemset(from, 0, 64);
    copy<<<1, 32>>>(from, to, 16);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
