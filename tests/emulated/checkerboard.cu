/* SPDX-License-Identifier: MIT */
/* Right: a relaxation in place, of the black and then of the white places of a checkerboard. */
#include <stdio.h>

#define N 32

__global__ void relax(float *u, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < N - 1 && y < N - 1 && (x + y) % 2 == colour)
        u[y * N + x] = (u[y * N + x - 1] + u[y * N + x + 1] + u[(y - 1) * N + x] +
                        u[(y + 1) * N + x]) / 4;
}

int main()
{
    static float host[N * N];
    float *u;
    int wrong = 0;

    for (int i = 0; i < N * N; i++)
        host[i] = 1;
    cudaMalloc(&u, sizeof host);
    cudaMemcpy(u, host, sizeof host, cudaMemcpyHostToDevice);
    for (int t = 0; t < 8; t++)
        relax<<<dim3(4, 4), dim3(8, 8)>>>(u, t % 2);
    cudaMemcpy(host, u, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++)
        wrong += !(host[i] == 1);
    cudaFree(u);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
