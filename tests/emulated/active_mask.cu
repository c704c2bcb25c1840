/* Right: the threads of a warp that take a branch together have the same mask there. */
#include <stdio.h>

__global__ void first_of_branch(int *result, const int *values)
{
    int i = threadIdx.x, first = -1;

    if (values[i] > 0) {
        unsigned together = __activemask();

        first = __shfl_sync(together, i, __ffs(together) - 1);
    } else if (values[i] < 0) {
        first = __popc(__ballot_sync(__activemask(), 1));
    }
    result[i] = first;
}

int main()
{
    int host[64], *values, *result, wrong = 0;

    for (int i = 0; i < 64; i++)
        host[i] = i * 7 % 5 - 1;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    first_of_branch<<<1, 64>>>(result, values);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        int value = i * 7 % 5 - 1;

        wrong += host[i] != (value > 0 ? 1 : value < 0 ? 7 : -1);
    }
    printf("%d wrong\n", wrong);
    cudaFree(values);
    cudaFree(result);
    return wrong != 0;
}
