/* SPDX-License-Identifier: MIT */
/* Numbers of half precision, computed in single precision and rounded. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP16_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP16_H

#include <cuda_runtime.h>

#ifndef __FLT16_MAX__
#error "calab's emulator has numbers of half precision only where the compiler has _Float16"
#endif

struct __half {
    _Float16 value;

    __half() = default;
    __half(float x) : value((_Float16)x) {}
    __half(double x) : value((_Float16)x) {}
    __half(int x) : value((_Float16)(float)x) {}
    operator float() const { return (float)value; }
    __half &operator+=(__half b) { return *this = __half((float)*this + (float)b); }
    __half &operator-=(__half b) { return *this = __half((float)*this - (float)b); }
    __half &operator*=(__half b) { return *this = __half((float)*this * (float)b); }
    __half &operator/=(__half b) { return *this = __half((float)*this / (float)b); }
};

typedef __half half;

struct alignas(4) __half2 {
    __half x, y;
};

typedef __half2 half2;

static inline __half operator+(__half a, __half b) { return __half((float)a + (float)b); }
static inline __half operator-(__half a, __half b) { return __half((float)a - (float)b); }
static inline __half operator*(__half a, __half b) { return __half((float)a * (float)b); }
static inline __half operator/(__half a, __half b) { return __half((float)a / (float)b); }
static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __double2half(double x) { return __half(x); }
static inline __half __int2half_rn(int x) { return __half(x); }
static inline float __half2float(__half x) { return (float)x; }
static inline int __half2int_rn(__half x) { return (int)rintf((float)x); }
static inline __half __hadd(__half a, __half b) { return a + b; }
static inline __half __hsub(__half a, __half b) { return a - b; }
static inline __half __hmul(__half a, __half b) { return a * b; }
static inline __half __hdiv(__half a, __half b) { return a / b; }
static inline __half __hneg(__half a) { return __half(-(float)a); }
static inline __half __hfma(__half a, __half b, __half c)
{
    return __half(fmaf((float)a, (float)b, (float)c));
}
static inline bool __hlt(__half a, __half b) { return (float)a < (float)b; }
static inline bool __hgt(__half a, __half b) { return (float)a > (float)b; }
static inline bool __heq(__half a, __half b) { return (float)a == (float)b; }
static inline __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
static inline __half hexp(__half a) { return __half(expf((float)a)); }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline float2 __half22float2(__half2 x) { return {(float)x.x, (float)x.y}; }
static inline __half __low2half(__half2 x) { return x.x; }
static inline __half __high2half(__half2 x) { return x.y; }
static inline float __low2float(__half2 x) { return (float)x.x; }
static inline float __high2float(__half2 x) { return (float)x.y; }
static inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
static inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#endif
