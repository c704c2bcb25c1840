/* SPDX-License-Identifier: MIT */
/*
 * Random draws by counter: Philox4x32 with 7 rounds (Salmon et al., "Parallel random numbers: as
 * easy as 1, 2, 3", SC 2011; Random123), so that any backend draws any cell's number in any order.
 *
 * Key: the low and high 32 bits of the run's seed. (x, y, z) are global coordinates, t is the
 * generation that the step starts from (mod 2^32), s a stream below 256.
 *
 *   uniform(s)   counter {x div 4,   y, t, s * 2^24 + z}, word x mod 4
 *   bit(s)       counter {x div 128, y, t, s * 2^24 + z}, bit x mod 32 of word (x div 32) mod 4
 *   event(s, k)  u < k, with u the 16 bits bit(s) (the most significant) ... bit(s + 15)
 *
 * Streams 0 ... 7 are those of the initial state, by plane number, at t = 0. A model whose rule
 * draws numbers chooses streams from 16 on in its own folder; an event takes 16 of them.
 *
 * Included by C and CUDA alike.
 */
#ifndef CALAB_CORE_BASE_RANDOM_H
#define CALAB_CORE_BASE_RANDOM_H

#include <Random123/philox.h>
#include <stdbool.h>
#include <stdint.h>

#define CA_RANDOM R123_CUDA_DEVICE static inline

CA_RANDOM
philox4x32_ctr_t ca_philox(uint64_t seed, uint32_t c0, uint32_t y, uint32_t z, uint32_t t,
                           uint32_t s)
{
    philox4x32_ctr_t counter = {{c0, y, t, (s << 24) + z}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};

    return philox4x32_R(7, counter, key);
}

CA_RANDOM
uint32_t ca_uniform(uint64_t seed, uint64_t x, uint64_t y, uint64_t z, uint64_t t, uint32_t s)
{
    return ca_philox(seed, (uint32_t)(x / 4), (uint32_t)y, (uint32_t)z, (uint32_t)t, s).v[x % 4];
}

/* The bits of the 128 cells x / 128 * 128 + 0 ... 127 of a row: 32 a word, cell 0 lowest. */
CA_RANDOM
philox4x32_ctr_t ca_bits(uint64_t seed, uint64_t x, uint64_t y, uint64_t z, uint64_t t, uint32_t s)
{
    return ca_philox(seed, (uint32_t)(x / 128), (uint32_t)y, (uint32_t)z, (uint32_t)t, s);
}

CA_RANDOM
bool ca_bit(uint64_t seed, uint64_t x, uint64_t y, uint64_t z, uint64_t t, uint32_t s)
{
    return ca_bits(seed, x, y, z, t, s).v[x / 32 % 4] >> (x % 32) & 1;
}

/* True with probability k / 65536. Draws only the planes down to the lowest set bit of k. */
CA_RANDOM
bool ca_event(uint64_t seed, uint64_t x, uint64_t y, uint64_t z, uint64_t t, uint32_t s, uint32_t k)
{
    if (k >= 65536)
        return true;
    /* From the highest bit on, the first in which u and k differ decides. */
    for (uint32_t i = 0; (k << i & 0xffff) != 0; i++) {
        bool want = k >> (15 - i) & 1;

        if (ca_bit(seed, x, y, z, t, s + i) != want)
            return want;
    }
    return false; /* u agrees with k so far and k's rest is 0: u >= k */
}

/* floor(p * 2^32): a cell of density p is set where its uniform() is below this. */
CA_RANDOM
uint64_t ca_threshold(double p) { return (uint64_t)(p * 4294967296.0); }

#endif
