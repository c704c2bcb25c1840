/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of life3d: a bit a cell, one generation a pass.
 *
 * The cells around 32 cells are counted by some 20 ternary operations on words, where cuda-naive
 * loads 27 words for a single cell. A warp sweeps down the layers of its rows and keeps the sums of
 * the last two layers in registers, so a cell costs an eighth of a byte of loads and as much of
 * stores. Memory and the logic units are nearly in balance: at 0.25 bytes a cell and some 25
 * operations on words for 32 cells, a GPU with 4 TB/s and 132 multiprocessors of 64 units could
 * step 16 and 20 cells a picosecond.
 *
 * The default rule and two of Bays', 4555 and 5766, have kernels of their own. Other rules are four
 * comparisons at run time if births and survivals are one interval each, and else a selection among
 * all counts, which cost some 20 and 50 operations more. No rule branches for a cell.
 *
 * Rows of 129 to 4096 cells, at least four of them in at least four layers, are swept
 * (cuda_bitslice_sweep.cu). For other lattices a thread steps a word of two layers, and the caches
 * serve its neighbours.
 */

#include "kernels/life3d/cuda_sweep.cuh"

/* --- a word a thread ------------------------------------------------------------------------- */

struct bitslice_state {
    struct life3d_bits_state bits;
    struct life3d_sweep sweep; /* of a lattice that is laid out for it */
};

/* A word and its neighbours in x: indices in the row, and which of their bits is the neighbour. */
struct columns {
    int64_t here, left, right;
    int left_bit, right_bit; /* left: of that word; right: of this one */
    word keep_left, keep_right, valid;
};

static __device__ __forceinline__ struct columns columns_of(const struct life3d_layout &layout,
                                                            int64_t k)
{
    int end = (int)((layout.w - 1) % 32);
    bool first = k == 0, last = k == layout.row_words - 1;

    return {k,
            first ? layout.row_words - 1 : k - 1,
            last ? 0 : k + 1,
            first ? end : 31,
            last ? end : 31,
            !first || layout.torus,
            !last || layout.torus,
            last ? ~0u >> (31 - end) : ~0u};
}

/* Offsets of the rows above and below, and whether they exist. */
struct rows_beside {
    int64_t above, below;
    word keep_above, keep_below;
};

static __device__ __forceinline__ struct bit_sum sum_of_row(const word *row,
                                                            const struct columns &x, word keep)
{
    word here = row[x.here] & keep;
    word left = row[x.left] >> x.left_bit & x.keep_left & keep;
    word right = (row[x.right] & x.keep_right & keep) << x.right_bit;

    return word_full_add(here << 1 | left, here, here >> 1 | right);
}

/* `keep`: all bits if the layer exists, else none. */
static __device__ __forceinline__ struct life3d_sum9
sum9_of(const word *row, const struct columns &x, const struct rows_beside &y, word keep)
{
    return life3d_add_columns(sum_of_row(row + y.above, x, y.keep_above & keep),
                              sum_of_row(row, x, keep),
                              sum_of_row(row + y.below, x, y.keep_below & keep));
}

/* Layer z, which may lie outside; any layer, with *keep 0, where there is none. */
static __device__ __forceinline__ const word *
layer_of(const word *cells, const struct life3d_layout &layout, int64_t z, word *keep)
{
    *keep = ~0u;
    if (z >= 0 && z < layout.d)
        return cells + z * layout.layer_words;
    if (!layout.torus_z) {
        *keep = 0;
        return cells;
    }
    while (z >= layout.d) /* twice for a single layer */
        z -= layout.d;
    return cells + (z < 0 ? z + layout.d : z) * layout.layer_words;
}

/* A thread steps a word of layers z and z + 1, for even z. */
template <class Rule, class Index>
static __global__ void __launch_bounds__(256)
    life3d_cuda_bitslice_step_words(const word *__restrict__ now, word *__restrict__ next,
                                    const __grid_constant__ struct life3d_layout layout,
                                    const __grid_constant__ struct life3d_masks masks)
{
    Index width = (Index)layout.row_words, height = (Index)layout.h;
    Index all = (Index)((layout.d + 1) / 2) * height * width;

    for (Index i = (Index)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (Index)gridDim.x * blockDim.x) {
        Index row = i / width, pair = row / height, y = row - pair * height;
        int64_t z = 2 * (int64_t)pair, at = (int64_t)y * layout.row_words;
        int64_t side = layout.h * layout.row_words;
        struct columns x = columns_of(layout, i - row * width);
        bool top = y == 0, bottom = y == height - 1;
        struct rows_beside beside = {top ? side - layout.row_words : -layout.row_words,
                                     bottom ? layout.row_words - side : layout.row_words,
                                     top && !layout.torus ? 0 : ~0u,
                                     bottom && !layout.torus ? 0 : ~0u};
        const word *layer[4];
        word keep[4];

#pragma unroll
        for (int l = 0; l < 4; l++)
            layer[l] = layer_of(now, layout, z + l - 1, &keep[l]) + at;

        struct life3d_sum9 a = sum9_of(layer[1], x, beside, keep[1]);
        struct life3d_sum9 b = sum9_of(layer[2], x, beside, keep[2]);
        struct life3d_pair both = life3d_add_pair(a, b);
        struct life3d_sum9 before = sum9_of(layer[0], x, beside, keep[0]);

        next[z * layout.layer_words + at + x.here] =
            Rule::next(life3d_add_third(both, before), layer[1][x.here], masks) & x.valid;
        if (z + 1 < layout.d)
            next[(z + 1) * layout.layer_words + at + x.here] =
                Rule::next(life3d_add_third(both, sum9_of(layer[3], x, beside, keep[3])),
                           layer[2][x.here], masks) &
                x.valid;
    }
}

static int64_t threads_of(const struct life3d_layout *layout)
{
    return (layout->d + 1) / 2 * layout->h * layout->row_words;
}

template <class Rule>
static enum ca_status launch_words(struct cuda *cuda, const struct life3d_bits_state *state,
                                   struct ca_error *error)
{
    int64_t threads = threads_of(&state->layout);
    dim3 grid = cuda_line(threads), block(256);

    if (threads < 1 << 30)
        return cuda_launch(cuda, "life3d_cuda_bitslice_step_words",
                           life3d_cuda_bitslice_step_words<Rule, uint32_t>, grid, block, 0, error,
                           state->now, state->next, state->layout, state->masks);
    return cuda_launch(cuda, "life3d_cuda_bitslice_step_words",
                       life3d_cuda_bitslice_step_words<Rule, int64_t>, grid, block, 0, error,
                       state->now, state->next, state->layout, state->masks);
}

static enum ca_status pass_words(struct cuda *cuda, struct life3d_bits_state *state,
                                 struct ca_error *error)
{
    if (state->variant == LIFE3D_RULE_4576)
        return launch_words<life3d_rule_4576>(cuda, state, error);
    if (state->variant == LIFE3D_RULE_TABLE)
        return launch_words<life3d_rule_table>(cuda, state, error);
    return launch_words<life3d_rule_intervals>(cuda, state, error);
}

/* --- the backend ----------------------------------------------------------------------------- */

enum ca_status life3d_bitslice_sweep(struct cuda *cuda, struct life3d_sweep *sweep,
                                     struct ca_error *error)
{
    static life3d_sweep_of *const sweeps[LIFE3D_RULE_VARIANTS] = {
        life3d_bitslice_sweep_4576,      life3d_bitslice_sweep_4555,  life3d_bitslice_sweep_5766,
        life3d_bitslice_sweep_intervals, life3d_bitslice_sweep_table,
    };
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;

    *sweep = sweeps[state->variant](state->layout, life3d_row_end_of(&state->layout));
    return life3d_sweep_partition(cuda, sweep, error);
}

/* The least seconds of a generation of so many words, which are read and written. */
static double words_bound(const struct cuda *cuda, double words)
{
    struct cuda_shape shape = {
        .generations = 1,
        .launches = 1,
        .blocks =
            ca_divide_up(threads_of(&((const struct life3d_bits_state *)cuda->state)->layout), 256),
        .warps = 256.0 / LIFE3D_WARP,
        .resident = CUDA_RESIDENT_THREADS / 256.0};

    shape.ops = life3d_ops_of(cuda, 256.0 * 2 * 32);
    shape.held = shape.moved = 2 * words * sizeof(word);
    return cuda_bound_s(&cuda->facts, &shape);
}

static enum ca_status life3d_cuda_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    struct bitslice_state *state = (struct bitslice_state *)cuda->state;
    const struct life3d_layout *layout = &state->bits.layout;
    struct life3d_sweep *sweep = &state->sweep;
    struct ca_plan *plan = &cuda->plan;

    CA_TRY(life3d_bits_plan(cuda, error));
    if (layout->lanes > 0) {
        CA_TRY(life3d_bitslice_sweep(cuda, sweep, error));
        cuda_plan_variant(cuda, "sweep of %lld layers, %d cells a lane",
                          (long long)sweep->params.chunk, 32 * layout->lane_words);
        cuda_plan_launch(cuda, life3d_sweep_grid(sweep, cuda_stored_layers(cuda, 1)),
                         dim3((unsigned)sweep->threads), sweep->shared);
        plan->step_s = sweep->step_s;
    } else {
        double words = (double)(layout->row_words * layout->h) * (double)layout->d;

        cuda_plan_variant(cuda, "a word of two layers a thread");
        cuda_plan_launch(cuda, cuda_line(threads_of(layout)), dim3(256), 0);
        plan->step_s = words_bound(cuda, words);
    }
    return CA_OK;
}

static struct cuda_band_sizes life3d_cuda_bitslice_bands(const struct cuda *cuda, int n)
{
    const struct bitslice_state *state = (const struct bitslice_state *)cuda->state;

    (void)n; /* always one */
    return state->bits.layout.lanes ? life3d_sweep_bands(cuda, &state->sweep) : cuda_band_sizes{};
}

static enum ca_status life3d_cuda_bitslice_pass(struct cuda *cuda, uint64_t t, int n,
                                                struct ca_error *error)
{
    struct bitslice_state *state = (struct bitslice_state *)cuda->state;

    (void)t, (void)n; /* the same rule in every generation, always one of them */
    return state->bits.layout.lanes ? life3d_sweep_pass(cuda, state->sweep, error)
                                    : pass_words(cuda, &state->bits, error);
}

CUDA_OPS(life3d_cuda_bitslice) = {
    .state_size = sizeof(struct bitslice_state),
    .plan = life3d_cuda_bitslice_plan,
    .access = &life3d_bits_access,
    .pass = life3d_cuda_bitslice_pass,
    .swap = life3d_swap,
    .bands = life3d_cuda_bitslice_bands,
};
