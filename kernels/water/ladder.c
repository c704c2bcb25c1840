/* SPDX-License-Identifier: MIT */
/*
 * The record of water and its ladder of backends, whose story calab-kernels(7) tells.
 *
 * A cell needs the best levels of its neighbours, so a step finds all best levels first and all new
 * levels second. On a GPU threads of different blocks can wait for each other only at the end of a
 * kernel: the first two CUDA backends have a kernel for each half, the others keep best levels in
 * registers and compute some of them twice.
 */
#include <float.h>
#include <math.h>

#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cuda/stepper.h"
#include "kernels/water/elimination.h"
#include "kernels/water/fused_stepper.h"
#include "kernels/water/water.h"

static const char *const source_modes[] = {"add", "fill", NULL};
static const char *const nodata[] = {"refuse", "wall", "value", NULL};

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
    {.name = "nodata",
     .kind = CA_CHOICE,
     .number = WATER_REFUSE,
     .choices = nodata,
     .initial = true,
     .help = "file: cells without data are refused, walls that water does not reach, or ground of "
             "altitude nodata_value"},
    {.name = "nodata_value",
     .kind = CA_REAL,
     .number = 0,
     .min = -10000,
     .max = 10000,
     .initial = true,
     .help = "file: altitude of cells without data under nodata = value"},
    {.name = NULL},
};

static const struct ca_start starts[] = {
    [WATER_HILLS] = {"hills", "rain on random hills, a spring in the middle"},
    [WATER_DAM] = {"dam", "a flat floor with water of depth 10 in its western quarter"},
    [WATER_FROM_FILE] = {"file", "terrain, depth and sources from ESRI ASCII grids"},
    {.name = NULL},
};

/* --- observables ------------------------------------------------------------------------------ */

static bool closed(const struct ca_setup *setup, const double before[])
{
    (void)setup;
    return before[WATER_SOURCES] == 0;
}

/*
 * Rounding adds to the volume V in one generation less than 64 u (V + G), with u = 2^-24 and G the
 * sum of |g|.
 *
 * An operation errs by u times its result at most (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd edition, SIAM 2002, theorem 2.3); the slack in 64 covers terms in u^2. Let
 * w = l - g, and of water_best q the sorted levels, s_k the partial sums, n the levels taken in.
 *
 * 1. Whatever b is, neighbours gain and the cell loses what moves all q < b up to b, less w:
 *    F(b) = sum of max(0, b - q) - w, which is 0 for the exact b. The error of n b is that of w, of
 *    n sums and of the quotient, u (w + |s_0| + ... + |s_(n-1)| + |s_(n-1)|) at most, in which
 *    |s_k| <= w + |q_0| + ... + |q_k|.
 * 2. A comparison of q_i i with s_(i-1) goes wrong only where q_i is b within rounding. A level
 *    taken in is 3 u |b| too high at most (and never where n = 1), a level left out 2 u |b| too
 * low, with n |b| <= w + the sum of n |q|. For each n, 1. and 2. are at most u (11 w + 10 sum |q|),
 * the sum over the cell's terrain and its neighbours' levels. With |l| <= |g| + w that is u (51 V +
 * 50 G) over all cells.
 * 3. water_level: all inflow is at most V. The differences b - l err by u V, their partial sums by
 *    3 u V, the outflow by u V, the change by 2 u V, and l + change by u (V + G). The maximum with
 * g moves a result towards the exact one.
 *
 * Together u (59 V + 51 G). V itself may have grown by as much when the next generation begins.
 */
static double rounding(const double before[], uint64_t generations)
{
    double growth = expm1(64.0 / (1 << 24) * (double)generations);

    return (before[WATER_VOLUME] + before[WATER_ALTITUDES]) * fmin(growth, DBL_MAX);
}

/* The error of sums in double over cells, in another order (core/model/survey.h). */
#define SUMMED 1e-11

static const struct ca_observable observables[] = {
    [WATER_VOLUME] = {.name = "volume",
                      .unit = "cells",
                      .tolerance = SUMMED,
                      .conserved = closed,
                      .drift = rounding,
                      .help = "water: the sum of level minus terrain"},
    [WATER_WET] = {.name = "wet", .help = "cells with water"},
    [WATER_BELOW] = {.name = "below",
                     .help = "cells whose level is below their terrain: none",
                     .conserved = always_conserved},
    [WATER_SOURCES] = {.name = "sources",
                       .help = "cells with a source or a sink",
                       .conserved = always_conserved},
    [WATER_ALTITUDES] = {.name = "altitudes",
                         .help = "the sum of terrain altitudes, signs dropped",
                         .tolerance = SUMMED,
                         .conserved = always_conserved},
    {.name = NULL},
};

static void observe_rows(const struct ca_setup *setup, const void *const planes[], int64_t rows,
                         double sums[CA_OBSERVABLES_MAX])
{
    const float *terrain = planes[WATER_TERRAIN], *level = planes[WATER_LEVEL];
    const float *source = planes[WATER_SOURCE];
    int64_t cells = rows * setup->size.w;

    for (int64_t i = 0; i < cells; i++)
        water_observe(terrain[i], level[i], source[i], sums);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void depth(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    const double *sums = ca_block_sums_at(means, x, y, z);

    value[0] = (sums[WATER_LEVEL] - sums[WATER_TERRAIN]) / ca_block_samples(means, x, y, z);
}

static void terrain(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                    double value[])
{
    value[0] = ca_block_sums_at(means, x, y, z)[WATER_TERRAIN] / ca_block_samples(means, x, y, z);
}

static void level(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    value[0] = ca_block_sums_at(means, x, y, z)[WATER_LEVEL] / ca_block_samples(means, x, y, z);
}

/* Adds what the rule lets flow to the neighbours in the next step. No best level is so high that
 * water flows to those that do not exist. */
static void add_flow(const struct ca_setup *setup, const struct ca_neighbour_rows *rows,
                     int64_t begin, int64_t end, double *sums)
{
    const float *g = rows->here[WATER_TERRAIN], *l = rows->here[WATER_LEVEL];
    const float *above = rows->above[0] ? rows->above[WATER_LEVEL] : NULL;
    const float *below = rows->below[0] ? rows->below[WATER_LEVEL] : NULL;

    for (int64_t x = begin; x < end; x++) {
        const float level[WATER_NEIGHBOURS] = {
            above ? above[x] : INFINITY, x > 0 ? l[x - 1] : INFINITY,
            x + 1 < setup->size.w ? l[x + 1] : INFINITY, below ? below[x] : INFINITY};

        water_flow(water_best(g[x], l[x], level, WATER_NEIGHBOURS), level, sums);
    }
}

static void flow(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                 double value[])
{
    const double *sums = ca_block_neighbours_at(means, x, y, z);

    for (int i = 0; i < 2; i++)
        value[i] = sums[i] / ca_block_samples(means, x, y, z);
}

static const struct ca_field fields[] = {
    {"depth", "mean depth of the water", "cells", 1, false, false, depth},
    {"flow", "water that leaves a cell in the next step: right less left, down less up",
     "cells/step", 2, true, true, flow},
    {"level", "mean altitude of the water's surface, or of dry ground", "cells", 1, true, false,
     level},
    {"terrain", "mean altitude of the ground", "cells", 1, true, false, terrain},
    {.name = NULL},
};

/* --- appearance ------------------------------------------------------------------------------- */

enum { SHOWN_PLAIN, SHOWN_SLOPE, SHOWN_HILL, SHOWN_PEAK, SHOWN_FILM, SHOWN_SHALLOW, SHOWN_DEEP };

static const struct ca_state_appearance states[] = {
    [SHOWN_PLAIN] = {'.', CA_COLOUR_GREEN, "plain"},
    [SHOWN_SLOPE] = {':', CA_COLOUR_GREEN, "slope"},
    [SHOWN_HILL] = {'n', CA_COLOUR_PLAIN, "hill"},
    [SHOWN_PEAK] = {'^', CA_COLOUR_STRONG, "peak"},
    [SHOWN_FILM] = {'-', CA_COLOUR_COLD, "film of water"},
    [SHOWN_SHALLOW] = {'~', CA_COLOUR_COLD, "water"},
    [SHOWN_DEEP] = {'=', CA_COLOUR_COLD, "deep water"},
    {.name = NULL},
};

/* Water over the ground, which stays. */
static const struct ca_brush brushes[] = {
    {"dry", 1U << WATER_LEVEL, {0}, true},
    {"1 deep", 1U << WATER_LEVEL, {[WATER_LEVEL] = 1}, true},
    {"10 deep", 1U << WATER_LEVEL, {[WATER_LEVEL] = 10}, true},
    {.name = NULL},
};

/* Rounding leaves depths below FILM behind, so these are shown as dry. */
#define FILM 0.001F
#define SHALLOW 0.1F
#define DEEP 2.0F

/* A dry cell is shown by its altitude between the lowest and the highest terrain, a wet one by its
 * depth. */
static void water_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                             float low, float high, struct ca_appearance *look)
{
    float g = ((const float *)planes[WATER_TERRAIN])[i];
    float depth = ((const float *)planes[WATER_LEVEL])[i] - g;

    (void)model;
    look->vx = look->vy = 0;
    if (depth > FILM) {
        look->code = depth < SHALLOW ? SHOWN_FILM : depth < DEEP ? SHOWN_SHALLOW : SHOWN_DEEP;
        look->level = depth / (depth + 1);
        return;
    }
    look->level = high > low ? (g - low) / (high - low) : 0;
    look->code = look->level < 0.25F   ? SHOWN_PLAIN
                 : look->level < 0.5F  ? SHOWN_SLOPE
                 : look->level < 0.75F ? SHOWN_HILL
                                       : SHOWN_PEAK;
}

/* --- the ladder ------------------------------------------------------------------------------- */

/* Two copies of three planes and the best levels. A step reads terrain and level and writes best
 * levels, then reads all four and writes the three planes of the other copy. */
#define TWO_PASSES                                                                                 \
    .device = CA_CPU, .memory_bytes_per_cell = 28, .bytes_per_cell_step = 40,                      \
    .ops_per_cell_step = 50, .stepper = &byte_stepper

/* One copy of three planes. A step reads terrain and level and writes level; sources are read where
 * there are any. Some 60 float operations a cell, two of them in a 64-bit word. */
#define FUSED                                                                                      \
    .device = CA_CPU, .options = options_threads, .memory_bytes_per_cell = 12,                     \
    .bytes_per_cell_step = 12, .ops_per_cell_step = 60.0 / 2, .stepper = &water_fused_stepper

/* The halo of cuda-shared is loaded by four rows of threads, each of which must cover a side: so a
 * block has at least four rows, and at most as many rows as columns. */
static const char *const shapes[] = {"16x16", "8x8",   "32x4", "32x8",
                                     "32x16", "32x32", "64x4", NULL};

static const struct ca_param cuda_options[] = {CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};

/*
 * Three planes and the best levels. The first kernel reads terrain and level and writes best
 * levels; the second reads all four and writes levels. Operations: 18 minima and maxima, 2 for the
 * sum, 19 for the search (multiply unless by 1, compare, two selections, add), a division; 12 for
 * four flows, 5 for the rest.
 */
#define TWO_KERNELS(kernel)                                                                        \
    .options = cuda_options, .memory_bytes_per_cell = 16, .bytes_per_cell_step = 32,               \
    .ops_per_cell_step = 57, CUDA_BACKEND(kernel)

static const struct ca_param sweep_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("rows", 1 << 20, "8 16 32 64 128 256 512", "rows that a warp stores in a pass"),
    {.name = NULL},
};

static const struct ca_param overlapped_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", 12, "1 2 4 6 8", "generations that a tile takes in one pass"),
    {.name = NULL},
};

/*
 * Three planes and the next levels. A pass reads terrain and level and writes level; it reads
 * sources only where there are some. Operations, of which a lane shares some among its four cells:
 * 10 for five sorted pairs of levels, then for each cell 14 more minima and maxima, 2 for the sum,
 * 15 for the search (multiply unless by 1, compare, add, count), 4 for the quotient; 11 for four
 * flows, 5 for the rest.
 */
#define FOUR_COLUMNS(kernel)                                                                       \
    .memory_bytes_per_cell = 16, .bytes_per_cell_step = 12, .ops_per_cell_step = 53.5,             \
    CUDA_BACKEND(kernel)

extern const struct byte_ops water_reference, water_elimination;
extern const struct fused_ops water_avx2, water_avx512;
extern const struct cuda_ops water_cuda_elimination, water_cuda_global, water_cuda_shared,
    water_cuda_fused, water_cuda_temporal, water_cuda_overlapped;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "best levels, then new levels, one thread",
     .options = options_ranks,
     .ops = &water_reference,
     TWO_PASSES},
    {.name = "threads",
     .title = "reference's passes shared out over a thread pool",
     .options = options_threads,
     .ops = &water_reference,
     TWO_PASSES},
    {.name = "elimination",
     .title = "the same, best levels by rounds of averages in place of a sort",
     .options = options_threads,
     .ops = &water_elimination,
     .tolerance = WATER_TOLERANCE,
     TWO_PASSES},
    {.name = "avx2",
     .title = "both passes fused into one, eight cells at a time",
     .available = ca_needs_avx2,
     X86_OPS(water_avx2),
     FUSED},
    {.name = "avx512",
     .title = "the same, sixteen cells at a time",
     .available = ca_needs_avx512,
     X86_OPS(water_avx512),
     FUSED},
    {.name = "cuda-elimination",
     .title = "two kernels, a cell a thread, best levels by rounds of averages",
     .tolerance = WATER_TOLERANCE,
     TWO_KERNELS(water_cuda_elimination)},
    {.name = "cuda-global",
     .title = "two kernels, a cell a thread, from global memory",
     TWO_KERNELS(water_cuda_global)},
    {.name = "cuda-shared",
     .title = "two kernels, tiles in shared memory",
     TWO_KERNELS(water_cuda_shared)},
    {.name = "cuda-fused",
     .title = "one kernel, warps sweep down the rows, best levels in registers",
     .options = sweep_options,
     FOUR_COLUMNS(water_cuda_fused)},
    {.name = "cuda-temporal",
     .title = "the same sweep, two generations a pass",
     .options = sweep_options,
     FOUR_COLUMNS(water_cuda_temporal)},
    {.name = "cuda-overlapped",
     .title = "overlapped tiles in registers, several generations a pass",
     .options = overlapped_options,
     FOUR_COLUMNS(water_cuda_overlapped)},
    {.name = NULL},
};

static const struct ca_model_start start = {
    .named = starts, .init = water_init, .file_size = water_file_size, .file_map = water_file_map};

static const struct ca_neighbour_sums neighbours = {.count = 2, .add = add_flow};
static const struct ca_model_observe observe = {
    .observables = observables, .rows = observe_rows, .neighbours = &neighbours, .fields = fields};

static const struct ca_model_draw draw = {
    .states = states, .cell = water_appearance, .level_unit = "brightness", .level_full = 1};

const struct ca_model water_model = {
    .name = "water",
    .title = "water flow over terrain in 2D",
    .summary =
        "Each cell has a terrain altitude and a water level. In a step it works out at which level "
        "its water would settle among itself and its four neighbours, and water flows accordingly. "
        "Nothing crosses the edge; sources add and sinks drain. Planes are single precision, and "
        "every backend but those by elimination gives the same bits.",
    .dimensions = 2,
    .radius = 2, /* neighbours' best levels, which depend on their neighbours */
    .type = CA_F32,
    .planes = WATER_PLANES,
    .plane_names = {"terrain", "level", "source"},
    .constant_planes = 1 << WATER_TERRAIN | 1 << WATER_SOURCE,
    .default_size = {256, 256, 1},
    .pace = 16,
    .opens = "water-spring",
    .params = params,
    .brushes = brushes,
    .backends = backends,
    .check_state = water_check_state,
    .start = &start,
    .observe = &observe,
    .draw = &draw,
};
