/* Wrong: the third of three arrays of 0.8 GB does not fit, and nobody looks at the error. */
#include <stdio.h>
#include <stdlib.h>

#define BYTES ((size_t)800000000)

__global__ void add(const double *x, const double *y, double *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    z[i] = x[i] + y[i];
}

int main()
{
    double *x, *y, *z;

    cudaMalloc(&x, BYTES);
    cudaMalloc(&y, BYTES);
    cudaMalloc(&z, BYTES); // expect: memory
    cudaMemset(x, 0, BYTES);
    cudaMemset(y, 0, BYTES);
    add<<<1, 128>>>(x, y, z);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    return 0;
}
