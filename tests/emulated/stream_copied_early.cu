/* SPDX-License-Identifier: MIT */
/* Wrong: cudaMemcpy does not wait for a stream that is not blocking, which still writes. */
#include <stdio.h>

#define N 256

__global__ void fill(int *values)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] = 5; // expect: race
}

int main()
{
    int host[N], *values;
    cudaStream_t stream;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    cudaDeviceSynchronize();
    fill<<<2, N / 2, 0, stream>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost); // expect: race with
    printf("%d\n", host[0]);
    cudaStreamSynchronize(stream);
    cudaFree(values);
    cudaStreamDestroy(stream);
    return 0;
}
