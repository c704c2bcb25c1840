/* SPDX-License-Identifier: MIT */
/*
 * The vector of floats that water's rows are written over, by what the source is compiled for: 16
 * with AVX-512, 8 with AVX2. Arithmetic operators are the language's. min and max return their
 * second operand where neither is smaller or greater, as water_max does.
 */
#ifndef CALAB_KERNELS_WATER_VECTOR_H
#define CALAB_KERNELS_WATER_VECTOR_H

#include <immintrin.h>
#include <stdint.h>

#if defined(__AVX512F__)

#define CELLS 16
typedef __m512 vector;
typedef __mmask16 mask;

static inline vector vector_load(const float *at) { return _mm512_loadu_ps(at); }
static inline void vector_store(float *at, vector a) { _mm512_store_ps(at, a); }
static inline vector vector_all(float a) { return _mm512_set1_ps(a); }
static inline vector vector_min(vector a, vector b) { return _mm512_min_ps(a, b); }
static inline vector vector_max(vector a, vector b) { return _mm512_max_ps(a, b); }
static inline mask vector_greater(vector a, vector b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
/* Cells x + i of i = 0 ... CELLS - 1 that are at least `low` and below `high`. */
static inline mask vector_between(int64_t x, int64_t low, int64_t high)
{
    uint32_t all = 0xffff, from = x >= low ? all : all << (low - x);

    return (mask)(from & (x + CELLS <= high ? all : all >> (x + CELLS - high)));
}
static inline mask mask_all(void) { return 0xffff; }
/* True where m is, and a is not greater than b. */
static inline mask mask_while_not_greater(mask m, vector a, vector b)
{
    return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_NGT_UQ);
}
/* b where m, else a. */
static inline vector vector_choose(mask m, vector a, vector b)
{
    return _mm512_mask_blend_ps(m, a, b);
}
/* a + b where m, else a. */
static inline vector vector_add_where(mask m, vector a, vector b)
{
    return _mm512_mask_add_ps(a, m, a, b);
}
#else

#define CELLS 8
typedef __m256 vector;
typedef __m256 mask; /* all bits of a lane or none */

static inline vector vector_load(const float *at) { return _mm256_loadu_ps(at); }
static inline void vector_store(float *at, vector a) { _mm256_store_ps(at, a); }
static inline vector vector_all(float a) { return _mm256_set1_ps(a); }
static inline vector vector_min(vector a, vector b) { return _mm256_min_ps(a, b); }
static inline vector vector_max(vector a, vector b) { return _mm256_max_ps(a, b); }
static inline mask vector_greater(vector a, vector b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
static inline mask vector_between(int64_t x, int64_t low, int64_t high)
{
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int from = x >= low ? 0 : (int)(low - x), to = x + CELLS <= high ? CELLS : (int)(high - x);
    __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(to), at);

    return (mask)_mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(from), at), below);
}
static inline mask mask_all(void) { return (mask)_mm256_set1_epi32(-1); }
static inline mask mask_while_not_greater(mask m, vector a, vector b)
{
    return _mm256_andnot_ps(vector_greater(a, b), m);
}
static inline vector vector_choose(mask m, vector a, vector b) { return _mm256_blendv_ps(a, b, m); }
static inline vector vector_add_where(mask m, vector a, vector b)
{
    return _mm256_blendv_ps(a, a + b, m);
}

#endif
#endif
