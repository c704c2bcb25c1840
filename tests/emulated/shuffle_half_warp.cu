/* SPDX-License-Identifier: MIT */
/* Right: half a warp shuffles with a mask that names just the lanes that come. */
#include <stdio.h>

__global__ void sum(int *result)
{
    int lane = threadIdx.x, value = lane;

    if (lane < 16) {
        for (int distance = 8; distance > 0; distance /= 2)
            value += __shfl_down_sync(0x0000ffff, value, distance, 16);
        if (lane == 0)
            *result = value;
    }
}

int main()
{
    int total, *result;

    cudaMalloc(&result, sizeof total);
    sum<<<1, 32>>>(result);
    cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d\n", total);
    cudaFree(result);
    return total != 120;
}
