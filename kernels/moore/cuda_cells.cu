/* SPDX-License-Identifier: MIT */
/*
 * This file allocates the extended domain of byte-a-cell CUDA backends and copies its border.
 *
 * The kernels copy along one row or one column, so their blocks are a line of 1024 threads. The
 * copy of columns touches a sector of memory for each byte; the cost is hidden by the lattice's
 * size, for the border is 2 (W + H) cells beside W x H. Small lattices pay for two more launches a
 * generation.
 */
#include "kernels/moore/cuda_cells.cuh"

#define LINE 1024 /* threads of a block of the copies */

__global__ static void moore_cuda_cells_copy_rows(uint8_t *cells, int64_t w, int64_t h)
{
    int64_t x = (int64_t)blockIdx.x * LINE + threadIdx.x + 1, stride = w + 2;

    if (x > w)
        return;
    cells[x] = cells[h * stride + x];
    cells[(h + 1) * stride + x] = cells[stride + x];
}

__global__ static void moore_cuda_cells_copy_columns(uint8_t *cells, int64_t w, int64_t h)
{
    int64_t y = (int64_t)blockIdx.x * LINE + threadIdx.x;
    uint8_t *row = cells + y * (w + 2);

    if (y >= h + 2)
        return;
    row[0] = row[w];
    row[w + 1] = row[1];
}

void moore_cells_plan(struct cuda *cuda, const struct moore_rule *rule, const char *name,
                      moore_cells_kernel *kernel, size_t shared)
{
    struct moore_cells *state = (struct moore_cells *)cuda->state;
    int64_t cells = (cuda->size.w + 2) * (cuda->size.h + 2);
    int64_t w = cuda->size.w < GRID_CHUNK_COLUMNS ? cuda->size.w : GRID_CHUNK_COLUMNS;
    dim3 block = cuda_block(cuda), grid = cuda_grid(w, cuda->size.h, 1, block);

    state->rule = *rule;
    state->kernel = kernel;
    state->name = name;
    cuda_reserve(cuda, &state->now, cells);
    cuda_reserve_passing(cuda, &state->next, cells);
    cuda_plan_launch(cuda, grid, block, shared);
}

static enum ca_status copy_ghosts(struct cuda *cuda, uint8_t *cells, struct ca_error *error)
{
    int64_t w = cuda->size.w, h = cuda->size.h;
    dim3 line(LINE);

    if (cuda_slab_of(cuda).torus)
        CA_TRY(cuda_launch(cuda, "moore_cuda_cells_copy_rows", moore_cuda_cells_copy_rows,
                           cuda_grid(w, 1, 1, line), line, 0, error, cells, w, h));
    return cuda_launch(cuda, "moore_cuda_cells_copy_columns", moore_cuda_cells_copy_columns,
                       cuda_grid(h + 2, 1, 1, line), line, 0, error, cells, w, h);
}

enum ca_status moore_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    const struct moore_cells *state = (const struct moore_cells *)cuda->state;
    int64_t stride = cuda->size.w + 2;
    dim3 block = cuda_planned_block(cuda);

    (void)t, (void)n; /* the same rule in every generation, always one of them */
    if (!state->rule.dead)
        CA_TRY(copy_ghosts(cuda, state->now, error));
    return cuda_each_chunk(cuda->size, block, [&](struct grid_chunk chunk, dim3 grid) {
        int64_t first = chunk.y * stride + chunk.x;

        return cuda_launch(cuda, state->name, state->kernel, grid, block,
                           (size_t)cuda->plan.shared_bytes, error, state->now + first,
                           state->next + first, stride, chunk.w, chunk.h, state->rule.parameters);
    });
}

void moore_cells_swap(struct cuda *cuda)
{
    struct moore_cells *state = (struct moore_cells *)cuda->state;
    uint8_t *now = state->now;

    state->now = state->next;
    state->next = now;
}
