/* SPDX-License-Identifier: MIT */
/* Right: an exclusive scan (Blelloch) up and down a tree in one array of shared memory. */
#include <stdio.h>

#define N 128

__global__ void scan(int *data)
{
    __shared__ int tree[N];
    int i = threadIdx.x;

    tree[2 * i] = data[2 * i];
    tree[2 * i + 1] = data[2 * i + 1];
    for (int width = 1; width < N; width *= 2) {
        int right = (i + 1) * 2 * width - 1;

        __syncthreads();
        if (right < N)
            tree[right] += tree[right - width];
    }
    if (i == 0)
        tree[N - 1] = 0;
    for (int width = N / 2; width > 0; width /= 2) {
        int right = (i + 1) * 2 * width - 1;

        __syncthreads();
        if (right < N) {
            int left = tree[right - width];

            tree[right - width] = tree[right];
            tree[right] += left;
        }
    }
    __syncthreads();
    data[2 * i] = tree[2 * i];
    data[2 * i + 1] = tree[2 * i + 1];
}

int main()
{
    static int host[N];
    int *data, wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, N / 2>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != i * (i - 1) / 2;
    cudaFree(data);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
