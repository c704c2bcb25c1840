/* SPDX-License-Identifier: MIT */
/*
 * The ladder of cloud: its parameters, initial states and appearance, and its backends in order.
 *
 * A cell step reads three bits and eleven neighbours of one of them and writes three bits, so a
 * rung is worth what it does not move. CPU rungs go from a byte a cell and plane to words and
 * vectors of cells, CUDA rungs from a cell a thread to 128 cells a thread, several generations a
 * pass, and one launch for all generations. The last three take growth alone, without events.
 */
#include "core/machine/cpu.h"
#include "core/base/random.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
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

static void humidity(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                     double value[])
{
    value[0] = share_of_ones(means, x, y, z, CLOUD_HUM);
}

static void activity(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                     double value[])
{
    value[0] = share_of_ones(means, x, y, z, CLOUD_ACT);
}

static void cover(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    value[0] = share_of_ones(means, x, y, z, CLOUD_CLD);
}

static const struct ca_field fields[] = {
    {"cover", "share of cells that are cloud; of a whole column its cover", NULL, 1, false, false,
     cover, false},
    {"columns", "share of all cells along the line of sight that are cloud", NULL, 1, false, false,
     cover, true},
    {"humidity", "share of cells that hold vapour", NULL, 1, false, false, humidity},
    {"activity", "share of cells that condense now", NULL, 1, false, false, activity},
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

/* Vapour is clear. */
static const struct ca_seen seen[] = {{CLOUD_CLD, LOOK_CLOUD}, {CLOUD_ACT, LOOK_ACTIVE}, {0, 0}};

#define ALL_PLANES (1U << CLOUD_HUM | 1U << CLOUD_ACT | 1U << CLOUD_CLD)

static const struct ca_brush brushes[] = {
    {"dry", ALL_PLANES, {0}, false},
    {"humid", ALL_PLANES, {[CLOUD_HUM] = 1}, false},
    {"cloud", ALL_PLANES, {[CLOUD_CLD] = 1}, false},
    {"active", ALL_PLANES, {[CLOUD_ACT] = 1}, false},
    {.name = NULL},
};

static bool draws(const struct ca_setup *setup)
{
    return ca_probability(&setup->params, "p_ext") || ca_probability(&setup->params, "p_hum") ||
           ca_probability(&setup->params, "p_act");
}

static bool random_start(const struct ca_setup *setup, struct ca_random_start *random)
{
    random->below[CLOUD_HUM] = ca_threshold(ca_real(&setup->params, "hum0"));
    random->below[CLOUD_ACT] = ca_threshold(ca_real(&setup->params, "act0"));
    return setup->start >= 0;
}

static enum ca_status cloud_init(const struct ca_setup *setup, int start,
                                 struct ca_lattice *lattice, struct ca_error *error)
{
    (void)start;
    CA_TRY(initial_random(setup, ca_real(&setup->params, "hum0"), CLOUD_HUM,
                          lattice->plane[CLOUD_HUM], 1, error));
    return initial_random(setup, ca_real(&setup->params, "act0"), CLOUD_ACT,
                          lattice->plane[CLOUD_ACT], 1, error);
}

static void cloud_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                             float low, float high, struct ca_appearance *look)
{
    static const float levels[] = {0, 0.2F, 0.7F, 1};
    bool hum = ((const uint8_t *)planes[CLOUD_HUM])[i];
    bool act = ((const uint8_t *)planes[CLOUD_ACT])[i];
    bool cld = ((const uint8_t *)planes[CLOUD_CLD])[i];

    (void)model, (void)low, (void)high;
    look->code = act ? LOOK_ACTIVE : cld ? LOOK_CLOUD : hum ? LOOK_HUMID : LOOK_DRY;
    look->level = levels[look->code];
    look->vx = look->vy = 0;
}

#define BYTES                                                                                      \
    .device = CA_CPU, .memory_bytes_per_cell = 6, .bytes_per_cell_step = 6,                        \
    .ops_per_cell_step = 16, .stepper = &byte_stepper

/* Operations of growth, for 64 cells. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.5,                \
    .bytes_per_cell_step = 0.75, .ops_per_cell_step = (operations), .stepper = &bands_stepper

/* At most 512 threads, as CLOUD_THREADS and CLOUD_PACKED_THREADS say. */
static const char *const shapes[] = {"32x4x4",  "32x1x16", "64x4x2", "32x8x1",
                                     "128x2x1", "8x8x8",   "4x4x4",  NULL};

static const struct ca_param block_options[] = {
    CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};
static const struct ca_param device_options[] = {CUDA_DEVICES, {.name = NULL}};

#define GENERATIONS(most, values)                                                                  \
    CUDA_CHOSEN("generations", most, values, "generations in one pass over memory")
#define WARPS CUDA_CHOSEN("warps", 16, "1 2 4 8 12 16", "warps that a block is to have, if it can")

static const struct ca_param temporal_options[] = {
    CUDA_DEVICES,
    GENERATIONS(4, "2 3 4"),
    WARPS,
    CUDA_CHOSEN("lanes", 32, "4 8 16 24 32",
                "lanes that a longer row of groups of 128 cells is cut to, 3 at least"),
    CUDA_CHOSEN("planes", 1 << 24, "16 32 64 128 256 512", "planes that a block sweeps"),
    {.name = NULL},
};
static const struct ca_param overlapped_options[] = {
    CUDA_DEVICES, GENERATIONS(16, "1 2 3 4 6 8 12 16"), WARPS, {.name = NULL}};
static const struct ca_param persistent_options[] = {CUDA_DEVICES, WARPS, {.name = NULL}};

/* Short rows, several in a warp; rows of two lanes; cut rows with halo lanes. */
static const struct ca_size temporal_sizes[] = {{20, 40, 9}, {130, 64, 4}, {4200, 5, 3}, {0}};
/* One tile of all rows; tiles with halo rows, on one lane and on two. */
static const struct ca_size overlapped_sizes[] = {{20, 20, 20}, {3, 64, 40}, {130, 60, 40}, {0}};
/* One block; clusters of several, on one lane and on four. */
static const struct ca_size persistent_sizes[] = {{5, 2, 3}, {20, 20, 20}, {300, 33, 7}, {0}};

/*
 * Memory reads each cell once and writes it once; caches serve the halo. Operations of growth: 10
 * to join the neighbours, 11 to take bits out of bytes and put them back, 4 for the rule.
 */
#define CUDA_BYTES(ops)                                                                            \
    .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2, .ops_per_cell_step = 25, CUDA_BACKEND(ops)

/* Operations for eight cells at once: 4 for the rule, the others shift, mask and join neighbours.
 */
#define CUDA_PACKED(operations, ops)                                                               \
    .options = block_options, .memory_bytes_per_cell = 0.5, .bytes_per_cell_step = 0.75,           \
    .ops_per_cell_step = (operations) / 8.0, CUDA_BACKEND(ops)

/*
 * Memory holds hum and act in two copies, and cld and `loaded` (cuda_bits.cuh). Growth reads and
 * writes hum and act once a pass. Operations for the four words of a group: ternary logic, shifts
 * and, where bits go from lane to lane, byte permutations.
 */
#define CUDA_BITS(operations, ops)                                                                 \
    .memory_bytes_per_cell = 0.75, .bytes_per_cell_step = 0.5,                                     \
    .ops_per_cell_step = (operations) / 128.0, CUDA_BACKEND(ops)

extern const struct byte_ops cloud_reference;
extern const struct bands_ops cloud_bitslice, cloud_bitslice_avx2, cloud_bitslice_avx512;
extern const struct cuda_ops cloud_cuda_naive, cloud_cuda_shared_32x1x32, cloud_cuda_shared_8x8x8,
    cloud_cuda_packed_8x1x1, cloud_cuda_packed_2x2x2, cloud_cuda_bitslice, cloud_cuda_temporal,
    cloud_cuda_overlapped, cloud_cuda_persistent;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell and plane, one thread",
     .options = options_ranks,
     .ops = &cloud_reference,
     BYTES},
    {.name = "threads",
     .title = "reference's passes shared out to all cores",
     .options = options_threads,
     .ops = &cloud_reference,
     BYTES},
    {.name = "bitslice",
     .title = "64 cells a word, hum and cld in place",
     .ops = &cloud_bitslice,
     BITSLICE(17.0 / 64)},
    {.name = "bitslice-avx2",
     .title = "256 cells a vector, bands of rows in its lanes",
     .available = ca_needs_avx2,
     X86_OPS(cloud_bitslice_avx2),
     BITSLICE(17.0 / 64)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, ternary logic",
     .available = ca_needs_avx512,
     X86_OPS(cloud_bitslice_avx512),
     BITSLICE(17.0 / 64)},
    {.name = "cuda-naive",
     .title = "a byte a cell, a cell a thread, from global memory",
     .options = block_options,
     CUDA_BYTES(cloud_cuda_naive)},
    {.name = "cuda-shared-32x1x32",
     .title = "a layer a block, tiles in shared memory",
     .options = device_options,
     CUDA_BYTES(cloud_cuda_shared_32x1x32)},
    {.name = "cuda-shared-8x8x8",
     .title = "cubic tiles in shared memory",
     .options = device_options,
     CUDA_BYTES(cloud_cuda_shared_8x8x8)},
    {.name = "cuda-packed-8x1x1",
     .title = "eight cells of a row a byte, a byte a thread",
     CUDA_PACKED(22, cloud_cuda_packed_8x1x1)},
    {.name = "cuda-packed-2x2x2",
     .title = "a cube of eight cells a byte, a byte a thread",
     CUDA_PACKED(32, cloud_cuda_packed_2x2x2)},
    {.name = "cuda-bitslice",
     .title = "a bit a cell, 128 cells a thread",
     .options = device_options,
     CUDA_BITS(34, cloud_cuda_bitslice)},
    {.name = "cuda-temporal",
     .title = "several generations a pass over memory",
     .options = temporal_options,
     .small_sizes = temporal_sizes,
     CUDA_BITS(36, cloud_cuda_temporal)},
    {.name = "cuda-overlapped",
     .title = "overlapped tiles in registers for many generations",
     .options = overlapped_options,
     .small_sizes = overlapped_sizes,
     CUDA_BITS(36, cloud_cuda_overlapped)},
    {.name = "cuda-persistent",
     .title = "all generations in the registers of one cluster",
     .options = persistent_options,
     .small_sizes = persistent_sizes,
     CUDA_BITS(36, cloud_cuda_persistent)},
    {.name = NULL},
};

static const struct ca_model_start start = {
    .named = starts, .init = cloud_init, .random = random_start};

static const struct ca_model_rule rule = {.draws = draws};

static const struct ca_model_observe observe = {
    .observables = observables, .counts = observe_ones, .fields = fields};

static const struct ca_model_draw draw = {.states = states,
                                          .cell = cloud_appearance,
                                          .level_unit = "brightness",
                                          .level_full = 1,
                                          .z_is_height = true,
                                          .seen = seen};

const struct ca_model cloud_model = {
    .name = "cloud",
    .opens = "cloud-bubbles",
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
    .pace = 0.5,
    .params = params,
    .brushes = brushes,
    .backends = backends,
    .start = &start,
    .rule = &rule,
    .observe = &observe,
    .draw = &draw,
};
