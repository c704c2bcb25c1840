/* SPDX-License-Identifier: MIT */
/* This file partitions sweeps into blocks, predicts their cost, and launches them. */
#include "kernels/cuda/cost.h"
#include "kernels/life3d/cuda_sweep.cuh"

#include <math.h>

#define BLOCK_ROUNDS_MAX                                                                           \
    16 /* blocks one after the other on a multiprocessor that are considered                       \
        */
/*
 * Cycles of a pass. A multiprocessor's logic units step layers in pairs, and one layer more at both
 * ends of a block for each generation.
 */
static double pass_cycles(const struct life3d_sweep *sweep, int64_t depth,
                          enum life3d_rule_variant variant, const struct ca_cuda_device *device,
                          int resident)
{
    static const char *const names[] = {"4576", "4555", "5766", "intervals", "table"};
    const struct cuda_cost *cost =
        cuda_cost_of("life3d", sweep->generations > 1 ? "cuda-temporal" : "cuda-bitslice");
    double rule = sweep->generations * cuda_cost_of_rule("life3d", names[variant]);
    const struct life3d_layout *layout = &sweep->params.layout;
    int64_t chunk = sweep->params.chunk;
    int64_t blocks = sweep->row_blocks * ca_divide_up(depth, chunk);
    double share = (double)ca_divide_up(blocks, device->multiprocessors);
    double layers = 2.0 * (double)ca_divide_up(chunk + 2 * sweep->generations, 2);
    double words = (double)sweep->threads * LIFE3D_THREAD_WORDS / CUDA_LOGIC_UNITS;
    double bytes = (double)(depth * layout->layer_words) * sizeof(word);
    double again = bytes * (layers / (double)chunk - 1);

    return cuda_cycles_of_generation(
        cost, 1, 1,
        cuda_cycles_of_units(cost, cuda_unit_of(cost, 1, rule, 0), layers * words, share, resident),
        cuda_cycles_of_memory(cost, device, 2 * bytes, 2 * bytes, again, 1));
}

/* The even number of layers a block that costs least, among those with as few blocks as there can
 * be or with at most BLOCK_ROUNDS_MAX of them one after the other. */
static int64_t choose_layers(struct life3d_sweep tried, int64_t depth,
                             enum life3d_rule_variant variant, const struct ca_cuda_device *device,
                             int resident)
{
    int64_t chosen = depth, shortest = tried.params.chunk;
    int64_t most =
        (int64_t)BLOCK_ROUNDS_MAX * resident * device->multiprocessors / tried.row_blocks;
    double least = 0;

    for (int64_t chunks = 1; chunks == 1 || (chunks <= most && 2 * chunks <= depth); chunks++) {
        double cycles;

        tried.params.chunk = 2 * ca_divide_up(depth, 2 * chunks);
        cycles = pass_cycles(&tried, depth, variant, device, resident);
        /* Rounding parts equal costs: those of fewer blocks are taken. */
        if (tried.params.chunk < shortest || (chunks > 1 && cycles >= least * (1 - 1e-9)))
            continue;
        least = cycles;
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
        *chunk = choose_layers(*sweep, depth, state->variant, &cuda->facts, resident);
    sweep->cycles = pass_cycles(sweep, depth, state->variant, &cuda->facts, resident);
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
