/* SPDX-License-Identifier: MIT */
/*
 * Random bits for many cells at once: bit(s) and event(s, k) of core/base/random.h, the same
 * numbers; and which of a word's uniform(s) are below a limit.
 *
 * One Philox call gives the bits of 128 cells, or the numbers of four. Here a vector holds
 * DRAW_LANES counters, one in each 64-bit lane, because the multiplication that Philox is made of
 * takes the low halves of lanes and fills whole ones; the upper halves between two multiplications
 * are ignored. With AVX-512 8 counters take 6 instructions a round.
 *
 * A counter is {x div 128, y, t, s * 2^24 + z}, and a round makes
 *
 *     c0' = high(M1 c2) ^ c1 ^ k0    c1' = low(M1 c2)
 *     c2' = high(M0 c0) ^ c3 ^ k1    c3' = low(M0 c0)
 *
 * So much of the first three rounds is the same for all streams, or for a whole row. Cells lie in
 * lanes in one of two ways, which differ in these rounds and share the others:
 *
 *   along a row    lanes differ in x: draw_row keeps the row's part and draw_place the part of all
 *                  streams at a place, so a stream takes 10 of 14 vector multiplications
 *   across rows    lanes differ in y, one row each: draw_rows and draw_block, 8 of 14
 *
 * The vectors are the widest that the instruction set of the including file has, or of DRAW_LANES
 * lanes where that is defined. For C only.
 */
#ifndef CALAB_KERNELS_CPU_PHILOX_H
#define CALAB_KERNELS_CPU_PHILOX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef DRAW_LANES
#if defined(__AVX512F__)
#define DRAW_LANES 8
#elif defined(__AVX2__)
#define DRAW_LANES 4
#else
#define DRAW_LANES 2
#endif
#endif
#define DRAW_WORDS (2 * DRAW_LANES)
#define DRAW_CELLS (64 * DRAW_WORDS)

#define DRAW static inline __attribute__((always_inline))

#if DRAW_LANES > 1
typedef uint64_t draw_vector __attribute__((vector_size(8 * DRAW_LANES)));
#else
typedef uint64_t draw_vector;
#endif

/* Two words of each lane's row: cells 0 ... 63 and 64 ... 127, or any other two. */
struct draw_pair {
    draw_vector even, odd;
};

/* Constants of Philox4x32, checked against Random123 by the tests. */
enum { DRAW_ROUNDS = 7 };
#define DRAW_M0 UINT64_C(0xD2511F53)
#define DRAW_M1 UINT64_C(0xCD9E8D57)
#define DRAW_W0 UINT32_C(0x9E3779B9)
#define DRAW_W1 UINT32_C(0xBB67AE85)
#define DRAW_LOW UINT64_C(0xffffffff)

/* --- vectors ---------------------------------------------------------------------------------- */

/* The low halves of lanes times a number of 32 bits. */
DRAW draw_vector draw_multiply(draw_vector a, uint64_t m)
{
#if DRAW_LANES == 8 && defined(__AVX512F__)
    return (draw_vector)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)m));
#elif DRAW_LANES == 4 && defined(__AVX2__)
    return (draw_vector)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)m));
#elif DRAW_LANES == 2 && defined(__x86_64__)
    return (draw_vector)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x((long long)m));
#else
    return (a & DRAW_LOW) * m;
#endif
}

DRAW bool draw_any(draw_vector a)
{
#if DRAW_LANES == 8 && defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
#elif DRAW_LANES == 4 && defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#elif DRAW_LANES == 1
    return a != 0;
#else
    uint64_t lanes[DRAW_LANES], any = 0;

    memcpy(lanes, &a, sizeof lanes);
    for (int i = 0; i < DRAW_LANES; i++)
        any |= lanes[i];
    return any != 0;
#endif
}

DRAW draw_vector draw_sum(draw_vector a, draw_vector b, draw_vector c)
{
#if DRAW_LANES == 8 && defined(__AVX512F__)
    return (draw_vector)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#else
    return a ^ b ^ c;
#endif
}

/* --- Philox ----------------------------------------------------------------------------------- */

/* All draws of a generation share the round keys, and the first round's M1 c2. */
struct draw_step {
    uint64_t k0[DRAW_ROUNDS], k1[DRAW_ROUNDS], product;
};

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

/* Counters after three rounds. */
struct draw_state {
    draw_vector c0, c1, c2, c3;
};

/* The remaining rounds: each lane gets the bits of 128 cells. */
DRAW struct draw_pair draw_rounds(const struct draw_step *step, struct draw_state state)
{
    const draw_vector none = {0};
    struct draw_pair bits;

#pragma GCC unroll 4
    for (int i = 3; i < DRAW_ROUNDS; i++) {
        draw_vector p0 = draw_multiply(state.c0, DRAW_M0), p1 = draw_multiply(state.c2, DRAW_M1);

        state.c0 = draw_sum(p1 >> 32, state.c1, none + step->k0[i]);
        state.c1 = p1;
        state.c2 = draw_sum(p0 >> 32, state.c3, none + step->k1[i]);
        state.c3 = p0;
    }
    bits.even = (state.c0 & DRAW_LOW) | state.c1 << 32;
    bits.odd = (state.c2 & DRAW_LOW) | state.c3 << 32;
    return bits;
}

/* --- events ----------------------------------------------------------------------------------- */

/*
 * The highest bit in which the drawn number and k differ decides. So after a few draws no cell is
 * left undecided, and no draw matters below the lowest set bit of k. Two draws are made at a time,
 * since they do not depend on each other; the second may be in vain.
 */
struct draw_decision {
    struct draw_pair open, happens;
};

DRAW bool draw_matters(const struct draw_decision *decision, uint32_t k, uint32_t i)
{
    return (k << i & 0xffff) != 0 && draw_any(decision->open.even | decision->open.odd);
}

DRAW struct draw_decision draw_decision(uint32_t k, struct draw_pair among)
{
    const draw_vector none = {0};
    struct draw_decision decision = {among, {none, none}};

    if (k >= 65536)
        decision.happens = among;
    return decision;
}

/* Decides by the bits of draw i. */
DRAW void draw_decide(struct draw_decision *decision, uint32_t k, uint32_t i, struct draw_pair bits)
{
    struct draw_pair *open = &decision->open;

    if (k >> (15 - i) & 1) {
        decision->happens.even |= open->even & ~bits.even;
        decision->happens.odd |= open->odd & ~bits.odd;
        open->even &= bits.even;
        open->odd &= bits.odd;
    } else {
        open->even &= ~bits.even;
        open->odd &= ~bits.odd;
    }
}

/* --- along a row ------------------------------------------------------------------------------ */

struct draw_row {
    const struct draw_step *step;
    uint64_t c1, c3; /* after the first and the second round, with the next round's key */
    uint64_t c2, z;  /* the second round's part that does not depend on x */
};

struct draw_place {
    const struct draw_row *row;
    draw_vector high;    /* that of the first round's M0 c0, with k1 */
    draw_vector product; /* M1 c2 of the third round */
};

#if DRAW_LANES > 1

/* Row y of layer z. */
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

/* The counters from c0 on, one in each lane. */
DRAW struct draw_place draw_place_of(const struct draw_row *row, uint64_t c0)
{
#if DRAW_LANES == 8
    const draw_vector lane = {0, 1, 2, 3, 4, 5, 6, 7};
#elif DRAW_LANES == 4
    const draw_vector lane = {0, 1, 2, 3};
#else
    const draw_vector lane = {0, 1};
#endif
    draw_vector product = draw_multiply(lane + c0, DRAW_M0);
    struct draw_place place = {.row = row,
                               .high = product >> 32 ^ row->step->k1[0],
                               .product = draw_multiply(product ^ row->c2, DRAW_M1)};

    return place;
}

/* The DRAW_CELLS cells from x on, a multiple of 128. */
DRAW struct draw_place draw_place(const struct draw_row *row, int64_t x)
{
    return draw_place_of(row, (uint64_t)x / 128);
}

/* Draws for each lane: words 0 and 1 of its counter in `even`, 2 and 3 in `odd`. */
DRAW struct draw_pair draw_lanes(const struct draw_place *place, uint32_t stream)
{
    const struct draw_row *row = place->row;
    draw_vector p1 = draw_multiply(place->high ^ (((uint64_t)stream << 24) + row->z),
                                   DRAW_M1);                     /* second round */
    draw_vector p0 = draw_multiply(p1 >> 32 ^ row->c1, DRAW_M0); /* third */
    struct draw_state state = {place->product >> 32 ^ p1 ^ row->step->k0[2], place->product,
                               p0 >> 32 ^ row->c3, p0};

    return draw_rounds(row->step, state);
}

/* bit(stream) of the place's cells, in the order of their words. */
DRAW struct draw_pair draw_words(const struct draw_place *place, uint32_t stream)
{
    struct draw_pair lanes = draw_lanes(place, stream), words;

#if DRAW_LANES == 8
    words.even = __builtin_shufflevector(lanes.even, lanes.odd, 0, 8, 1, 9, 2, 10, 3, 11);
    words.odd = __builtin_shufflevector(lanes.even, lanes.odd, 4, 12, 5, 13, 6, 14, 7, 15);
#elif DRAW_LANES == 4
    words.even = __builtin_shufflevector(lanes.even, lanes.odd, 0, 4, 1, 5);
    words.odd = __builtin_shufflevector(lanes.even, lanes.odd, 2, 6, 3, 7);
#else
    words.even = __builtin_shufflevector(lanes.even, lanes.odd, 0, 2);
    words.odd = __builtin_shufflevector(lanes.even, lanes.odd, 1, 3);
#endif
    return words;
}

/* The same in memory: bits[w] holds cells x + 64 w ... x + 64 w + 63, from the lowest bit. */
DRAW void draw_bits(const struct draw_place *place, uint32_t stream, uint64_t bits[DRAW_WORDS])
{
    struct draw_pair words = draw_words(place, stream);

    memcpy(bits, &words, sizeof words);
}

/*
 * event(stream, k) of the cells that are set in `among`; the others are not set. Returns whether
 * any event happens.
 */
DRAW bool draw_event(const struct draw_place *place, uint32_t stream, uint32_t k,
                     const uint64_t among[DRAW_WORDS], uint64_t event[DRAW_WORDS])
{
    struct draw_decision decision;
    struct draw_pair candidates;

    memcpy(&candidates, among, sizeof candidates);
    decision = draw_decision(k, candidates);
    for (uint32_t i = 0; draw_matters(&decision, k, i); i += 2) {
        struct draw_pair first = draw_words(place, stream + i);
        struct draw_pair second = draw_words(place, stream + i + 1);

        draw_decide(&decision, k, i, first);
        draw_decide(&decision, k, i + 1, second);
    }
    memcpy(event, &decision.happens, sizeof decision.happens);
    return draw_any(decision.happens.even | decision.happens.odd);
}

/* --- numbers ---------------------------------------------------------------------------------- */

#define DRAW_NUMBERS (4 * DRAW_LANES)  /* uniform(stream) that a vector draws */
#define DRAW_PARTS (64 / DRAW_NUMBERS) /* of a word */

/* Bit i: whether number i of those drawn is below; in order of their lanes, four in each. */
DRAW uint64_t draw_compare(const struct draw_pair drawn[DRAW_PARTS], uint32_t below)
{
    uint64_t cells = 0;
#if DRAW_LANES == 8 && defined(__AVX512F__)
    __m512i limit = _mm512_set1_epi32((int)below);
    uint64_t even = 0, odd = 0;

    for (int i = 0; i < DRAW_PARTS; i++) {
        even |= (uint64_t)_mm512_cmplt_epu32_mask((__m512i)drawn[i].even, limit) << 16 * i;
        odd |= (uint64_t)_mm512_cmplt_epu32_mask((__m512i)drawn[i].odd, limit) << 16 * i;
    }
    cells = _pdep_u64(even, UINT64_C(0x3333333333333333)) |
            _pdep_u64(odd, UINT64_C(0xcccccccccccccccc));
#elif DRAW_LANES == 4 && defined(__AVX2__)
    /* Comparisons are signed. Packing to 16 and to 8 bits keeps the order within 128 bits. */
    __m256i sign = _mm256_set1_epi32(INT32_MIN);
    __m256i limit = _mm256_xor_si256(_mm256_set1_epi32((int)below), sign), packed[DRAW_PARTS];

    for (int i = 0; i < DRAW_PARTS; i++) {
        __m256i even = _mm256_cmpgt_epi32(limit, _mm256_xor_si256((__m256i)drawn[i].even, sign));
        __m256i odd = _mm256_cmpgt_epi32(limit, _mm256_xor_si256((__m256i)drawn[i].odd, sign));

        packed[i] =
            _mm256_packs_epi32(_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd));
    }
    for (int i = 0; i < DRAW_PARTS; i += 2) {
        __m256i bytes =
            _mm256_permute4x64_epi64(_mm256_packs_epi16(packed[i], packed[i + 1]), 0xd8);

        cells |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << 16 * i;
    }
#elif DRAW_LANES == 2 && defined(__x86_64__)
    __m128i sign = _mm_set1_epi32(INT32_MIN);
    __m128i limit = _mm_xor_si128(_mm_set1_epi32((int)below), sign), packed[DRAW_PARTS];

    for (int i = 0; i < DRAW_PARTS; i++) {
        __m128i even = _mm_cmpgt_epi32(limit, _mm_xor_si128((__m128i)drawn[i].even, sign));
        __m128i odd = _mm_cmpgt_epi32(limit, _mm_xor_si128((__m128i)drawn[i].odd, sign));

        packed[i] = _mm_packs_epi32(_mm_unpacklo_epi64(even, odd), _mm_unpackhi_epi64(even, odd));
    }
    for (int i = 0; i < DRAW_PARTS; i += 2)
        cells |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(packed[i], packed[i + 1]))
                 << 8 * i;
#else
    for (int i = 0; i < 16; i++) {
        const struct draw_pair *pair = &drawn[i / DRAW_LANES];
        uint64_t even = pair->even[i % DRAW_LANES], odd = pair->odd[i % DRAW_LANES];
        uint64_t four =
            (uint64_t)((even & DRAW_LOW) < below) | (uint64_t)(even >> 32 < below) << 1 |
            (uint64_t)((odd & DRAW_LOW) < below) << 2 | (uint64_t)(odd >> 32 < below) << 3;

        cells |= four << 4 * i;
    }
#endif
    return cells;
}

/* The cells of word k of the row where uniform(stream) is below. */
DRAW uint64_t draw_word_below(const struct draw_row *row, int64_t k, uint32_t stream,
                              uint32_t below)
{
    struct draw_pair drawn[DRAW_PARTS];

#pragma GCC unroll 8
    for (int i = 0; i < DRAW_PARTS; i++) {
        struct draw_place place = draw_place_of(row, (uint64_t)(16 * k + i * DRAW_LANES));

        drawn[i] = draw_lanes(&place, stream);
    }
    return draw_compare(drawn, below);
}

#endif

/* --- across rows ------------------------------------------------------------------------------ */

struct draw_rows {
    const struct draw_step *step;
    uint64_t z;
    draw_vector second; /* M0 c0 of the second round */
};

struct draw_block {
    const struct draw_rows *rows;
    uint64_t high;     /* that of M0 c0 of the first round, with its key */
    draw_vector third; /* M1 c2 of the third round */
};

/* Rows y of layer z, one in each lane. */
DRAW struct draw_rows draw_rows(const struct draw_step *step, draw_vector y, uint64_t z)
{
    struct draw_rows rows = {.step = step, .z = z};

    rows.second = draw_multiply(y ^ ((step->product >> 32) ^ step->k0[0]), DRAW_M0);
    return rows;
}

/* Cells 128 block ... 128 block + 127 of the rows. */
DRAW struct draw_block draw_block(const struct draw_rows *rows, uint64_t block)
{
    const struct draw_step *step = rows->step;
    uint64_t product = DRAW_M0 * (block & DRAW_LOW);
    struct draw_block result = {.rows = rows, .high = (product >> 32) ^ step->k1[0]};

    result.third =
        draw_multiply((rows->second >> 32) ^ ((product & DRAW_LOW) ^ step->k1[1]), DRAW_M1);
    return result;
}

/* bit(stream) of these cells. */
DRAW struct draw_pair draw_block_bits(const struct draw_block *block, uint32_t stream)
{
    const struct draw_rows *rows = block->rows;
    const struct draw_step *step = rows->step;
    const draw_vector none = {0};
    uint64_t second = DRAW_M1 * ((block->high ^ (((uint64_t)stream << 24) + rows->z)) & DRAW_LOW);
    uint64_t third =
        DRAW_M0 * (((second >> 32) ^ (step->product & DRAW_LOW) ^ step->k0[1]) & DRAW_LOW);
    struct draw_state state = {(block->third >> 32) ^ ((second & DRAW_LOW) ^ step->k0[2]),
                               block->third, rows->second ^ ((third >> 32) ^ step->k1[2]),
                               none + (third & DRAW_LOW)};

    return draw_rounds(step, state);
}

/*
 * event(stream, k) of the cells that are set in `among`; the others are not set. The bits drawn for
 * the even words are shifted up by `shift` cells, for rows that share a word.
 */
DRAW struct draw_pair draw_block_event(const struct draw_block *block, uint32_t stream, uint32_t k,
                                       struct draw_pair among, int shift)
{
    struct draw_decision decision = draw_decision(k, among);

    for (uint32_t i = 0; draw_matters(&decision, k, i); i += 2) {
        struct draw_pair first = draw_block_bits(block, stream + i);
        struct draw_pair second = draw_block_bits(block, stream + i + 1);

        first.even = first.even << shift;
        second.even = second.even << shift;
        draw_decide(&decision, k, i, first);
        draw_decide(&decision, k, i + 1, second);
    }
    return decision.happens;
}

#endif
