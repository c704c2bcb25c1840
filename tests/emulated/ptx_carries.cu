/* SPDX-License-Identifier: MIT */
/* Right: inline PTX of sums, differences and products with carries, and of two predicates. */
#include <stdio.h>

struct wide {
    unsigned word[4];
};

__device__ wide add(wide a, wide b)
{
    wide sum;

    asm("add.cc.u32 %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32 %3, %7, %11;"
        : "=r"(sum.word[0]), "=r"(sum.word[1]), "=r"(sum.word[2]), "=r"(sum.word[3])
        : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[0]),
          "r"(b.word[1]), "r"(b.word[2]), "r"(b.word[3]));
    return sum;
}

__device__ unsigned long long subtract(unsigned long long a, unsigned long long b)
{
    unsigned low, high;

    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(low) : "r"((unsigned)a), "r"((unsigned)b));
    asm volatile("subc.u32 %0, %1, %2;"
                 : "=r"(high)
                 : "r"((unsigned)(a >> 32)), "r"((unsigned)(b >> 32)));
    return (unsigned long long)high << 32 | low;
}

__device__ unsigned long long product(unsigned a, unsigned b, unsigned long long c)
{
    unsigned low, high;

    asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\t"
        "madc.hi.u32 %1, %2, %3, %5;"
        : "=r"(low), "=r"(high)
        : "r"(a), "r"(b), "r"((unsigned)c), "r"((unsigned)(c >> 32)));
    return (unsigned long long)high << 32 | low;
}

__device__ unsigned choose(int a, int b)
{
    unsigned result;

    asm("{ .reg .pred p, q, r;\n\t"
        "setp.lt.s32 p|q, %1, %2;\n\t"
        "setp.eq.and.s32 r, %1, 3, p;\n\t"
        "setp.gt.or.s32 p|_, %1, 100, p;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "@q add.u32 %0, %0, 2;\n\t"
        "@r add.u32 %0, %0, 4; }"
        : "=r"(result)
        : "r"(a), "r"(b));
    return result;
}

__global__ void compute(wide a, wide b, unsigned long long x, unsigned long long y,
                        unsigned long long *result)
{
    wide sum = add(a, b);
    unsigned long long wide_product, wide_sum, carry;

    result[0] = (unsigned long long)sum.word[1] << 32 | sum.word[0];
    result[1] = (unsigned long long)sum.word[3] << 32 | sum.word[2];
    result[2] = subtract(x, y);
    result[3] = product((unsigned)x, (unsigned)y, y);
    result[4] = choose(3, 5) + 16 * choose(7, 5) + 256 * choose(101, 5);
    asm("mad.lo.cc.u64 %0, %3, %4, %4;\n\t"
        "madc.hi.cc.u64 %1, %3, %4, %3;\n\t"
        "addc.u64 %2, 0, 0;"
        : "=&l"(wide_product), "=&l"(wide_sum), "=l"(carry)
        : "l"(x), "l"(y));
    result[5] = wide_product;
    result[6] = wide_sum;
    result[7] = carry;
}

int main()
{
    const wide a = {{0xffffffffu, 0xffffffffu, 5, 7}};
    const wide b = {{1, 0, 0xffffffffu, 9}};
    const unsigned long long x = 0xf000000000000001ull, y = 0xfedcba9876543210ull;
    const unsigned __int128 all = (unsigned __int128)x * y,
                            low = (unsigned __int128)(unsigned long long)all + y;
    const unsigned __int128 high =
        (unsigned __int128)(unsigned long long)(all >> 64) + x + (unsigned long long)(low >> 64);
    const unsigned long long right[] = {0,
                                        0x1100000005ull,
                                        x - y,
                                        (unsigned long long)(unsigned)x * (unsigned)y + y,
                                        (1 + 4) + 16 * 2 + 256 * (1 + 2),
                                        (unsigned long long)low,
                                        (unsigned long long)high,
                                        (unsigned long long)(high >> 64)};
    unsigned long long back[8], *result;

    cudaMalloc(&result, sizeof back);
    compute<<<1, 1>>>(a, b, x, y, result);
    cudaMemcpy(back, result, sizeof back, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        if (back[i] != right[i])
            printf("%d: %#llx, not %#llx\n", i, back[i], right[i]);
    cudaFree(result);
    return memcmp(back, right, sizeof right) != 0;
}
