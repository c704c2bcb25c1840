/* SPDX-License-Identifier: MIT */
/*
 * kernels/cpu/philox.h with vectors of two lanes: words of draws against core/base/random.h, and
 * the decision of events for numbers that chance seldom draws. Wider vectors are tested by the
 * kernels that use them.
 */
#include <string.h>

#include "core/base/random.h"

#define DRAW_LANES 2
#include "kernels/cpu/philox.h"
#include "tests/support/support.h"

#define STREAM 5
#define T (UINT64_C(1) << 31 | 12345)

static const uint32_t limits[] = {0,      1,      2,      3,      0x0fff, 0x7fff, 0x8000,
                                  0x8001, 0xaaaa, 0xfffd, 0xfffe, 0xffff, 0x10000};

static struct draw_pair all_of(uint64_t word)
{
    return (struct draw_pair){{word, word}, {word, word}};
}

/* An event happens where the number drawn is below k: no draw matters behind k's lowest bit. */
START_TEST(decisions)
{
    uint32_t k = limits[_i];

    for (uint32_t n = 0; n < 0x10000; n += n < 0xff00 && n > 4 && n % 0x800 > 4 ? 61 : 1) {
        struct draw_decision decision = draw_decision(k, all_of(UINT64_C(0xf0f0)));
        uint64_t expected = n < k ? 0xf0f0 : 0;
        uint32_t made = 0;

        for (; draw_matters(&decision, k, made); made++)
            draw_decide(&decision, k, made, all_of(n >> (15 - made) & 1 ? ~UINT64_C(0) : 0));
        if (made > 16 || (made > 0 && !(k & 0xffffU >> (made - 1))))
            ck_abort_msg("k %u, %u: %u draws", k, n, made);
        for (int lane = 0; lane < 2; lane++)
            if (decision.happens.even[lane] != expected || decision.happens.odd[lane] != expected)
                ck_abort_msg("k %u, %u: %llx", k, n,
                             (unsigned long long)decision.happens.even[lane]);
    }
}
END_TEST

static const struct {
    uint64_t y, z;
    int64_t x; /* a multiple of 128 */
} places[] = {{0, 0, 0}, {1, 0, 128}, {0, 1, 256}, {77, 3, 128 * 1001}, {0xffffffff, 0xffffff, 0}};

START_TEST(words_of_a_row)
{
    uint64_t seed = test_seed() * UINT64_C(0x9E3779B97F4A7C15), y = places[_i].y, z = places[_i].z;
    struct draw_step step = draw_step(seed, T);
    struct draw_row row = draw_row(&step, y, z);
    struct draw_place place = draw_place(&row, places[_i].x);
    uint64_t among[DRAW_WORDS], bits[DRAW_WORDS], event[DRAW_WORDS];

    draw_bits(&place, STREAM, bits);
    for (int i = 0; i < DRAW_CELLS; i++)
        ck_assert_int_eq((int)(bits[i / 64] >> i % 64 & 1),
                         ca_bit(seed, (uint64_t)(places[_i].x + i), y, z, T, STREAM));
    memset(among, 0xb7, sizeof among);
    for (size_t k = 0; k < COUNT(limits); k++) {
        bool any;

        memset(event, 0x55, sizeof event);
        any = draw_event(&place, STREAM, limits[k], among, event);
        for (int i = 0; i < DRAW_CELLS; i++) {
            bool happens = (among[i / 64] >> i % 64 & 1) &&
                           ca_event(seed, (uint64_t)(places[_i].x + i), y, z, T, STREAM, limits[k]);

            ck_assert_int_eq((int)(event[i / 64] >> i % 64 & 1), happens);
        }
        ck_assert_int_eq(any, (event[0] | event[1] | event[2] | event[3]) != 0);
    }
}
END_TEST

/* Rows of two lanes, which differ in y. */
START_TEST(words_across_rows)
{
    uint64_t seed = test_seed() * UINT64_C(0x9E3779B97F4A7C15), z = places[_i].z;
    uint64_t y[2] = {places[_i].y, places[_i].y ^ 5}, block = (uint64_t)places[_i].x / 128;
    struct draw_step step = draw_step(seed, T);
    struct draw_rows rows = draw_rows(&step, (draw_vector){y[0], y[1]}, z);
    struct draw_block drawn = draw_block(&rows, block);
    struct draw_pair bits = draw_block_bits(&drawn, STREAM);

    for (int i = 0; i < 128; i++)
        for (int lane = 0; lane < 2; lane++) {
            uint64_t word = i < 64 ? bits.even[lane] : bits.odd[lane];

            ck_assert_int_eq((int)(word >> i % 64 & 1),
                             ca_bit(seed, block * 128 + (uint64_t)i, y[lane], z, T, STREAM));
        }
    for (size_t k = 0; k < COUNT(limits); k++) {
        struct draw_pair event =
            draw_block_event(&drawn, STREAM, limits[k], all_of(~UINT64_C(0xff)), 3);

        for (int i = 0; i < 128; i++)
            for (int lane = 0; lane < 2; lane++) {
                uint64_t word = i < 64 ? event.even[lane] : event.odd[lane];
                int from = i < 64 ? i - 3 : i; /* the even word is shifted */
                bool happens = i % 64 >= 8 && ca_event(seed, block * 128 + (uint64_t)from, y[lane],
                                                       z, T, STREAM, limits[k]);

                ck_assert_int_eq((int)(word >> i % 64 & 1), happens);
            }
    }
}
END_TEST

START_TEST(numbers_below)
{
    static const uint32_t below[] = {0,          1,          0x10000000, 0x7fffffff,
                                     0x80000000, 0xc0000001, 0xffffffff};
    uint64_t seed = test_seed() * UINT64_C(0x9E3779B97F4A7C15), y = places[_i].y, z = places[_i].z;
    struct draw_step step = draw_step(seed, T);
    struct draw_row row = draw_row(&step, y, z);

    for (size_t k = 0; k < COUNT(below); k++)
        for (int64_t word = 0; word < 3; word++) {
            uint64_t cells = draw_word_below(&row, word, STREAM, below[k]);

            for (int i = 0; i < 64; i++)
                ck_assert_int_eq((int)(cells >> i & 1), ca_uniform(seed, (uint64_t)(word * 64 + i),
                                                                   y, z, T, STREAM) < below[k]);
        }
}
END_TEST

START_TEST(any_bit_of_any_lane)
{
    ck_assert(!draw_any((draw_vector){0, 0}));
    for (int i = 0; i < 64; i++) {
        ck_assert(draw_any((draw_vector){UINT64_C(1) << i, 0}));
        ck_assert(draw_any((draw_vector){0, UINT64_C(1) << i}));
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {any_bit_of_any_lane}, .table = {{decisions, COUNT(limits)},
                                                              {words_of_a_row, COUNT(places)},
                                                              {words_across_rows, COUNT(places)},
                                                              {numbers_below, COUNT(places)}});
}
