/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of anneal: cuda-bitslice, several generations a pass.
 *
 * Two rows that come from memory go through generation 1, whose results of one row before go
 * through generation 2, and so on; what each keeps, the sums of two rows, are 16 registers. The
 * rows that come out have moved memory once for all generations, so that now the logic units bind:
 * six and a half operations on words and half a shift for 32 cells and a generation.
 *
 * What is computed twice: the rows before each piece of a strip, as many as there are generations
 * on either side; and the first and last of a warp's 32 lanes. Pieces are as long as makes every
 * multiprocessor equally busy. Generations in a pass are paid in registers: with fewer warps on a
 * multiprocessor, the time that one waits for its neighbours' words is not filled by others.
 *
 * Small lattices would have pieces of few rows, and most of their work would be done twice. So
 * they are cut to tiles that stay in the registers of a block for many generations, which meets
 * once in each to hand sums from warp to warp; for the smallest, where starting a kernel costs more
 * than all else, that is once in dozens of generations.
 *
 * The choice between the two, and of rows and generations, is by what each should cost in cycles on
 * as many multiprocessors as there are. All sizes take these paths; a width that is no multiple of
 * 128 costs a small kernel more a pass, which closes the rows to rings.
 */
#include "kernels/anneal/tiles.cuh"

static anneal_strips_kernel *const kernels[STRIPS_GENERATIONS_MAX + 1] = {
    NULL,
    NULL, /* anneal_rows_pass */
    anneal_strips_sweep<2>,
    anneal_strips_sweep<3>,
    anneal_strips_sweep<4>,
    anneal_strips_sweep<5>,
    anneal_strips_sweep<6>,
    anneal_strips_sweep<7>,
    anneal_strips_sweep<8>,
};

/* The one that costs less, or what is wanted; sweeps where no tile has enough rows. */
static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    const struct ca_values *options = &cuda->setup.options;
    int generations = (int)ca_int(options, "generations"), form = ca_choice(options, "form");
    int swept = generations < STRIPS_GENERATIONS_MAX ? generations : STRIPS_GENERATIONS_MAX;
    int64_t rows = ca_int(options, "rows");
    struct anneal_choice sweep, tile;

    CA_TRY(anneal_strips_plan(cuda, error));
    CA_TRY(anneal_strips_choose(cuda, kernels, swept, rows, &sweep, error));
    CA_TRY(anneal_tiles_choose(cuda, generations, rows, &tile, error));
    if (tile.generations > 0 &&
        (form == ANNEAL_TILES || (form == ANNEAL_AUTO && tile.cycles < sweep.cycles))) {
        own->pass = anneal_tiles_pass;
        own->tile = tile.tile;
        sweep = tile;
    }
    own->generations = cuda->plan.generations = sweep.generations;
    return CA_OK;
}

CUDA_OPS(anneal_cuda_blocked) = {
    .own_size = sizeof(struct anneal_strips),
    .plan = plan,
    .load = anneal_strips_load,
    .store = anneal_strips_store,
    .gather = anneal_strips_gather,
    .step = anneal_strips_step,
};
