/* SPDX-License-Identifier: MIT */
/* This file chooses the rows that a warp of water's sweeps stores, and makes the passes of a
 * step. */
#include "kernels/water/cuda_sweep.cuh"

/* --- cost ------------------------------------------------------------------------------------ */

/* Cycles of a generation, n a pass, if no scheduler of a multiprocessor gets more than `share`
 * warps, of which `resident` fit at once. */
static double generation_cycles(const struct cuda *cuda, const struct row_partition *partition,
                                int n, int64_t share, int resident)
{
    const struct cuda_cost *cost = cuda_cost_of("water", "sweep");
    double logic = cuda_cycles_of_units(cost, cuda_unit_of(cost, n, 0, 0),
                                        partition->rows + 4.0 * n, (double)share, resident);

    return cuda_cycles_of_generation(cost, 1, n, logic, water_memory_cycles(cuda, cost, 0));
}

/* The rows that a warp stores in a pass of n generations: those of the option, or of the least
 * cost. *cycles: of a generation with them. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *cycles, struct ca_error *error)
{
    struct water_sweep_state *state = (struct water_sweep_state *)cuda->state;
    struct row_partition partition = state->groups.lattice.partition;
    int64_t wanted = ca_int(&cuda->setup.options, "rows"), share;
    int processors = cuda->facts.multiprocessors, resident, *rows = &state->rows[n - 1], blocks = 0;

    CA_TRY(cuda_resident_blocks(cuda, (const void *)state->passes[n - 1].kernel, WARP_LANES, 0,
                                &blocks, error));
    /* A block is one warp here, and the model counts warps of each scheduler. */
    resident = blocks < SEGMENT_WARPS ? 1 : blocks / SEGMENT_WARPS;
    if (wanted > 0) {
        partition_rows(&partition, wanted);
        share = (partition_blocks(&partition) + processors - 1) / processors;
        *rows = partition.rows;
        *cycles = generation_cycles(cuda, &partition, n, share, resident);
        return CA_OK;
    }
    *cycles =
        partition_choose_rows(partition, resident, processors, 1, rows,
                              [&](const struct row_partition &tried, int64_t most, int fitting) {
                                  return generation_cycles(cuda, &tried, n, most, fitting);
                              });
    return CA_OK;
}

enum ca_status water_sweep_plan(struct cuda *cuda, const struct water_sweep_launch *passes,
                                int generations, struct ca_error *error)
{
    struct water_sweep_state *state = (struct water_sweep_state *)cuda->state;
    struct row_partition *partition = &state->groups.lattice.partition;
    double cycles = 0;

    water_groups_plan(cuda);
    state->passes = passes;
    for (int n = 1; n <= generations; n++)
        CA_TRY(choose_rows(cuda, n, &cycles, error));
    partition_rows(partition, state->rows[generations - 1]);
    cuda_plan_launch(cuda, dim3(partition->warps), dim3(WARP_LANES), 0);
    cuda->plan.step_s = cuda_seconds(cuda, cycles);
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
