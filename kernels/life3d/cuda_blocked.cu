/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of life3d: cuda-bitslice, several generations a pass.
 *
 * A lattice of up to 32 x 32 x 64 cells stays in the registers of one block, for as many
 * generations as are wanted: its 4 KiB (of 32 a side) would keep no more than one multiprocessor
 * busy, and a launch takes longer than the generation. What is left is that multiprocessor's logic.
 *
 * Swept lattices go two generations a pass. That halves what memory has to move, and leaves the
 * logic units to bind, which they nearly do in cuda-bitslice: so the gain is small, and a third
 * generation would take registers that there are none of. It pays for itself where a block has some
 * 30 rows, of which two at each end are of no use; lattices of less rows go one generation a pass,
 * and so do rows of more than 2048 cells, of which a warp has two, and all of them on a GPU with
 * less shared memory than a block takes (80 KB).
 *
 * Other sizes are cuda-bitslice's words.
 */
#include "kernels/life3d/cube.cuh"
#include "kernels/life3d/tower.cuh"

/* Cycles for a block's layer: 26 and 24.5 operations on words, two warps a cycle, as generations
 * and warps are; and 8 KiB to and from memory. */
#define SWEEP_CYCLES (26 * 32 / 2.0)
#define TOWER_CYCLES (24.5 * 2 * 64 / 2.0)
#define SWEEP_BYTES 8192.0

static struct life3d_swept tower_of(const struct life3d_planes *own)
{
    static life3d_sweep_kernel *(*const towers[])(int, enum life3d_seam) = {
        life3d_tower_4576,      life3d_tower_4555,  life3d_tower_5766,
        life3d_tower_intervals, life3d_tower_table,
    };
    const struct life3d_field *field = &own->field;
    struct life3d_swept swept = {NULL, TOWER_THREADS, TOWER_GENERATIONS,
                                 sizeof(struct life3d_tower_memory)};

    if (field->words != TOWER_WORDS || field->plane > INT32_MAX) /* it counts words of a layer */
        return swept;
    swept.rows = TOWER_THREADS / field->lanes * TOWER_ROWS - 2 * TOWER_GENERATIONS;
    if (field->h >= swept.rows && field->d >= TOWER_LAYERS_MIN)
        swept.kernel = towers[own->made](field->lanes, life3d_seam_of(field));
    return swept;
}

/*
 * Cycles of a generation: those of the logic for a block's layer, or of memory if that takes longer
 * where the lattice is larger than the second cache, and those that it takes to launch.
 */
static double cycles_of(const struct life3d_swept *swept, double logic, double memory)
{
    return (swept->layers * (logic > memory ? logic : memory) + 2000) / swept->generations;
}

static enum ca_status choose_sweep(struct cuda *cuda, int64_t generations, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    struct life3d_swept *one = &own->swept[0], *two = &own->swept[1];
    int64_t layers = ca_int(&cuda->setup.options, "layers");
    struct ca_cuda_device device;
    double memory;

    *one = life3d_sweep_of(own);
    *two = tower_of(own);
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    CA_TRY(life3d_planes_cut(cuda, one, layers, error));
    if (!two->kernel || generations == 1 || (int64_t)two->shared > device.shared_bytes)
        return CA_OK;
    CA_TRY(life3d_planes_cut(cuda, two, layers, error));
    memory = SWEEP_BYTES * device.multiprocessors / device.bytes_a_clock;
    if (2 * own->field.d * own->field.plane * (int64_t)sizeof(word) < device.l2_bytes)
        memory = 0;
    if (generations > 1 || cycles_of(two, TOWER_CYCLES, 0) < cycles_of(one, SWEEP_CYCLES, memory))
        own->generations = TOWER_GENERATIONS;
    return CA_OK;
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    int64_t generations = ca_int(&cuda->setup.options, "generations");

    CA_TRY(life3d_planes_plan(cuda, error));
    own->generations = 1;
    own->cube = life3d_cube_of(own, &own->cube_layers);
    if (own->cube)
        own->generations = generations ? (int)generations : CUBE_PASS;
    if (own->field.lanes == 0)
        return CA_OK;
    return choose_sweep(cuda, generations, error);
}

static enum ca_status pass(struct cuda *cuda, int n, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    if (own->field.lanes)
        return life3d_planes_pass(cuda, &own->swept[n - 1], error);
    if (!own->cube)
        return life3d_planes_words(cuda, error);
    CA_TRY(cuda_launch(cuda, "step", own->cube, dim3(1),
                       dim3((unsigned)(own->field.d / own->cube_layers * CUBE_SIDE)), 0, error,
                       own->now, own->next, own->field, own->masks, n));
    life3d_planes_turn(own);
    return CA_OK;
}

/* The shortest pass last, since it keeps ghosts of less rows than the others need. */
static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    (void)t; /* the same rule in every generation */
    CA_TRY(life3d_planes_close(cuda, error));
    while (n > 0) {
        int some = n < (uint64_t)own->generations ? (int)n : own->generations;

        CA_TRY(pass(cuda, some, error));
        n -= (uint64_t)some;
    }
    return CA_OK;
}

static const struct cuda_rule rule = LIFE3D_PLANES(plan, step);

enum ca_status life3d_cuda_blocked_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error)
{
    return cuda_create(self, setup, &rule, error);
}
