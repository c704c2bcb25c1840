/* SPDX-License-Identifier: MIT */
/* CUDA's device functions that need no other thread: bits, floats, loads, atomics, min and max. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_INTRINSICS_H
#define CALAB_CORE_EMULATOR_RUNTIME_INTRINSICS_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <type_traits>

#include "core/emulator/runtime/watch.h"
#include "core/emulator/runtime/vectors.h"

/* --- bits ------------------------------------------------------------------------------------- */

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }

static inline unsigned __brev(unsigned x)
{
    unsigned y = 0;

    for (int i = 0; i < 32; i++)
        y |= (x >> i & 1) << (31 - i);
    return y;
}

static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

/* high:low shifted; _l and _r take the shift modulo 32, _lc and _rc at most 32. */
static inline unsigned emulated_funnel(unsigned low, unsigned high, unsigned right)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> right);
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return emulated_funnel(low, high, 32 - (shift & 31));
}

static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return emulated_funnel(low, high, 32 - (shift < 32 ? shift : 32));
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return emulated_funnel(low, high, shift & 31);
}

static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return emulated_funnel(low, high, shift < 32 ? shift : 32);
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

static inline int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;

    for (int i = 0; i < 4; i++) {
        unsigned choice = selector >> (4 * i) & 15;
        unsigned byte = (unsigned)(bytes >> (8 * (choice & 7)) & 255);

        if (choice & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}

static inline unsigned __vadd4(unsigned a, unsigned b)
{
    return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
}

/* 255 in each byte that is equal. */
static inline unsigned __vcmpeq4(unsigned a, unsigned b)
{
    unsigned mask = 0;

    for (int i = 0; i < 32; i += 8)
        mask |= ((a ^ b) >> i & 255 ? 0u : 255u) << i;
    return mask;
}

/* --- floats: single operations, rounded to the nearest, as the CPU does them ------------------ */

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __frcp_rn(float a) { return 1 / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }

template <class To, class From> static inline To emulated_bits(From value)
{
    To to;

    static_assert(sizeof(To) == sizeof(From));
    memcpy(&to, &value, sizeof to);
    return to;
}

static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return emulated_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return emulated_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return emulated_bits<float>(x); }

/* As on a GPU, the less of two floats is the one that is a number; of two zeros, the negative one.
 */
template <class F> static inline F emulated_less(F a, F b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

template <class F> static inline F emulated_more(F a, F b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

template <class A, class B> static inline std::common_type_t<A, B> min(A a, B b)
{
    typedef std::common_type_t<A, B> common;

    if constexpr (std::is_floating_point_v<common>)
        return emulated_less((common)a, (common)b);
    else
        return (common)a < (common)b ? (common)a : (common)b;
}

template <class A, class B> static inline std::common_type_t<A, B> max(A a, B b)
{
    typedef std::common_type_t<A, B> common;

    if constexpr (std::is_floating_point_v<common>)
        return emulated_more((common)a, (common)b);
    else
        return (common)a > (common)b ? (common)a : (common)b;
}

static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

/* --- loads and stores with a hint for the caches ---------------------------------------------- */

#define EMULATED_LOAD(name)                                                                        \
    template <class T> static inline T name(const T *from) { return *from; }
#define EMULATED_STORE(name)                                                                       \
    template <class T> static inline void name(T *to, T value) { *to = value; }

EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldca)
EMULATED_LOAD(__ldcg)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldlu)
EMULATED_LOAD(__ldcv)
EMULATED_STORE(__stwb)
EMULATED_STORE(__stcg)
EMULATED_STORE(__stcs)
EMULATED_STORE(__stwt)

/* --- atomics: one thread runs at a time ------------------------------------------------------- */

/* Not inlined where accesses are watched, so that it is one access, at the line that calls it. */
#ifdef EMULATED_WATCHING
#define EMULATED_WATCHED __attribute__((noinline, no_sanitize("thread")))
#define EMULATED_WATCH(at, how) watch_access(at, sizeof *(at), how, WATCH_CALLER)
#define EMULATED_WATCH_COMPARE(at, compare)                                                        \
    do {                                                                                           \
        uint64_t value = 0;                                                                        \
        memcpy(&value, &compare, sizeof compare);                                                  \
        watch_compares(at, sizeof *(at), value);                                                   \
    } while (0)
#else
#define EMULATED_WATCH_COMPARE(at, compare) (void)0
#define EMULATED_WATCHED inline
#define EMULATED_WATCH(at, how) (void)0
#endif

#define EMULATED_ATOMIC_OF(name, expression, how)                                                  \
    template <class T> static EMULATED_WATCHED T name(T *at, std::type_identity_t<T> b)            \
    {                                                                                              \
        EMULATED_WATCH(at, how);                                                                   \
        T a = *at;                                                                                 \
                                                                                                   \
        *at = (expression);                                                                        \
        return a;                                                                                  \
    }
/* _system is as good as the device here, where there is one. */
#define EMULATED_ATOMIC(name, expression)                                                          \
    EMULATED_ATOMIC_OF(name, expression, WATCH_ATOMIC)                                             \
    EMULATED_ATOMIC_OF(name##_system, expression, WATCH_ATOMIC)                                    \
    EMULATED_ATOMIC_OF(name##_block, expression, WATCH_ATOMIC_BLOCK)

/* Integers wrap around, also signed ones. */
template <class T> static inline T emulated_sum(T a, T b)
{
    if constexpr (std::is_integral_v<T>)
        return (T)((std::make_unsigned_t<T>)a + (std::make_unsigned_t<T>)b);
    else
        return a + b;
}

EMULATED_ATOMIC(atomicAdd, emulated_sum(a, b))
EMULATED_ATOMIC(atomicSub, (T)(a - b))
EMULATED_ATOMIC(atomicAnd, a &b)
EMULATED_ATOMIC(atomicOr, a | b)
EMULATED_ATOMIC(atomicXor, a ^ b)
EMULATED_ATOMIC(atomicMin, b < a ? b : a)
EMULATED_ATOMIC(atomicMax, b > a ? b : a)
EMULATED_ATOMIC_OF(atomicExch, b, WATCH_EXCHANGE)
EMULATED_ATOMIC_OF(atomicExch_system, b, WATCH_EXCHANGE)
EMULATED_ATOMIC_OF(atomicExch_block, b, WATCH_EXCHANGE_BLOCK)
EMULATED_ATOMIC(atomicInc, a >= b ? 0 : a + 1)
EMULATED_ATOMIC(atomicDec, a == 0 || a > b ? b : a - 1)

#define EMULATED_CAS(name, how)                                                                    \
    template <class T>                                                                             \
    static EMULATED_WATCHED T name(T *at, std::type_identity_t<T> compare,                         \
                                   std::type_identity_t<T> value)                                  \
    {                                                                                              \
        EMULATED_WATCH_COMPARE(at, compare);                                                       \
        EMULATED_WATCH(at, how);                                                                   \
        T old = *at;                                                                               \
                                                                                                   \
        if (old == compare)                                                                        \
            *at = value;                                                                           \
        return old;                                                                                \
    }

EMULATED_CAS(atomicCAS, WATCH_ATOMIC)
EMULATED_CAS(atomicCAS_system, WATCH_ATOMIC)
EMULATED_CAS(atomicCAS_block, WATCH_ATOMIC_BLOCK)

/* --- fast mathematics: as exact as the CPU's ------------------------------------------------- */

static inline int __mul24(int a, int b)
{
    return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline unsigned __sad(int a, int b, unsigned c)
{
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return (a > b ? a - b : b - a) + c;
}
static inline int __hadd(int a, int b) { return (int)(((int64_t)a + b) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a + b) >> 1);
}
static inline int __rhadd(int a, int b) { return (int)(((int64_t)a + b + 1) >> 1); }
/* glibc declares functions of these names, which it does not have. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __sincosf sincosf

static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rcbrtf(float x) { return 1 / cbrtf(x); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float sinpif(float x) { return (float)sin((double)x * M_PI); }
static inline float cospif(float x) { return (float)cos((double)x * M_PI); }
static inline double sinpi(double x) { return sin(x * M_PI); }
static inline double cospi(double x) { return cos(x * M_PI); }
static inline float normcdff(float x) { return erfcf(-x * (float)M_SQRT1_2) / 2; }
static inline double normcdf(double x) { return erfc(-x * M_SQRT1_2) / 2; }
static inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline int __float2int_ru(float x) { return (int)ceilf(x); }
static inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
static inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline int __double2int_rn(double x) { return (int)rint(x); }
static inline int __double2int_rz(double x) { return (int)x; }
static inline float __double2float_rn(double x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }

/* --- clocks: nanoseconds ---------------------------------------------------------------------- */

static inline long long clock64()
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#endif
