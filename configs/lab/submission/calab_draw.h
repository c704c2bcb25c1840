/* SPDX-License-Identifier: MIT */
/*
 * Random numbers of calab's models: Philox4x32 with 7 rounds (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). A number belongs to a cell, a generation and a stream, so
 * that any thread can draw any cell's number in any order, and all draw the same.
 *
 * For C and CUDA. x, y, z are the cell's, t is lab->t, stream is the model's (calab-models(7)).
 */
#ifndef CALAB_DRAW_H
#define CALAB_DRAW_H

#include <stdint.h>

#ifdef __CUDACC__
#define LAB_DRAW static __host__ __device__ inline
#else
#define LAB_DRAW static inline
#endif

struct lab_words {
    uint32_t v[4];
};

LAB_DRAW struct lab_words lab_philox(uint64_t seed, uint32_t c0, uint32_t c1, uint32_t c2,
                                     uint32_t c3)
{
    struct lab_words c = {{c0, c1, c2, c3}};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

    for (int round = 0; round < 7; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c.v[0], b = (uint64_t)0xCD9E8D57u * c.v[2];
        struct lab_words n = {{(uint32_t)(b >> 32) ^ c.v[1] ^ k0, (uint32_t)b,
                               (uint32_t)(a >> 32) ^ c.v[3] ^ k1, (uint32_t)a}};

        c = n;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

/* A uniform number of 32 bits. */
LAB_DRAW uint32_t lab_uniform(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t,
                              uint32_t stream)
{
    return lab_philox(seed, (uint32_t)(x / 4), (uint32_t)y, (uint32_t)t,
                      (stream << 24) + (uint32_t)z)
        .v[x % 4];
}

/* The bits of the 128 cells x / 128 * 128 + 0 ... 127 of a row, 32 a word, the first cell's lowest:
 * one call for all of them. */
LAB_DRAW struct lab_words lab_bits(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t,
                                   uint32_t stream)
{
    return lab_philox(seed, (uint32_t)(x / 128), (uint32_t)y, (uint32_t)t,
                      (stream << 24) + (uint32_t)z);
}

/* One bit. */
LAB_DRAW int lab_bit(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t, uint32_t stream)
{
    return (int)(lab_bits(seed, x, y, z, t, stream).v[x / 32 % 4] >> (x % 32) & 1);
}

/* True with probability k / 65536: whether the number of 16 bits that streams stream, ...,
 * stream + 15 draw, the first the highest, is below k. */
LAB_DRAW int lab_event(uint64_t seed, int64_t x, int64_t y, int64_t z, uint64_t t, uint32_t stream,
                       uint32_t k)
{
    if (k >= 65536)
        return 1;
    for (uint32_t i = 0; (k << i & 0xffff) != 0; i++) {
        int want = (int)(k >> (15 - i) & 1);

        if (lab_bit(seed, x, y, z, t, stream + i) != want)
            return want;
    }
    return 0;
}

#endif
