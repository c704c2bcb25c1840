/* SPDX-License-Identifier: MIT */
/* Right: neighbouring threads write neighbouring bytes of one word. */
#include <stdio.h>

__global__ void fill(unsigned char *bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    bytes[i] = (unsigned char)i;
}

__global__ void sum(const uchar4 *words, int *sums)
{
    uchar4 four = words[threadIdx.x];

    sums[threadIdx.x] = four.x + four.y + four.z + four.w;
}

int main()
{
    int host[24], *sums, wrong = 0;
    unsigned char *bytes;

    cudaMalloc(&bytes, 96);
    cudaMalloc(&sums, sizeof host);
    fill<<<32, 3>>>(bytes);
    sum<<<1, 24>>>((const uchar4 *)bytes, sums);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++)
        wrong += host[i] != 16 * i + 6;
    cudaFree(bytes);
    cudaFree(sums);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
