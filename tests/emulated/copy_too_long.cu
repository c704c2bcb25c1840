/* SPDX-License-Identifier: MIT */
/* Wrong: cudaMemcpy copies more than was allocated. */
#include <stdio.h>

int main()
{
    static int host[64];
    int *values;

    cudaMalloc(&values, 64);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice); // expect: copy
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(values);
    return 0;
}
