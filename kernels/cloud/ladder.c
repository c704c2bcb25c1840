/* SPDX-License-Identifier: MIT */
/*
 * The ladder of cloud.
 *
 * A cell step reads three bits and eleven neighbours of one of them and writes three bits: very
 * little arithmetic on very little state, so what a rung is worth is how little it moves.
 *
 *   reference  a byte a cell and plane, one thread. The yardstick: 6 bytes moved for 6 bits of
 *              state, and a branch for each neighbour that may lie outside.
 *   threads    the same passes over disjoint rows by a team that meets once a generation. Moves the
 *              limit of one core's arithmetic; costs a barrier, which a small lattice feels.
 *   bitslice   a bit a cell and plane, 64 cells a word: an eighth of the memory, and the rule for
 *              64 cells in some 20 operations. hum and cld matter to their own cell alone and are
 *              stepped in place, which saves a third of what is held. Loads and stores are the
 *              limit now; with events it is the random numbers: a draw gives a bit each to 128
 *              cells, and an event takes as many draws as it needs to decide all of them, about
 *              ten.
 *   bitslice-avx2
 *              256 cells at once, bands of rows in the lanes of a vector, so that short rows fill
 *              it too.
 *   bitslice-avx512
 *              512 cells at once. Logic of three inputs halves the operations, which were not the
 *              limit: growth gains little from it; events, whose draws are made eight at a time,
 *              gain more.
 *
 * A lattice larger than the caches would run at the pace of memory, since a step has so little to
 * do. Hence the option generations of the three: some layers are taken through several generations
 * while they are in the caches, and the next layers follow, so that a pass over memory pays for all
 * of them.
 *
 * On a GPU a thread takes one cell, or a byte of eight:
 *
 *   cuda-naive           a cell's three bits in a byte, two bytes of memory a cell step. A cell
 *                        takes twelve loads, with a test for the lattice's end before each.
 *   cuda-shared-32x1x32  the cells of a block and the halo around them first come into shared
 *                        memory, then no test is left. A flat block has much halo: 6,300 bytes are
 *                        loaded for 1,024 cells.
 *   cuda-shared-8x8x8    the same for a cube, which has the least: 1,584 bytes for 512 cells, in
 *                        four rounds. Both work out where each byte of the tile comes from and
 *                        wait at barriers, which cuda-naive need not.
 *   cuda-packed-8x1x1    eight cells of a row in a byte of each of three buffers, a thread a byte:
 *                        an eighth of the loads for a cell, logic for eight cells at once, 0.75
 *                        bytes of memory a cell step.
 *   cuda-packed-2x2x2    a cube of eight cells in a byte: neighbours lie in six other bytes, not in
 *                        nine; masks and shifts take the place of the loads.
 *
 * With events all of these wait for random numbers. A draw gives bits to 128 cells of a row, of
 * which a thread uses one, eight (8x1x1) or two (2x2x2).
 *
 *   cuda-bitslice        a thread takes 128 cells of a row, 16 bytes of each plane, and goes up the
 *                        planes with them: what lies below it has seen already. Logic is on 32
 *                        cells at once, a draw serves all 128. And growth need not move cld: a cell
 *                        has become cloud when it lost its vapour, so that cld follows from hum now
 *                        and then. That leaves half a byte of memory a cell step, which binds.
 *   cuda-blocked         takes each plane through several generations while it is there: what they
 *                        wait for of other planes stays in registers, of other rows in shared
 *                        memory, with one barrier a plane. Two generations halve what memory moves;
 *                        with three, logic and memory bind about alike, and rows and columns at the
 *                        edges of a tile are computed by two blocks. Small lattices stay in the
 *                        registers of a few dozen blocks for as many generations as pay for a
 *                        launch, or, where blocks can write to each other, in those of sixteen for
 *                        all of a call. Events go one generation a pass: their draws bind, not
 *                        memory.
 */
#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/rule.h"
#include "kernels/cpu/bands.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cpu/initial_state.h"

static const struct ca_param params[] = {
    {.name = "p_ext",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cloud cell to clear in a step"},
    {.name = "p_hum",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cell to become humid in a step"},
    {.name = "p_act",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cell to become active in a step"},
    {.name = "hum0",
     .kind = CA_REAL,
     .number = 0.6,
     .min = 0,
     .max = 1,
     .initial = true,
     .help = "density of humid cells at the start"},
    {.name = "act0",
     .kind = CA_REAL,
     .number = 0.01,
     .min = 0,
     .max = 1,
     .initial = true,
     .help = "density of active cells at the start"},
    {.name = NULL},
};

static const struct ca_start starts[] = {
    {"random", "humid and active cells at densities hum0 and act0, no clouds"},
    {.name = NULL},
};

static const struct ca_observable observables[] = {
    {.name = "humid", .help = "cells that hold vapour"},
    {.name = "active", .help = "cells that condense now"},
    {.name = "cloud", .help = "cells that are cloud"},
    {.name = NULL},
};

enum { LOOK_DRY, LOOK_HUMID, LOOK_CLOUD, LOOK_ACTIVE };

static const struct ca_state_appearance states[] = {
    [LOOK_DRY] = {' ', CA_COLOUR_QUIET, "dry"},
    [LOOK_HUMID] = {'.', CA_COLOUR_COLD, "humid"},
    [LOOK_CLOUD] = {'o', CA_COLOUR_STRONG, "cloud"},
    [LOOK_ACTIVE] = {'@', CA_COLOUR_WARM, "active"},
    {.name = NULL},
};

static enum ca_status init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error)
{
    (void)start;
    CA_TRY(initial_random(setup, ca_real(&setup->params, "hum0"), CLOUD_HUM,
                          lattice->plane[CLOUD_HUM], 1, error));
    return initial_random(setup, ca_real(&setup->params, "act0"), CLOUD_ACT,
                          lattice->plane[CLOUD_ACT], 1, error);
}

static void look(const void *const planes[], int64_t i, float low, float high,
                 struct ca_appearance *look)
{
    static const float levels[] = {0, 0.2F, 0.7F, 1};
    bool hum = ((const uint8_t *)planes[CLOUD_HUM])[i];
    bool act = ((const uint8_t *)planes[CLOUD_ACT])[i];
    bool cld = ((const uint8_t *)planes[CLOUD_CLD])[i];

    (void)low;
    (void)high;
    look->code = act ? LOOK_ACTIVE : cld ? LOOK_CLOUD : hum ? LOOK_HUMID : LOOK_DRY;
    look->level = levels[look->code];
    look->vx = look->vy = 0;
}

#define PLAIN                                                                                      \
    .device = CA_CPU, .memory_bytes_per_cell = 6, .bytes_per_cell_step = 6,                        \
    .ops_per_cell_step = 16, .stepper = &byte_stepper

/* Without events; logic for 64 cells. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.5,                \
    .bytes_per_cell_step = 0.75, .ops_per_cell_step = (operations), .stepper = &bands_stepper

/* 512 threads at most: CLOUD_THREADS and CLOUD_PACKED_THREADS. */
static const char *const shapes[] = {"32x4x4",  "32x1x16", "64x4x2", "32x8x1",
                                     "128x2x1", "8x8x8",   "4x4x4",  NULL};

static const struct ca_param block_options[] = {CUDA_DEVICE, CUDA_BLOCK(shapes, 0), {.name = NULL}};
/* The name says the block. */
static const struct ca_param device_options[] = {CUDA_DEVICE, {.name = NULL}};

/*
 * Each cell is read once from memory and written once; halo comes from caches. Operations without
 * events: 10 to join the neighbours, 11 to take bits out of bytes and put them in, 4 for the rule.
 */
#define CUDA_BYTES(create)                                                                         \
    .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2, .ops_per_cell_step = 25,                 \
    CUDA_BACKEND(create)

/* Of eight cells at once, 4 for the rule and the rest to shift, mask and join the neighbours. */
#define CUDA_PACKED(operations, create)                                                            \
    .options = block_options, .memory_bytes_per_cell = 0.5, .bytes_per_cell_step = 0.75,           \
    .ops_per_cell_step = (operations) / 8.0, CUDA_BACKEND(create)

static const char *const forms[] = {"auto", "sweep", "tile", "cluster", NULL};

static const struct ca_param blocked_options[] = {
    CUDA_DEVICE,
    CUDA_CHOSEN("generations", 16, "1 2 3 4 6 8 12 16",
                "generations in one pass over the lattice, at most 4 of a sweep"),
    CUDA_CHOSEN("warps", 16, "1 2 4 8 12 16", "warps of a block, where a block can have so many"),
    CUDA_CHOSEN("lanes", 32, "4 8 16 24 32",
                "lanes that a longer row of groups of 128 cells is cut to, 3 at least"),
    CUDA_CHOSEN("planes", 1 << 24, "16 32 64 128 256 512", "planes that a block sweeps"),
    CUDA_FORM(forms,
              "blocks that sweep up the planes, or tiles of all planes that stay in registers, or "
              "such tiles that tell each other their edges as a cluster of blocks"),
    {.name = NULL},
};

/*
 * hum and act in two copies, cloud and start; without events hum and act are read and written once
 * a pass. Operations are on the four words of a group: logic of three inputs, shifts and, where
 * bits go from lane to lane, bytes taken out of words.
 */
#define CUDA_GROUPS(operations)                                                                    \
    .memory_bytes_per_cell = 0.75, .bytes_per_cell_step = 0.5,                                     \
    .ops_per_cell_step = (operations) / 128.0

extern const struct byte_ops cloud_reference;
extern const struct bands_ops cloud_bitslice, cloud_bitslice_avx2, cloud_bitslice_avx512;
extern const struct cuda_ops cloud_cuda_naive, cloud_cuda_shared_32x1x32, cloud_cuda_shared_8x8x8,
    cloud_cuda_packed_8x1x1, cloud_cuda_packed_2x2x2, cloud_cuda_bitslice, cloud_cuda_blocked;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell and plane, one thread",
     .ops = &cloud_reference,
     PLAIN},
    {.name = "threads",
     .title = "reference's passes shared out over a team of threads",
     .options = options_threads,
     .ops = &cloud_reference,
     PLAIN},
    {.name = "bitslice",
     .title = "64 cells a word, hum and cld in place",
     .ops = &cloud_bitslice,
     BITSLICE(17.0 / 64)},
#if defined(__x86_64__)
    {.name = "bitslice-avx2",
     .title = "256 cells a vector, bands of rows in its lanes",
     .available = ca_needs_avx2,
     .ops = &cloud_bitslice_avx2,
     BITSLICE(17.0 / 64)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, logic of three inputs",
     .available = ca_needs_avx512,
     .ops = &cloud_bitslice_avx512,
     BITSLICE(17.0 / 64)},
#endif
    {.name = "cuda-naive",
     .title = "a byte and a thread a cell, from global memory",
     .options = block_options,
     CUDA_BYTES(cloud_cuda_naive)},
    {.name = "cuda-shared-32x1x32",
     .title = "the same from a flat tile in shared memory",
     .options = device_options,
     CUDA_BYTES(cloud_cuda_shared_32x1x32)},
    {.name = "cuda-shared-8x8x8",
     .title = "the same from the tile of a cube",
     .options = device_options,
     CUDA_BYTES(cloud_cuda_shared_8x8x8)},
    {.name = "cuda-packed-8x1x1",
     .title = "eight cells of a row a byte, a thread a byte",
     CUDA_PACKED(22, cloud_cuda_packed_8x1x1)},
    {.name = "cuda-packed-2x2x2",
     .title = "a cube of eight cells a byte, a thread a byte",
     CUDA_PACKED(32, cloud_cuda_packed_2x2x2)},
    {.name = "cuda-bitslice",
     .title = "128 cells a lane, a thread goes up the planes",
     .options = device_options,
     CUDA_GROUPS(34),
     CUDA_BACKEND(cloud_cuda_bitslice)},
    {.name = "cuda-blocked",
     .title = "the same through several generations in registers",
     .options = blocked_options,
     CUDA_GROUPS(36),
     CUDA_BACKEND(cloud_cuda_blocked)},
    {.name = NULL},
};

const struct ca_model cloud_model = {
    .name = "cloud",
    .title = "cloud formation in 3D",
    .summary =
        "Vapour condenses where a neighbour condenses: a humid cell becomes active when one of "
        "eleven cells around it is active, and a step later it is cloud and dry. The eleven reach "
        "further to the sides and down than up, so clouds spread and rise. With p_ext, p_hum and "
        "p_act clouds also clear, and vapour and activity come back by chance.",
    .dimensions = 3,
    .radius = 2,
    .type = CA_U8,
    .planes = CLOUD_PLANES,
    .plane_names = {"hum", "act", "cld"},
    .max_value = 1,
    .default_size = {256, 256, 20},
    .params = params,
    .starts = starts,
    .observables = observables,
    .states = states,
    .backends = backends,
    .init = init,
    .observe = count_ones,
    .look = look,
};
