/* SPDX-License-Identifier: MIT */
/* This file keeps the state of life3d's bit-sliced CUDA backends: the layout, cells in and out,
 * halo rows. */
#include "kernels/life3d/cuda_bits.cuh"

#include "kernels/cuda/access.cuh"
#include "kernels/cuda/bit_groups.cuh"
#include "kernels/life3d/rule.h"

#define SWEEP_SIDE_MAX (1 << 30) /* rows and layers of a lattice that is swept */

/* --- cells in and out ------------------------------------------------------------------------ */

/* Two words with the even and the odd ones of 64 cells, from the word in the order of the cells and
 * back: the digits of a cell's index are rotated by one. */
static __device__ __forceinline__ uint64_t from_even_and_odd(uint64_t x)
{
    x = cuda_exchange_digits<5, 4>(x);
    x = cuda_exchange_digits<4, 3>(x);
    x = cuda_exchange_digits<3, 2>(x);
    x = cuda_exchange_digits<2, 1>(x);
    return cuda_exchange_digits<1, 0>(x);
}

static __device__ __forceinline__ uint64_t to_even_and_odd(uint64_t x)
{
    x = cuda_exchange_digits<1, 0>(x);
    x = cuda_exchange_digits<2, 1>(x);
    x = cuda_exchange_digits<3, 2>(x);
    x = cuda_exchange_digits<4, 3>(x);
    return cuda_exchange_digits<5, 4>(x);
}

/* Rows of any of the layouts, without their halo. */
struct life3d_row_words {
    enum { PLANES = 1, BITS = 1 };

    word *cells; /* the word with cell 0 */
    struct life3d_layout layout;

    static life3d_row_words of(const struct cuda *cuda)
    {
        const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;

        return {state->now + state->layout.offset, state->layout};
    }
    __device__ word *at(int64_t row) const
    {
        int64_t z = layout_quotient(row, layout.h);

        return cells + z * layout.layer_words + (row - z * layout.h) * layout.row_words;
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        const word *from = at(row) + 2 * k;

        if (layout.lane_words == 4) {
            words[0] = cuda_group_get_half(cuda_group_of(*(const uint4 *)(from - k % 2 * 2)),
                                           (int)(k % 2));
            return;
        }
        words[0] = from[0];
        if (2 * k + 1 < layout.row_words)
            words[0] |= (uint64_t)from[1] << 32;
        if (layout.lane_words == 2)
            words[0] = from_even_and_odd(words[0]);
    }
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        word *to = at(row) + 2 * k;
        uint64_t x = layout.lane_words == 2 ? to_even_and_odd(words[0]) : words[0];

        if (layout.lane_words == 4) {
            cuda_group_put_half((uint4 *)(to - k % 2 * 2), (int)(k % 2), x);
            return;
        }
        to[0] = (word)x;
        if (2 * k + 1 < layout.row_words)
            to[1] = (word)(x >> 32);
    }
};

/* --- halo ------------------------------------------------------------------------------------ */

/* Copies the first and last rows of each of so many layers to the halo beyond its other end. */
static __global__ void life3d_cuda_bits_fill_halo(word *cells, struct life3d_layout layout,
                                                  int64_t layers)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t halo = LIFE3D_HALO_ROWS * layout.row_words, side = layout.h * layout.row_words;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < layers * halo; i += step) {
        word *above = cells + i / halo * layout.layer_words + i % halo;

        above[0] = above[side];
        above[side + halo] = above[halo];
    }
}

static enum ca_status fill_halo(struct cuda *cuda, word *cells, int64_t first, int64_t layers,
                                struct ca_error *error)
{
    const struct life3d_layout *layout = &((const struct life3d_bits_state *)cuda->state)->layout;

    if (layout->lanes == 0 || !layout->torus)
        return CA_OK;
    return cuda_launch(cuda, "life3d_cuda_bits_fill_halo", life3d_cuda_bits_fill_halo,
                       cuda_line(layers * LIFE3D_HALO_ROWS * layout->row_words), dim3(256), 0,
                       error, cells + first * layout->layer_words, *layout, layers);
}

enum ca_status life3d_fill_next(struct cuda *cuda, struct ca_error *error)
{
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;

    return fill_halo(cuda, state->next, 0, state->layout.d, error);
}

void life3d_swap(struct cuda *cuda)
{
    struct life3d_bits_state *state = (struct life3d_bits_state *)cuda->state;
    word *written = state->next;

    state->next = state->now;
    state->now = written;
}

/* --- cells, with the halo of their layers ---------------------------------------------------- */

typedef struct layout_words<life3d_row_words> access;

/* Fills the halo rows of the layers that rows are in. */
static enum ca_status fill_rows(struct cuda *cuda, int64_t first, int64_t rows,
                                struct ca_error *error)
{
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;
    int64_t h = state->layout.h, layer = first / h;

    return fill_halo(cuda, state->now, layer, (first + rows - 1) / h - layer + 1, error);
}

static enum ca_status life3d_bits_load(struct cuda *cuda, void *const planes[], int64_t first,
                                       int64_t rows, struct ca_error *error)
{
    CA_TRY(access::load(cuda, planes, first, rows, error));
    return fill_rows(cuda, first, rows, error);
}

static enum ca_status unpack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
{
    CA_TRY(access::unpack(cuda, halos, error));
    for (int i = 0; i < halos.count; i++)
        CA_TRY(fill_rows(cuda, halos.first[i], halos.rows, error));
    return CA_OK;
}

static enum ca_status life3d_bits_init(struct cuda *cuda, bool *made, struct ca_error *error)
{
    CA_TRY(access::init(cuda, made, error));
    return *made ? fill_rows(cuda, 0, ca_rows(cuda->size), error) : CA_OK;
}

const struct cuda_access life3d_bits_access = {
    .load = life3d_bits_load,
    .store = access::store,
    .row_bytes = access::row_bytes,
    .pack = access::pack,
    .unpack = unpack,
    .gather = access::gather,
    .init = life3d_bits_init,
    .survey = access::survey,
    .blocks = layout_blocks<layout_sums_of_words<life3d_row_words>>};

/* --- the plan -------------------------------------------------------------------------------- */

static void choose_layout(struct life3d_layout *layout, const struct cuda *cuda)
{
    struct ca_size size = cuda->size;

    *layout = {size.w, size.h, size.d, 1, 0, (size.w + 31) / 32, 0, 0, false, false};
    layout->torus = life3d_torus(&cuda->setup);
    layout->torus_z = cuda_slab_of(cuda).torus;
    layout->layer_words = layout->row_words * size.h;
    if (size.w <= 128 || size.w > 4096 || size.h < 4 || size.d < 4 || size.h > SWEEP_SIDE_MAX ||
        size.d > SWEEP_SIDE_MAX)
        return;
    layout->lane_words = size.w > 2048 ? 4 : 2;
    layout->lanes = size.w <= 256 ? 4 : size.w <= 512 ? 8 : size.w <= 1024 ? 16 : 32;
    layout->row_words = layout->lanes * layout->lane_words;
    layout->layer_words = layout->row_words * (size.h + 2 * LIFE3D_HALO_ROWS);
    layout->offset = layout->row_words * LIFE3D_HALO_ROWS;
}

static void choose_variant(struct life3d_bits_state *state, struct life3d_rule rule)
{
    uint32_t survive = rule.survive << 1; /* by the count with the cell itself */
    struct life3d_bits bits;

    life3d_bits_make(&bits, rule);
    state->variant = bits.form == LIFE3D_STANDARD            ? LIFE3D_RULE_4576
                     : survive == 0x60 && rule.born == 0x20  ? LIFE3D_RULE_4555
                     : survive == 0x1c0 && rule.born == 0x40 ? LIFE3D_RULE_5766
                     : bits.form == LIFE3D_INTERVALS         ? LIFE3D_RULE_INTERVALS
                                                             : LIFE3D_RULE_TABLE;
    for (int l = 0; l < 4; l++)
        for (int i = 0; i < 5; i++)
            state->masks.not_limits[l][i] = (word)bits.not_limits[l][i];
    for (int i = 0; i < 14; i++)
        for (int l = 0; l < 2; l++) {
            uint8_t kind = l ? bits.survive[i] : bits.born[i];

            state->masks.even[l][i] = kind & 1 ? ~0u : 0;
            state->masks.odd[l][i] = (kind ^ kind >> 1) & 1 ? ~0u : 0;
        }
}

enum ca_status life3d_bits_plan(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_bits_state *state = (struct life3d_bits_state *)cuda->state;
    struct life3d_layout *layout = &state->layout;
    struct life3d_rule rule;
    int64_t words;

    CA_TRY(life3d_rule_of_setup(&rule, &cuda->setup, error));
    choose_variant(state, rule);
    choose_layout(layout, cuda);
    words = (layout->d + (layout->lanes > 0)) * layout->layer_words;
    cuda_reserve(cuda, &state->now, words);
    cuda_reserve_passing(cuda, &state->next, words);
    return CA_OK;
}
