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
 */
#include <math.h>

#include "core/cpu.h"
#include "core/registry.h"
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
    {0},
};

static const struct ca_start starts[] = {
    [WATER_HILLS] = {"hills", "rain on random hills, a spring in the middle"},
    [WATER_DAM] = {"dam", "a flat floor with water of depth 10 in its western quarter"},
    [WATER_FROM_FILE] = {"file", "terrain, depth and sources from ESRI ASCII grids"},
    {0},
};

/* --- observables ------------------------------------------------------------------------------ */

enum { VOLUME, WET, BELOW, SOURCES, ALTITUDES };

static bool always(const struct ca_setup *setup, const double start[])
{
    (void)setup;
    (void)start;
    return true;
}

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
               .conserved = always},
    [SOURCES] = {.name = "sources", .help = "cells with a source or a sink", .conserved = always},
    [ALTITUDES] = {.name = "altitudes",
                   .help = "the sum of terrain altitudes, signs dropped",
                   .tolerance = 1e-9,
                   .conserved = always},
    {0},
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

static const struct ca_state_look states[] = {
    [LOOK_PLAIN] = {'.', CA_COLOUR_GREEN, "plain"},
    [LOOK_SLOPE] = {':', CA_COLOUR_GREEN, "slope"},
    [LOOK_HILL] = {'n', CA_COLOUR_PLAIN, "hill"},
    [LOOK_PEAK] = {'^', CA_COLOUR_STRONG, "peak"},
    [LOOK_FILM] = {'-', CA_COLOUR_COLD, "film of water"},
    [LOOK_SHALLOW] = {'~', CA_COLOUR_COLD, "water"},
    [LOOK_DEEP] = {'=', CA_COLOUR_COLD, "deep water"},
    {0},
};

/* Less than this is what rounding leaves behind, and looks dry. */
#define FILM 0.001F
#define SHALLOW 0.1F
#define DEEP 2.0F

/* Dry cells by where they stand between the lowest and the highest terrain, wet ones by depth. */
static void look(const void *const planes[], int64_t i, float low, float high, struct ca_look *look)
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

static const struct ca_param team_options[] = {TEAM_OPTION, {0}};

/* Two copies of three planes and the best levels; a step reads terrain and level and writes best
 * levels, then reads all four and writes the three of the other copy. */
#define PLAIN                                                                                      \
    .device = CA_CPU, .memory_bytes_per_cell = 28, .bytes_per_cell_step = 40,                      \
    .ops_per_cell_step = 50, .destroy = plain_destroy, .load = plain_load, .store = plain_store,   \
    .step = plain_step

/* One copy of three planes; terrain and level read, level written; sources where there are any. */
#define FUSED                                                                                      \
    .device = CA_CPU, .options = team_options, .memory_bytes_per_cell = 12,                        \
    .bytes_per_cell_step = 12, .ops_per_cell_step = 60, .destroy = fused_destroy,                  \
    .load = fused_load, .store = fused_store, .step = fused_step

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "best levels, then new levels, one thread",
     .create = water_reference_create,
     PLAIN},
    {.name = "threads",
     .title = "reference's passes shared out over a team of threads",
     .options = team_options,
     .create = water_threads_create,
     PLAIN},
#if defined(__x86_64__)
    {.name = "avx2",
     .title = "both passes in one walk, eight cells at a time",
     .available = ca_needs_avx2,
     .create = water_avx2_create,
     FUSED},
    {.name = "avx512",
     .title = "the same, sixteen cells at a time",
     .available = ca_needs_avx512,
     .create = water_avx512_create,
     FUSED},
#endif
    {0},
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
