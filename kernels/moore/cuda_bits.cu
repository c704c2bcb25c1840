/* SPDX-License-Identifier: MIT */
/*
 * This file serves bit-sliced CUDA backends: it lays out their memory and fills the halo of the
 * rows of a torus whose width is not a multiple of 128.
 */
#include "kernels/moore/cuda_bits.cuh"

#include "kernels/moore/overlap.h"

/* --- layout ---------------------------------------------------------------------------------- */

static void lay_out(struct moore_bits_layout *layout, struct ca_size size, bool dead)
{
    bool halo = dead || size.w % GROUP_CELLS != 0;
    int64_t groups = (size.w + GROUP_CELLS - 1) / GROUP_CELLS;

    partition_columns(layout, groups, size.h, halo || groups > WARP_LANES);
    layout->first = !halo ? 0 : layout->groups < WARP_LANES ? 1 : 8;
    layout->pitch = layout->first + layout->groups + halo;
    if (layout->groups >= WARP_LANES) /* long rows stand at multiples of 128 bytes, a cache line */
        layout->pitch = (layout->pitch + 7) / 8 * 8;
}

enum ca_status moore_bits_plan(struct cuda *cuda, const struct moore_rule *rule,
                               const struct moore_bitslice_kernels *bitslice,
                               const struct moore_own_rule *own, struct ca_error *error)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;
    struct moore_bits_layout *layout = &state->layout;

    state->rule = *rule;
    state->rule.parameters.w = cuda->size.w;
    state->bitslice = bitslice;
    lay_out(layout, cuda->size, rule->dead);
    cuda_reserve(cuda, &state->now, layout->h * layout->pitch);
    cuda_reserve_passing(cuda, &state->next, layout->h * layout->pitch);
    if (own)
        CA_TRY(moore_own_plan(cuda, &state->own, own, error));
    if (state->own.wanted)
        state->rule.work = state->own.rule.work;
    return CA_OK;
}

const struct moore_own_kernels *moore_bits_turn(struct cuda *cuda)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;
    const struct moore_own_kernels *kernels = moore_own_turn(cuda, &state->own);

    if (!kernels)
        return NULL;
    state->own_rows.name = state->bitslice->name;
    for (int i = 0; i < 3; i++)
        state->own_rows.step[i] = kernels->rows[i];
    state->bitslice = &state->own_rows;
    return kernels;
}

double moore_bits_ops(const struct cuda *cuda, double cells)
{
    return cuda_ops_of(cuda, cells) * ((const struct moore_bits *)cuda->state)->rule.work;
}

double moore_bits_bound(const struct cuda *cuda, struct cuda_shape shape)
{
    const struct moore_bits *state = (const struct moore_bits *)cuda->state;
    const struct moore_bits_layout *layout = &state->layout;

    shape.launches = moore_bits_fills(state) ? 2 : 1; /* a halo is filled by one of its own */
    shape.held = shape.moved = 2.0 * (double)(layout->h * layout->pitch) * sizeof(uint4);
    return state->own.wanted ? moore_overlap_s(&cuda->facts, &shape)
                             : cuda_bound_s(&cuda->facts, &shape);
}

/* --- halo ------------------------------------------------------------------------------------ */

/*
 * The word of the cells x, x + 4, ..., x + 124 of a row that repeats itself without end. Each turn
 * of the loop takes as many bits as one word has before its group or the row ends. 0 <= x < w.
 */
static __device__ uint32_t periodic_word(const uint32_t *row, int64_t w, int64_t x)
{
    uint32_t word = 0;

    for (int done = 0; done < 32;) {
        int bit = (int)(x % GROUP_CELLS / 4);
        int64_t in_row = (w - x + 3) / 4;
        int bits = in_row < 32 - bit ? (int)in_row : 32 - bit;

        word |= (row[x / GROUP_CELLS * 4 + x % 4] >> bit & 0xffffffffu >> (32 - bits)) << done;
        done += bits;
        for (x += 4 * bits; x >= w;) /* x is beyond the end by three cells at most */
            x -= w;
    }
    return word;
}

#define HALO_LANES 16 /* threads a row, twelve of which write a word each */

/* Half a warp a row and a lane a word: the group before the first, the bits behind cell W - 1 in
 * the last group, and the group behind that. */
__global__ static void moore_cuda_bits_fill_halo(uint4 *groups, struct moore_bits_layout layout,
                                                 int64_t w)
{
    int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = (int)(thread % HALO_LANES), group = lane / 4, word = lane % 4;
    int64_t at = group == 0 ? -1 : layout.groups - 2 + group;
    int64_t x = (at * GROUP_CELLS + word) % w;
    uint32_t half = 0xffffu << thread % WARP_LANES / HALO_LANES * HALO_LANES;

    x += x < 0 ? w : 0;
    for (int64_t y = thread / HALO_LANES; y < layout.h;
         y += (int64_t)gridDim.x * blockDim.x / HALO_LANES) {
        uint32_t *row = (uint32_t *)(groups + y * layout.pitch + layout.first);
        uint32_t cells = periodic_word(row, w, x);

        __syncwarp(half); /* all lanes have read the row before one writes to it */
        if (group < 3)
            row[at * 4 + word] = cells;
    }
}

/* --- passes ---------------------------------------------------------------------------------- */

bool moore_bits_fills(const struct moore_bits *state)
{
    return state->layout.first && !state->rule.dead;
}

enum ca_status moore_bits_fill(struct cuda *cuda, struct ca_error *error)
{
    const struct moore_bits *state = (const struct moore_bits *)cuda->state;

    return moore_bits_fills(state)
               ? cuda_launch(cuda, "moore_cuda_bits_fill_halo", moore_cuda_bits_fill_halo,
                             cuda_line(state->layout.h * HALO_LANES), dim3(256), 0, error,
                             state->now, state->layout, cuda->size.w)
               : CA_OK;
}

void moore_bits_swap(struct cuda *cuda)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;
    uint4 *read = state->now;

    state->now = state->next;
    state->next = read;
}
