/* SPDX-License-Identifier: MIT */
/* This file partitions sweeps into blocks, bounds their time, and launches them. */
#include "kernels/life3d/cuda_sweep.cuh"

/* Blocks one after the other on a multiprocessor that are considered. */
#define BLOCK_ROUNDS_MAX 16

/*
 * The least seconds of a generation. A block steps layers in pairs, and one layer more at both ends
 * for each generation.
 */
static double sweep_bound(const struct cuda *cuda, const struct life3d_sweep *sweep, int64_t depth,
                          int resident)
{
    const struct life3d_layout *layout = &sweep->params.layout;
    int64_t chunk = sweep->params.chunk, pairs = ca_divide_up(chunk + 2 * sweep->generations, 2);
    double cells = 2.0 * (double)pairs * sweep->threads * LIFE3D_THREAD_WORDS * 32;
    double bytes = (double)(depth * layout->layer_words) * sizeof(word);
    struct cuda_shape shape = {.generations = (double)sweep->generations,
                               .launches = 1,
                               .blocks = sweep->row_blocks * ca_divide_up(depth, chunk),
                               .warps = sweep->threads / (double)LIFE3D_WARP,
                               .resident = (double)resident};

    shape.ops = life3d_ops_of(cuda, shape.generations * cells);
    shape.barriers = shape.generations * (double)pairs;
    shape.held = 2 * bytes;
    shape.moved = bytes * (1 + 2.0 * (double)pairs / (double)chunk);
    return cuda_bound_s(&cuda->facts, &shape);
}

/* The even number of layers a block that should take least, among those with as few blocks as there
 * can be or with at most BLOCK_ROUNDS_MAX of them one after the other. */
static int64_t choose_layers(const struct cuda *cuda, struct life3d_sweep tried, int64_t depth,
                             int resident)
{
    int64_t chosen = depth, shortest = tried.params.chunk;
    int64_t most =
        (int64_t)BLOCK_ROUNDS_MAX * resident * cuda->facts.multiprocessors / tried.row_blocks;
    double least = 0;

    for (int64_t chunks = 1; chunks == 1 || (chunks <= most && 2 * chunks <= depth); chunks++) {
        double step_s;

        tried.params.chunk = 2 * ca_divide_up(depth, 2 * chunks);
        step_s = sweep_bound(cuda, &tried, depth, resident);
        /* Of equal times, which rounding parts, those of fewer blocks. */
        if (tried.params.chunk < shortest || (chunks > 1 && step_s >= least * (1 - 1e-9)))
            continue;
        least = step_s;
        chosen = tried.params.chunk;
    }
    return chosen;
}

/* Finds how rows end. */
static void find_row_end(struct life3d_sweep_params *params, const struct life3d_layout *layout)
{
    int group = 32 * layout->lane_words, in_group = (int)((layout->w - 1) % group);

    params->layout = *layout;
    params->last = (int)((layout->w - 1) / group);
    params->last_bit[in_group % layout->lane_words] = 1u << (31 - in_group / layout->lane_words);
    for (int j = 0; j < layout->lane_words; j++) {
        int cells = (in_group - j + layout->lane_words) / layout->lane_words; /* in word j */

        params->valid[j] = cells > 0 ? ~0u >> (32 - cells) : 0;
    }
    if (layout->torus && in_group + 1 < group)
        params->beyond[(in_group + 1) % layout->lane_words] =
            1u << (in_group + 1) / layout->lane_words;
}

enum ca_status life3d_sweep_partition(struct cuda *cuda, struct life3d_sweep *sweep,
                                      struct ca_error *error)
{
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;
    int64_t depth = cuda_stored_layers(cuda, sweep->generations);
    int64_t layers = ca_int(&cuda->setup.options, "layers");
    int64_t shortest = ca_divide_up(cuda->size.d, 65535), *chunk = &sweep->params.chunk;
    int resident;

    find_row_end(&sweep->params, &state->layout);
    sweep->row_blocks = (uint32_t)ca_divide_up(cuda->size.h, sweep->rows);
    *chunk = layers > depth ? depth : layers > shortest ? layers : shortest;
    CA_TRY(cuda_resident_blocks(cuda, (const void *)sweep->kernel, sweep->threads, sweep->shared,
                                &resident, error));
    if (!layers)
        *chunk = choose_layers(cuda, *sweep, depth, resident);
    sweep->step_s = sweep_bound(cuda, sweep, depth, resident);
    return CA_OK;
}

enum life3d_row_end life3d_row_end_of(const struct life3d_layout *layout)
{
    if (layout->w != 32 * layout->row_words)
        return LIFE3D_ROW_PARTIAL;
    return layout->torus ? LIFE3D_ROW_PERIODIC : LIFE3D_ROW_DEAD;
}

dim3 life3d_sweep_grid(const struct life3d_sweep *sweep, int64_t layers)
{
    return dim3(sweep->row_blocks, (unsigned)ca_divide_up(layers, sweep->params.chunk));
}

struct cuda_band_sizes life3d_sweep_bands(const struct cuda *cuda, const struct life3d_sweep *sweep)
{
    return {life3d_sweep_grid(sweep, cuda_layers_count(cuda->stored)).y, sweep->params.chunk};
}

enum ca_status life3d_sweep_pass(struct cuda *cuda, struct life3d_sweep sweep,
                                 struct ca_error *error)
{
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;

    sweep.params.bands = cuda->bands;
    return cuda_launch(cuda, sweep.name, sweep.kernel,
                       dim3(sweep.row_blocks, sweep.params.bands.count),
                       dim3((unsigned)sweep.threads), sweep.shared, error, state->now, state->next,
                       sweep.params, state->masks);
}
