/* SPDX-License-Identifier: MIT */
/*
 * The word that bit-sliced code is written over: uint64_t, or with `#define WORD_LANES 4` (or 8)
 * before the first include a vector of that many; `#define WORD ...` for another unsigned integer.
 * C and CUDA.
 */
#ifndef CALAB_KERNELS_CPU_WORD_H
#define CALAB_KERNELS_CPU_WORD_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

#include "kernels/cpu/rule.h"

#ifdef WORD_LANES
typedef uint64_t word __attribute__((vector_size(8 * WORD_LANES)));
#else
#ifndef WORD
#define WORD uint64_t
#endif
#define WORD_LANES 1
typedef WORD word;
#endif

#ifndef __CUDACC__ /* walks over bit rows are the CPU's alone */

/* Words of a bit row in one of these. */
#define LANES ((int64_t)(sizeof(word) / sizeof(uint64_t)))

/* At any word of a bit row, aligned or not. */
RULE word load_word(const uint64_t *at)
{
    word value;

    memcpy(&value, at, sizeof value);
    return value;
}

RULE void store_word(uint64_t *at, word value) { memcpy(at, &value, sizeof value); }

/*
 * Each cell's left and right neighbour, `here` being the word at `at`. With AVX-512 from aligned
 * vectors, since a load that straddles two lines costs as much as two: the words moved up by one
 * with the last of the vector before, then a shift of pairs of words.
 */
RULE word word_left(const uint64_t *at, word here)
{
#if WORD_LANES == 8 && defined(__AVX512VBMI2__)
    __m512i beside = _mm512_alignr_epi64((__m512i)here, (__m512i)load_word(at - 8), 7);

    return (word)_mm512_shldi_epi64((__m512i)here, beside, 1);
#else
    return here << 1 | load_word(at - 1) >> 63;
#endif
}

RULE word word_right(const uint64_t *at, word here)
{
#if WORD_LANES == 8 && defined(__AVX512VBMI2__)
    __m512i beside = _mm512_alignr_epi64((__m512i)load_word(at + 8), (__m512i)here, 1);

    return (word)_mm512_shrdi_epi64((__m512i)here, beside, 1);
#else
    return here >> 1 | load_word(at + 1) << 63;
#endif
}

/*
 * Copies a row of words, rounded up to lines of 8, past the caches: for what is not read again
 * before it would have left them. Both at a line; finish_streams before others may read it.
 */
RULE void stream_words(uint64_t *to, const uint64_t *from, int64_t words)
{
#if defined(__AVX512F__)
    for (int64_t i = 0; i < words; i += 8)
        _mm512_stream_si512((__m512i *)(to + i), _mm512_load_si512(from + i));
#elif defined(__SSE2__)
    for (int64_t i = 0; i < (words + 7) / 8 * 8; i += 2)
        _mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(from + i)));
#else
    memcpy(to, from, (size_t)((words + 7) / 8 * 64));
#endif
}

RULE void finish_streams(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif

/*
 * Logic of three inputs, an instruction each with AVX-512 and on GPUs: bit i of `table` is the
 * result where the bits of a, b and c, read as a number, are i. Compilers find few of these by
 * themselves. The result takes the register of a: name first what is not needed afterwards.
 */
#if WORD_LANES == 8 && defined(__AVX512F__)
#define WORD_TERNARY(a, b, c, table)                                                               \
    ((word)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
/* Keeps a compiler from making a after it has overwritten b, for which it would need a copy. */
#define WORD_BEFORE(a, b) __asm__("" : "+v"(a), "+v"(b))
#elif defined(__CUDA_ARCH__)
template <int table> static __device__ __forceinline__ word word_ternary(word a, word b, word c)
{
    word result;

    static_assert(sizeof(word) == 4);
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(table));
    return result;
}
#define WORD_TERNARY(a, b, c, table) word_ternary<table>(a, b, c)
#define WORD_BEFORE(a, b) (void)0
#endif

/* Sum and carry of three bits. */
RULE word word_sum(word a, word b, word c)
{
#ifdef WORD_TERNARY
    return WORD_TERNARY(c, b, a, 0x96);
#else
    return a ^ b ^ c;
#endif
}

RULE word word_carry(word a, word b, word c)
{
#ifdef WORD_TERNARY
    return WORD_TERNARY(a, b, c, 0xe8);
#else
    return (a & b) | ((a ^ b) & c);
#endif
}

/* The same given the sum, so that an instruction that overwrites an input need not spare c. */
RULE word word_carry_of_sum(word a, word b, word c, word sum)
{
#if defined(WORD_TERNARY) && !defined(__CUDA_ARCH__)
    (void)c;
    return WORD_TERNARY(a, b, sum, 0xd4); /* a where a = b, else not the sum */
#else
    (void)sum;
    return word_carry(a, b, c);
#endif
}

#endif
