/* Wrong, perhaps: a kernel copies what nobody wrote, and the host gets it. */
#include <stdio.h>

__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x]; // expect: unwritten
}

int main()
{
    int host[32], *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemset(to, 0, sizeof host);
    cudaMemset(from, 0, sizeof host / 2);
    copy<<<1, 32>>>(to, from);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost); // expect: unwritten with
    printf("%d\n", host[0]);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
