/* SPDX-License-Identifier: MIT */
/* Wrong: two places read what nobody wrote, and each is named, although the threads of one block
 * read the same. */
#include <stdio.h>

__global__ void sum(const int *from, const unsigned char *bytes, int *to)
{
    int i = threadIdx.x, value = 0;

    if (i < 32)
        value = from[5]; // expect: unwritten
    else
        value = from[5] + 1; // expect: unwritten
    if (i < 16)
        value += bytes[3]; // expect: unwritten
    else
        value += bytes[3] + 1; // expect: unwritten
    to[i] = value;
}

int main()
{
    int host[64], *from, *to;
    unsigned char *bytes;

    cudaMalloc(&from, 8 * sizeof *from);
    cudaMalloc(&bytes, 8);
    cudaMalloc(&to, sizeof host);
    sum<<<1, 64>>>(from, bytes, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(from);
    cudaFree(bytes);
    cudaFree(to);
    return 0;
}
