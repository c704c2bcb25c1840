/* SPDX-License-Identifier: MIT */
/*
 * Random bits for bit-sliced kernels: the same bit(s) and event(s, k) as in core/base/random.h, for
 * the 128 cells of a lane's four words. Cell 0 is the lowest bit of the first word.
 *
 * A counter is {x div 128, y, t, s * 2^24 + z}, and a round computes
 *
 *     c0' = high(M1 c2) ^ c1 ^ k0    c1' = low(M1 c2)    c2' = high(M0 c0) ^ c3 ^ k1
 *     c3' = low(M0 c0)
 *
 * so much of the first three rounds is common to all streams, or to the row, the generation or the
 * position. A stream therefore takes 10 of the 14 products. Products are the bottleneck: a GPU
 * computes a quarter as many of 64 bits in a cycle as it has lanes.
 */
#ifndef CALAB_KERNELS_CUDA_PHILOX_CUH
#define CALAB_KERNELS_CUDA_PHILOX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

enum { DRAW_ROUNDS = 7 };
#define DRAW_M0 0xD2511F53u
#define DRAW_M1 0xCD9E8D57u
#define DRAW_W0 0x9E3779B9u
#define DRAW_W1 0xBB67AE85u

/* Round keys; kernels take them by value, so that they are constant operands. */
struct draw_keys {
    uint32_t k0[DRAW_ROUNDS], k1[DRAW_ROUNDS];
};

static inline struct draw_keys draw_keys_of(uint64_t seed)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    struct draw_keys keys;

    for (int i = 0; i < DRAW_ROUNDS; i++, k0 += DRAW_W0, k1 += DRAW_W1) {
        keys.k0[i] = k0;
        keys.k1[i] = k1;
    }
    return keys;
}

struct draw_product {
    uint32_t low, high;
};

static __device__ __forceinline__ struct draw_product draw_multiply(uint32_t a, uint32_t m)
{
    uint64_t product = (uint64_t)a * m;

    return {(uint32_t)product, (uint32_t)(product >> 32)};
}

/* The part of a draw that all streams share, for the 128 cells of row y from cell 128 `block` on.
 */
struct draw_place {
    uint32_t c1, c2, c3;       /* of the second and third round, without the stream's terms */
    struct draw_product third; /* M1 c2 of the third round */
};

static __device__ __forceinline__ struct draw_place
draw_place(const struct draw_keys &keys, uint32_t block, uint32_t y, uint32_t t)
{
    struct draw_product first = draw_multiply(t, DRAW_M1), across = draw_multiply(block, DRAW_M0);
    struct draw_product row = draw_multiply(first.high ^ y ^ keys.k0[0], DRAW_M0);

    return {first.low ^ keys.k0[1], across.high ^ keys.k1[0], row.low ^ keys.k1[2],
            draw_multiply(row.high ^ across.low ^ keys.k1[1], DRAW_M1)};
}

/* bit(stream), with z as in the counter. */
static __device__ __forceinline__ uint4 draw_bits(const struct draw_keys &keys,
                                                  const struct draw_place &place, uint32_t stream,
                                                  uint32_t z)
{
    struct draw_product p1 = draw_multiply(place.c2 ^ ((stream << 24) + z), DRAW_M1); /* second */
    struct draw_product p0 = draw_multiply(p1.high ^ place.c1, DRAW_M0);              /* third */
    uint4 c = make_uint4(place.third.high ^ p1.low ^ keys.k0[2], place.third.low,
                         p0.high ^ place.c3, p0.low);

#pragma unroll
    for (int i = 3; i < DRAW_ROUNDS; i++) {
        p0 = draw_multiply(c.x, DRAW_M0);
        p1 = draw_multiply(c.z, DRAW_M1);
        c = make_uint4(p1.high ^ c.y ^ keys.k0[i], p1.low, p0.high ^ c.w ^ keys.k1[i], p0.low);
    }
    return c;
}

/* --- events ---------------------------------------------------------------------------------- */

/* A probability in 65536ths as a series of draws, one for each bit from the lowest set one up. */
struct draw_chance {
    uint32_t bits; /* of the probability; the lowest bit is the lowest draw's */
    int draws;
    uint32_t always; /* all bits set where the event is certain */
};

static inline struct draw_chance draw_chance_of(uint32_t k)
{
    struct draw_chance chance = {k, 16, 0};

    if (k == 0 || k >= 65536)
        return {0, 0, k ? ~0u : 0};
    for (; chance.bits % 2 == 0; chance.draws--)
        chance.bits /= 2;
    return chance;
}

/*
 * The random number is compared with the probability bit by bit, from the lowest bit up. Where a
 * drawn bit equals the probability's bit, the result of the bits below stands; otherwise the event
 * happens if the drawn bit is 0. This applies two draws, for the two bits of the probability in
 * BITS.
 */
template <int BITS>
static __device__ __forceinline__ uint32_t draw_decided(uint32_t below, uint32_t lower,
                                                        uint32_t upper)
{
    uint32_t event = BITS & 1 ? ~lower | below : ~lower & below;

    return BITS & 2 ? ~upper | event : ~upper & event;
}

template <int BITS>
static __device__ __forceinline__ void draw_decide(uint4 *event, const uint4 &lower,
                                                   const uint4 &upper)
{
    event->x = draw_decided<BITS>(event->x, lower.x, upper.x);
    event->y = draw_decided<BITS>(event->y, lower.y, upper.y);
    event->z = draw_decided<BITS>(event->z, lower.z, upper.z);
    event->w = draw_decided<BITS>(event->w, lower.w, upper.w);
}

/*
 * event(stream, k) by the draws from `stream` on, the lowest first. Draws are computed in pairs,
 * because each product of a draw depends on the one before it while two draws are independent, and
 * because a pair takes one LOP3 a word. If `bits` is not NULL it receives bit(other), which is
 * computed beside a draw without a partner.
 */
static __device__ __forceinline__ uint4 draw_event(const struct draw_keys &keys,
                                                   const struct draw_place &place, uint32_t stream,
                                                   uint32_t z, const struct draw_chance &chance,
                                                   uint32_t other = 0, uint4 *bits = nullptr)
{
    uint32_t always = chance.always, k = chance.bits;
    uint4 event = make_uint4(always, always, always, always);
    int i = chance.draws - 1;

    if (i % 2 == 0) { /* the lowest set bit */
        uint4 lone = draw_bits(keys, place, stream + i--, z);

        if (bits)
            *bits = draw_bits(keys, place, other, z);
        event = make_uint4(~lone.x, ~lone.y, ~lone.z, ~lone.w);
        k >>= 1;
    } else if (bits) {
        *bits = draw_bits(keys, place, other, z);
    }
#pragma unroll 1
    for (; i > 0; i -= 2, k >>= 2) {
        uint4 lower = draw_bits(keys, place, stream + i, z);
        uint4 upper = draw_bits(keys, place, stream + i - 1, z);

        switch (k % 4) {
        case 0:
            draw_decide<0>(&event, lower, upper);
            break;
        case 1:
            draw_decide<1>(&event, lower, upper);
            break;
        case 2:
            draw_decide<2>(&event, lower, upper);
            break;
        default:
            draw_decide<3>(&event, lower, upper);
            break;
        }
    }
    return event;
}

#endif
