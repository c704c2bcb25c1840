/* SPDX-License-Identifier: MIT */
/* Wrong: threads use the same memory by bytes and by words, first in turns and then at once. */
#include <stdio.h>

#define N 64

/* Right: what is written whole is whole again, and each byte is another thread's. */
__global__ void in_turns(unsigned *words, int *sums)
{
    unsigned char *bytes = (unsigned char *)words;
    int i = threadIdx.x, sum = 0;

    words[i] = i;
    __syncthreads();
    sum += bytes[(4 * i + 5) % (4 * N)];
    __syncthreads();
    words[(i + 1) % N] = sum;
    __syncthreads();
    for (int part = 0; part < 4; part++)
        bytes[part * N + i] = bytes[part * N + i] + 1;
    __syncthreads();
    sums[i] = words[i] + bytes[(i + 9) % N];
}

/* The words are joined between the two reads of their bytes. */
__global__ void at_once(unsigned *words, unsigned char *to)
{
    unsigned char *bytes = (unsigned char *)words;
    int i = threadIdx.x;

    if (i == 0)
        to[0] = bytes[1]; // expect: race with
    if (i == 32)
        words[0] = 7; // expect: race
    if (i == 33)
        to[1] = bytes[1]; // expect: race
}

/* One byte of a word is read, and another one written, which is right; so is the whole word. */
__global__ void other_byte(unsigned *words, unsigned char *to)
{
    unsigned char *bytes = (unsigned char *)words;
    int i = threadIdx.x;

    if (i < 4)
        to[i] = bytes[i];
    else if (i < 8)
        bytes[i] = i; // expect: race with
    else if (i == 40)
        to[8] = words[1]; // expect: race
    if (i == 4)
        to[9] = bytes[4];
}

int main()
{
    unsigned *words;
    unsigned char *to;
    int *sums;

    cudaMalloc(&words, N * sizeof *words);
    cudaMalloc(&to, N);
    cudaMalloc(&sums, N * sizeof *sums);
    in_turns<<<1, N>>>(words, sums);
    at_once<<<1, N>>>(words, to);
    other_byte<<<1, N>>>(words, to);
    cudaDeviceSynchronize();
    cudaFree(words);
    cudaFree(to);
    cudaFree(sums);
    return 0;
}
