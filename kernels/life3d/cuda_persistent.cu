/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-persistent of life3d: the whole lattice in registers, for all generations of a call
 * in one launch, since a launch takes longer than a generation of a small lattice.
 *
 * Lattices of up to 32 x 32 x 128 cells are held by a thread block cluster, where the GPU runs one
 * (cuda_persistent_cluster.cu). The logic units of one multiprocessor take 430 cycles for a
 * generation of 32 a side, the sixteen blocks of a cluster 250. One block
 * (cuda_persistent_block.cu) holds lattices of a few layers, and up to 32 x 32 x 64 cells where
 * there are no clusters.
 */

#include "kernels/life3d/cuda_persistent.cuh"

#define LAUNCH_GENERATIONS (1 << 20) /* at most, so that a launch ends within a second */

struct persistent_state {
    struct life3d_bits_state bits;
    struct life3d_persistent launch;
};

static enum ca_status refuse(const struct cuda *cuda, struct ca_error *error)
{
    const int layers = LIFE3D_CLUSTER_BLOCKS * LIFE3D_CLUSTER_LAYERS;
    int64_t depth = cuda->size.d;

    if (depth > layers)
        return ca_fail(
            error, CA_USAGE,
            "cuda-persistent keeps up to %d layers on chip, %d in each of %d blocks of a "
            "cluster: %lld are more",
            layers, LIFE3D_CLUSTER_LAYERS, LIFE3D_CLUSTER_BLOCKS, (long long)depth);
    return ca_fail(error, CA_USAGE,
                   "cuda-persistent needs a cluster of %lld blocks for %lld layers, which GPU %d "
                   "does not run; one block keeps up to %d",
                   (long long)ca_divide_up(depth, LIFE3D_CLUSTER_LAYERS), (long long)depth,
                   cuda->device, life3d_persistent_block_layers(depth));
}

/* The least seconds of a generation: one barrier, in a cluster with a layer more on either side of
 * a block's. */
static double persistent_bound(const struct cuda *cuda, const struct life3d_persistent *launch)
{
    bool cluster = launch->blocks > 1;
    int64_t layers = cluster ? launch->layers + 1 : cuda->size.d;
    struct cuda_shape shape = {.generations = LAUNCH_GENERATIONS,
                               .launches = 1,
                               .blocks = launch->blocks,
                               .warps = launch->threads / 32.0};

    shape.ops = life3d_ops_of(cuda, shape.generations * (double)layers * 32 * 32);
    shape.barriers = shape.generations;
    shape.clusters = cluster ? shape.generations : 0;
    return cuda_bound_s(&cuda->facts, &shape);
}

static enum ca_status life3d_cuda_persistent_plan(struct cuda *cuda, struct ca_error *error)
{
    struct persistent_state *state = (struct persistent_state *)cuda->state;
    struct life3d_persistent *launch = &state->launch, cluster = {};
    struct ca_plan *plan = &cuda->plan;

    CA_TRY(life3d_bits_plan(cuda, error));
    if (cuda->size.w > LIFE3D_PERSISTENT_SIDE || cuda->size.h > LIFE3D_PERSISTENT_SIDE)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent keeps layers of up to %dx%d cells in registers: %lldx%lld "
                       "are more",
                       LIFE3D_PERSISTENT_SIDE, LIFE3D_PERSISTENT_SIDE, (long long)cuda->size.w,
                       (long long)cuda->size.h);
    *launch = life3d_persistent_block(&state->bits);
    CA_TRY(life3d_persistent_cluster(cuda, &cluster, error));
    if (cluster.kernel)
        *launch = cluster;
    if (!launch->kernel)
        return refuse(cuda, error);
    if (launch->blocks > 1)
        cuda_plan_variant(cuda, "a cluster of %u blocks, up to %u layers each", launch->blocks,
                          launch->layers);
    else
        cuda_plan_variant(cuda, "one block, %u layers a thread", launch->layers);
    cuda_plan_launch(cuda, dim3(launch->blocks), dim3(launch->threads),
                     launch->shared + launch->declared);
    plan->cluster = launch->blocks > 1 ? launch->blocks : 0;
    plan->generations = LAUNCH_GENERATIONS;
    plan->step_s = persistent_bound(cuda, launch);
    return CA_OK;
}

static enum ca_status life3d_cuda_persistent_pass(struct cuda *cuda, uint64_t t, int n,
                                                  struct ca_error *error)
{
    struct persistent_state *state = (struct persistent_state *)cuda->state;
    const struct life3d_persistent *launch = &state->launch;
    struct life3d_bits_state *bits = &state->bits;

    (void)t; /* the same rule in every generation */
    if (launch->blocks == 1)
        return cuda_launch(cuda, launch->name, launch->kernel, dim3(1), dim3(launch->threads),
                           launch->shared, error, bits->now, bits->next, bits->layout, bits->masks,
                           n);
    return cuda_launch_cluster(cuda, launch->name, launch->kernel, launch->blocks,
                               dim3(launch->threads), launch->shared, error, bits->now, bits->next,
                               bits->layout, bits->masks, n);
}

CUDA_OPS(life3d_cuda_persistent) = LIFE3D_BITS_OPS(struct persistent_state,
                                                   life3d_cuda_persistent_plan,
                                                   life3d_cuda_persistent_pass);
