/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits with the exponent of a float: bfloat16. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_BF16_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_BF16_H

#include "core/emulator/runtime/small_floats.h"

struct __nv_bfloat16 {
    unsigned short value; /* the upper half of a float */

    float get() const { return emulated_bits<float>((uint32_t)value << 16); }
    void set(float x)
    {
        uint32_t bits = emulated_bits<uint32_t>(x);

        value = x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    EMULATED_SMALL_MEMBERS(__nv_bfloat16)
};

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

EMULATED_SMALL(__nv_bfloat16, __nv_bfloat162)

static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return x.get(); }
static inline int __bfloat162int_rn(__nv_bfloat16 x) { return (int)rintf(x.get()); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.value; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x)
{
    return emulated_bits<__nv_bfloat16>(x);
}
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
static inline __nv_bfloat162 __float22bfloat162_rn(float2 x)
{
    return {__nv_bfloat16(x.x), __nv_bfloat16(x.y)};
}
static inline __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
static inline float2 __bfloat1622float2(__nv_bfloat162 x) { return {x.x.get(), x.y.get()}; }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) { return x.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) { return x.y; }

#endif
