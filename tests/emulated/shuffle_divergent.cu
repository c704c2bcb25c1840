/* SPDX-License-Identifier: MIT */
/* Wrong: half a warp shuffles with a mask that names all lanes, while the others wait for it. */
#include <stdio.h>

__global__ void sum(int *result)
{
    int lane = threadIdx.x, value = lane;

    if (lane < 16)
        value += __shfl_down_sync(0xffffffff, value, 8); // expect: stall
    __syncwarp(); // expect: stall with
    result[lane] = value;
}

int main()
{
    int host[32], *result;

    cudaMalloc(&result, sizeof host); // may: leak
    sum<<<1, 32>>>(result);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(result);
    return 0;
}
