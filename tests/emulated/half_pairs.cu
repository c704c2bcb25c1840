/* SPDX-License-Identifier: MIT */
/* Right: operators of half2 and of bfloat16. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdio.h>

__global__ void pairs(half2 *a, __nv_bfloat16 *b, float *out)
{
    half2 sum = a[0] + a[1] * a[1], most = __hmax2(a[0], a[1]);
    __nv_bfloat16 one = b[0];

    sum -= __float2half2_rn(1.0f);
    one += b[1];
    out[0] = __low2float(sum);
    out[1] = __half2float(__high2half(most));
    out[2] = __bfloat162float(one);
    out[3] = a[0] == a[1] || __hbgt2(a[0], a[1]) || b[0] > b[1];
    atomicAdd(&a[1], sum);
    b[1] = __float2bfloat16(1.00390625f); /* between two of them: to the even one */
    out[4] = __bfloat162float(b[1]) + __half2float(-a[1].y);
}

int main()
{
    half2 pair[2] = {__floats2half2_rn(1, 2), __floats2half2_rn(3, 4)}, *a;
    __nv_bfloat16 two[2] = {__float2bfloat16(0.5f), __float2bfloat16(256)}, *b;
    const float right[] = {9, 4, 256, 0, 1 - 21};
    float *out, host[5];

    cudaMalloc(&a, sizeof pair);
    cudaMalloc(&b, sizeof two);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(a, pair, sizeof pair, cudaMemcpyHostToDevice);
    cudaMemcpy(b, two, sizeof two, cudaMemcpyHostToDevice);
    pairs<<<1, 1>>>(a, b, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 5; i++)
        if (host[i] != right[i])
            printf("%d: %g\n", i, host[i]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return memcmp(host, right, sizeof right) != 0;
}
