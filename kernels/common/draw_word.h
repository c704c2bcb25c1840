/* SPDX-License-Identifier: MIT */
/*
 * Random bits for banded bit planes (kernels/common/bands.h), written over `word`: bit(s) and
 * event(s, k) of core/random.h, the same numbers, for the rows in a vector's lanes at once.
 *
 * A lane holds the counter of its row, {x div 128, y, t, s * 2^24 + z}, and gets the bits of 128
 * cells, two words, where they belong. Philox multiplies the low halves of 64 bits to whole ones;
 * what stands in the upper halves in between is of no account. A round makes
 *
 *     c0' = high(M1 c2) ^ c1 ^ k0    c1' = low(M1 c2)    c2' = high(M0 c0) ^ c3 ^ k1    c3' =
 * low(M0 c0)
 *
 * y differs from lane to lane, x and t do not: so in the first three rounds much is the same for
 * all lanes, for all streams or for the whole row, and a stream takes 8 vector multiplications
 * of 14.
 */
#ifndef CALAB_KERNELS_DRAW_WORD_H
#define CALAB_KERNELS_DRAW_WORD_H

#include "kernels/common/bands_word.h"

enum { WORD_ROUNDS = 7 };
#define WORD_M0 UINT64_C(0xD2511F53)
#define WORD_M1 UINT64_C(0xCD9E8D57)
#define WORD_W0 UINT32_C(0x9E3779B9)
#define WORD_W1 UINT32_C(0xBB67AE85)
#define WORD_LOW UINT64_C(0xffffffff)

/* One step's. */
struct word_draw {
    uint64_t k0[WORD_ROUNDS], k1[WORD_ROUNDS]; /* round keys */
    uint64_t first;                            /* M1 c2 of the first round */
};

struct word_draw_row {
    const struct word_draw *draw;
    uint64_t z;
    word second; /* M0 c0 of the second round */
};

struct word_draw_place {
    const struct word_draw_row *row;
    uint64_t high; /* of M0 c0 of the first round, with its key */
    word third;    /* M1 c2 of the third round */
};

struct word_pair {
    word even, odd; /* cells 0 ... 63 and 64 ... 127 */
};

ALWAYS word word_multiply(word a, uint64_t m)
{
#if WORD_LANES == 8 && defined(__AVX512F__)
    return (word)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)m));
#elif WORD_LANES == 4 && defined(__AVX2__)
    return (word)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)m));
#else
    return (a & WORD_LOW) * m;
#endif
}

ALWAYS bool word_any(word a)
{
#if WORD_LANES == 8 && defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
#elif WORD_LANES == 4 && defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#else
    uint64_t lanes[WORD_LANES], any = 0;

    memcpy(lanes, &a, sizeof lanes);
    for (int i = 0; i < WORD_LANES; i++)
        any |= lanes[i];
    return any != 0;
#endif
}

static inline struct word_draw word_draw(uint64_t seed, uint64_t t)
{
    struct word_draw draw = {.first = WORD_M1 * (t & WORD_LOW)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

    for (int i = 0; i < WORD_ROUNDS; i++, k0 += WORD_W0, k1 += WORD_W1) {
        draw.k0[i] = k0;
        draw.k1[i] = k1;
    }
    return draw;
}

/* y: of each lane. */
ALWAYS struct word_draw_row word_draw_row(const struct word_draw *draw, word y, uint64_t z)
{
    struct word_draw_row row = {.draw = draw, .z = z};

    row.second = word_multiply(y ^ ((draw->first >> 32) ^ draw->k0[0]), WORD_M0);
    return row;
}

/* Cells 128 block ... 128 block + 127 of the rows. */
ALWAYS struct word_draw_place word_draw_place(const struct word_draw_row *row, uint64_t block)
{
    const struct word_draw *draw = row->draw;
    uint64_t product = WORD_M0 * (block & WORD_LOW);
    struct word_draw_place place = {.row = row, .high = (product >> 32) ^ draw->k1[0]};

    place.third =
        word_multiply((row->second >> 32) ^ ((product & WORD_LOW) ^ draw->k1[1]), WORD_M1);
    return place;
}

ALWAYS struct word_pair word_draw_bits(const struct word_draw_place *place, uint32_t stream)
{
    const struct word_draw_row *row = place->row;
    const struct word_draw *draw = row->draw;
    uint64_t second = WORD_M1 * ((place->high ^ (((uint64_t)stream << 24) + row->z)) & WORD_LOW);
    uint64_t third =
        WORD_M0 * (((second >> 32) ^ (draw->first & WORD_LOW) ^ draw->k0[1]) & WORD_LOW);
    word c0 = (place->third >> 32) ^ ((second & WORD_LOW) ^ draw->k0[2]), c1 = place->third;
    word c2 = row->second ^ ((third >> 32) ^ draw->k1[2]), c3 = word_of(third & WORD_LOW);
    struct word_pair pair;

#pragma GCC unroll 4
    for (int i = 3; i < WORD_ROUNDS; i++) {
        word p0 = word_multiply(c0, WORD_M0), p1 = word_multiply(c2, WORD_M1);

        c0 = word_sum(p1 >> 32, c1, word_of(draw->k0[i]));
        c1 = p1;
        c2 = word_sum(p0 >> 32, c3, word_of(draw->k1[i]));
        c3 = p0;
    }
    pair.even = (c0 & WORD_LOW) | c1 << 32;
    pair.odd = (c2 & WORD_LOW) | c3 << 32;
    return pair;
}

/*
 * event(stream, k) of those of these cells that are set in `among`; false of the others. From the
 * top: the first bit in which the drawn number and k differ decides, so that after a few draws
 * there is no cell left for which a further one would matter; and none matters below the lowest
 * set bit of k. The bits drawn go `shift` cells up, for rows that share a word.
 */
ALWAYS struct word_pair word_draw_event(const struct word_draw_place *place, uint32_t stream,
                                        uint32_t k, struct word_pair among, int shift)
{
    struct word_pair open = among, happens = {word_of(0), word_of(0)};

    if (k >= 65536)
        return among;
    for (uint32_t i = 0; (k << i & 0xffff) != 0 && word_any(open.even | open.odd); i++) {
        struct word_pair bits = word_draw_bits(place, stream + i);

        bits.even = bits.even << shift;
        if (k >> (15 - i) & 1) {
            happens.even |= open.even & ~bits.even;
            happens.odd |= open.odd & ~bits.odd;
            open.even &= bits.even;
            open.odd &= bits.odd;
        } else {
            open.even &= ~bits.even;
            open.odd &= ~bits.odd;
        }
    }
    return happens;
}

#endif
