/* SPDX-License-Identifier: MIT */
/* These loops measure the ceilings of a core; they are written once over the width of a vector.
 * Logic is counted in two-input operations on 64 bits. The loops compute pairs, (a & b) ^ c,
 * because bit-sliced rules consist of those and AVX-512 has an instruction for a pair. Twelve
 * chains hide the latency, and the empty assembly keeps the compiler from merging rounds. */
#include "core/probe/loops.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define FOR_ISA(name) __attribute__((target(name)))
#define KEEP(value) __asm__ volatile("" : "+x"(value))
#define KEEP_WIDE(value) __asm__ volatile("" : "+v"(value))
#else
#define FOR_ISA(name)
#define KEEP(value) __asm__ volatile("" : "+m"(value))
#endif

#define CHAINS 12

#define DEFINE_COPY(isa, bytes, target_name)                                                       \
    typedef uint64_t vector_##isa __attribute__((vector_size(bytes), may_alias));                  \
    FOR_ISA(target_name) static void copy_##isa(void *to, const void *from, size_t count)          \
    {                                                                                              \
        vector_##isa *out = to;                                                                    \
        const vector_##isa *in = from;                                                             \
                                                                                                   \
        for (size_t i = 0; i < count / (bytes); i += 4) {                                          \
            out[i] = in[i];                                                                        \
            out[i + 1] = in[i + 1];                                                                \
            out[i + 2] = in[i + 2];                                                                \
            out[i + 3] = in[i + 3];                                                                \
            __asm__ volatile("" ::: "memory"); /* no call of memcpy */                             \
        }                                                                                          \
    }

#define DEFINE_LOGIC(isa, bytes, target_name, keep)                                                \
    FOR_ISA(target_name) static uint64_t logic_##isa(uint64_t n)                                   \
    {                                                                                              \
        vector_##isa chain[CHAINS], b = {0}, c = {0}, sum = {0};                                   \
        uint64_t result = 0;                                                                       \
                                                                                                   \
        b = ~b ^ (vector_##isa) { n };                                                             \
        c = (b << 7) ^ b;                                                                          \
        for (int i = 0; i < CHAINS; i++)                                                           \
            chain[i] = b ^ (uint64_t)i;                                                            \
        while (n--)                                                                                \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++)                              \
            {                                                                                      \
                chain[i] = (chain[i] & b) ^ c;                                                     \
                keep(chain[i]);                                                                    \
            }                                                                                      \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sum ^= chain[i];                                                                       \
        for (size_t i = 0; i < sizeof sum / 8; i++)                                                \
            result ^= sum[i];                                                                      \
        return result;                                                                             \
    }

#define LOOPS(isa, bytes)                                                                          \
    {                                                                                              \
        copy_##isa, stream_##isa, logic_##isa, 2 * CHAINS *(bytes) / 8                             \
    }

#if defined(__x86_64__)
DEFINE_COPY(sse2, 16, "sse2")
DEFINE_COPY(avx, 32, "avx")
DEFINE_COPY(avx2, 32, "avx2")
DEFINE_COPY(avx512, 64, "avx512f")
DEFINE_LOGIC(sse2, 16, "sse2", KEEP)
DEFINE_LOGIC(avx, 32, "avx", KEEP)
DEFINE_LOGIC(avx2, 32, "avx2", KEEP)
DEFINE_LOGIC(avx512, 64, "avx512f", KEEP_WIDE)

FOR_ISA("sse2") static void stream_sse2(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count / 16; i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    _mm_sfence();
}

FOR_ISA("avx") static void stream_avx(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count / 32; i++)
        _mm256_stream_si256((__m256i *)to + i, _mm256_load_si256((const __m256i *)from + i));
    _mm_sfence();
}

FOR_ISA("avx2") static void stream_avx2(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count / 32; i++)
        _mm256_stream_si256((__m256i *)to + i, _mm256_load_si256((const __m256i *)from + i));
    _mm_sfence();
}

FOR_ISA("avx512f") static void stream_avx512(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count / 64; i++)
        _mm512_stream_si512((__m512i *)to + i, _mm512_load_si512((const __m512i *)from + i));
    _mm_sfence();
}

const struct probe_loops probe_loops[] = {
    [CA_BASELINE] = LOOPS(sse2, 16),
    [CA_AVX] = LOOPS(avx, 32),
    [CA_AVX2] = LOOPS(avx2, 32),
    [CA_AVX512] = LOOPS(avx512, 64),
};
#else
DEFINE_COPY(words, 16, "")
DEFINE_LOGIC(words, 16, "", KEEP)

static void stream_words(void *to, const void *from, size_t count) { copy_words(to, from, count); }

const struct probe_loops probe_loops[] = {
    [CA_BASELINE] = LOOPS(words, 16),
    [CA_AVX] = LOOPS(words, 16),
    [CA_AVX2] = LOOPS(words, 16),
    [CA_AVX512] = LOOPS(words, 16),
};
#endif
