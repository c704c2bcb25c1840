/* SPDX-License-Identifier: MIT */
/*
 * The ladder of water.
 *
 * A cell step sorts five numbers, divides, and adds up four flows, twice over memory: first all
 * best levels, then all new levels, since a cell needs the best levels of its neighbours. Some
 * fifty operations a cell make arithmetic and the branches of the sort the limit on one core.
 *
 *   reference  the two passes, one thread, the best levels in a plane of their own. The yardstick.
 *   threads    the same passes over disjoint rows by a team that meets after each of them. Moves
 *              the limit of one core's arithmetic; costs two barriers a generation.
 *   avx2       eight cells at a time without a branch: a network sorts, masks say who has stopped.
 *              Both passes in one walk, in place, so that each cell's twelve bytes are moved once.
 *   avx512     the same with sixteen cells. The sort's minima and maxima and the division are the
 *              limit until the lattice has to come from memory.
 *
 * On a GPU a cell is a thread, and two passes are two kernels, since threads of different blocks
 * meet at the end of a kernel alone:
 *
 *   cuda-global  all best levels, then all new levels, neighbours read from global memory. A
 *                network sorts, so that all threads go the same way. Memory is the limit: a lattice
 *                larger than the caches is fetched twice in a generation, once a kernel.
 *   cuda-shared  each block first loads its cells and those around them into shared memory. Fewer
 *                global loads for a barrier in each kernel; as many bytes of memory as before.
 *   cuda-fused   a warp goes down the rows of a strip, four columns a lane, and keeps what new
 *                levels need of three rows in registers: one kernel, and 12 bytes a cell, not 32.
 *                Neighbours in a row come by shuffles, each diagonal pair of levels is put in
 *                order once for both cells that need it, and nothing is divided. Memory is the
 *                limit, then the issue of instructions.
 *   cuda-blocked the same through two generations a pass, so that memory moves 6 bytes a cell
 *                and generation, and the issue of instructions is the limit. Costs rows that are
 *                stepped twice where pieces of strips meet, and registers: fewer warps fit. Small
 *                lattices, whose passes are over before the next is launched, are tiles of up to
 *                4096 cells that blocks keep in registers, one of them through all generations.
 *                Costs two barriers a generation, and two rows and columns of each tile's side.
 */
#include <math.h>

#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/water/fused.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/water/fused.h"
#include "kernels/water/water.h"

static const char *const source_modes[] = {"add", "fill", NULL};

static const struct ca_param params[] = {
    {.name = "source_mode",
     .kind = CA_CHOICE,
     .number = WATER_ADD,
     .choices = source_modes,
     .help = "sources add to the level in each step, or keep a depth (negative: a sink)"},
    {.name = "relief",
     .kind = CA_REAL,
     .number = 100,
     .min = -10000,
     .max = 10000,
     .initial = true,
     .help = "hills: altitude of the highest peak that is possible"},
    {.name = "rain",
     .kind = CA_REAL,
     .number = 0.5,
     .min = 0,
     .max = 1000,
     .initial = true,
     .help = "hills: depth of water everywhere at the start"},
    {.name = "spring",
     .kind = CA_REAL,
     .number = 1,
     .min = -1000,
     .max = 1000,
     .initial = true,
     .help = "hills: source in the middle of the lattice"},
    {.name = "terrain_file",
     .kind = CA_FILE,
     .initial = true,
     .help = "file: ESRI ASCII grid of altitudes, which gives the lattice its size"},
    {.name = "depth_file",
     .kind = CA_FILE,
     .initial = true,
     .help = "file: ESRI ASCII grid of water depths, 0 or more; none: dry"},
    {.name = "source_file",
     .kind = CA_FILE,
     .initial = true,
     .help = "file: ESRI ASCII grid of sources; none: 0"},
    {.name = NULL},
};

static const struct ca_start starts[] = {
    [WATER_HILLS] = {"hills", "rain on random hills, a spring in the middle"},
    [WATER_DAM] = {"dam", "a flat floor with water of depth 10 in its western quarter"},
    [WATER_FROM_FILE] = {"file", "terrain, depth and sources from ESRI ASCII grids"},
    {.name = NULL},
};

/* --- observables ------------------------------------------------------------------------------ */

enum { VOLUME, WET, BELOW, SOURCES, ALTITUDES };

static bool closed(const struct ca_setup *setup, const double start[])
{
    (void)setup;
    return start[SOURCES] == 0;
}

/*
 * A level of size l is rounded to 2^-24 l in each step, so high terrain costs volume that it does
 * not hold. Over many cells the errors cancel in part; a sixteenth of their sum is what may be
 * left.
 */
static double rounding(const struct ca_setup *setup, const double start[])
{
    (void)setup;
    return (start[ALTITUDES] + start[VOLUME]) / 16777216 / 16;
}

static const struct ca_observable observables[] = {
    [VOLUME] = {.name = "volume",
                .unit = "cells",
                .tolerance = 1e-5,
                .conserved = closed,
                .drift = rounding,
                .help = "water: the sum of level minus terrain"},
    [WET] = {.name = "wet", .help = "cells with water"},
    [BELOW] = {.name = "below",
               .help = "cells whose level is below their terrain: none",
               .conserved = always_conserved},
    [SOURCES] = {.name = "sources",
                 .help = "cells with a source or a sink",
                 .conserved = always_conserved},
    [ALTITUDES] = {.name = "altitudes",
                   .help = "the sum of terrain altitudes, signs dropped",
                   .tolerance = 1e-9,
                   .conserved = always_conserved},
    {.name = NULL},
};

static void observe(const struct ca_setup *setup, const void *const planes[], int64_t first,
                    int64_t rows, double sums[CA_OBSERVABLES_MAX])
{
    const float *terrain = planes[WATER_TERRAIN], *level = planes[WATER_LEVEL];
    const float *source = planes[WATER_SOURCE];
    int64_t cells = rows * setup->size.w;

    (void)first;
    for (int64_t i = 0; i < cells; i++) {
        sums[VOLUME] += (double)level[i] - (double)terrain[i];
        sums[WET] += level[i] > terrain[i];
        sums[BELOW] += !(level[i] >= terrain[i]);
        sums[SOURCES] += source[i] != 0;
        sums[ALTITUDES] += fabs((double)terrain[i]);
    }
}

/* --- looks ------------------------------------------------------------------------------------ */

enum { LOOK_PLAIN, LOOK_SLOPE, LOOK_HILL, LOOK_PEAK, LOOK_FILM, LOOK_SHALLOW, LOOK_DEEP };

static const struct ca_state_appearance states[] = {
    [LOOK_PLAIN] = {'.', CA_COLOUR_GREEN, "plain"},
    [LOOK_SLOPE] = {':', CA_COLOUR_GREEN, "slope"},
    [LOOK_HILL] = {'n', CA_COLOUR_PLAIN, "hill"},
    [LOOK_PEAK] = {'^', CA_COLOUR_STRONG, "peak"},
    [LOOK_FILM] = {'-', CA_COLOUR_COLD, "film of water"},
    [LOOK_SHALLOW] = {'~', CA_COLOUR_COLD, "water"},
    [LOOK_DEEP] = {'=', CA_COLOUR_COLD, "deep water"},
    {.name = NULL},
};

/* Less than this is what rounding leaves behind, and looks dry. */
#define FILM 0.001F
#define SHALLOW 0.1F
#define DEEP 2.0F

/* Dry cells by where they stand between the lowest and the highest terrain, wet ones by depth. */
static void look(const void *const planes[], int64_t i, float low, float high,
                 struct ca_appearance *look)
{
    float g = ((const float *)planes[WATER_TERRAIN])[i];
    float depth = ((const float *)planes[WATER_LEVEL])[i] - g;

    look->vx = look->vy = 0;
    if (depth > FILM) {
        look->code = depth < SHALLOW ? LOOK_FILM : depth < DEEP ? LOOK_SHALLOW : LOOK_DEEP;
        look->level = depth / (depth + 1);
        return;
    }
    look->level = high > low ? (g - low) / (high - low) : 0;
    look->code = look->level < 0.25F   ? LOOK_PLAIN
                 : look->level < 0.5F  ? LOOK_SLOPE
                 : look->level < 0.75F ? LOOK_HILL
                                       : LOOK_PEAK;
}

/* --- the ladder ------------------------------------------------------------------------------- */

/* Two copies of three planes and the best levels; a step reads terrain and level and writes best
 * levels, then reads all four and writes the three of the other copy. */
#define PLAIN                                                                                      \
    .device = CA_CPU, .memory_bytes_per_cell = 28, .bytes_per_cell_step = 40,                      \
    .ops_per_cell_step = 50, .stepper = &byte_stepper

/* One copy of three planes; terrain and level read, level written; sources where there are any.
 * Some 60 operations on floats, two of them in a word. */
#define FUSED                                                                                      \
    .device = CA_CPU, .options = options_threads, .memory_bytes_per_cell = 12,                     \
    .bytes_per_cell_step = 12, .ops_per_cell_step = 60.0 / 2, .stepper = &water_fused_stepper

/* At least four rows of threads, and no more than columns: they load the border of cuda-shared. */
static const char *const shapes[] = {"16x16", "8x8",   "32x4", "32x8",
                                     "32x16", "32x32", "64x4", NULL};

static const struct ca_param cuda_options[] = {CUDA_DEVICE, CUDA_BLOCK(shapes, 0), {.name = NULL}};

/*
 * Three planes and the best levels. The first kernel reads terrain and level and writes best
 * levels; the second reads all four and writes levels. Operations: 18 minima and maxima, 2 for the
 * sum, 19 for the search (multiply but by 1, compare, two choices, add), a division; 12 for four
 * flows, 5 for the rest.
 */
#define TWO_KERNELS(create)                                                                        \
    .options = cuda_options, .memory_bytes_per_cell = 16, .bytes_per_cell_step = 32,               \
    .ops_per_cell_step = 57, CUDA_BACKEND(create)

#define SWEEP_ROWS_OPTION                                                                          \
    CUDA_CHOSEN("rows", 1 << 20, "8 16 32 64 128 256 512", "rows that a warp steps before it ends")

static const struct ca_param fused_options[] = {CUDA_DEVICE, SWEEP_ROWS_OPTION, {.name = NULL}};

static const struct ca_param blocked_options[] = {
    CUDA_DEVICE,
    CUDA_CHOSEN("generations", 12, "1 2 4 6 8",
                "generations in one pass over the lattice, in tiles from 3 on"),
    SWEEP_ROWS_OPTION,
    {.name = NULL},
};

/*
 * Three planes and the next levels. A pass reads terrain and level and writes level; sources only
 * in strips that have some. Operations, of four cells of a lane: 10 for five pairs of levels, then
 * for each cell 14 more minima and maxima, 2 for the sum, 15 for the search (multiply but by 1,
 * compare, add, count), 4 for the quotient; 11 for four flows, 5 for the rest.
 */
#define SWEEPS(create)                                                                             \
    .memory_bytes_per_cell = 16, .bytes_per_cell_step = 12, .ops_per_cell_step = 53.5,             \
    CUDA_BACKEND(create)

extern const struct byte_ops water_reference;
extern const struct fused_ops water_avx2, water_avx512;
extern const struct cuda_ops water_cuda_global, water_cuda_shared, water_cuda_fused,
    water_cuda_blocked;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "best levels, then new levels, one thread",
     .ops = &water_reference,
     PLAIN},
    {.name = "threads",
     .title = "reference's passes shared out over a team of threads",
     .options = options_threads,
     .ops = &water_reference,
     PLAIN},
#if defined(__x86_64__)
    {.name = "avx2",
     .title = "both passes in one walk, eight cells at a time",
     .available = ca_needs_avx2,
     .ops = &water_avx2,
     FUSED},
    {.name = "avx512",
     .title = "the same, sixteen cells at a time",
     .available = ca_needs_avx512,
     .ops = &water_avx512,
     FUSED},
#endif
    {.name = "cuda-global",
     .title = "two kernels, a thread a cell, from global memory",
     TWO_KERNELS(water_cuda_global)},
    {.name = "cuda-shared",
     .title = "two kernels, cells of a block in shared memory",
     TWO_KERNELS(water_cuda_shared)},
    {.name = "cuda-fused",
     .title = "a warp sweeps down the rows, best levels in registers",
     .options = fused_options,
     SWEEPS(water_cuda_fused)},
    {.name = "cuda-blocked",
     .title = "the same through two generations, small lattices through more",
     .options = blocked_options,
     SWEEPS(water_cuda_blocked)},
    {.name = NULL},
};

const struct ca_model water_model = {
    .name = "water",
    .title = "water flow over terrain in 2D",
    .summary =
        "Each cell has a terrain altitude and a water level. In a step it works out at which level "
        "its water would settle among itself and its four neighbours, and water flows accordingly. "
        "Nothing crosses the edge; sources add and sinks drain. Planes are single precision, and "
        "every backend gives the same bits.",
    .dimensions = 2,
    .radius = 2, /* neighbours' best levels, which depend on their neighbours */
    .type = CA_F32,
    .planes = WATER_PLANES,
    .plane_names = {"terrain", "level", "source"},
    .default_size = {256, 256, 1},
    .params = params,
    .starts = starts,
    .observables = observables,
    .states = states,
    .backends = backends,
    .file_size = water_file_size,
    .init = water_init,
    .check_state = water_check_state,
    .observe = observe,
    .look = look,
};
