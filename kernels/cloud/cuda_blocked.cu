/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of cloud: cuda-bitslice, several generations a pass.
 *
 * Growth moves half a byte for a cell and pass, so a pass should take more than one generation. A
 * block goes up the planes with a tile of rows, each plane through all generations, and keeps what
 * they have to know of planes below in registers (sweep.cuh). What is computed twice: two rows for
 * each generation at both ends of a tile, so that tiles are as high as a multiprocessor has
 * registers for; and columns, where rows are cut so that tiles are higher. With two generations a
 * pass memory binds; with three, logic does about as much, since more of it is done twice.
 *
 * Small lattices would be too few blocks, and each pass too short for what starting it costs. So
 * they are cut to tiles of all planes that stay in registers for many generations (tiles.cuh), and
 * the smallest, which one block holds, for all of them. Where blocks can write to each other
 * (compute capability 9.0), up to sixteen of them hold a small lattice for all generations
 * (cluster.cuh).
 *
 * The choice is by what each should cost in cycles on as many multiprocessors as there are. All
 * sizes take these paths. Lattices with events go one generation a pass, as in cuda-bitslice, and
 * so do those of so few planes that a sweep would compute most of them twice, and where there is no
 * tile, any on a GPU with less shared memory than a sweep takes (80 KB).
 */
#include "kernels/cloud/cluster.cuh"
#include "kernels/cloud/tiles.cuh"

#include <math.h>

struct blocked {
    struct cloud_groups groups;
    struct cloud_cut cut[SWEEP_GENERATIONS_MAX + 1]; /* by generations */
    struct cloud_tiling tiling;
    struct cloud_clustering clustering;
    int form;        /* CLOUD_SWEEPS, CLOUD_TILES or CLOUD_CLUSTER */
    int generations; /* of a pass, at most */
};

/* Cycles of a generation straight from memory. */
static double cycles_of_one(const struct cloud_groups *own, const struct ca_cuda_device *device)
{
    return cloud_memory_cycles(4 * cloud_plane_bytes(own->size), own->size, device) + 4000;
}

/* The sweeps, and how many generations suit the lattice; 1 if none can be cut, and unless sweeps
 * are wanted, if none is worth it. */
static enum ca_status plan_sweeps(struct cuda *cuda, const struct cloud_wanted *wanted, bool sweeps,
                                  struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    own->cut[1].cycles = sweeps ? HUGE_VAL : cycles_of_one(&own->groups, &device);
    for (int n = 2; n <= SWEEP_GENERATIONS_MAX; n++) {
        const struct cloud_cut *cut = &own->cut[n];

        CA_TRY(cloud_sweep_choose(cuda, n, wanted, &own->cut[n], error));
        if (cut->warps == 0)
            break;
        if (wanted->generations ? n <= wanted->generations
                                : cut->cycles < own->cut[own->generations].cycles)
            own->generations = n;
    }
    return CA_OK;
}

/* Takes the form that should cost least, or the one that is wanted, where the lattice has it. */
static void choose(struct blocked *own, int wanted)
{
    double least = own->cut[own->generations].cycles;

    if (wanted == CLOUD_CLUSTER && !own->clustering.generations)
        wanted = CLOUD_AUTO; /* the next best that stays in registers */
    if (own->tiling.generations &&
        (wanted == CLOUD_TILES || (wanted == CLOUD_AUTO && own->tiling.cycles < least))) {
        own->form = CLOUD_TILES;
        own->generations = own->tiling.generations;
        least = own->tiling.cycles;
    }
    if (own->clustering.generations &&
        (wanted == CLOUD_CLUSTER || (wanted == CLOUD_AUTO && own->clustering.cycles < least))) {
        own->form = CLOUD_CLUSTER;
        own->generations = own->clustering.generations;
    }
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    const struct ca_values *options = &cuda->setup.options;
    int form = ca_choice(options, "form");
    struct cloud_wanted wanted = {(int)ca_int(options, "generations"),
                                  (int)ca_int(options, "warps"), (int)ca_int(options, "lanes"),
                                  ca_int(options, "planes")};

    CA_TRY(cloud_groups_plan(cuda, error));
    own->form = CLOUD_SWEEPS;
    own->generations = 1;
    if (own->groups.events)
        return CA_OK;
    CA_TRY(plan_sweeps(cuda, &wanted, form == CLOUD_SWEEPS, error));
    if (form != CLOUD_SWEEPS) {
        CA_TRY(cloud_tiles_choose(cuda, &wanted, &own->tiling, error));
        CA_TRY(cloud_cluster_choose(cuda, &wanted, &own->clustering, error));
        choose(own, form);
    }
    cuda->plan.generations = own->generations;
    return CA_OK;
}

static enum ca_status pass(struct cuda *cuda, uint64_t t, int generations, struct ca_error *error)
{
    const struct blocked *own = (const struct blocked *)cuda->own;

    if (own->form == CLOUD_CLUSTER)
        return cloud_cluster_pass(cuda, &own->clustering, generations, error);
    if (own->form == CLOUD_TILES)
        return cloud_tiles_pass(cuda, &own->tiling, generations, error);
    if (generations > 1)
        return cloud_sweep_pass(cuda, &own->cut[generations], error);
    return cloud_groups_generation(cuda, t, error);
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;
    uint64_t passes = (n + own->generations - 1) / own->generations;

    for (; passes > 0; passes--) {
        uint64_t some = (n + passes - 1) / passes; /* all passes nearly alike */

        CA_TRY(pass(cuda, t, (int)some, error));
        cloud_groups_swap(&own->groups);
        t += some;
        n -= some;
    }
    return CA_OK;
}

CUDA_OPS(cloud_cuda_blocked) = {
    .own_size = sizeof(struct blocked),
    .plan = plan,
    .load = cloud_groups_load,
    .store = cloud_groups_store,
    .gather = cloud_groups_gather,
    .step = step,
};
