/* SPDX-License-Identifier: MIT */
/* What a node update of fhp's bit-sliced CUDA backends computes and moves. */
#ifndef CALAB_KERNELS_FHP_CUDA_PLAN_CUH
#define CALAB_KERNELS_FHP_CUDA_PLAN_CUH

#include "core/model/registry.h"
#include "kernels/fhp/cuda_bits.cuh"

/* Operations of so many node updates: the backend's row has those of fhp2; other collisions take
 * more or fewer a word of 32 nodes (cuda_logic.cuh), and a draw as many as the one for chirality,
 * 39 for 128 nodes. */
static inline double fhp_ops_of(const struct cuda *cuda, double nodes)
{
    static const double words[] = {23 - 41, 0, 77 - 41};
    const struct ca_values *params = &cuda->setup.params;

    return cuda_ops_of(cuda, nodes) + nodes * words[ca_choice(params, "collisions")] / 32 +
           nodes * ca_event_draws(params) * 39 / 128;
}

/* The least seconds of a generation of a pass that reads one buffer of the lattice and writes the
 * other. */
static inline double fhp_bound(const struct cuda *cuda, struct cuda_shape shape)
{
    const struct fhp_bits_layout *layout = &((const struct fhp_bits_state *)cuda->state)->layout;

    shape.launches = 1;
    shape.held = shape.moved = 2.0 * (double)(layout->h * layout->pitch) * sizeof(uint4);
    return cuda_bound_s(&cuda->facts, &shape);
}

#endif
