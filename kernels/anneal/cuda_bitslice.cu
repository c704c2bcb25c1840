/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of anneal: a bit a cell, 128 cells a lane, one generation a pass.
 *
 * A cell's nine neighbours are added by logic on words, 32 cells at a time, and a warp that goes
 * down the rows of its strip needs each row's sums of three but once, and what two rows have in
 * common once for both. So a word costs six and a half operations of three inputs, and memory moves
 * an eighth of a byte for a cell in and as much out: it binds, as it does a copy of the lattice.
 */
#include "kernels/anneal/strips.cuh"

static anneal_strips_kernel *const kernels[] = {NULL, anneal_strips_sweep<1>};

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    struct anneal_choice choice;

    CA_TRY(anneal_strips_plan(cuda, error));
    own->generations = 1;
    return anneal_strips_choose(cuda, kernels, 1, 1, ca_int(&cuda->setup.options, "rows"), &choice,
                                error);
}

static const struct cuda_rule rule = {
    .own_size = sizeof(struct anneal_strips),
    .plan = plan,
    .load = anneal_strips_load,
    .store = anneal_strips_store,
    .gather = anneal_strips_gather,
    .step = anneal_strips_step,
};

enum ca_status anneal_cuda_bitslice_create(void **self, const struct ca_setup *setup,
                                           struct ca_error *error)
{
    return cuda_create(self, setup, &rule, error);
}
