/* SPDX-License-Identifier: MIT */
/*
 * The word that bit-sliced code is written over, for C and CUDA, with the adders and the selection
 * that its logic is made of. A word is a uint64_t; with WORD_LANES defined as 2, 4 or 8 before the
 * first include it is a vector of that many, and with WORD defined it is that unsigned integer. The
 * Makefile compiles kernels/<model>/bitslice.c once for each width.
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

/* A source that is compiled for several widths exports `name`, name_avx2 or name_avx512. */
#if WORD_LANES == 8
#define WORD_NAME(name) name##_avx512
#elif WORD_LANES == 4
#define WORD_NAME(name) name##_avx2
#else
#define WORD_NAME(name) name
#endif

#ifndef __CUDACC__ /* the loops over bit rows are the CPU's alone */

/* 64-bit words of a bit row in a `word`. */
#define LANES ((int64_t)(sizeof(word) / sizeof(uint64_t)))

/* Loads and stores at any 64-bit word of a bit row, aligned to a vector or not. */
RULE word load_word(const uint64_t *at)
{
    word value;

    memcpy(&value, at, sizeof value);
    return value;
}

RULE void store_word(uint64_t *at, word value) { memcpy(at, &value, sizeof value); }

/*
 * Each cell's left and right neighbour, `here` being the word at `at`. AVX-512 makes them from
 * aligned vectors, because a load that straddles two cache lines costs as much as two: the lanes
 * are shifted by one, with the last lane of the vector before, and a funnel shift joins each pair.
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
 * Copies a row of words, rounded up to cache lines of 8, with non-temporal stores, for rows that
 * would leave the caches before they are read again. Both pointers are aligned to a line. Other
 * threads may read the row after finish_streams.
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
 * Ternary logic: any function of three words, which is one instruction on GPUs (LOP3) and with
 * AVX-512, where compilers find few of these by themselves. It is written as an expression of its
 * inputs:
 *
 *     LOP3(a, b, c, A ^ (B & ~C))
 *
 * AVX-512 overwrites the register of a, so a is best the operand that is not needed afterwards.
 * Processors without the instruction compute the expression as it stands.
 *
 * The instruction takes a table: its bit i is the result where the bits of a, b and c, read as a
 * number, are i. So the table is the value of the expression where A, B and C are the tables of the
 * inputs themselves.
 */
#if WORD_LANES == 8 && defined(__AVX512F__)
#define WORD_TERNARY(a, b, c, table)                                                               \
    ((word)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
/* Makes the compiler compute a before it overwrites b, because the other order needs a copy. */
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

#ifdef __CUDACC_RTC__ /* which has no expressions of statements */
#define LOP3(a, b, c, expression)                                                                  \
    [&] {                                                                                          \
        enum { A = 0xf0, B = 0xcc, C = 0xaa };                                                     \
        return WORD_TERNARY(a, b, c, 0xff & (expression));                                         \
    }()
#elif defined(WORD_TERNARY)
#define LOP3(a, b, c, expression)                                                                  \
    __extension__({                                                                                \
        enum { A = 0xf0, B = 0xcc, C = 0xaa };                                                     \
        WORD_TERNARY(a, b, c, 0xff & (expression));                                                \
    })
#else
#define LOP3(a, b, c, expression)                                                                  \
    __extension__({                                                                                \
        const word A = (a), B = (b), C = (c);                                                      \
        (void)C;                                                                                   \
        (expression);                                                                              \
    })
#endif

/* Any of three. */
RULE word word_or3(word a, word b, word c) { return LOP3(a, b, c, A | B | C); }

/* Bits of `yes` where the condition is set, else of `no`. */
RULE word word_select(word condition, word yes, word no)
{
    return LOP3(condition, yes, no, C ^ (A & (B ^ C)));
}

/* --- adders ----------------------------------------------------------------------------------- */

/* Sum and carry of three bits: their exclusive or, and their majority. */
RULE word word_sum(word a, word b, word c) { return LOP3(c, b, a, C ^ B ^ A); }

RULE word word_carry(word a, word b, word c) { return LOP3(a, b, c, (A & B) | ((A ^ B) & C)); }

/* A number of two bits at each bit position: low + 2 high. */
struct bit_sum {
    word low, high;
};

RULE struct bit_sum word_half_add(word a, word b)
{
    struct bit_sum sum = {a ^ b, a & b};

    return sum;
}

/*
 * The full adder takes five operations, or two ternary ones. AVX-512 makes the carry from the sum,
 * a where a = b and else not the sum, so that the instruction that overwrites c leaves no copy.
 */
RULE struct bit_sum word_full_add(word a, word b, word c)
{
    struct bit_sum sum;

    sum.low = word_sum(a, b, c);
#if defined(WORD_TERNARY) && !defined(__CUDA_ARCH__)
    sum.high = LOP3(a, b, sum.low, (A & B) | ((A ^ B) & ~C));
#else
    sum.high = word_carry(a, b, c);
#endif
    return sum;
}

#endif
