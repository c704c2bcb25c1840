/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-persistent of fhp: the whole lattice on chip for all generations of a call, in one
 * block or in a thread block cluster.
 *
 * Small lattices leave a GPU with too few warps, and their passes are shorter than what it takes to
 * start one. A single block needs no launch between generations: 56 bytes for 32 nodes and the
 * random bits of four generations stay in its shared memory, some 100,000 nodes in 227 KB, 80,000
 * with forcing, 29,000 in 64 KB. One multiprocessor's logic is the limit, and a barrier a
 * generation. A cluster of sixteen blocks holds sixteen times as many nodes at the speed of sixteen
 * multiprocessors, for an exchange of halo rows a generation. The plan takes what should cost less.
 *
 * Any width up to 16,384 nodes and any even number of rows is taken. A call of more generations
 * than a launch may have takes several launches.
 */

#include "kernels/fhp/cuda_persistent.cuh"
#include "kernels/fhp/cuda_plan.cuh"

#define BLOCKS_MAX 16
#define WORDS_MAX (THREADS_MAX / 2) /* of a row: half of the threads have rows of its parity */
#define LAUNCH_GENERATIONS 65536    /* at most, so that every launch comes to an end soon */

typedef void persistent_kernel(uint4 *lattice, const struct work work);

static persistent_kernel *const block_kernels[3][2] = FHP_KERNELS(fhp_cuda_persistent_block);
static persistent_kernel *const cluster_kernels[3][2] = FHP_KERNELS(fhp_cuda_persistent_cluster);

struct persistent {
    struct fhp_bits_state bits; /* first: what cuda_bits.cu finds in cuda->state */
    struct shape shape;
};

static bool forced(const struct cuda *cuda)
{
    return ca_probability(&cuda->setup.params, "p_force") > 0;
}

static persistent_kernel *kernel_of(const struct cuda *cuda, int blocks)
{
    int set = ca_choice(&cuda->setup.params, "collisions");

    return blocks > 1 ? cluster_kernels[set][forced(cuda)] : block_kernels[set][forced(cuda)];
}

/* --- what fits ---------------------------------------------------------------------------------
 */

static int64_t words_of_row(const struct cuda *cuda) { return ca_divide_up(cuda->size.w, 32); }

static int64_t block_pairs(const struct cuda *cuda, int blocks)
{
    return ca_divide_up(cuda->size.h / 2, blocks);
}

/* Words of a plane in a block's shared memory. */
static int64_t plane_words(const struct cuda *cuda, int blocks)
{
    return 2 * (block_pairs(cuda, blocks) + (blocks > 1)) * words_of_row(cuda);
}

/* Groups of a generation's draws. Two more than needed let a warp store those of four generations
 * to different banks. */
static int64_t drawn_groups(const struct cuda *cuda, int blocks)
{
    return ca_divide_up(cuda->size.w, FHP_GROUP) * 2 * block_pairs(cuda, blocks) + 2;
}

/* Shared memory of each of so many blocks that hold the lattice. */
static int64_t block_bytes(const struct cuda *cuda, int blocks)
{
    int64_t draws = DRAWN * (1 + forced(cuda)) * drawn_groups(cuda, blocks);
    int64_t words = (BUFFERS * MOVING + 2) * plane_words(cuda, blocks);

    return draws * (int64_t)sizeof(uint4) + words * (int64_t)sizeof(word) +
           (blocks > 1 ? BUFFERS * HALO_SIDES * (int64_t)sizeof(struct halo_barrier) : 0);
}

/* How so many blocks share the lattice out; no blocks where they do not hold it. */
static struct shape shape_of(const struct cuda *cuda, int blocks)
{
    int64_t words = words_of_row(cuda), pairs = block_pairs(cuda, blocks), warps = 2 * LANES;
    int64_t groups = ca_divide_up(cuda->size.w, FHP_GROUP), drawn = groups * 2 * pairs, rounds;
    int generations = (int)ca_int(&cuda->setup.options, "launch_generations");
    struct shape shape = {};

    if (cuda->size.h % 2 || cuda->size.h / 2 < blocks || words > WORDS_MAX ||
        block_bytes(cuda, blocks) > cuda->facts.shared_bytes)
        return {};
    shape.threads =
        (int)(drawn < THREADS_MAX / 4 ? ca_divide_up(4 * drawn, warps) * warps : THREADS_MAX);
    rounds = ca_divide_up(pairs, shape.threads / 2 / words);
    shape.generations = generations ? generations : LAUNCH_GENERATIONS;
    shape.blocks = rounds > ROUNDS_MAX ? 0 : blocks;
    shape.groups = (int)groups;
    shape.words = (int)words;
    shape.last_nodes = (int)(cuda->size.w % 32);
    shape.pairs = (int)(cuda->size.h / 2);
    shape.block_pairs = (int)pairs;
    shape.rows = (int)ca_divide_up(pairs, rounds);
    shape.plane = (int)plane_words(cuda, blocks);
    shape.drawn = (int)drawn_groups(cuda, blocks);
    shape.shared_bytes = (size_t)block_bytes(cuda, blocks);
    return shape;
}

/* --- plan --------------------------------------------------------------------------------------
 */

/* With as many blocks as a cluster can have, from two to `most`; else no blocks. */
static enum ca_status choose_cluster(struct cuda *cuda, int most, struct shape *shape,
                                     struct ca_error *error)
{
    bool runs = false;

    for (int blocks = most; blocks > 1 && !runs; blocks--) {
        *shape = shape_of(cuda, blocks);
        if (shape->blocks)
            CA_TRY(cuda_cluster_runs(cuda, "fhp_cuda_persistent_cluster", kernel_of(cuda, blocks),
                                     (unsigned)blocks, dim3((unsigned)shape->threads),
                                     shape->shared_bytes, &runs, error));
    }
    if (!runs)
        *shape = {};
    return CA_OK;
}

/* The least seconds of a generation. */
static double persistent_bound(const struct cuda *cuda, const struct shape *shape)
{
    double nodes = 2.0 * shape->groups * shape->block_pairs * FHP_GROUP;
    struct cuda_shape bound = {.generations = (double)shape->generations,
                               .launches = 1,
                               .blocks = shape->blocks,
                               .warps = shape->threads / (double)LANES};

    bound.barriers = bound.generations;
    bound.clusters = shape->blocks > 1 ? bound.generations : 0;
    bound.ops = bound.generations * fhp_ops_of(cuda, nodes);
    return cuda_bound_s(&cuda->facts, &bound);
}

/* CA_USAGE for what no shape of at most `most` blocks holds, with the reason. */
static enum ca_status refuse(struct cuda *cuda, int most, struct ca_error *error)
{
    long long w = cuda->size.w, h = cuda->size.h, block = cuda->facts.shared_bytes / 1024;
    int largest = most < h / 2 ? most : (int)(h / 2);
    bool runs = false;

    if (h % 2)
        return ca_fail(error, CA_USAGE, "cuda-persistent takes an even number of rows: %lld is not",
                       h);
    if (words_of_row(cuda) > WORDS_MAX)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent takes rows of at most %d nodes: %lld are more",
                       32 * WORDS_MAX, w);
    /* The largest cluster that this device runs with all of its shared memory. */
    for (; largest > 1 && !runs; largest -= !runs)
        CA_TRY(cuda_cluster_runs(cuda, "fhp_cuda_persistent_cluster", kernel_of(cuda, largest),
                                 (unsigned)largest, dim3(THREADS_MAX),
                                 (size_t)cuda->facts.shared_bytes, &runs, error));
    if (runs)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent needs %lld KB on chip for %lldx%lld nodes, a cluster of %d "
                       "blocks has %lld KB",
                       (long long)ca_divide_up(largest * block_bytes(cuda, largest), 1024), w, h,
                       largest, largest * block);
    if (ca_int(&cuda->setup.options, "blocks") > 1)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent runs no cluster of up to %d blocks for %lldx%lld nodes on "
                       "GPU %d: a block takes two rows at least, and clusters need compute "
                       "capability 9.0",
                       most, w, h, cuda->device);
    return ca_fail(error, CA_USAGE,
                   "cuda-persistent needs %lld KB on chip for %lldx%lld nodes, a block has %lld KB",
                   (long long)ca_divide_up(block_bytes(cuda, 1), 1024), w, h, block);
}

static enum ca_status fhp_cuda_persistent_plan(struct cuda *cuda, struct ca_error *error)
{
    struct persistent *state = (struct persistent *)cuda->state;
    int blocks = (int)ca_int(&cuda->setup.options, "blocks");
    int most = blocks ? blocks : BLOCKS_MAX;
    struct shape *shape = &state->shape, cluster = {};

    fhp_bits_plan(cuda, 1); /* a block stores where it has loaded from, after all generations */
    if (blocks <= 1)
        *shape = shape_of(cuda, 1);
    CA_TRY(choose_cluster(cuda, most, &cluster, error));
    if (cluster.blocks &&
        (!shape->blocks || persistent_bound(cuda, &cluster) < persistent_bound(cuda, shape)))
        *shape = cluster;
    if (!shape->blocks)
        return refuse(cuda, most, error);
    cuda_plan_launch(cuda, dim3((unsigned)shape->blocks), dim3((unsigned)shape->threads),
                     shape->shared_bytes);
    cuda->plan.cluster = shape->blocks > 1 ? (unsigned)shape->blocks : 0;
    if (shape->blocks > 1)
        cuda_plan_variant(cuda, "cluster of %d blocks", shape->blocks);
    else
        cuda_plan_variant(cuda, "one block");
    cuda->plan.generations = shape->generations;
    cuda->plan.step_s = persistent_bound(cuda, shape);
    return CA_OK;
}

static enum ca_status fhp_cuda_persistent_pass(struct cuda *cuda, uint64_t t, int n,
                                               struct ca_error *error)
{
    struct persistent *state = (struct persistent *)cuda->state;
    const struct shape *shape = &state->shape;
    persistent_kernel *kernel = kernel_of(cuda, shape->blocks);
    struct work work = {state->bits.layout, fhp_bits_params_of(cuda, t), *shape, n};
    dim3 threads((unsigned)shape->threads);

    if (shape->blocks == 1)
        return cuda_launch(cuda, "fhp_cuda_persistent_block", kernel, dim3(1), threads,
                           shape->shared_bytes, error, state->bits.now, work);
    return cuda_launch_cluster(cuda, "fhp_cuda_persistent_cluster", kernel, (unsigned)shape->blocks,
                               threads, shape->shared_bytes, error, state->bits.now, work);
}

CUDA_OPS(fhp_cuda_persistent) = {
    .state_size = sizeof(struct persistent),
    .plan = fhp_cuda_persistent_plan,
    .access = &fhp_bits_access,
    .pass = fhp_cuda_persistent_pass,
};
