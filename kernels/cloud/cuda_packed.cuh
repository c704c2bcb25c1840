/* SPDX-License-Identifier: MIT */
/*
 * Cloud's packed CUDA backends share three buffers hum, act and cld, in which a byte has the bits
 * of eight cells, and a thread updates a byte. A backend brings a shape, which says where the eight
 * cells of a byte lie and which of them have an active neighbour:
 *
 *     struct shape {
 *         enum { W, H, D };      sides of the box of eight cells; bit x + W (y + H z) is (x, y, z)
 *         static const char *name();
 *         static __device__ uint32_t any_act(const uint8_t *byte, int64_t row, int64_t layer,
 *                                         const struct cuda_position &position);
 *     };
 *
 * hum and cld matter to their own cell alone and are updated in place; act is read from one buffer
 * and written to another. Bits beyond the lattice's edge stay 0: without vapour nothing becomes
 * active or cloud there, and events are masked.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_PACKED_CUH
#define CALAB_KERNELS_CLOUD_CUDA_PACKED_CUH

#include "kernels/cloud/cuda_params.cuh"
#include "kernels/cuda/access.cuh"

#define CLOUD_PACKED_THREADS 512 /* the largest of the block shapes in ladder.c */

struct cloud_packed {
    uint8_t *plane[CLOUD_PLANES], *act_next;
    struct ca_size bytes; /* sides in bytes */
    struct cloud_params params;
};

static __device__ __forceinline__ uint32_t cloud_byte_if(bool in_lattice, const uint8_t *from)
{
    return in_lattice ? *from : 0;
}

/* --- random bits ----------------------------------------------------------------------------- */

/* bit(s) of all eight cells; cells of one row share a draw. */
template <class Shape>
static __device__ __forceinline__ uint32_t cloud_packed_bits(const struct cloud_params &params,
                                                             const struct cloud_coordinates &at,
                                                             uint32_t t, uint32_t s)
{
    uint32_t bits = 0;

#pragma unroll
    for (int row = 0; row < Shape::H * Shape::D; row++) {
        int64_t y = at.y + row % Shape::H, z = cuda_global(params.slab, at.z + row / Shape::H);
        uint32_t word =
            ca_bits(params.seed, (uint64_t)at.x, (uint64_t)y, (uint64_t)z, t, s).v[at.x / 32 % 4];

        bits |= (word >> (at.x % 32) & ((1u << Shape::W) - 1)) << (row * Shape::W);
    }
    return bits;
}

/* event(s, k) of all eight cells: the highest bit in which u and k differ decides. */
template <class Shape>
static __device__ uint32_t cloud_packed_event(const struct cloud_params &params,
                                              const struct cloud_coordinates &at, uint32_t t,
                                              uint32_t s, uint32_t k)
{
    uint32_t happens = 0, undecided = 0xff; /* undecided: u equals k in all bits so far */

    if (k >= 65536)
        return 0xff;
    for (uint32_t i = 0; (k << i & 0xffff) != 0 && undecided; i++) {
        uint32_t bits = cloud_packed_bits<Shape>(params, at, t, s + i);

        if (k >> (15 - i) & 1) {
            happens |= undecided & ~bits;
            undecided &= bits;
        } else {
            undecided &= ~bits;
        }
    }
    return happens;
}

/* Those of the eight cells that are in the lattice. */
template <class Shape>
static __device__ __forceinline__ uint32_t cloud_packed_inside(struct ca_size size,
                                                               const struct cloud_coordinates &at)
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
cloud_packed_events(struct cloud_cell cell, const struct cloud_params &params,
                    const struct cloud_coordinates &at, uint32_t t)
{
    uint32_t inside = cloud_packed_inside<Shape>(params.size, at);
    uint32_t extinct =
        cloud_packed_event<Shape>(params, at, t, CLOUD_STREAM_EXTINCTION, params.extinct);
    uint32_t humid =
        cloud_packed_event<Shape>(params, at, t, CLOUD_STREAM_HUMIDITY, params.humid) & inside;
    uint32_t active =
        cloud_packed_event<Shape>(params, at, t, CLOUD_STREAM_ACTIVATION, params.active) & inside;

    return cloud_events(cell, (uint8_t)extinct, (uint8_t)humid, (uint8_t)active);
}

/* --- a generation ---------------------------------------------------------------------------- */

template <class Shape, bool events>
static __global__ void __launch_bounds__(CLOUD_PACKED_THREADS)
    cloud_cuda_packed_step(const uint8_t *__restrict__ act, uint8_t *__restrict__ act_next,
                           uint8_t *__restrict__ hum, uint8_t *__restrict__ cld,
                           const struct ca_size bytes, const struct cloud_params params, uint32_t t)
{
    cuda_grid_stride(bytes, [&](const struct cuda_position &position) {
        struct cloud_cell cell;
        uint32_t any_act;

        if (!position.inside)
            return;
        any_act = Shape::any_act(act + position.at, bytes.w, bytes.w * bytes.h, position);
        cell = {hum[position.at], act[position.at], cld[position.at]};
        cell = cloud_rule(cell, (uint8_t)any_act); /* for eight cells at once */
        if (events)
            cell = cloud_packed_events<Shape>(
                cell, params, cloud_coordinates_of(position, Shape::W, Shape::H, Shape::D), t);
        hum[position.at] = cell.hum;
        act_next[position.at] = cell.act;
        cld[position.at] = cell.cld;
    });
}

template <class Shape>
static enum ca_status cloud_packed_plan(struct cuda *cuda, struct ca_error *error)
{
    struct cloud_packed *state = (struct cloud_packed *)cuda->state;
    struct ca_size size = cuda->size;
    dim3 block = cuda_block(cuda);
    int64_t count;

    state->params = cloud_params_of(cuda);
    state->bytes = {(size.w + Shape::W - 1) / Shape::W, (size.h + Shape::H - 1) / Shape::H,
                    (size.d + Shape::D - 1) / Shape::D};
    count = (ca_cells(state->bytes) + 3) / 4 * 4; /* whole words, since atomics put the cells */
    for (int p = 0; p < CLOUD_PLANES; p++)
        cuda_reserve(cuda, &state->plane[p], count);
    cuda_reserve_passing(cuda, &state->act_next, count);
    cuda_plan_variant(cuda, "%s cells a byte%s", Shape::name(),
                      cloud_has_events(state->params) ? ", with events" : "");
    cuda_plan_launch(cuda, cuda_grid_of(state->bytes, block), block, 0);
    return cuda_grid_stride_fits(cuda, state->bytes, block, error);
}

template <class Shape>
static enum ca_status cloud_packed_pass(struct cuda *cuda, uint64_t t, int n,
                                        struct ca_error *error)
{
    const struct cloud_packed *state = (const struct cloud_packed *)cuda->state;
    auto kernel = cloud_has_events(state->params) ? cloud_cuda_packed_step<Shape, true>
                                                  : cloud_cuda_packed_step<Shape, false>;

    (void)n; /* always a single generation */
    return cuda_launch(cuda, "cloud_cuda_packed_step", kernel, cuda_planned_grid(cuda),
                       cuda_planned_block(cuda), 0, error, state->plane[CLOUD_ACT], state->act_next,
                       state->plane[CLOUD_HUM], state->plane[CLOUD_CLD], state->bytes,
                       state->params, t);
}

static void cloud_packed_swap(struct cuda *cuda)
{
    struct cloud_packed *state = (struct cloud_packed *)cuda->state;
    uint8_t *act = state->plane[CLOUD_ACT];

    state->plane[CLOUD_ACT] = state->act_next;
    state->act_next = act;
}

/* --- cells in and out ------------------------------------------------------------------------ */

template <class Shape> struct cloud_packed_cells {
    enum { PLANES = CLOUD_PLANES, BITS = 1 };
    typedef uint8_t value;

    uint8_t *planes[CLOUD_PLANES];
    struct ca_size bytes;
    int64_t h; /* of the lattice, in cells */

    static struct cloud_packed_cells of(const struct cuda *cuda)
    {
        const struct cloud_packed *state = (const struct cloud_packed *)cuda->state;

        return {{state->plane[0], state->plane[1], state->plane[2]}, state->bytes, cuda->size.h};
    }
    /* The index of a cell's byte, and its bit there. */
    __device__ int64_t index(int64_t x, int64_t row, int *bit) const
    {
        int64_t z = layout_quotient(row, h), y = row - z * h;

        *bit = (int)(x % Shape::W + Shape::W * (y % Shape::H + Shape::H * (z % Shape::D)));
        return (z / Shape::D * bytes.h + y / Shape::H) * bytes.w + x / Shape::W;
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        int bit;
        int64_t at = index(x, row, &bit);

        return planes[plane][at] >> bit & 1;
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        int bit;
        int64_t at = index(x, row, &bit);
        unsigned *word = (unsigned *)planes[plane] + at / 4;
        unsigned mask = 1u << (at % 4 * 8 + bit); /* GPUs are little-endian */

        if (v)
            atomicOr(word, mask);
        else
            atomicAnd(word, ~mask);
    }
};

/* The operations of a shape; `cells` is its struct cuda_access, over cloud_packed_cells<Shape>. */
#define CLOUD_PACKED_OPS(Shape, cells)                                                             \
    {                                                                                              \
        .state_size = sizeof(struct cloud_packed), .plan = cloud_packed_plan<Shape>,               \
        .access = &(cells), .pass = cloud_packed_pass<Shape>, .swap = cloud_packed_swap            \
    }

#endif
