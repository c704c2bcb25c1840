/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of fhp: cuda-bitslice, several generations a pass.
 *
 * A warp sweeps down the rows of a strip of 32 groups, a lane each. A row that comes from memory
 * makes one of generation 1, that makes the row before it of generation 2, and so on; so memory is
 * asked once for all generations:
 *
 *     row     top     top - 1   top - 2        generation g needs of g - 1 the row that was just
 *     step    1       2         3              made (planes 0, 1), in registers, and of rows before
 *                                              it planes 2, 5, 6 (one) and 3, 4 (two)
 *
 * What generations need of rows before waits in shared memory: five planes are exchanged there for
 * new ones. In registers it would leave too few warps. The next row of the lattice comes by
 * asynchronous copies while this one is worked on, each lane its own, and no warp ever waits for
 * another.
 *
 * The first and last lane of a strip know too little beside them and are another strip's, and rows
 * before and after a piece are made twice, one for each generation. Logic binds, and for draws with
 * forcing products too.
 *
 * Lattices of up to some 100,000 nodes would be too few warps, and passes too short for what
 * starting one costs. A block holds them for as many generations as are wanted, at the speed of one
 * multiprocessor's logic (block.cuh): those of an even number of rows of up to 16,384 nodes whose
 * words, 56 bytes for 32 nodes, and draws fit into the shared memory that a block may have, which
 * is some 100,000 nodes of 227 KB, and 80,000 with forcing; 29,000 of 64 KB. Sixteen blocks of a
 * cluster hold sixteen times that, at the speed of as many multiprocessors. Either is chosen where
 * it should cost less than sweeps.
 *
 * Larger lattices whose width is a multiple of 128 are swept; with other widths the ends of rows
 * would meet within a group, so those take cuda-bitslice's path, a generation a pass; so do
 * lattices of a few rows for each warp there is room for, where that should cost less, and a single
 * generation that is left over.
 */
#include <math.h>

#include "kernels/fhp/block.cuh"
#include "kernels/fhp/sweep.cuh"

#define GENERATIONS_MAX 8 /* of a pass */
#define ROWS_MULTIPLE 2   /* all lanes of a warp are at rows of one parity */

typedef void sweep_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                          struct sweep sweep);

static sweep_kernel *const kernels[3][2] = FHP_KERNELS(sweep_planes);

/* --- how a lattice is swept ------------------------------------------------------------------ */

struct blocked {
    struct fhp_planes planes; /* first: what planes.cu finds in cuda->own */
    struct row_partition cut;
    sweep_kernel *kernel;
    struct fhp_block block;
    bool held;                     /* by a block or a cluster */
    int unrolled;                  /* generations that the kernel is fastest with */
    int generations;               /* of a pass, at most; 1: cuda-bitslice's path */
    int rows[GENERATIONS_MAX + 1]; /* of a piece, for each number of generations */
};

static size_t shared_bytes(int generations)
{
    return (size_t)SEGMENT_WARPS * shared_groups(generations) * sizeof(uint4);
}

/* Cycles of a pass beside its rows, by warps that sweep and of cuda-bitslice's kernel. */
#define PASS_CYCLES 6400.0
#define PLAIN_PASS_CYCLES 5600.0

/* Of a row and generation of a warp: to issue, and to wait for beyond that. */
struct row_cycles {
    double issue, wait;
};

static double logic_cycles(const struct cuda *cuda)
{
    static const double collide[] = {300, 430, 760};

    return collide[ca_choice(&cuda->setup.params, "collisions")];
}

static int forcing_draws(const struct cuda *cuda)
{
    uint32_t k = ca_probability(&cuda->setup.params, "p_force");

    return k ? draw_chance_of(k).draws : 0;
}

static struct row_cycles row_cycles(const struct cuda *cuda, bool unrolled)
{
    double logic = logic_cycles(cuda);
    int draws = forcing_draws(cuda);
    double issue = logic + 67 * draws, wait = 0.3 * logic + 25 * draws;

    if (unrolled)
        return {issue, wait};
    return {1.05 * issue, wait + 500};
}

/* What both planes cost memory, of which the second cache may hold all. */
static double memory_cycles(const struct fhp_layout *layout, const struct ca_cuda_device *device)
{
    double bytes = 2.0 * (double)(layout->h * layout->pitch) * sizeof(uint4);

    return bytes < (double)device->l2_bytes ? 0 : bytes / device->bytes_a_clock;
}

/* Cycles of a generation, if no scheduler gets more than `share` warps. */
static double cycles(const struct cuda *cuda, const struct row_partition *cut,
                     const struct ca_cuda_device *device, int generations, int64_t share,
                     int resident)
{
    const struct blocked *own = (const struct blocked *)cuda->own;
    struct row_cycles row = row_cycles(cuda, generations == own->unrolled);
    struct row_cycles lead = row_cycles(cuda, false);
    double logic = logic_cycles_of_rows(generations * (double)cut->rows, (double)share, resident,
                                        row.issue, row.wait) +
                   logic_cycles_of_rows(generations * (generations - 1.0), (double)share, resident,
                                        lead.issue, lead.wait);

    return pass_cycles(PASS_CYCLES, logic, memory_cycles(&own->planes.layout, device)) /
           generations;
}

/* Of one by cuda-bitslice's kernel, a warp of which has one row. */
static double plain_cycles(const struct cuda *cuda, const struct ca_cuda_device *device)
{
    const struct fhp_layout *layout = &((const struct blocked *)cuda->own)->planes.layout;
    struct row_cycles row = row_cycles(cuda, false);
    double warps = ceil((double)(layout->groups * layout->h) / WARP_LANES);
    double share = ceil(warps / (SEGMENT_WARPS * device->multiprocessors));

    return pass_cycles(PLAIN_PASS_CYCLES, 1.4 * share * row.issue + row.wait,
                       memory_cycles(layout, device));
}

/* The number of rows with which n generations cost least, and what. */
static enum ca_status choose_rows(struct cuda *cuda, const struct ca_cuda_device *device, int n,
                                  double *least, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    int resident = 0;

    CUDA_TRY(cuda,
             cudaFuncSetAttribute((const void *)own->kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shared_bytes(n)),
             error);
    CUDA_TRY(cuda,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, own->kernel, SEGMENT_THREADS,
                                                           shared_bytes(n)),
             error);
    *least = partition_choose_rows(own->cut, resident, device->multiprocessors, ROWS_MULTIPLE,
                                   &own->rows[n],
                                   [&](const struct row_partition &cut, int64_t share, int room) {
                                       return cycles(cuda, &cut, device, n, share, room);
                                   });
    return CA_OK;
}

/* Sweeps of two or more generations, and what one of these costs. */
static enum ca_status choose_sweep(struct cuda *cuda, const struct ca_cuda_device *device,
                                   double *least, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    int wanted = (int)ca_int(&cuda->setup.options, "generations");
    int64_t rows = ca_int(&cuda->setup.options, "rows") / ROWS_MULTIPLE * ROWS_MULTIPLE;

    *least = INFINITY;
    partition_columns(&own->cut, own->planes.layout.groups, cuda->size.h,
                      own->planes.layout.groups > WARP_LANES);
    for (int n = 2; n <= GENERATIONS_MAX && (int64_t)shared_bytes(n) <= device->shared_bytes; n++) {
        double cost = 0;

        CA_TRY(choose_rows(cuda, device, n, &cost, error));
        if (rows)
            own->rows[n] = (int)rows;
        if (wanted ? n <= wanted : cost < *least) {
            own->generations = n;
            *least = cost;
        }
    }
    return CA_OK;
}

/* Cycles of a generation in a block: what a group takes of a scheduler, most of it loads, stores
 * and addresses; the barrier and mail. */
static double block_cycles(const struct cuda *cuda, const struct fhp_block *block)
{
    double share = 2.0 * block->groups * block->half / SEGMENT_THREADS;
    double row = 510 + 0.81 * logic_cycles(cuda) + 64 * forcing_draws(cuda);

    return PASS_CYCLES / block->generations + row * share + (block->blocks > 1 ? 820 : 400);
}

/* One block or several, as the form says or what costs less; returns that cost. */
static enum ca_status choose_block(struct cuda *cuda, const struct ca_cuda_device *device, int form,
                                   double *least, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    int generations = (int)ca_int(&cuda->setup.options, "generations");
    bool forced = ca_probability(&cuda->setup.params, "p_force") > 0;
    struct fhp_block cluster = {};

    own->block = {};
    *least = INFINITY;
    if (form != FHP_CLUSTER)
        own->block = fhp_block_of(own->planes.layout, forced, generations, 1, device);
    if (own->block.generations)
        *least = block_cycles(cuda, &own->block);
    if (form == FHP_BLOCK)
        return CA_OK;
    CA_TRY(fhp_cluster_of(cuda, generations, &cluster, error));
    if (cluster.generations && block_cycles(cuda, &cluster) < *least) {
        own->block = cluster;
        *least = block_cycles(cuda, &cluster);
    }
    return CA_OK;
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    const struct ca_values *options = &cuda->setup.options;
    enum fhp_bits_set set = (enum fhp_bits_set)ca_choice(&cuda->setup.params, "collisions");
    bool forced = ca_probability(&cuda->setup.params, "p_force") > 0;
    int generations = (int)ca_int(options, "generations"), form = ca_choice(options, "form");
    bool wanted = generations || ca_int(options, "rows") || form == FHP_SWEEP;
    struct ca_cuda_device device;
    double least, swept, held = INFINITY;

    CA_TRY(fhp_planes_plan(cuda, error));
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    if (form != FHP_SWEEP)
        CA_TRY(choose_block(cuda, &device, form, &held, error));
    own->kernel = kernels[set][forced];
    own->unrolled = UNROLLED(set, forced);
    own->generations = 1;
    least = plain_cycles(cuda, &device);
    if (cuda->size.w % FHP_GROUP == 0 && generations != 1) {
        CA_TRY(choose_sweep(cuda, &device, &swept, error));
        if (swept < least || wanted)
            least = swept;
        else
            own->generations = 1;
    }
    own->held = isfinite(held) && (form == FHP_BLOCK || form == FHP_CLUSTER ||
                                   (ca_int(options, "rows") == 0 && held < least));
    cuda->plan.generations = own->held ? own->block.generations : own->generations;
    return CA_OK;
}

/* As many generations a pass as are chosen, and what is left over in a last one. */
static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;

    if (own->held)
        return fhp_block_step(cuda, &own->block, t, n, error);
    while (n > 1 && own->generations > 1) {
        int some = n < (uint64_t)own->generations ? (int)n : own->generations;
        uint4 *done = own->planes.now;
        struct sweep sweep = {own->cut, own->planes.layout, fhp_facts_of(cuda, t), some};

        partition_rows(&sweep.cut, own->rows[some]);
        CA_TRY(cuda_launch(cuda, "sweep", own->kernel, dim3((unsigned)partition_blocks(&sweep.cut)),
                           dim3(SEGMENT_THREADS), shared_bytes(some), error, own->planes.now,
                           own->planes.next, sweep));
        own->planes.now = own->planes.next;
        own->planes.next = done;
        t += (uint64_t)some;
        n -= (uint64_t)some;
    }
    return fhp_planes_step(cuda, t, n, error);
}

CUDA_OPS(fhp_cuda_blocked) = {
    .own_size = sizeof(struct blocked),
    .plan = plan,
    .load = fhp_planes_load,
    .store = fhp_planes_store,
    .gather = fhp_planes_gather,
    .step = step,
};
