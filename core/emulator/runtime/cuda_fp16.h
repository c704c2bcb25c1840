/* SPDX-License-Identifier: MIT */
/* Numbers of half precision. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP16_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP16_H

#include "core/emulator/runtime/small_floats.h"

#ifndef __FLT16_MAX__
#error "calab's emulator has numbers of half precision only where the compiler has _Float16"
#endif

struct __half {
    _Float16 value;

    float get() const { return (float)value; }
    void set(float x) { value = (_Float16)x; }
    EMULATED_SMALL_MEMBERS(__half)
};

struct alignas(4) __half2 {
    __half x, y;
};

typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

struct __half_raw {
    unsigned short x;
};

EMULATED_SMALL(__half, __half2)

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __double2half(double x) { return __half(x); }
static inline __half __int2half_rn(int x) { return __half(x); }
static inline __half __uint2half_rn(unsigned x) { return __half(x); }
static inline __half __short2half_rn(short x) { return __half(x); }
static inline __half __ushort2half_rn(unsigned short x) { return __half(x); }
static inline float __half2float(__half x) { return x.get(); }
static inline int __half2int_rn(__half x) { return (int)rintf(x.get()); }
static inline int __half2int_rz(__half x) { return (int)x.get(); }
static inline unsigned __half2uint_rn(__half x) { return (unsigned)rintf(x.get()); }
static inline short __half2short_rn(__half x) { return (short)rintf(x.get()); }
static inline unsigned short __half_as_ushort(__half x) { return emulated_bits<unsigned short>(x); }
static inline short __half_as_short(__half x) { return emulated_bits<short>(x); }
static inline __half __ushort_as_half(unsigned short x) { return emulated_bits<__half>(x); }
static inline __half __short_as_half(short x) { return emulated_bits<__half>(x); }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
static inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline float2 __half22float2(__half2 x) { return {x.x.get(), x.y.get()}; }
static inline __half __low2half(__half2 x) { return x.x; }
static inline __half __high2half(__half2 x) { return x.y; }
static inline __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
static inline __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
static inline __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
static inline float __low2float(__half2 x) { return x.x.get(); }
static inline float __high2float(__half2 x) { return x.y.get(); }

#endif
