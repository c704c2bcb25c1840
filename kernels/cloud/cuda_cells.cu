/* SPDX-License-Identifier: MIT */
/* This file allocates the memory of cloud's CUDA backends with a byte a cell, and launches them. */
#include "kernels/cloud/cuda_cells.cuh"

#include "kernels/cuda/access.cuh"

struct cloud_byte_cells {
    enum { PLANES = CLOUD_PLANES, BITS = 1 };
    typedef uint8_t value;

    uint8_t *cells;
    int64_t w;

    static cloud_byte_cells of(const struct cuda *cuda)
    {
        return {((const struct cloud_cuda_cells *)cuda->state)->now, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        return cells[row * w + x] >> plane & 1;
    }
    /* Each byte is written by one thread, plane after plane. */
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        uint8_t *cell = cells + row * w + x;

        *cell = (uint8_t)((*cell & ~(1 << plane)) | v << plane);
    }
};

CUDA_CELL_ACCESS(cloud_cells_access, cloud_byte_cells);

enum ca_status cloud_cuda_cells_plan(struct cuda *cuda, const struct cloud_cells_launch *launch,
                                     const char *variant, struct ca_error *error)
{
    struct cloud_cuda_cells *state = (struct cloud_cuda_cells *)cuda->state;
    bool events;

    state->params = cloud_params_of(cuda);
    events = cloud_has_events(state->params);
    state->kernel = events ? launch->events : launch->growth;
    state->kernel_name = launch->name;
    cuda_reserve(cuda, &state->now, ca_cells(cuda->size));
    cuda_reserve_passing(cuda, &state->next, ca_cells(cuda->size));
    cuda_plan_variant(cuda, "%s%s", variant, events ? ", with events" : "");
    cuda_plan_launch(cuda, cuda_grid_of(cuda->size, launch->block), launch->block,
                     launch->shared_bytes);
    return cuda_grid_stride_fits(cuda, cuda->size, launch->block, error);
}

enum ca_status cloud_cuda_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    const struct cloud_cuda_cells *state = (const struct cloud_cuda_cells *)cuda->state;

    (void)n; /* always a single generation */
    return cuda_launch(cuda, state->kernel_name, state->kernel, cuda_planned_grid(cuda),
                       cuda_planned_block(cuda), 0, error, state->now, state->next, state->params,
                       t);
}

void cloud_cuda_cells_swap(struct cuda *cuda)
{
    struct cloud_cuda_cells *state = (struct cloud_cuda_cells *)cuda->state;
    uint8_t *now = state->now;

    state->now = state->next;
    state->next = now;
}
