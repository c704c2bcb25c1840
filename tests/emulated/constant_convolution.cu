/* SPDX-License-Identifier: MIT */
/* Right: a convolution whose weights are in constant memory, one of them left at zero. */
#include <math.h>
#include <stdio.h>

#define N 200
#define RADIUS 2

__constant__ float weights[2 * RADIUS + 1];
__constant__ float offset; /* nobody writes it: it is zero */

__global__ void convolve(const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = offset;

    if (i >= N)
        return;
    for (int d = -RADIUS; d <= RADIUS; d++)
        if (i + d >= 0 && i + d < N)
            sum += weights[d + RADIUS] * from[i + d];
    to[i] = sum;
}

int main()
{
    const float host_weights[] = {1, 4, 6, 4, 1};
    static float host[N], result[N];
    float *from, *to;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 7);
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    convolve<<<(N + 63) / 64, 64>>>(from, to);
    cudaMemcpy(result, to, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        float sum = 0;

        for (int d = -RADIUS; d <= RADIUS; d++)
            sum += i + d >= 0 && i + d < N ? host_weights[d + RADIUS] * host[i + d] : 0;
        wrong += !(fabsf(sum - result[i]) < 1e-3f);
    }
    cudaFree(from);
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
