/* SPDX-License-Identifier: MIT */
/*
 * This file serves anneal's bit-sliced CUDA backends: it lays out their memory, moves cells in and
 * out, fills the halo of rows whose width is not a multiple of 128, and shares out a call's
 * generations to passes.
 */
#include "kernels/anneal/cuda_bits.cuh"

#include "kernels/anneal/cuda_walls.cuh"
#include "kernels/cuda/access.cuh"

/* --- layout ---------------------------------------------------------------------------------- */

static void lay_out(struct anneal_bits_layout *layout, struct ca_size size)
{
    bool halo = size.w % GROUP_CELLS != 0;
    int64_t groups = (size.w + GROUP_CELLS - 1) / GROUP_CELLS;

    partition_columns(layout, groups, size.h, halo || groups > WARP_LANES);
    layout->first = !halo ? 0 : layout->groups < WARP_LANES ? 1 : 8;
    layout->pitch = layout->first + layout->groups + halo;
    if (layout->groups >= WARP_LANES) /* long rows stand at multiples of 128 bytes, a cache line */
        layout->pitch = (layout->pitch + 7) / 8 * 8;
}

void anneal_bits_plan(struct cuda *cuda)
{
    struct anneal_bits *state = (struct anneal_bits *)cuda->state;
    struct anneal_bits_layout *layout = &state->layout;

    lay_out(layout, cuda->size);
    cuda_reserve(cuda, &state->now, layout->h * layout->pitch);
    cuda_reserve_passing(cuda, &state->next, layout->h * layout->pitch);
}

double anneal_bits_bound(const struct cuda *cuda, struct cuda_shape shape)
{
    const struct anneal_bits_layout *layout = &((const struct anneal_bits *)cuda->state)->layout;

    shape.launches = layout->first ? 2 : 1; /* a halo is filled by one of its own */
    shape.held = shape.moved = 2.0 * (double)(layout->h * layout->pitch) * sizeof(uint4);
    return cuda_bound_s(&cuda->facts, &shape);
}

/* --- cells in and out ------------------------------------------------------------------------ */

struct anneal_group_words {
    enum { PLANES = 1, BITS = 1 };

    uint4 *groups; /* group of cell 0 of row 0 */
    int64_t pitch;

    static anneal_group_words of(const struct cuda *cuda)
    {
        const struct anneal_bits *state = (const struct anneal_bits *)cuda->state;

        return {state->now + state->layout.first, state->layout.pitch};
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        words[0] = cuda_group_get_half(cuda_group_of(groups[row * pitch + k / 2]), (int)(k % 2));
    }
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        cuda_group_put_half(groups + row * pitch + k / 2, (int)(k % 2), words[0]);
    }
};

CUDA_WORD_ACCESS(anneal_bits_access, anneal_group_words,
                 .neighbours = layout_blocks<anneal_walls_of_words<anneal_group_words>>);

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
__global__ static void anneal_cuda_bits_fill_halo(uint4 *groups, struct anneal_bits_layout layout,
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

enum ca_status anneal_bits_fill(struct cuda *cuda, struct ca_error *error)
{
    const struct anneal_bits *state = (const struct anneal_bits *)cuda->state;

    return state->layout.first
               ? cuda_launch(cuda, "anneal_cuda_bits_fill_halo", anneal_cuda_bits_fill_halo,
                             cuda_line(state->layout.h * HALO_LANES), dim3(256), 0, error,
                             state->now, state->layout, cuda->size.w)
               : CA_OK;
}

void anneal_bits_swap(struct cuda *cuda)
{
    struct anneal_bits *state = (struct anneal_bits *)cuda->state;
    uint4 *read = state->now;

    state->now = state->next;
    state->next = read;
}
