/* SPDX-License-Identifier: MIT */
/* This file allocates the planes of water's backends with one thread a cell, and launches them in
 * order. */
#include "kernels/water/cuda_cells.cuh"

#include "kernels/water/cuda_flow.cuh"
#include "kernels/water/cuda_start.cuh"

struct water_float_cells {
    enum { PLANES = WATER_PLANES, CHANGES = WATER_LEVEL };
    typedef float value;

    float *plane[WATER_PLANES];
    int64_t w;

    static water_float_cells of(const struct cuda *cuda)
    {
        const struct water_cells *state = (const struct water_cells *)cuda->state;

        return {{state->plane[0], state->plane[1], state->plane[2]}, cuda->size.w};
    }
    __device__ value get(int p, int64_t x, int64_t row) const { return plane[p][row * w + x]; }
    __device__ void put(int p, int64_t x, int64_t row, value v) const { plane[p][row * w + x] = v; }
};

CUDA_FLOAT_ACCESS(water_cells_access, water_float_cells, water_sums, water_start_cells,
                  .neighbours = layout_blocks<water_flow_of_floats<water_float_cells>>);

enum ca_status water_cells_plan(struct cuda *cuda, const struct water_cell_kernels *kernels,
                                const char *variant, size_t shared_bytes, struct ca_error *error)
{
    struct water_cells *state = (struct water_cells *)cuda->state;
    int64_t cells = ca_cells(cuda->size);
    dim3 block = cuda_block(cuda), grid = cuda_grid_of(cuda->size, block);

    (void)error;
    state->kernels = kernels;
    state->mode = (enum water_mode)ca_choice(&cuda->setup.params, "source_mode");
    cuda_plan_variant(cuda, "%s", variant);
    cuda_plan_launch(cuda, grid, block, shared_bytes);
    for (int p = 0; p < WATER_PLANES; p++)
        cuda_reserve(cuda, &state->plane[p], cells);
    cuda_reserve_passing(cuda, &state->best, cells);
    return CA_OK;
}

enum ca_status water_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    const struct water_cells *state = (const struct water_cells *)cuda->state;
    const struct water_cell_kernels *kernels = state->kernels;
    const float *terrain = state->plane[WATER_TERRAIN], *source = state->plane[WATER_SOURCE];
    float *level = state->plane[WATER_LEVEL], *best = state->best;
    size_t shared_bytes = (size_t)cuda->plan.shared_bytes;
    int64_t w = cuda->size.w;
    dim3 block = cuda_planned_block(cuda);

    (void)t, (void)n; /* the same rule in every generation, always one of them */
    CA_TRY(cuda_each_chunk(cuda->size, block, [&](struct grid_chunk chunk, dim3 grid) {
        int64_t i = chunk.y * w + chunk.x;

        return cuda_launch(cuda, kernels->best_name, kernels->best, grid, block, shared_bytes,
                           error, terrain + i, level + i, best + i, w, chunk);
    }));
    return cuda_each_chunk(cuda->size, block, [&](struct grid_chunk chunk, dim3 grid) {
        int64_t i = chunk.y * w + chunk.x;

        return cuda_launch(cuda, kernels->distribute_name, kernels->distribute, grid, block,
                           shared_bytes, error, terrain + i, source + i, best + i, level + i, w,
                           chunk, state->mode);
    });
}
