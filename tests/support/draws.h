/* SPDX-License-Identifier: MIT */
/*
 * Random draws written straight from their definition, a word at a time, for tests to hold models
 * against. Shares no code with core/base/random.h.
 */
#ifndef CALAB_TESTS_DRAWS_H
#define CALAB_TESTS_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

/* Philox4x32 with 7 rounds: word[] goes from counter to result. */
static inline void draw_philox(uint32_t word[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 7; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * word[0], b = UINT64_C(0xCD9E8D57) * word[2];

        word[0] = (uint32_t)(b >> 32) ^ word[1] ^ key0;
        word[1] = (uint32_t)b;
        word[2] = (uint32_t)(a >> 32) ^ word[3] ^ key1;
        word[3] = (uint32_t)a;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
}

static inline uint32_t draw_word(uint64_t seed, int64_t c0, int64_t y, int64_t z, uint64_t t, int s,
                                 int which)
{
    uint32_t word[4] = {(uint32_t)c0, (uint32_t)y, (uint32_t)t,
                        (uint32_t)s * 16777216 + (uint32_t)z};

    draw_philox(word, (uint32_t)(seed & 0xffffffff), (uint32_t)(seed >> 32));
    return word[which];
}

static inline uint32_t draw_uniform(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t,
                                    int s)
{
    return draw_word(seed, x / 4, y, z, t, s, (int)(x % 4));
}

static inline unsigned draw_bit(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t, int s)
{
    return draw_word(seed, x / 128, y, z, t, s, (int)(x / 32 % 4)) >> (x % 32) & 1;
}

static inline bool draw_event(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t, int s,
                              uint32_t k)
{
    uint32_t u = 0;

    for (int i = 0; i < 16; i++)
        u = 2 * u + draw_bit(seed, x, y, z, t, s + i);
    return u < k;
}

#endif
