/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of water: cuda-fused, several generations a pass.
 *
 * A sweep takes two: new levels of the first generation are the row that arrives for the second,
 * without a way through memory. So a cell moves six bytes a generation and arithmetic binds: 57
 * instructions a cell on sm_90, of which 25 are minima, maxima, comparisons and the like, which a
 * multiprocessor does at half the pace of additions. So flows take additions alone where they can.
 *
 * What is computed twice: the four rows before and after each piece of a strip, and the columns of
 * the first and the last of a warp's 32 lanes. A third generation would need another lane at each
 * end and registers that halve the number of warps.
 *
 * A small lattice has too few warps for that, so that one generation a sweep may be faster, and
 * its passes are shorter than what starting them costs. So it is cut to tiles of up to 4096 cells,
 * each of which a block keeps in registers for several generations (tiles.cuh). One that a single
 * tile holds, such as 64 x 64 or 128 x 32, can stay there for all generations of a call; where more
 * multiprocessors are worth more than launches cost, it is cut too. What binds is the issue of
 * instructions, some 70 a cell with what goes through shared memory, and in tiles of less than some
 * 500 cells the two barriers of a generation.
 *
 * The choice is by what each should cost in cycles on as many multiprocessors as there are, where
 * neither `generations` nor `rows` say otherwise: with 1 or 2 generations, or rows, it is sweeps,
 * with more generations tiles. All sizes take these paths, in slabs as well.
 */
#include "kernels/water/tiles.cuh"

struct blocked {
    struct water_sweeps sweeps; /* first, for what is shared with cuda-fused */
    struct water_tiling tiling;
    bool tiles; /* else sweeps */
};

static water_sweep_kernel *const kernels[] = {NULL, water_sweep_pass<1>, water_sweep_pass<2>};

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    const struct ca_values *options = &cuda->setup.options;
    int generations = (int)ca_int(options, "generations");
    bool more = generations > SWEEP_GENERATIONS_MAX;
    int64_t rows = ca_int(options, "rows");

    CA_TRY(water_sweep_plan(cuda, kernels, SWEEP_GENERATIONS_MAX, more ? 0 : generations, rows,
                            error));
    if (more || (!generations && !rows)) {
        CA_TRY(water_tiles_choose(cuda, generations, &own->tiling, error));
        own->tiles =
            own->tiling.generations > 0 && (more || own->tiling.cycles < own->sweeps.cycles);
    }
    cuda->plan.generations = own->tiles ? own->tiling.generations : own->sweeps.generations;
    return CA_OK;
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    const struct blocked *own = (const struct blocked *)cuda->own;
    uint64_t most = (uint64_t)own->tiling.generations;

    if (!own->tiles)
        return water_sweep_step(cuda, t, n, error);
    for (uint64_t passes = (n + most - 1) / most; passes > 0; passes--) {
        uint64_t some = (n + passes - 1) / passes; /* all passes nearly alike */

        CA_TRY(water_tiles_pass(cuda, &own->tiling, (int)some, error));
        n -= some;
    }
    return CA_OK;
}

CUDA_OPS(water_cuda_blocked) = WATER_SWEEP_RULE(struct blocked, plan, step);
