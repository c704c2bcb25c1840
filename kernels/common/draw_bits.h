/* SPDX-License-Identifier: MIT */
/*
 * Random bits for whole stretches of a row: bit(s) and event(s, k) of core/random.h, the same
 * numbers, for DRAW_WORDS words of 64 cells at once.
 *
 * One Philox call gives the bits of 128 cells. Here a vector holds DRAW_LANES counters, one in each
 * 64-bit lane, since the multiplication that Philox is made of takes the low halves of lanes and
 * fills whole ones; what stands in the upper halves between two multiplications is of no account.
 * With AVX-512 8 counters take 6 instructions a round.
 *
 * A counter is {x div 128, y, t, s * 2^24 + z}, and a round makes
 *
 *     c0' = high(M1 c2) ^ c1 ^ k0    c1' = low(M1 c2)    c2' = high(M0 c0) ^ c3 ^ k1    c3' =
 * low(M0 c0)
 *
 * So of the first three rounds much does not depend on the stream, or not on x: draw_step keeps
 * what a generation shares, draw_row what a row, draw_place what all streams of a place share, and
 * a stream takes 10 of 14 multiplications.
 *
 * Written over the widest vectors that the file's instruction set has; include it in C only.
 */
#ifndef CALAB_KERNELS_DRAW_BITS_H
#define CALAB_KERNELS_DRAW_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define DRAW_LANES 8
#elif defined(__AVX2__)
#define DRAW_LANES 4
#else
#define DRAW_LANES 2
#endif
#define DRAW_WORDS (2 * DRAW_LANES)
#define DRAW_CELLS (64 * DRAW_WORDS)

#define DRAW static inline __attribute__((always_inline))

typedef uint64_t draw_vector __attribute__((vector_size(8 * DRAW_LANES)));

/* Constants of Philox4x32, checked against Random123 by the tests. */
enum { DRAW_ROUNDS = 7 };
#define DRAW_M0 UINT64_C(0xD2511F53)
#define DRAW_M1 UINT64_C(0xCD9E8D57)
#define DRAW_W0 UINT32_C(0x9E3779B9)
#define DRAW_W1 UINT32_C(0xBB67AE85)
#define DRAW_LOW UINT64_C(0xffffffff)

/* Of a generation: round keys, and the first round's M1 c2. */
struct draw_step {
    uint64_t k0[DRAW_ROUNDS], k1[DRAW_ROUNDS], product;
};

struct draw_row {
    const struct draw_step *step;
    uint64_t c1, c3; /* after the first and the second round, with the next round's key */
    uint64_t c2, z;  /* the second round's, as far as x has no part in it */
};

struct draw_place {
    const struct draw_row *row;
    draw_vector high;    /* of the first round's M0 c0, with k1 */
    draw_vector product; /* M1 c2 of the third round */
};

/* Low halves of lanes times a number of 32 bits. */
DRAW draw_vector draw_multiply(draw_vector a, uint64_t m)
{
#if defined(__AVX512F__)
    return (draw_vector)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)m));
#elif defined(__AVX2__)
    return (draw_vector)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)m));
#elif defined(__x86_64__)
    return (draw_vector)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x((long long)m));
#else
    return (a & DRAW_LOW) * m;
#endif
}

DRAW bool draw_any(draw_vector a)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#else
    return (a[0] | a[1]) != 0;
#endif
}

/* The step from generation t. */
static inline struct draw_step draw_step(uint64_t seed, uint64_t t)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    struct draw_step step = {.product = DRAW_M1 * (t & DRAW_LOW)};

    for (int i = 0; i < DRAW_ROUNDS; i++, k0 += DRAW_W0, k1 += DRAW_W1) {
        step.k0[i] = k0;
        step.k1[i] = k1;
    }
    return step;
}

/* The row y of layer z. */
DRAW struct draw_row draw_row(const struct draw_step *step, uint64_t y, uint64_t z)
{
    uint64_t product = DRAW_M0 * ((step->product >> 32) ^ (y & DRAW_LOW) ^ step->k0[0]);
    struct draw_row row = {.step = step,
                           .c1 = step->product ^ step->k0[1],
                           .c3 = product ^ step->k1[2],
                           .c2 = (product >> 32) ^ step->k1[1],
                           .z = z};

    return row;
}

/* The cells from x on, a multiple of 128, DRAW_CELLS of them. */
DRAW struct draw_place draw_place(const struct draw_row *row, int64_t x)
{
#if DRAW_LANES == 8
    const draw_vector lane = {0, 1, 2, 3, 4, 5, 6, 7};
#elif DRAW_LANES == 4
    const draw_vector lane = {0, 1, 2, 3};
#else
    const draw_vector lane = {0, 1};
#endif
    draw_vector product = draw_multiply(lane + (uint64_t)x / 128, DRAW_M0);
    struct draw_place place = {.row = row,
                               .high = product >> 32 ^ row->step->k1[0],
                               .product = draw_multiply(product ^ row->c2, DRAW_M1)};

    return place;
}

/* bit(stream) of these cells: bits[w] holds cells x + 64 w ... x + 64 w + 63, from the lowest. */
DRAW void draw_bits(const struct draw_place *place, uint32_t stream, uint64_t bits[DRAW_WORDS])
{
    const struct draw_row *row = place->row;
    const struct draw_step *step = row->step;
    draw_vector c0, c1, c2, c3, p0, p1, even, odd, low, high;

    p1 = draw_multiply(place->high ^ (((uint64_t)stream << 24) + row->z),
                       DRAW_M1);                     /* second round */
    p0 = draw_multiply(p1 >> 32 ^ row->c1, DRAW_M0); /* third */
    c0 = place->product >> 32 ^ p1 ^ step->k0[2];
    c1 = place->product;
    c2 = p0 >> 32 ^ row->c3;
    c3 = p0;
#pragma GCC unroll 4
    for (int i = 3; i < DRAW_ROUNDS; i++) {
        p0 = draw_multiply(c0, DRAW_M0);
        p1 = draw_multiply(c2, DRAW_M1);
        c0 = p1 >> 32 ^ c1 ^ step->k0[i];
        c1 = p1;
        c2 = p0 >> 32 ^ c3 ^ step->k1[i];
        c3 = p0;
    }
    even = (c0 & DRAW_LOW) | c1 << 32;
    odd = (c2 & DRAW_LOW) | c3 << 32;
#if DRAW_LANES == 8
    low = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
    high = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
#elif DRAW_LANES == 4
    low = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
    high = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
#else
    low = __builtin_shufflevector(even, odd, 0, 2);
    high = __builtin_shufflevector(even, odd, 1, 3);
#endif
    memcpy(bits, &low, sizeof low);
    memcpy(bits + DRAW_LANES, &high, sizeof high);
}

/*
 * event(stream, k) of those of these cells that are set in `among`, the others not set. Returns
 * whether there are any. From the top: the first bit in which the drawn number and k differ
 * decides, so that after a few draws no cell is left for which a further one would matter; and none
 * matters below the lowest set bit of k.
 */
DRAW bool draw_event(const struct draw_place *place, uint32_t stream, uint32_t k,
                     const uint64_t among[DRAW_WORDS], uint64_t event[DRAW_WORDS])
{
    draw_vector open[2], happens[2], bits[2];
    uint64_t words[DRAW_WORDS];

    memcpy(open, among, sizeof open);
    memset(happens, 0, sizeof happens);
    if (k >= 65536)
        memcpy(happens, among, sizeof happens);
    for (uint32_t i = 0; (k << i & 0xffff) != 0 && draw_any(open[0] | open[1]); i++) {
        draw_bits(place, stream + i, words);
        memcpy(bits, words, sizeof bits);
        if (k >> (15 - i) & 1) {
            happens[0] |= open[0] & ~bits[0];
            happens[1] |= open[1] & ~bits[1];
            open[0] &= bits[0];
            open[1] &= bits[1];
        } else {
            open[0] &= ~bits[0];
            open[1] &= ~bits[1];
        }
    }
    memcpy(event, happens, sizeof happens);
    return draw_any(happens[0] | happens[1]);
}

#endif
