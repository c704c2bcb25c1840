/* SPDX-License-Identifier: MIT */
/* Wrong: a block takes its turn once one other block has read a word, although two have. */
#include <stdio.h>

__global__ void turns(int *word, int *to, int *flag)
{
    if (blockIdx.x < 2)
        to[blockIdx.x] = *word; // expect: race with
    if (blockIdx.x == 0) {
        __threadfence();
        atomicExch(flag, 1);
    }
    if (blockIdx.x == 2 && atomicAdd(flag, 0) == 1) {
        __threadfence();
        *word = 5; // expect: race
    }
}

int main()
{
    int *word, *to, *flag;

    cudaMalloc(&word, sizeof *word);
    cudaMalloc(&to, 2 * sizeof *to);
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(word, 0, sizeof *word);
    cudaMemset(flag, 0, sizeof *flag);
    turns<<<3, 1>>>(word, to, flag);
    cudaDeviceSynchronize();
    cudaFree(word);
    cudaFree(to);
    cudaFree(flag);
    return 0;
}
