/* SPDX-License-Identifier: MIT */
/* Right: a warp keeps the odd numbers in order, by a ballot and the bits below its lane. */
#include <stdio.h>

__global__ void keep_odd(const int *from, int *to, int *count)
{
    int lane = threadIdx.x, value = from[lane];
    unsigned kept = __ballot_sync(0xffffffff, value % 2);

    if (value % 2)
        to[__popc(kept & ((1u << lane) - 1))] = value;
    if (lane == 0)
        *count = __popc(kept);
}

int main()
{
    int host[32], result[32], n, odd = 0, wrong = 0, *from, *to, *count;

    for (int i = 0; i < 32; i++)
        host[i] = i * i % 23;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&count, sizeof n);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    keep_odd<<<1, 32>>>(from, to, count);
    cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    cudaMemcpy(result, to, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        if (host[i] % 2)
            wrong += odd >= n || result[odd] != host[i], odd++;
    cudaFree(from);
    cudaFree(to);
    cudaFree(count);
    printf("%d kept, %d wrong\n", n, wrong);
    return wrong > 0 || n != odd;
}
