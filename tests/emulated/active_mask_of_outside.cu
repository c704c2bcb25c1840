/* Wrong: the mask of the threads outside of a branch, of which not all enter it. */
#include <stdio.h>

__global__ void sum_odd(int *result, const int *values)
{
    unsigned together = __activemask();
    int i = threadIdx.x, sum = 0;

    if (values[i] % 2 == 0)
        return;
    sum = __reduce_add_sync(together, values[i]); // expect: warp
    result[i] = sum;
}

int main()
{
    int host[32], *values, *result;

    for (int i = 0; i < 32; i++)
        host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&result, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(result, 0, sizeof host);
    sum_odd<<<1, 32>>>(result, values);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[1]);
    cudaFree(values);
    cudaFree(result);
    return 0;
}
