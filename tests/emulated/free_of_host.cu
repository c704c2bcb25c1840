/* SPDX-License-Identifier: MIT */
/* Wrong: cudaFree is given memory of malloc. */
#include <stdio.h>
#include <stdlib.h>

int main()
{
    int *values = (int *)malloc(64 * sizeof(int)), *device;

    cudaMalloc(&device, 64 * sizeof(int));
    cudaMemset(device, 0, 64 * sizeof(int));
    cudaMemcpy(values, device, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", values[0]);
    cudaFree(values); // expect: free
    cudaFree(device);
    free(values);
    return 0;
}
