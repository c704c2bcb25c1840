/* SPDX-License-Identifier: MIT */
/* Wrong: the launch gives a kernel half the dynamic shared memory that it uses. */
#include <stdio.h>

#define N 64

__global__ void rotate(int *data)
{
    extern __shared__ int tile[];
    int i = threadIdx.x;

    tile[i] = data[i]; // expect: bounds
    __syncthreads();
    if (i < N / 2)
        data[i] = tile[(i + 1) % (N / 2)];
}

int main()
{
    static int host[N];
    int *data;

    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    rotate<<<1, N, N / 2 * sizeof(int)>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(data);
    return 0;
}
