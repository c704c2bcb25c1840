/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of life3d: a bit a cell, 64 or 128 cells a lane, one generation a pass.
 *
 * The cells around 32 cells are counted by some 20 operations of three inputs on words, where the
 * rungs before load 27 words for a single cell. A warp goes down the layers of its rows, with
 * what it knows of the last two in registers, so that memory moves an eighth of a byte for a cell
 * in and as much out. Memory and the logic units come to their ends almost together: at 0.25 bytes
 * and some 25 operations on words for 32 cells, a GPU with 4 TB/s and 132 multiprocessors of 64
 * units could do 16 and 20 cells a picosecond.
 *
 * The default rule and two of Bays', 4555 and 5766, are compiled by themselves; others are four
 * comparisons at run time if they are intervals, or else a choice among all counts, which cost some
 * 20 and 50 operations more. No rule costs a branch for a cell.
 *
 * Rows of 129 to 4096 cells, four of them at least in four layers at least, are swept this way;
 * others go a word of two layers a thread, with neighbours from the caches.
 */
#include "kernels/life3d/planes.cuh"

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    CA_TRY(life3d_planes_plan(cuda, error));
    if (own->field.lanes == 0)
        return CA_OK;
    own->swept[0] = life3d_sweep_of(own);
    return life3d_planes_cut(cuda, &own->swept[0], ca_int(&cuda->setup.options, "layers"), error);
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    (void)t; /* the same rule in every generation */
    CA_TRY(life3d_planes_close(cuda, error));
    for (uint64_t i = 0; i < n; i++)
        CA_TRY(own->field.lanes ? life3d_planes_pass(cuda, &own->swept[0], error)
                                : life3d_planes_words(cuda, error));
    return CA_OK;
}

CUDA_OPS(life3d_cuda_bitslice) = LIFE3D_PLANES(plan, step);
