/* Wrong: values that nobody wrote are copied, and then a branch, an address or a result depends on
 * them, as such that are not copied. */
#include <stdio.h>

__global__ void copy_bytes(unsigned char *to, const unsigned char *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void sum_of_copies(const unsigned char *bytes, int *result)
{
    int i = threadIdx.x;

    result[i] = bytes[i] + 1; // expect: unwritten
}

__global__ void branch(const int *values, int *result)
{
    if (values[threadIdx.x] > 0) // expect: unwritten
        result[0] = 1;
}

__global__ void address(const int *place, int *result)
{
    result[*place] = 1; // expect: unwritten
}

__global__ void sum_with_zero(const int *values, const int *zeros, int *result)
{
    int i = threadIdx.x;

    result[i] = zeros[i] + values[i]; // expect: unwritten
}

__global__ void smaller(const int *values, const int *ones, int *result)
{
    int i = threadIdx.x;

    result[i] = min(ones[i], values[i]); // expect: unwritten
}

__global__ void through_shared(const float *from, float *to)
{
    __shared__ float tile[32];

    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = 2 * tile[31 - threadIdx.x]; // expect: unwritten
}

int main()
{
    unsigned char *bytes, *copies;
    int *values, *zeros, *result;
    float *from, *to;

    cudaMalloc(&bytes, 32);
    cudaMalloc(&copies, 32);
    cudaMalloc(&values, 128);
    cudaMalloc(&zeros, 128);
    cudaMalloc(&result, 128);
    cudaMalloc(&from, 128);
    cudaMalloc(&to, 128);
    cudaMemset(zeros, 0, 128);
    copy_bytes<<<1, 32>>>(copies, bytes);
    sum_of_copies<<<1, 32>>>(copies, result);
    branch<<<1, 32>>>(values, result);
    sum_with_zero<<<1, 32>>>(values, zeros, result);
    cudaMemset(zeros, 1, 128);
    smaller<<<1, 32>>>(values, zeros, result);
    through_shared<<<1, 32>>>(from, to);
    address<<<1, 1>>>(values, result); // the device is lost behind it
    cudaDeviceSynchronize();
    cudaFree(bytes);
    cudaFree(copies);
    cudaFree(values);
    cudaFree(zeros);
    cudaFree(result);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
