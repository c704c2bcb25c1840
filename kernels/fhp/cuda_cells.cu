/* SPDX-License-Identifier: MIT */
/* This file keeps the lattice and the collision table of fhp's CUDA backends with a byte a node,
 * and loops over generations. */
#include "kernels/fhp/cuda_cells.cuh"

#include "kernels/fhp/cuda_start.cuh"

struct fhp_byte_nodes {
    enum { PLANES = 8, BITS = 8, SOLID = 7 };
    typedef uint8_t value;

    uint8_t *nodes;
    int64_t w;

    static fhp_byte_nodes of(const struct cuda *cuda)
    {
        return {((const struct fhp_cells_state *)cuda->state)->now, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        (void)plane;
        return nodes[row * (w + 2) + x + 1];
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        (void)plane;
        fhp_write_node(nodes + row * (w + 2) + x + 1, x, w, v);
    }
};

CUDA_CELL_ACCESS_FROM(fhp_cells_access, fhp_byte_nodes, fhp_start);

enum ca_status fhp_cells_plan(struct cuda *cuda, const struct fhp_cells_launch *launch, dim3 grid,
                              dim3 block, struct ca_error *error)
{
    struct fhp_cells_state *state = (struct fhp_cells_state *)cuda->state;
    struct fhp_cells_params *params = &state->params;
    int64_t nodes = (cuda->size.w + 2) * cuda->size.h;
    struct fhp_table table;

    if (cuda->size.h < cuda->setup.size.h && cuda->setup.size.h > INT32_MAX)
        return ca_fail(error, CA_USAGE,
                       "%s takes lattices of up to %d rows in several ranks: %lld are more",
                       cuda->setup.backend->name, INT32_MAX, (long long)cuda->setup.size.h);
    fhp_table_make(&table, (enum fhp_collisions)ca_choice(&cuda->setup.params, "collisions"));
    for (int node = 0; node < FHP_STATES; node++)
        state->host_table[node] = (fhp_outcomes)(table.next[0][node] | table.next[1][node] << 8);
    cuda_reserve(cuda, &state->now, nodes);
    cuda_reserve_passing(cuda, &state->next, nodes);
    cuda_reserve_passing(cuda, &state->table, FHP_STATES); /* filled by the first pass */
    cuda_plan_launch(cuda, grid, block, launch->declared_bytes + launch->shared_bytes);
    state->launch = *launch;
    params->w = cuda->size.w;
    params->h = cuda->size.h;
    params->row = cuda->size.w + 2;
    params->all_rows = params->row * (cuda->size.h - 1);
    params->height = (uint32_t)cuda->setup.size.h;
    params->first = (int32_t)cuda->setup.slab.origin;
    params->seed = cuda->setup.seed;
    params->force = ca_probability(&cuda->setup.params, "p_force");
    return CA_OK;
}

enum ca_status fhp_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct fhp_cells_state *state = (struct fhp_cells_state *)cuda->state;
    const struct fhp_cells_launch *launch = &state->launch;

    (void)n; /* always a single generation */
    if (!state->table_copied)
        CUDA_TRY(cuda,
                 cudaMemcpyAsync(state->table, state->host_table, sizeof state->host_table,
                                 cudaMemcpyHostToDevice, cuda->stream),
                 error);
    state->table_copied = true;
    state->params.t = t;
    return cuda_launch(cuda, launch->name, launch->kernel, cuda_planned_grid(cuda),
                       cuda_planned_block(cuda), launch->shared_bytes, error, state->params,
                       state->table, state->now, state->next);
}

void fhp_cells_swap(struct cuda *cuda)
{
    struct fhp_cells_state *state = (struct fhp_cells_state *)cuda->state;
    uint8_t *now = state->now;

    state->now = state->next;
    state->next = now;
}
