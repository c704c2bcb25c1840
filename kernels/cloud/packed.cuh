/* SPDX-License-Identifier: MIT */
/*
 * What cloud's packed CUDA rungs share: three buffers hum, act and cld with the bits of eight cells
 * a byte, a thread a byte. A rung brings a shape: which eight cells a byte holds, and which of them
 * have an active neighbour.
 *
 *     struct shape {
 *         enum { W, H, D };      sides of the box of eight cells; bit x + W (y + H z) is (x, y, z)
 *         static __device__ uint32_t near(const uint8_t *here, int64_t row, int64_t layer,
 *                                         const struct cuda_position &spot);
 *     };
 *
 * hum and cld matter to their own cell alone and are stepped in place; act is read from one buffer
 * and written to another. Bits beyond the lattice's end stay 0: without vapour nothing becomes
 * active or cloud there, and events are masked.
 */
#ifndef CALAB_KERNELS_CLOUD_PACKED_CUH
#define CALAB_KERNELS_CLOUD_PACKED_CUH

#include "kernels/cloud/space.cuh"

#define CLOUD_PACKED_THREADS 512 /* of a block at most: see the shapes in ladder.c */

struct cloud_packed {
    uint8_t *plane[CLOUD_PLANES], *act_next;
    struct ca_size bytes; /* sides in bytes */
    struct cloud_space space;
};

/* The byte at `from`, 0 where there is none. */
static __device__ __forceinline__ uint32_t cloud_byte_if(bool is, const uint8_t *from)
{
    return is ? *from : 0;
}

/* --- random bits ----------------------------------------------------------------------------- */

/* bit(s) of all eight cells: those in a row share a draw. */
template <class Shape>
static __device__ __forceinline__ uint32_t cloud_packed_bits(const struct cloud_space &space,
                                                             const struct cloud_place &at,
                                                             uint32_t t, uint32_t s)
{
    uint32_t bits = 0;

#pragma unroll
    for (int row = 0; row < Shape::H * Shape::D; row++) {
        int64_t y = at.y + row % Shape::H, z = cuda_global(space.slab, at.z + row / Shape::H);
        uint32_t word =
            ca_bits(space.seed, (uint64_t)at.x, (uint64_t)y, (uint64_t)z, t, s).v[at.x / 32 % 4];

        bits |= (word >> (at.x % 32) & ((1u << Shape::W) - 1)) << (row * Shape::W);
    }
    return bits;
}

/* event(s, k) of all eight cells: from the top, the first bit in which u and k differ decides. */
template <class Shape>
static __device__ uint32_t cloud_packed_event(const struct cloud_space &space,
                                              const struct cloud_place &at, uint32_t t, uint32_t s,
                                              uint32_t k)
{
    uint32_t happens = 0, open = 0xff; /* open: u agrees with k so far */

    if (k >= 65536)
        return 0xff;
    for (uint32_t i = 0; (k << i & 0xffff) != 0 && open; i++) {
        uint32_t bits = cloud_packed_bits<Shape>(space, at, t, s + i);

        if (k >> (15 - i) & 1) {
            happens |= open & ~bits;
            open &= bits;
        } else {
            open &= ~bits;
        }
    }
    return happens;
}

/* Those of the eight cells that are in the lattice. */
template <class Shape>
static __device__ __forceinline__ uint32_t cloud_packed_inside(struct ca_size size,
                                                               const struct cloud_place &at)
{
    uint32_t inside = 0;

#pragma unroll
    for (int i = 0; i < 8; i++)
        inside |=
            (uint32_t)(at.x + i % Shape::W < size.w && at.y + i / Shape::W % Shape::H < size.h &&
                       at.z + i / (Shape::W * Shape::H) < size.d)
            << i;
    return inside;
}

template <class Shape>
static __device__ __forceinline__ struct cloud_cell
cloud_packed_events(struct cloud_cell cell, const struct cloud_space &space,
                    const struct cloud_place &at, uint32_t t)
{
    uint32_t inside = cloud_packed_inside<Shape>(space.size, at);
    uint32_t extinct =
        cloud_packed_event<Shape>(space, at, t, CA_STREAM_CLOUD_EXTINCTION, space.extinct);
    uint32_t humid =
        cloud_packed_event<Shape>(space, at, t, CA_STREAM_CLOUD_HUMIDITY, space.humid) & inside;
    uint32_t active =
        cloud_packed_event<Shape>(space, at, t, CA_STREAM_CLOUD_ACTIVATION, space.active) & inside;

    return cloud_events(cell, (uint8_t)extinct, (uint8_t)humid, (uint8_t)active);
}

/* --- a generation ---------------------------------------------------------------------------- */

template <class Shape, bool events>
static __global__ void __launch_bounds__(CLOUD_PACKED_THREADS)
    cloud_packed_step(const uint8_t *__restrict__ act, uint8_t *__restrict__ act_next,
                      uint8_t *__restrict__ hum, uint8_t *__restrict__ cld,
                      const struct ca_size bytes, const struct cloud_space space, uint32_t t)
{
    cuda_grid_stride(bytes, [&](const struct cuda_position &spot) {
        struct cloud_cell cell;
        uint32_t near;

        if (!spot.inside)
            return;
        near = Shape::near(act + spot.at, bytes.w, bytes.w * bytes.h, spot);
        cell = {hum[spot.at], act[spot.at], cld[spot.at]};
        cell = cloud_rule(cell, (uint8_t)near); /* eight cells at once */
        if (events)
            cell = cloud_packed_events<Shape>(
                cell, space, cloud_place_of(spot, Shape::W, Shape::H, Shape::D), t);
        hum[spot.at] = cell.hum;
        act_next[spot.at] = cell.act;
        cld[spot.at] = cell.cld;
    });
}

/* --- the rule of the stepper ----------------------------------------------------------------- */

template <class Shape> struct cloud_packed_rule {
    static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
    {
        struct cloud_packed *packed = (struct cloud_packed *)cuda->own;
        struct ca_size size = cuda->size;
        int64_t count;

        packed->space = cloud_space_of(cuda);
        packed->bytes = {(size.w + Shape::W - 1) / Shape::W, (size.h + Shape::H - 1) / Shape::H,
                         (size.d + Shape::D - 1) / Shape::D};
        count = (ca_cells(packed->bytes) + 3) / 4 * 4; /* whole words: cells are put by atomics */
        for (int p = 0; p < CLOUD_PLANES; p++)
            cuda_want(cuda, &packed->plane[p], count);
        cuda_want(cuda, &packed->act_next, count);
        return cuda_grid_stride_fits(cuda, packed->bytes, cuda_block(cuda), error);
    }

    static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
    {
        struct cloud_packed *packed = (struct cloud_packed *)cuda->own;
        dim3 block = cuda_block(cuda), grid = cuda_grid_of(packed->bytes, block);
        auto kernel = cloud_has_events(packed->space) ? cloud_packed_step<Shape, true>
                                                      : cloud_packed_step<Shape, false>;

        for (uint64_t i = 0; i < n; i++) {
            uint8_t *read = packed->plane[CLOUD_ACT];

            CA_TRY(cuda_launch(cuda, "cloud generation", kernel, grid, block, 0, error, read,
                               packed->act_next, packed->plane[CLOUD_HUM], packed->plane[CLOUD_CLD],
                               packed->bytes, packed->space, t + i));
            packed->plane[CLOUD_ACT] = packed->act_next;
            packed->act_next = read;
        }
        return CA_OK;
    }
};

template <class Shape> struct cloud_packed_cells {
    typedef uint8_t value;

    uint8_t *planes[CLOUD_PLANES];
    struct ca_size bytes;
    int64_t h; /* of the lattice, in cells */

    static struct cloud_packed_cells of(const struct cuda *cuda)
    {
        const struct cloud_packed *packed = (const struct cloud_packed *)cuda->own;

        return {
            {packed->plane[0], packed->plane[1], packed->plane[2]}, packed->bytes, cuda->size.h};
    }
    /* The byte of a cell, and its bit there. */
    __device__ int64_t place(int64_t x, int64_t row, int *bit) const
    {
        int64_t y = row % h, z = row / h;

        *bit = (int)(x % Shape::W + Shape::W * (y % Shape::H + Shape::H * (z % Shape::D)));
        return (z / Shape::D * bytes.h + y / Shape::H) * bytes.w + x / Shape::W;
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        int bit;
        int64_t at = place(x, row, &bit);

        return planes[plane][at] >> bit & 1;
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        int bit;
        int64_t at = place(x, row, &bit);
        unsigned *word = (unsigned *)planes[plane] + at / 4;
        unsigned mask = 1u << (at % 4 * 8 + bit); /* the lowest byte stands first */

        if (v)
            atomicOr(word, mask);
        else
            atomicAnd(word, ~mask);
    }
};

#define CLOUD_PACKED(Shape)                                                                        \
    {                                                                                              \
        .own_size = sizeof(struct cloud_packed), .plan = cloud_packed_rule<Shape>::plan,           \
        CUDA_CELLS(cloud_packed_cells<Shape>), .step = cloud_packed_rule<Shape>::step              \
    }

#endif
