/* SPDX-License-Identifier: MIT */
/* Right: cudaFree of NULL does nothing, and each buffer of a swapped pair is freed once. */
#include <stdio.h>

__global__ void add_one(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

int main()
{
    int host[32] = {0}, *now, *next, *unused = NULL;

    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    cudaMemcpy(now, host, sizeof host, cudaMemcpyHostToDevice);
    for (int t = 0; t < 5; t++) {
        int *swapped = now;

        add_one<<<1, 32>>>(now, next);
        now = next;
        next = swapped;
    }
    cudaMemcpy(host, now, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(next);
    cudaFree(unused);
    printf("%d\n", host[31]);
    return host[31] != 5;
}
