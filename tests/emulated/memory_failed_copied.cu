/* Wrong: memory that does not fit is filled and copied all the same. */
#include <stdio.h>

#define BYTES ((size_t)1 << 40)

int main()
{
    int host[16] = {}, *values;

    cudaMalloc(&values, BYTES); // expect: memory
    cudaMemset(values, 0, sizeof host);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(values);
    return 0;
}
