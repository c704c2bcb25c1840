/* Wrong: a launch that is refused, at which the program ends itself: of its memory nothing is told.
 */
#include <stdio.h>
#include <stdlib.h>

__global__ void fill(int *values) { values[threadIdx.x] = 1; }

int main()
{
    int *values;

    cudaMalloc(&values, 2048 * sizeof *values);
    fill<<<1, 2048>>>(values); // expect: launch
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "no launch\n");
        exit(1);
    }
    cudaFree(values);
    return 0;
}
