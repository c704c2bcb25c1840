/* SPDX-License-Identifier: MIT */
/*
 * What the two floats of 16 bits have in common: operators, and functions of one and of two of
 * them. All is computed in single precision and rounded. cuda_fp16.h and cuda_bf16.h define the
 * types and call these macros.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_SMALL_FLOATS_H
#define CALAB_CORE_EMULATOR_RUNTIME_SMALL_FLOATS_H

#include <cuda_runtime.h>

/* Members of a struct that has `static unsigned short from(float)` and `float to() const`. */
#define EMULATED_SMALL_MEMBERS(type)                                                               \
    type() = default;                                                                              \
    type(float x) { set(x); }                                                                      \
    type(double x) { set((float)x); }                                                              \
    type(int x) { set((float)x); }                                                                 \
    type(unsigned x) { set((float)x); }                                                            \
    type(short x) { set((float)x); }                                                               \
    type(unsigned short x) { set((float)x); }                                                      \
    type(long x) { set((float)x); }                                                                \
    type(unsigned long x) { set((float)x); }                                                       \
    type(long long x) { set((float)x); }                                                           \
    type(unsigned long long x) { set((float)x); }                                                  \
    operator float() const { return get(); }                                                       \
    type &operator+=(type b) { return *this = type(get() + b.get()); }                             \
    type &operator-=(type b) { return *this = type(get() - b.get()); }                             \
    type &operator*=(type b) { return *this = type(get() * b.get()); }                             \
    type &operator/=(type b) { return *this = type(get() / b.get()); }                             \
    type &operator++() { return *this = type(get() + 1); }                                         \
    type &operator--() { return *this = type(get() - 1); }                                         \
    type operator+() const { return *this; }                                                       \
    type operator-() const { return type(-get()); }

#define EMULATED_SMALL_OPERATOR(one, two, op)                                                      \
    static inline one operator op(one a, one b) { return one(a.get() op b.get()); }                \
    static inline two operator op(two a, two b) { return {a.x op b.x, a.y op b.y}; }               \
    static inline two &operator op##=(two &a, two b) { return a = a op b; }

#define EMULATED_SMALL_COMPARE(one, two, op)                                                       \
    static inline bool operator op(one a, one b) { return a.get() op b.get(); }

/* name(a, b) and name2 of pairs. */
#define EMULATED_SMALL_BINARY(one, two, name, expression)                                          \
    static inline one name(one p, one q)                                                           \
    {                                                                                              \
        float a = p.get(), b = q.get();                                                            \
        return one(expression);                                                                    \
    }                                                                                              \
    static inline two name##2(two p, two q) { return {name(p.x, q.x), name(p.y, q.y)}; }

#define EMULATED_SMALL_UNARY(one, two, name, name2, expression)                                    \
    static inline one name(one p)                                                                  \
    {                                                                                              \
        float a = p.get();                                                                         \
        return one(expression);                                                                    \
    }                                                                                              \
    static inline two name2(two p) { return {name(p.x), name(p.y)}; }

/* __hlt, __hlt2 with 1 or 0 in each half, and __hblt2: whether both hold. */
#define EMULATED_SMALL_TEST(one, two, stem, op)                                                    \
    static inline bool __h##stem(one a, one b) { return a.get() op b.get(); }                      \
    static inline two __h##stem##2(two a, two b)                                                   \
    {                                                                                              \
        return {one(__h##stem(a.x, b.x) ? 1.0f : 0.0f), one(__h##stem(a.y, b.y) ? 1.0f : 0.0f)};   \
    }                                                                                              \
    static inline bool __hb##stem##2(two a, two b)                                                 \
    {                                                                                              \
        return __h##stem(a.x, b.x) && __h##stem(a.y, b.y);                                         \
    }

static inline float emulated_saturated(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }

#define EMULATED_SMALL(one, two)                                                                   \
    EMULATED_SMALL_OPERATOR(one, two, +)                                                           \
    EMULATED_SMALL_OPERATOR(one, two, -)                                                           \
    EMULATED_SMALL_OPERATOR(one, two, *)                                                           \
    EMULATED_SMALL_OPERATOR(one, two, /)                                                           \
    EMULATED_SMALL_COMPARE(one, two, <)                                                            \
    EMULATED_SMALL_COMPARE(one, two, >)                                                            \
    EMULATED_SMALL_COMPARE(one, two, <=)                                                           \
    EMULATED_SMALL_COMPARE(one, two, >=)                                                           \
    EMULATED_SMALL_COMPARE(one, two, ==)                                                           \
    EMULATED_SMALL_COMPARE(one, two, !=)                                                           \
    static inline two operator-(two a) { return {-a.x, -a.y}; }                                    \
    static inline bool operator==(two a, two b) { return a.x == b.x && a.y == b.y; }               \
    static inline bool operator!=(two a, two b) { return !(a == b); }                              \
    EMULATED_SMALL_BINARY(one, two, __hadd, a + b)                                                 \
    EMULATED_SMALL_BINARY(one, two, __hsub, a - b)                                                 \
    EMULATED_SMALL_BINARY(one, two, __hmul, a *b)                                                  \
    EMULATED_SMALL_BINARY(one, two, __hdiv, a / b)                                                 \
    EMULATED_SMALL_BINARY(one, two, __hmin, emulated_less(a, b))                                   \
    EMULATED_SMALL_BINARY(one, two, __hmax, emulated_more(a, b))                                   \
    EMULATED_SMALL_BINARY(one, two, __hadd_sat, emulated_saturated(a + b))                         \
    EMULATED_SMALL_BINARY(one, two, __hmul_sat, emulated_saturated(a *b))                          \
    static inline two __h2div(two a, two b) { return a / b; }                                      \
    EMULATED_SMALL_UNARY(one, two, __hneg, __hneg2, -a)                                            \
    EMULATED_SMALL_UNARY(one, two, __habs, __habs2, fabsf(a))                                      \
    EMULATED_SMALL_UNARY(one, two, hsqrt, h2sqrt, sqrtf(a))                                        \
    EMULATED_SMALL_UNARY(one, two, hrsqrt, h2rsqrt, 1 / sqrtf(a))                                  \
    EMULATED_SMALL_UNARY(one, two, hrcp, h2rcp, 1 / a)                                             \
    EMULATED_SMALL_UNARY(one, two, hexp, h2exp, expf(a))                                           \
    EMULATED_SMALL_UNARY(one, two, hexp2, h2exp2, exp2f(a))                                        \
    EMULATED_SMALL_UNARY(one, two, hlog, h2log, logf(a))                                           \
    EMULATED_SMALL_UNARY(one, two, hlog2, h2log2, log2f(a))                                        \
    EMULATED_SMALL_UNARY(one, two, hlog10, h2log10, log10f(a))                                     \
    EMULATED_SMALL_UNARY(one, two, hsin, h2sin, sinf(a))                                           \
    EMULATED_SMALL_UNARY(one, two, hcos, h2cos, cosf(a))                                           \
    EMULATED_SMALL_UNARY(one, two, htanh, h2tanh, tanhf(a))                                        \
    EMULATED_SMALL_UNARY(one, two, hfloor, h2floor, floorf(a))                                     \
    EMULATED_SMALL_UNARY(one, two, hceil, h2ceil, ceilf(a))                                        \
    EMULATED_SMALL_UNARY(one, two, htrunc, h2trunc, truncf(a))                                     \
    EMULATED_SMALL_UNARY(one, two, hrint, h2rint, rintf(a))                                        \
    EMULATED_SMALL_TEST(one, two, lt, <)                                                           \
    EMULATED_SMALL_TEST(one, two, gt, >)                                                           \
    EMULATED_SMALL_TEST(one, two, le, <=)                                                          \
    EMULATED_SMALL_TEST(one, two, ge, >=)                                                          \
    EMULATED_SMALL_TEST(one, two, eq, ==)                                                          \
    EMULATED_SMALL_TEST(one, two, ne, !=)                                                          \
    static inline bool __hisnan(one a) { return a.get() != a.get(); }                              \
    static inline int __hisinf(one a) { return isinf(a.get()) ? a.get() > 0 ? 1 : -1 : 0; }        \
    static inline one __hfma(one a, one b, one c) { return one(fmaf(a.get(), b.get(), c.get())); } \
    static inline two __hfma2(two a, two b, two c)                                                 \
    {                                                                                              \
        return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                     \
    }                                                                                              \
    static EMULATED_WATCHED two atomicAdd(two *at, two b)                                          \
    {                                                                                              \
        EMULATED_WATCH(at, WATCH_ATOMIC);                                                          \
        two a = *at;                                                                               \
                                                                                                   \
        *at = a + b;                                                                               \
        return a;                                                                                  \
    }

#endif
