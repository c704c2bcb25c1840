/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of life3d: two generations in one sweep (two-step streaming).
 *
 * It halves the traffic of cuda-bitslice and leaves the logic units as the bottleneck, which they
 * nearly are in cuda-bitslice. An H200, whose memory is fast for its logic, is some 3 to 9 % slower
 * with it (1024 and 2048 a side); a third generation would need more registers than there are.
 * Blocks overlap by two rows at each end, which pays where a block has some 30 rows.
 *
 * The kernel, in cuda_temporal_sweep.cu, takes rows of 257 to 2048 cells and lattices of at least
 * the rows that a block gives (124, 60 or 28) and eight layers. A single generation at the end of a
 * call goes through the sweep of cuda-bitslice.
 */

#include "kernels/life3d/cuda_sweep.cuh"

#define LAYERS_MIN                                                                                 \
    8 /* so that no layer is read that is further outside than the lattice is deep                 \
       */

struct temporal_state {
    struct life3d_bits_state bits;
    struct life3d_sweep two, one; /* generations a pass */
};

static enum ca_status check(const struct cuda *cuda, const struct life3d_layout *layout,
                            struct ca_error *error)
{
    if (cuda->size.w <= 256 || cuda->size.w > 2048)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes rows of 257 to 2048 cells: %lld is not",
                       (long long)cuda->size.w);
    if (layout->d < LAYERS_MIN)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes lattices of at least %d layers: %lld are less",
                       LAYERS_MIN, (long long)layout->d);
    if (layout->lanes == 0) /* w and d suit, so h does not */
        return ca_fail(error, CA_USAGE, "cuda-temporal takes 28 to 2^30 rows: %lld are not",
                       (long long)layout->h);
    if (layout->layer_words > INT32_MAX) /* the kernel counts them in 32 bits */
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes layers of at most %d words of 32 cells: %lld are more",
                       INT32_MAX, (long long)layout->layer_words);
    return CA_OK;
}

static enum ca_status life3d_cuda_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    static life3d_sweep_of *const sweeps[LIFE3D_RULE_VARIANTS] = {
        life3d_temporal_sweep_4576,      life3d_temporal_sweep_4555,  life3d_temporal_sweep_5766,
        life3d_temporal_sweep_intervals, life3d_temporal_sweep_table,
    };
    struct temporal_state *state = (struct temporal_state *)cuda->state;
    const struct life3d_layout *layout = &state->bits.layout;
    struct life3d_sweep *two = &state->two;
    struct ca_plan *plan = &cuda->plan;

    CA_TRY(life3d_bits_plan(cuda, error));
    CA_TRY(check(cuda, layout, error));
    *two = sweeps[state->bits.variant](*layout, life3d_row_end_of(layout));
    if (layout->h < two->rows)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes at least %d rows of %lld cells, as many as a block "
                       "steps: %lld are less",
                       two->rows, (long long)layout->w, (long long)layout->h);
    if ((int64_t)two->shared > cuda->facts.shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal needs %zu bytes of shared memory a block, GPU %d has %lld",
                       two->shared, cuda->device, (long long)cuda->facts.shared_bytes);
    CA_TRY(life3d_sweep_partition(cuda, two, error));
    CA_TRY(life3d_bitslice_sweep(cuda, &state->one, error));
    cuda_plan_variant(cuda, "sweep of %lld layers, %d cells a lane", (long long)two->params.chunk,
                      32 * layout->lane_words);
    cuda_plan_launch(cuda, life3d_sweep_grid(two, cuda_stored_layers(cuda, 2)),
                     dim3((unsigned)two->threads), two->shared);
    plan->generations = two->generations;
    plan->step_s = two->step_s;
    return CA_OK;
}

static struct cuda_band_sizes life3d_cuda_temporal_bands(const struct cuda *cuda, int n)
{
    const struct temporal_state *state = (const struct temporal_state *)cuda->state;
    struct cuda_band_sizes bands = life3d_sweep_bands(cuda, n == 1 ? &state->one : &state->two);

    if (n == 1)
        bands.layers = 0; /* what follows the sweep is of the whole lattice */
    return bands;
}

/* A sweep of two generations reads more of the halo than one of a single generation keeps. */
static enum ca_status life3d_cuda_temporal_pass(struct cuda *cuda, uint64_t t, int n,
                                                struct ca_error *error)
{
    struct temporal_state *state = (struct temporal_state *)cuda->state;

    (void)t; /* the same rule in every generation */
    CA_TRY(life3d_sweep_pass(cuda, n == 1 ? state->one : state->two, error));
    return n == 1 ? life3d_fill_next(cuda, error) : CA_OK;
}

CUDA_OPS(life3d_cuda_temporal) = {
    .state_size = sizeof(struct temporal_state),
    .plan = life3d_cuda_temporal_plan,
    .access = &life3d_bits_access,
    .pass = life3d_cuda_temporal_pass,
    .swap = life3d_swap,
    .bands = life3d_cuda_temporal_bands,
};
