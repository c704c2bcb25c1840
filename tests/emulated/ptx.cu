/* SPDX-License-Identifier: MIT */
/* Right: inline PTX of the kinds that course code uses. */
#include <stdio.h>

__device__ unsigned lane()
{
    unsigned id;

    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}

__device__ __forceinline__ float load(const float *from)
{
    float value;

    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
    asm volatile("ld.global.nc.f32 %0, [%1+4];" : "=f"(value) : "l"(from));
    return value;
}

__global__ void compute(const float *from, float *to, unsigned *words, int x, int y)
{
    unsigned a = 0x01fe0380, b = 0x02fd0480, c;
    unsigned long long wide;
    int chosen;
    float product = load(from + lane());
    double root;

    asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(product) : "f"(2.0f), "f"(0.5f));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(to + lane()), "f"(product) : "memory");
    asm("vmin4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(c) : "r"(a), "r"(b), "r"(0));
    asm("{\n\t"
        ".reg .pred p;     // a comment\n\t"
        ".reg .s32 t<2>;\n\t"
        "setp.lt.s32 p, %1, %2;\n\t"
        "add.s32 t0, %1, -1;\n\t"
        "mul.lo.s32 t1, t0, %2;\n\t"
        "@!p mov.s32 t1, 7;\n\t"
        "selp.s32 %0, t1, t0, p;\n\t"
        "}"
        : "=r"(chosen)
        : "r"(x), "r"(y));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
    asm("sqrt.rn.f64 %0, %1;" : "=d"(root) : "d"(2.25));
    if (lane() == 5) {
        unsigned low, high, all;

        asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(wide));
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(all) : "r"(a), "r"(b), "r"(low));
        words[0] = c;
        words[1] = chosen;
        words[2] = (low == (unsigned)wide) + 2 * (high == wide >> 32);
        words[3] = all == (a ^ b ^ low);
        words[4] = root * 4;
        asm volatile("red.global.add.u32 [%0], 3;" ::"l"(words + 4) : "memory");
    }
    asm volatile("bar.sync 0;");
    asm("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(c) : "r"(lane()));
    if (lane() == 5)
        words[5] = c;
}

int main()
{
    const unsigned right[] = {0x01fd0380, (unsigned)(-4 * 9), 3, 1, 9, 4};
    float host[33], *from, *to;
    unsigned *words, back[6];

    for (int i = 0; i < 33; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, 32 * sizeof(float));
    cudaMalloc(&words, sizeof back);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    compute<<<1, 32>>>(from, to, words, -3, 9);
    cudaMemcpy(host, to, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(back, words, sizeof back, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; i++)
        if (back[i] != right[i])
            printf("%d: %#x\n", i, back[i]);
    cudaFree(from);
    cudaFree(to);
    cudaFree(words);
    return memcmp(back, right, sizeof right) != 0 || host[3] != 4 + 1;
}
