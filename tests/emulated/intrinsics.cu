/* SPDX-License-Identifier: MIT */
/* Right: integer and fast-math intrinsics. */
#include <math.h>
#include <stdio.h>

__global__ void compute(unsigned *bits, float *values)
{
    unsigned i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;

    bits[i] = __popc(i) + 100 * __clz((int)i) + 10000 * __ffs((int)i) + (__brev(i) >> 31);
    values[i] = __fdividef(__expf(__logf((float)i + 1)), 2.0f) + rsqrtf(__saturatef((float)i + 1));
}

int main()
{
    unsigned host_bits[64], *bits;
    float host_values[64], *values;
    int wrong = 0;

    cudaMalloc(&bits, sizeof host_bits);
    cudaMalloc(&values, sizeof host_values);
    compute<<<2, 32>>>(bits, values);
    cudaMemcpy(host_bits, bits, sizeof host_bits, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_values, values, sizeof host_values, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        wrong += !(fabsf(host_values[i] - ((float)i + 1) / 2 - 1) < 1e-3f * ((float)i + 1));
    cudaFree(bits);
    cudaFree(values);
    printf("%d wrong, %u of 12\n", wrong, host_bits[12]);
    return wrong > 0 || host_bits[12] != 2 + 2800 + 30000;
}
