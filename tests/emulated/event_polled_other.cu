/* SPDX-License-Identifier: MIT */
/* Wrong: the host polls for an event, which says nothing of what the stream got after it. */
#include <stdio.h>

#define N 256

__global__ void add(int *values, int value)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += value; // expect: synchronization with
}

int main()
{
    int *values;
    cudaEvent_t first;

    cudaEventCreate(&first);
    cudaMallocManaged(&values, N * sizeof *values);
    for (int i = 0; i < N; i++)
        values[i] = i;
    add<<<2, N / 2>>>(values, 1);
    cudaEventRecord(first);
    add<<<2, N / 2>>>(values, 1);
    while (cudaEventQuery(first) == cudaErrorNotReady)
        ;
    printf("%d\n", values[0]); // expect: synchronization
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaEventDestroy(first);
    return 0;
}
