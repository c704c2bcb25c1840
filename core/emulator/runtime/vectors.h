/* SPDX-License-Identifier: MIT */
/* Keywords of CUDA C++ that mean nothing here, and CUDA's vector types. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_VECTORS_H
#define CALAB_CORE_EMULATOR_RUNTIME_VECTORS_H

/* core/emulator/rewrite.c reads __global__, __host__, __device__ and what declares variables; a
 * .cpp file that is compiled beside goes without it. */
#ifdef EMULATED_HOST_ONLY
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#endif
#if defined __SANITIZE_THREAD__
#define EMULATED_WATCHING
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define EMULATED_WATCHING
#endif
#endif
/* Accesses that a kernel does not make by itself are not watched. */
#ifdef EMULATED_WATCHING
#define EMULATED_UNSEEN __attribute__((noinline, no_sanitize("thread")))
#else
#define EMULATED_UNSEEN
#endif
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ /* nothing, since libstdc++ has it as the name of an attribute */
#define __inline_hint__
#define __cluster_dims__(...)
#define __builtin_align__(n) __align__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(n)

/* A vector of four is aligned to its size, up to 16 bytes, so that UBSan sees what a GPU would. */
#define EMULATED_VECTORS(type, stem, align2, align4)                                               \
    struct stem##1 { type x; };                                                                    \
    struct alignas(align2) stem##2 { type x, y; };                                                 \
    struct stem##3 { type x, y, z; };                                                              \
    struct alignas(align4) stem##4 { type x, y, z, w; };                                           \
    static inline stem##1 make_##stem##1(type x) { return {x}; }                                   \
    static inline stem##2 make_##stem##2(type x, type y) { return {x, y}; }                        \
    static inline stem##3 make_##stem##3(type x, type y, type z) { return {x, y, z}; }             \
    static inline stem##4 make_##stem##4(type x, type y, type z, type w) { return {x, y, z, w}; }

EMULATED_VECTORS(signed char, char, 2, 4)
EMULATED_VECTORS(unsigned char, uchar, 2, 4)
EMULATED_VECTORS(short, short, 4, 8)
EMULATED_VECTORS(unsigned short, ushort, 4, 8)
EMULATED_VECTORS(int, int, 8, 16)
EMULATED_VECTORS(unsigned, uint, 8, 16)
EMULATED_VECTORS(long, long, 16, 16)
EMULATED_VECTORS(unsigned long, ulong, 16, 16)
EMULATED_VECTORS(long long, longlong, 16, 16)
EMULATED_VECTORS(unsigned long long, ulonglong, 16, 16)
EMULATED_VECTORS(float, float, 8, 16)
EMULATED_VECTORS(double, double, 16, 16)

/* Vectors of 32 bytes that say to what they are aligned. */
#define EMULATED_WIDE(type, stem)                                                                  \
    struct alignas(16) stem##4_16a { type x, y, z, w; };                                           \
    struct alignas(32) stem##4_32a { type x, y, z, w; };                                           \
    static inline stem##4_16a make_##stem##4_16a(type x, type y, type z, type w)                   \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }                                                                                              \
    static inline stem##4_32a make_##stem##4_32a(type x, type y, type z, type w)                   \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }

EMULATED_WIDE(long, long)
EMULATED_WIDE(unsigned long, ulong)
EMULATED_WIDE(long long, longlong)
EMULATED_WIDE(unsigned long long, ulonglong)
EMULATED_WIDE(double, double)

struct dim3 {
    unsigned x, y, z;

    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};

#endif
