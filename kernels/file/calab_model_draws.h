/* SPDX-License-Identifier: MIT */
/*
 * The numbers that cells draw, for calab_model.h, which includes this file. A number belongs to
 * seed, generation, place and stream, so that it is the same in whatever order cells are stepped:
 * Philox4x32 with 7 rounds, as calab's own models draw (calab-models(7)). One block has the numbers
 * of four cells of a row, or those of 16 bits of eight.
 *
 * On x86 a 64-bit lane of a vector has a word of one block: the multiplication takes the lower
 * halves of lanes and fills whole ones, and the upper halves between two multiplications are
 * ignored.
 */
#ifndef CALAB_MODEL_DRAWS_H
#define CALAB_MODEL_DRAWS_H

/* Streams of cell() are numbered from here on, those of 16 bits behind them; in starts from 0 on.
 */
#define CA_STEP_STREAM 16
#define CA_STREAM_16 16

CA_FUNCTION void ca_philox(uint64_t seed, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                           uint32_t v[4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

    CA_UNROLL
    for (int r = 0; r < 7; r++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;

        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0, c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1, c3 = (uint32_t)a;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    v[0] = c0, v[1] = c1, v[2] = c2, v[3] = c3;
}

#if defined(__x86_64__) && !defined(__CUDACC__)
#if defined(__AVX512F__)
#define CA_LANES 8
#define CA_FIRST_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define CA_LAST_LANES 4, 12, 5, 13, 6, 14, 7, 15
#elif defined(__AVX2__)
#define CA_LANES 4
#define CA_FIRST_LANES 0, 4, 1, 5
#define CA_LAST_LANES 2, 6, 3, 7
#else
#define CA_LANES 2
#define CA_FIRST_LANES 0, 2
#define CA_LAST_LANES 1, 3
#endif
typedef uint64_t ca_lanes __attribute__((vector_size(8 * CA_LANES)));

#if defined(__clang__)
#define CA_INTERLEAVED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CA_INTERLEAVED(a, b, ...) __builtin_shuffle(a, b, (ca_lanes){__VA_ARGS__})
#endif

/* The products of the lower halves of lanes with m, which has 32 bits. */
CA_FUNCTION ca_lanes ca_products(ca_lanes a, uint64_t m)
{
    ca_lanes none = {0}, by = none + m;

#if defined(__clang__)
    return (a & 0xffffffff) * by;
#else
    typedef int halves __attribute__((vector_size(8 * CA_LANES)));
#if CA_LANES == 8
    typedef long long wholes __attribute__((vector_size(64)));

    return (ca_lanes)__builtin_ia32_pmuludq512_mask((halves)a, (halves)by, (wholes)none, 255);
#elif CA_LANES == 4
    return (ca_lanes)__builtin_ia32_pmuludq256((halves)a, (halves)by);
#else
    return (ca_lanes)__builtin_ia32_pmuludq128((halves)a, (halves)by);
#endif
#endif
}

/* The blocks first, first + 1, ... of a row, CA_LANES of them. */
CA_FUNCTION void ca_blocks(uint64_t seed, uint32_t first, uint32_t c1, uint32_t c2, uint32_t c3,
                           void *to)
{
    ca_lanes none = {0}, v0 = none, v1 = none + c1, v2 = none + c2, v3 = none + c3, low, high;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

    CA_UNROLL
    for (uint32_t i = 0; i < CA_LANES; i++)
        v0[i] = first + i;
    CA_UNROLL
    for (int r = 0; r < 7; r++) {
        ca_lanes a = ca_products(v0, 0xD2511F53u), b = ca_products(v2, 0xCD9E8D57u);

        v0 = b >> 32 ^ v1 ^ (none + k0), v1 = b;
        v2 = a >> 32 ^ v3 ^ (none + k1), v3 = a;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    v0 = (v0 & 0xffffffff) | v1 << 32, v2 = (v2 & 0xffffffff) | v3 << 32;
    low = CA_INTERLEAVED(v0, v2, CA_FIRST_LANES), high = CA_INTERLEAVED(v0, v2, CA_LAST_LANES);
    __builtin_memcpy(to, &low, sizeof low);
    __builtin_memcpy((char *)to + sizeof low, &high, sizeof high);
}
#else
#define CA_LANES 1
CA_FUNCTION void ca_blocks(uint64_t seed, uint32_t first, uint32_t c1, uint32_t c2, uint32_t c3,
                           void *to)
{
    ca_philox(seed, first, c1, c2, c3, (uint32_t *)to);
}
#endif

#ifndef CA_GPU
/* The numbers of some cells of a row in all streams. */
#define CA_CHUNK 1024
struct ca_drawn {
    uint32_t full[CA_STREAMS][CA_CHUNK];
    uint16_t half[CA_STREAMS_16][CA_CHUNK];
};

/* The blocks of n cells of a row from cell x on, of which each has `cells`; x is a multiple. */
CA_FUNCTION void ca_draw_stream(void *to, uint64_t seed, int64_t x, int64_t n, int64_t cells,
                                uint32_t y, uint32_t t, uint32_t c3)
{
#if CA_LANES == 1
    CA_VECTOR
#endif
    for (int64_t i = 0; i < (n + cells - 1) / cells; i += CA_LANES)
        ca_blocks(seed, (uint32_t)(x / cells + i), y, t, c3, (char *)to + 16 * i);
}

/* The numbers of cells x ... x + n - 1 of row y, layer z; x is a multiple of CA_CHUNK. */
CA_FUNCTION void ca_draw(struct ca_drawn *drawn, uint64_t seed, int64_t x, int64_t n, int32_t y,
                         int32_t z, uint32_t t, uint32_t stream)
{
    for (int s = 0; s < CA_DRAWS; s++)
        ca_draw_stream(drawn->full[s], seed, x, n, 4, (uint32_t)y, t,
                       ((stream + (uint32_t)s) << 24) + (uint32_t)z);
    for (int s = 0; s < CA_DRAWS_16; s++)
        ca_draw_stream(drawn->half[s], seed, x, n, 8, (uint32_t)y, t,
                       ((stream + CA_STREAM_16 + (uint32_t)s) << 24) + (uint32_t)z);
}

/* Gives a cell its numbers, which stand at place i. */
CA_FUNCTION void ca_take_drawn(ca_nb *nb, const struct ca_drawn *drawn, int64_t i)
{
    (void)nb, (void)drawn, (void)i;
    CA_UNROLL
    for (int s = 0; s < CA_DRAWS; s++)
        nb->draw[s] = drawn->full[s][i];
    CA_UNROLL
    for (int s = 0; s < CA_DRAWS_16; s++)
        nb->draw_16[s] = drawn->half[s][i];
}

#endif
#endif
