/* SPDX-License-Identifier: MIT */
/* Owns the lattice and the collision table of fhp's byte-a-node CUDA rungs, and their loop over
 * generations. */
#include "kernels/fhp/nodes.cuh"

enum ca_status fhp_nodes_plan(struct cuda *cuda, struct ca_error *error)
{
    struct fhp_nodes *own = (struct fhp_nodes *)cuda->own;
    int64_t nodes = (cuda->size.w + 2) * cuda->size.h;
    struct fhp_table table;

    (void)error;
    fhp_table_make(&table, (enum fhp_collisions)ca_choice(&cuda->setup.params, "collisions"));
    for (int state = 0; state < FHP_STATES; state++)
        own->made[state] = (fhp_outcomes)(table.next[0][state] | table.next[1][state] << 8);
    cuda_want(cuda, &own->now, nodes);
    cuda_want(cuda, &own->next, nodes);
    cuda_want(cuda, &own->table, FHP_STATES);
    return CA_OK;
}

static enum ca_status send_table(struct cuda *cuda, struct ca_error *error)
{
    struct fhp_nodes *own = (struct fhp_nodes *)cuda->own;

    if (own->sent)
        return CA_OK;
    CUDA_TRY(cuda,
             cudaMemcpyAsync(own->table, own->made, sizeof own->made, cudaMemcpyHostToDevice,
                             cuda->stream),
             error);
    own->sent = true;
    return CA_OK;
}

enum ca_status fhp_nodes_step(struct cuda *cuda, uint64_t t, uint64_t n, fhp_step_kernel *kernel,
                              dim3 grid, dim3 block, size_t shared, struct ca_error *error)
{
    struct fhp_nodes *own = (struct fhp_nodes *)cuda->own;
    struct fhp_generation generation = {};

    CA_TRY(send_table(cuda, error));
    generation.w = cuda->size.w;
    generation.h = cuda->size.h;
    generation.row = cuda->size.w + 2;
    generation.all_rows = generation.row * (cuda->size.h - 1);
    generation.slab = cuda_slab_of(cuda);
    generation.seed = cuda->setup.seed;
    generation.force = ca_probability(&cuda->setup.params, "p_force");
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *done = own->now;

        generation.t = t + i;
        CA_TRY(cuda_launch(cuda, "step", kernel, grid, block, shared, error, generation, own->table,
                           own->now, own->next));
        own->now = own->next;
        own->next = done;
    }
    return CA_OK;
}
