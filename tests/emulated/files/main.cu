/* SPDX-License-Identifier: MIT */
/* A program of three files, with what its command line defines. */
#include <stdio.h>
#include <count.cuh>

int count_there();
int host_number(const char *text);

int main(int argc, char **argv)
{
    int *out, here, there;

    cudaMalloc(&out, sizeof *out);
    count<<<1, 1>>>(out);
    there = count_there();
    cudaMemcpy(&here, out, sizeof here, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%d %d %d %d %d\n", START, END, host_number(argv[1]), here, there);
}
