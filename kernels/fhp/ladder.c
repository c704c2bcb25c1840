/* SPDX-License-Identifier: MIT */
/*
 * The record of fhp: parameters, observables, appearance, and the ladder of its backends in reading
 * order. calab-kernels(7) tells what each rung changes, which limit it moves and what it costs.
 *
 * A node step gathers one bit from each of six neighbours, looks a byte up in a table of 128, and
 * sometimes asks for a random bit. The state is a byte a node, so little is moved: look-ups,
 * branches and gathering are the limit.
 */
#include <math.h>
#include <string.h>

#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

static const char *const collisions[] = {"fhp1", "fhp2", "fhp3", NULL};
static const char *const geometries[] = {"channel", "none", "cylinder", "file", NULL};

static const struct ca_param params[] = {
    {.name = "collisions",
     .kind = CA_CHOICE,
     .number = FHP_2,
     .choices = collisions,
     .help = "fhp1: pairs and triples; fhp2: rest particles too; fhp3: all that mass and momentum "
             "allow"},
    {.name = "p_force",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a westward particle to be turned east in a step"},
    {.name = "geometry",
     .kind = CA_CHOICE,
     .number = FHP_CHANNEL,
     .choices = geometries,
     .initial = true,
     .help = "channel: solid top and bottom row; none; cylinder: a channel with a disc; file: "
             "geometry_file"},
    {.name = "geometry_file",
     .kind = CA_FILE,
     .initial = true,
     .help = "PBM picture of the solid nodes (1), which gives the lattice its size"},
    {.name = "density",
     .kind = CA_REAL,
     .number = 0.2,
     .min = 0,
     .max = 1,
     .initial = true,
     .help = "mean occupation of each direction at the start"},
    {.name = "amplitude",
     .kind = CA_REAL,
     .number = 0.1,
     .min = 0,
     .max = 0.4,
     .initial = true,
     .help =
         "of the waves: shear's velocity in cells a step, sound's change of density by its mean"},
    {.name = NULL},
};

static const struct ca_start starts[] = {
    [FHP_RANDOM] = {"random", "every direction of a fluid node occupied with probability density"},
    [FHP_SHEAR] = {"shear", "random, moving right and left by a sine down the lattice"},
    [FHP_SOUND] = {"sound", "random, denser and thinner by a sine along the lattice"},
    {.name = NULL},
};

/* --- observables ------------------------------------------------------------------------------ */

/* Solid nodes and forcing take up and give momentum. */
static bool momentum_is_kept(const struct ca_setup *setup, const double before[])
{
    return before[FHP_OBSERVES_SOLID_NODES] == 0 && ca_probability(&setup->params, "p_force") == 0;
}

static const struct ca_observable observables[] = {
    [FHP_OBSERVES_PARTICLES] = {.name = "particles",
                                .help = "moving and at rest",
                                .conserved = always_conserved},
    [FHP_OBSERVES_MOMENTUM_X] = {.name = "momentum_x",
                                 .unit = "half cells/step",
                                 .help = "eastward",
                                 .conserved = momentum_is_kept},
    [FHP_OBSERVES_MOMENTUM_Y] = {.name = "momentum_y",
                                 .unit = "rows/step",
                                 .help = "downward",
                                 .conserved = momentum_is_kept},
    [FHP_OBSERVES_SOLID_NODES] = {.name = "solid",
                                  .help = "solid nodes",
                                  .conserved = always_conserved},
    [FHP_OBSERVES_DRAG] = {.name = "drag",
                           .unit = "cells/step^2",
                           .help = "momentum that the last step handed to the obstacle, eastward"},
    [FHP_OBSERVES_LIFT] = {.name = "lift",
                           .unit = "cells/step^2",
                           .help = "momentum that the last step handed to the obstacle, upward"},
    {.name = NULL},
};

/* The obstacle is what is solid off the first and last row; the force on it: fields.c. */
static void observe_counts(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                           const int64_t on_obstacle[CA_BIT_PLANES_MAX],
                           double values[CA_OBSERVABLES_MAX])
{
    int64_t particles = 0, x = 0, y = 0, solid_x = 0, solid_y = 0;

    (void)setup;
    for (int i = 0; i < 7; i++) {
        int dx = fhp_momentum_x((uint8_t)(1 << i)), dy = fhp_momentum_y((uint8_t)(1 << i));

        particles += ones[i];
        x += ones[i] * dx;
        y += ones[i] * dy;
        solid_x += on_obstacle[i] * dx;
        solid_y += on_obstacle[i] * dy;
    }
    values[FHP_OBSERVES_PARTICLES] = (double)particles;
    values[FHP_OBSERVES_MOMENTUM_X] = (double)x;
    values[FHP_OBSERVES_MOMENTUM_Y] = (double)y;
    values[FHP_OBSERVES_SOLID_NODES] = (double)ones[7];
    values[FHP_OBSERVES_DRAG] = (double)-solid_x;              /* -2 times as many half cells */
    values[FHP_OBSERVES_LIFT] = 2 * FHP_ROW * (double)solid_y; /* rows count downward */
}

/* --- appearance ----------------------------------------------------------------------------- */

enum {
    LOOK_EMPTY,
    LOOK_SNAPSHOT,
    LOOK_EAST,
    LOOK_WEST,
    LOOK_UP,
    LOOK_DOWN,
    LOOK_RISING,
    LOOK_FALLING,
    LOOK_SOLID
};

/* Few colours, east and west alone, make long runs of one colour, and so fewer bytes a frame. */
static const struct ca_state_appearance states[] = {
    [LOOK_EMPTY] = {' ', CA_COLOUR_QUIET, "empty"},
    [LOOK_SNAPSHOT] = {'.', CA_COLOUR_PLAIN, "at rest"},
    [LOOK_EAST] = {'>', CA_COLOUR_WARM, "east"},
    [LOOK_WEST] = {'<', CA_COLOUR_COLD, "west"},
    [LOOK_UP] = {'^', CA_COLOUR_PLAIN, "up"},
    [LOOK_DOWN] = {'v', CA_COLOUR_PLAIN, "down"},
    [LOOK_RISING] = {'/', CA_COLOUR_PLAIN, "NE or SW"},
    [LOOK_FALLING] = {'\\', CA_COLOUR_PLAIN, "NW or SE"},
    [LOOK_SOLID] = {'#', CA_COLOUR_SOLID, "solid"},
    {.name = NULL},
};

/* Whole nodes: what was in them is gone. */
static const struct ca_brush brushes[] = {
    {"empty", 1, {0}, false},
    {"solid", 1, {FHP_SOLID}, false},
    {"full", 1, {FHP_PARTICLES & ~FHP_REST}, false},
    {"east", 1, {1 << FHP_E}, false},
    {"south-east", 1, {1 << FHP_SE}, false},
    {"south-west", 1, {1 << FHP_SW}, false},
    {"west", 1, {1 << FHP_W}, false},
    {"north-west", 1, {1 << FHP_NW}, false},
    {"north-east", 1, {1 << FHP_NE}, false},
    {.name = NULL},
};

/*
 * The arrow of a block from its summed momentum (x in half cells, y in rows) and its summed level
 * (particles / 7). Rows are sqrt(3) half cells apart. Below 5 % of the speed of a particle the
 * block counts as at rest.
 */
static uint8_t flow_code(const struct ca_model *model, double vx, double vy, double level)
{
    static const uint8_t octants[8] = {LOOK_EAST, LOOK_FALLING, LOOK_DOWN, LOOK_RISING,
                                       LOOK_WEST, LOOK_FALLING, LOOK_UP,   LOOK_RISING};
    double down = 1.7320508075688772 * vy, speed = hypot(vx, down), particles = 7 * level;
    int octant;

    (void)model;
    if (!(particles > 0))
        return LOOK_EMPTY;
    if (speed < 0.05 * 2 * particles)
        return LOOK_SNAPSHOT;
    octant = (int)floor(atan2(down, vx) / (3.14159265358979323846 / 4) + 0.5);
    return octants[(octant + 8) % 8];
}

static void fhp_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                           float low, float high, struct ca_appearance *look)
{
    uint8_t node = ((const uint8_t *)planes[0])[i];

    (void)low;
    (void)high;
    look->vx = (int8_t)fhp_momentum_x(node);
    look->vy = (int8_t)fhp_momentum_y(node);
    look->level = (float)fhp_particles(node) / 7;
    look->code = node & FHP_SOLID ? LOOK_SOLID : flow_code(model, look->vx, look->vy, look->level);
}

/* --- the ladder ------------------------------------------------------------------------------- */

/* A pass reads and writes a byte a node. */
#define CPU_BYTES(passes)                                                                          \
    .device = CA_CPU, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2 * (passes),             \
    .stepper = &byte_stepper

#define CPU_SCALAR .ops_per_cell_step = 20, CPU_BYTES(1)

/* 13 to push words of eight nodes, and to collide a node a load, a look-up and a store. */
#define CPU_PUSH .ops_per_cell_step = 13.0 / 8 + 3, .options = options_threads, CPU_BYTES(2)

#define CPU_BITS                                                                                   \
    .device = CA_CPU, .memory_bytes_per_cell = 15.0 / 8, .bytes_per_cell_step = 15.0 / 8,          \
    .ops_per_cell_step = 110.0 / 64, .stepper = &bit_stepper

static const char *const blocks[] = {"32x8", "64x4", "128x2", "256x1", "16x16", "32x32", NULL};
static const struct ca_param naive_options[] = {
    CUDA_DEVICES, CUDA_BLOCK(blocks, 0), {.name = NULL}};

/* The rectangle that is fetched, with a rim of one node on each side. */
static const char *const tiles[] = {"32x16", "16x16", "32x8", "32x32", "64x8", "64x16", NULL};
static const struct ca_param tiles_options[] = {CUDA_DEVICES, CUDA_BLOCK(tiles, 0), {.name = NULL}};

/*
 * Operations: 13 to move (7 masks, 6 to join them), 2 for solid nodes, 5 to tell the outcomes apart
 * and for forcing; 46 for a draw (7 rounds of 2 products and 4 exclusive ors, 4 for the bit), which
 * hardly a warp does without.
 */
#define CUDA_BYTES(ops) .memory_bytes_per_cell = 2, .ops_per_cell_step = 66, CUDA_BACKEND(ops)

static const struct ca_param bitslice_options[] = {CUDA_DEVICES, {.name = NULL}};
static const struct ca_param temporal_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", 8, "2 3 4 5 6 7 8",
                "generations in one pass over the lattice, from 2 on"),
    CUDA_CHOSEN("rows", 1 << 20, "8 16 32 64 128 256 512",
                "rows that a warp sweeps, an even number"),
    {.name = NULL},
};
static const struct ca_param persistent_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("blocks", 16, "1 16",
                "1: a single block; from 2 on: a thread block cluster of at most so many blocks"),
    CUDA_CHOSEN("launch_generations", 65536, NULL, "generations of a launch, at most"),
    {.name = NULL},
};

/* Rows of one group, of several, and of more than a warp's 32, which are cut to segments. */
static const struct ca_size temporal_sizes[] = {
    {128, 2, 1}, {128, 32, 1}, {384, 10, 1}, {4224, 4, 1}, {0}};
/* Full words and partial ones in one block; 33x256 should take less in a cluster. */
static const struct ca_size persistent_sizes[] = {
    {1, 2, 1}, {33, 34, 1}, {64, 64, 1}, {33, 256, 1}, {0}};

/*
 * Operations on words of 32 nodes: 41 collide (fhp2), 4 move, 1 looks for solid nodes; and for 128
 * nodes 39 make the random bits (12 products, of two words each, and 15 exclusive ors).
 */
#define CUDA_BITS(ops)                                                                             \
    .memory_bytes_per_cell = 2, .bytes_per_cell_step = 15.0 / 8,                                   \
    .ops_per_cell_step = 46.0 / 32 + 39.0 / 128, CUDA_BACKEND(ops)

extern const struct byte_ops fhp_reference, fhp_sse2, fhp_avx, fhp_avx2, fhp_avx512;
extern const struct bit_ops fhp_bitslice, fhp_bitslice_avx2, fhp_bitslice_avx512;
extern const struct cuda_ops fhp_cuda_naive, fhp_cuda_tiles, fhp_cuda_bitslice, fhp_cuda_temporal,
    fhp_cuda_persistent;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a node and a collision table, one thread",
     .options = options_ranks,
     .ops = &fhp_reference,
     CPU_SCALAR},
    {.name = "threads",
     .title = "reference's passes over disjoint rows, a pool of threads",
     .options = options_threads,
     .ops = &fhp_reference,
     CPU_SCALAR},
    {.name = "sse2",
     .title = "the paper's: masks push 16 nodes a vector, a table collides one by one",
     .available = ca_needs_x86,
     X86_OPS(fhp_sse2),
     CPU_PUSH},
    {.name = "avx",
     .title = "sse2 with 32 nodes a vector, by the logic of floats",
     .available = ca_needs_avx,
     X86_OPS(fhp_avx),
     CPU_PUSH},
    {.name = "avx2",
     .title = "32 nodes a vector, gathered by masks, collided by byte shuffles",
     .available = ca_needs_avx2,
     .options = options_threads,
     X86_OPS(fhp_avx2),
     .ops_per_cell_step = 9, /* on words of eight nodes */
     CPU_BYTES(1)},
    {.name = "avx512",
     .title = "64 nodes a vector, collided by look-ups in registers",
     .available = ca_needs_avx512,
     .options = options_threads,
     X86_OPS(fhp_avx512),
     .ops_per_cell_step = 3, /* on words of eight nodes */
     CPU_BYTES(1)},
    {.name = "bitslice",
     .title = "a bit a particle, collisions as logic on words",
     .options = options_generations,
     .ops = &fhp_bitslice,
     CPU_BITS},
    {.name = "bitslice-avx2",
     .title = "bitslice on vectors of 256 nodes",
     .available = ca_needs_avx2,
     .options = options_generations,
     X86_OPS(fhp_bitslice_avx2),
     CPU_BITS},
    {.name = "bitslice-avx512",
     .title = "bitslice on vectors of 512 nodes, logic of three inputs",
     .available = ca_needs_avx512,
     .options = options_generations,
     X86_OPS(fhp_bitslice_avx512),
     CPU_BITS},
    {.name = "cuda-naive",
     .title = "a byte and a thread a node, from global memory",
     .options = naive_options,
     .bytes_per_cell_step = 2,
     CUDA_BYTES(fhp_cuda_naive)},
    {.name = "cuda-tiles",
     .title = "overlapping rectangles of bytes in shared memory",
     .options = tiles_options,
     .bytes_per_cell_step = 1 + 32.0 * 16 / (30 * 14), /* rectangles overlap by two */
     CUDA_BYTES(fhp_cuda_tiles)},
    {.name = "cuda-bitslice",
     .title = "a bit a particle, 128 nodes a thread, collisions as logic",
     .options = bitslice_options,
     CUDA_BITS(fhp_cuda_bitslice)},
    {.name = "cuda-temporal",
     .title = "bit planes, warps sweep down the rows, several generations a pass",
     .options = temporal_options,
     .small_sizes = temporal_sizes,
     CUDA_BITS(fhp_cuda_temporal)},
    {.name = "cuda-persistent",
     .title = "bit planes on chip for a whole call, one block or a cluster",
     .options = persistent_options,
     .small_sizes = persistent_sizes,
     CUDA_BITS(fhp_cuda_persistent)},
    {.name = NULL},
};

/* The chirality of each collision. */
static bool draws(const struct ca_setup *setup)
{
    (void)setup;
    return true;
}

static void table(const struct ca_setup *setup, uint8_t *bytes)
{
    struct fhp_table made;

    fhp_table_make(&made, (enum fhp_collisions)ca_choice(&setup->params, "collisions"));
    memcpy(bytes, &made, sizeof made);
}

static const struct ca_model_start start = {
    .named = starts, .init = fhp_init, .random = fhp_random_start, .file_size = fhp_file_size};

static const struct ca_rule_table outcomes = {
    .bytes = sizeof(struct fhp_table),
    .help = "uint8_t next[2][128], the node after a collision, by chirality and bits 0 ... 6",
    .fill = table};
/* Solid rows may keep all from crossing, but the lattice is closed. */
static const struct ca_model_rule rule = {
    .torus = always_torus, .draws = draws, .table = &outcomes};

static const struct ca_model_solid solid = {.mask = FHP_SOLID, .wall_layers = 1};

static const struct ca_model_observe observe = {.observables = observables,
                                                .counts = observe_counts,
                                                .fields = fhp_fields,
                                                .measurements = fhp_measurements};

static const struct ca_model_draw draw = {.states = states,
                                          .cell = fhp_appearance,
                                          .flow = flow_code,
                                          .level_unit = "particles a node",
                                          .level_full = 7,
                                          .picture_mask = FHP_SOLID};

const struct ca_model fhp_model = {
    .name = "fhp",
    .opens = "fhp-cylinder",
    .title = "FHP lattice gas in 2D",
    .summary =
        "Particles of one speed move along the six directions of a triangular lattice and collide "
        "so that their number and momentum stay. Seen from afar the gas flows as a fluid does. "
        "Solid nodes throw particles back; p_force drives a wind from west to east.",
    .dimensions = 2,
    .radius = 1,
    .type = CA_U8,
    .planes = 1,
    .plane_names = {"node"},
    .max_value = 255,
    .rows_alternate = true,
    .default_size = {512, 256, 1},
    .pace = 8,
    .params = params,
    .brushes = brushes,
    .backends = backends,
    .check = fhp_check,
    .start = &start,
    .rule = &rule,
    .solid = &solid,
    .observe = &observe,
    .draw = &draw,
};
