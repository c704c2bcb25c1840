/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of life3d: cuda-bitslice, several generations a pass.
 *
 * A lattice of up to 32 x 32 x 128 cells stays in registers for as many generations as are wanted,
 * since a launch takes longer than a generation. One multiprocessor's logic would need 430 cycles
 * for a generation of 32 a side; sixteen blocks of a cluster that send each other their outer
 * layers take 250 (cluster.cuh). One block does it for a few layers, and for up to 32 x 32 x 64
 * cells where there are no such clusters (cube.cuh).
 *
 * Other rows of up to 128 cells go in bricks that overlap (brick.cuh), up to seven generations a
 * launch: more of them the smaller the lattice is, since the rows and layers that are stepped twice
 * then cost less than launches.
 *
 * Larger lattices are swept, two generations a pass where that should be faster (tower.cuh). It
 * halves what memory has to move and leaves the logic units to bind, which they nearly do in
 * cuda-bitslice: an H200, whose memory is fast for its logic, is some 3 to 9 % faster with one
 * generation a pass (1024 and 2048 a side), and so goes cuda-bitslice's way. A third generation
 * would take registers that there are none of. Two of them pay for themselves where a block has
 * some 30 rows, of which two at each end are of no use; lattices of less rows go one generation a
 * pass, and so do rows of up to 256 cells, of more than 2048, of which a warp has two, and all of
 * them on a GPU with less shared memory than a block takes (80 KB).
 */
#include "kernels/life3d/brick.cuh"
#include "kernels/life3d/cluster.cuh"
#include "kernels/life3d/cube.cuh"
#include "kernels/life3d/tower.cuh"

#define SMALL_PASS (1 << 20) /* generations of a launch for a small lattice, at most */

static struct life3d_swept tower_of(const struct life3d_planes *own)
{
    static life3d_sweep_kernel *(*const towers[])(int, enum life3d_seam) = {
        life3d_tower_4576,      life3d_tower_4555,  life3d_tower_5766,
        life3d_tower_intervals, life3d_tower_table,
    };
    const struct life3d_field *field = &own->field;
    struct life3d_swept swept = {NULL, TOWER_THREADS, TOWER_GENERATIONS,
                                 sizeof(struct life3d_tower_memory), TOWER_OPERATIONS};

    if (field->words != TOWER_WORDS || field->lanes < TOWER_LANES_MIN ||
        field->plane > INT32_MAX) /* it counts words of a layer */
        return swept;
    swept.rows = TOWER_THREADS / field->lanes * TOWER_ROWS - 2 * TOWER_GENERATIONS;
    if (field->h >= swept.rows && field->d >= TOWER_LAYERS_MIN)
        swept.kernel = towers[own->made](field->lanes, life3d_seam_of(field));
    return swept;
}

static enum ca_status choose_sweep(struct cuda *cuda, int64_t generations, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    struct life3d_swept *one = &own->swept[0], *two = &own->swept[1];
    int64_t layers = ca_int(&cuda->setup.options, "layers");
    struct ca_cuda_device device;

    *one = life3d_sweep_of(own);
    *two = tower_of(own);
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    CA_TRY(life3d_planes_cut(cuda, one, layers, error));
    if (!two->kernel || generations == 1 || (int64_t)two->shared > device.shared_bytes)
        return CA_OK;
    CA_TRY(life3d_planes_cut(cuda, two, layers, error));
    if (generations > 1 || two->cycles / TOWER_GENERATIONS < one->cycles)
        own->generations = TOWER_GENERATIONS;
    return CA_OK;
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    int64_t generations = ca_int(&cuda->setup.options, "generations");

    CA_TRY(life3d_planes_plan(cuda, error));
    own->generations = 1;
    own->small = life3d_cube_of(own);
    CA_TRY(life3d_cluster_choose(cuda, &own->small, error));
    if (own->field.lanes)
        CA_TRY(choose_sweep(cuda, generations, error));
    else if (!own->small.kernel)
        CA_TRY(life3d_brick_choose(cuda, generations, error));
    else
        own->generations = generations ? (int)generations : SMALL_PASS;
    cuda->plan.generations = own->generations;
    return CA_OK;
}

static enum ca_status small_pass(struct cuda *cuda, int n, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    const struct life3d_small *small = &own->small;

    if (small->blocks == 1)
        CA_TRY(cuda_launch(cuda, "step", small->kernel, dim3(1), dim3(small->threads),
                           small->shared, error, own->now, own->next, own->field, own->masks, n));
    else
        CA_TRY(cuda_launch_cluster(cuda, "step", small->kernel, small->blocks, dim3(small->threads),
                                   small->shared, error, own->now, own->next, own->field,
                                   own->masks, n));
    life3d_planes_turn(own);
    return CA_OK;
}

static enum ca_status pass(struct cuda *cuda, int n, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    if (own->field.lanes)
        return life3d_planes_pass(cuda, &own->swept[n - 1], error);
    if (own->small.kernel)
        return small_pass(cuda, n, error);
    if (own->brick)
        return life3d_brick_pass(cuda, n, error);
    return life3d_planes_words(cuda, error);
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

CUDA_OPS(life3d_cuda_blocked) = LIFE3D_PLANES(plan, step);
