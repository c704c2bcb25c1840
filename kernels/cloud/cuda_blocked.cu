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
 * the smallest, which one block holds, for all of them.
 *
 * The choice is by what each should cost in cycles on as many multiprocessors as there are. All
 * sizes take these paths; lattices with events, and any on a GPU with less shared memory than a
 * sweep takes (80 KB), go one generation a pass, as in cuda-bitslice.
 */
#include "kernels/cloud/tiles.cuh"

struct blocked {
    struct cloud_groups groups;
    struct cloud_cut cut[SWEEP_GENERATIONS_MAX + 1]; /* by generations */
    struct cloud_tiling tiling;
    bool tiles;      /* else sweeps */
    int generations; /* of a pass, at most */
};

/* The sweeps, and how many generations suit the lattice; 1 if none can be cut. */
static enum ca_status plan_sweeps(struct cuda *cuda, const struct cloud_wanted *wanted,
                                  struct ca_error *error)
{
    struct blocked *own = (struct blocked *)cuda->own;

    own->generations = 1;
    for (int n = 2; n <= SWEEP_GENERATIONS_MAX; n++) {
        const struct cloud_cut *cut = &own->cut[n], *best = &own->cut[own->generations];

        CA_TRY(cloud_sweep_choose(cuda, n, wanted, &own->cut[n], error));
        if (cut->warps == 0)
            break;
        if (wanted->generations ? n <= wanted->generations
                                : best->warps == 0 || cut->cycles < best->cycles)
            own->generations = n;
    }
    return CA_OK;
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
    CA_TRY(plan_sweeps(cuda, &wanted, error));
    if (own->groups.events)
        own->generations = 1;
    if (own->groups.events || form == CLOUD_SWEEPS)
        return CA_OK;
    CA_TRY(cloud_tiles_choose(cuda, &wanted, &own->tiling, error));
    own->tiles = own->tiling.generations > 0 &&
                 (form == CLOUD_TILES ||
                  (own->generations > 1 && own->tiling.cycles < own->cut[own->generations].cycles));
    if (own->tiles)
        own->generations = own->tiling.generations;
    return CA_OK;
}

static enum ca_status pass(struct cuda *cuda, uint64_t t, int generations, struct ca_error *error)
{
    const struct blocked *own = (const struct blocked *)cuda->own;

    if (own->tiles)
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

static const struct cuda_rule rule = {
    .own_size = sizeof(struct blocked),
    .plan = plan,
    .load = cloud_groups_load,
    .store = cloud_groups_store,
    .gather = cloud_groups_gather,
    .step = step,
};

enum ca_status cloud_cuda_blocked_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error)
{
    return cuda_create(self, setup, &rule, error);
}
