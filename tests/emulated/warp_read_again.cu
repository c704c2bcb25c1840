/* SPDX-License-Identifier: MIT */
/* Wrong: after __syncwarp a lane reads what it wrote before it, while another lane writes it. */
#include <stdio.h>

__global__ void again(int *words, int *to)
{
    int i = threadIdx.x;

    if (i == 0)
        words[0] = 1;
    __syncwarp();
    if (i == 0)
        to[0] = words[0]; // expect: race with
    if (i == 1)
        words[0] = 2; // expect: race
    __syncwarp();
    to[i + 1] = words[0];
}

int main()
{
    int *words, *to;

    cudaMalloc(&words, 4 * sizeof *words);
    cudaMalloc(&to, 33 * sizeof *to);
    again<<<1, 32>>>(words, to);
    cudaDeviceSynchronize();
    cudaFree(words);
    cudaFree(to);
    return 0;
}
