/* SPDX-License-Identifier: MIT */
/* This file chooses the rows that a warp of water's sweeps stores, and makes the passes of a
 * step. */
#include "kernels/water/cuda_sweep.cuh"

/* The rows that a warp stores in a pass of n generations: those of the option, or those that should
 * take least. *step_s: the least seconds of a generation with them. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *step_s, struct ca_error *error)
{
    struct water_sweep_state *state = (struct water_sweep_state *)cuda->state;
    int warps = 0, blocks;

    CA_TRY(cuda_resident_blocks(cuda, (const void *)state->passes[n - 1].kernel, WARP_LANES, 0,
                                &warps, error));
    /* A block is one warp here; the partition counts blocks of several. */
    blocks = warps < SEGMENT_WARPS ? 1 : warps / SEGMENT_WARPS;
    *step_s = partition_choose_rows(
        state->groups.lattice.partition, ca_int(&cuda->setup.options, "rows"), blocks,
        cuda->facts.multiprocessors, 1, &state->rows[n - 1], [&](const struct row_partition &cut) {
            double cells = n * (cut.rows + 4.0 * n) * WARP_LANES * WATER_COLUMNS;

            return water_bound(cuda,
                               {.generations = (double)n,
                                .blocks = cut.warps,
                                .warps = 1,
                                .resident = (double)warps,
                                .ops = cuda_ops_of(cuda, cells)},
                               0);
        });
    return CA_OK;
}

enum ca_status water_sweep_plan(struct cuda *cuda, const struct water_sweep_launch *passes,
                                int generations, struct ca_error *error)
{
    struct water_sweep_state *state = (struct water_sweep_state *)cuda->state;
    struct row_partition *partition = &state->groups.lattice.partition;
    double step_s = 0;

    water_groups_plan(cuda);
    state->passes = passes;
    for (int n = 1; n <= generations; n++)
        CA_TRY(choose_rows(cuda, n, &step_s, error));
    partition_rows(partition, state->rows[generations - 1]);
    cuda_plan_launch(cuda, dim3(partition->warps), dim3(WARP_LANES), 0);
    cuda->plan.step_s = step_s;
    cuda->plan.generations = generations;
    cuda_plan_variant(cuda, "sweep of %d generation%s, %d rows a warp", generations,
                      generations == 1 ? "" : "s", partition->rows);
    return CA_OK;
}

/* --- a pass ---------------------------------------------------------------------------------- */

enum ca_status water_sweep_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct water_sweep_state *state = (struct water_sweep_state *)cuda->state;
    struct row_partition *partition = &state->groups.lattice.partition;
    const struct water_sweep_launch *pass = &state->passes[n - 1];

    (void)t; /* the same rule in every generation */
    partition_rows(partition, state->rows[n - 1]);
    return cuda_launch(cuda, pass->name, pass->kernel, dim3(partition->warps), dim3(WARP_LANES), 0,
                       error, water_groups_now(&state->groups));
}
