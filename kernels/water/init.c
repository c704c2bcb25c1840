/* SPDX-License-Identifier: MIT */
/* This file makes water's initial states, and checks a state that comes from files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/machine/cpu.h"
#include "kernels/cpu/parallel_rows.h"
#include "kernels/water/hills.h"
#include "kernels/water/noise.h"
#include "kernels/water/water.h"

/* --- hills and dam ---------------------------------------------------------------------------- */

static hills_function *hills_function_here(void)
{
#if defined(__x86_64__)
    switch (ca_cpu_isa()) {
    case CA_AVX512:
        return water_hills_avx512;
    case CA_AVX2:
        return water_hills_avx2;
    case CA_AVX: /* its integer instructions are those of SSE2 */
    case CA_BASELINE:
        break;
    }
#endif
    return water_hills;
}

static void make_hills(const struct water_rows *rows, int64_t first, int64_t last)
{
    const struct ca_setup *setup = rows->setup;
    int64_t offset = (first - rows->first) * rows->stride;
    hills_function *make = hills_function_here();
    struct hills_tile tile = {
        .seed = setup->seed,
        .w = setup->size.w,
        .first = first,
        .last = last,
        .stride = rows->stride,
        .scale = (float)ca_real(&setup->params, "relief") / WATER_HEIGHTS,
        .rain = (float)ca_real(&setup->params, "rain"),
    };

    for (; tile.x < tile.w; tile.x += HILLS_TILE) {
        tile.terrain = rows->plane[WATER_TERRAIN] + offset + tile.x;
        tile.level = rows->plane[WATER_LEVEL] + offset + tile.x;
        make(&tile);
    }
}

/* The level of a row of the dam, over terrain of altitude 0. */
static void make_dam(float *level, int64_t w)
{
    for (int64_t x = 0; x < w; x++)
        level[x] = x < w / 4 ? 10.0F : 0.0F;
}

void water_make_rows(const struct water_rows *rows, int64_t first, int64_t last)
{
    const struct ca_setup *setup = rows->setup;
    int64_t w = setup->size.w;

    for (int64_t y = first; y < last; y++) {
        int64_t at = (y - rows->first) * rows->stride;

        memset(rows->plane[WATER_SOURCE] + at, 0, (size_t)w * sizeof(float));
        if (setup->start == WATER_HILLS && y == setup->size.h / 2)
            rows->plane[WATER_SOURCE][at + w / 2] = (float)ca_real(&setup->params, "spring") + 0.0F;
        if (setup->start == WATER_DAM) {
            memset(rows->plane[WATER_TERRAIN] + at, 0, (size_t)w * sizeof(float));
            make_dam(rows->plane[WATER_LEVEL] + at, w);
        }
    }
    if (setup->start == WATER_HILLS)
        make_hills(rows, first, last);
}

static void make_share(void *context, int worker, int64_t first, int64_t last)
{
    (void)worker;
    water_make_rows(context, first, last);
}

static enum ca_status make_planes(const struct ca_setup *setup, struct ca_lattice *lattice,
                                  struct ca_error *error)
{
    int64_t w = setup->size.w, h = setup->size.h;
    struct water_rows rows = {.setup = setup, .stride = w};

    for (int p = 0; p < WATER_PLANES; p++)
        rows.plane[p] = lattice->plane[p];
    return parallel_rows(parallel_workers(h, w), h, make_share, &rows, error);
}

/* --- grids from files ------------------------------------------------------------------------- */

static const char *const grids[] = {"terrain_file", "depth_file", "source_file"};

static enum ca_status same_size(struct ca_size expected, const char *of, struct ca_size size,
                                const char *path, struct ca_error *error)
{
    if (size.w == expected.w && size.h == expected.h)
        return CA_OK;
    return ca_fail(error, CA_IO, "%s is %lldx%lld, but %s is %lldx%lld", path, (long long)size.w,
                   (long long)size.h, of, (long long)expected.w, (long long)expected.h);
}

enum ca_status water_file_size(const struct ca_setup *setup, int start, struct ca_size *size,
                               struct ca_error *error)
{
    const char *terrain = ca_text(&setup->params, grids[0]);

    if (start != WATER_FROM_FILE)
        return CA_OK;
    if (!*terrain)
        return ca_fail(error, CA_USAGE,
                       "water: the start 'file' needs terrain_file, an ESRI ASCII grid (.asc)");
    CA_TRY(ca_asc_size(terrain, size, error));
    for (int i = 1; i < 3; i++) {
        const char *path = ca_text(&setup->params, grids[i]);
        struct ca_size other;

        if (!*path)
            continue;
        CA_TRY(ca_asc_size(path, &other, error));
        CA_TRY(same_size(*size, terrain, other, path, error));
    }
    return CA_OK;
}

enum ca_status water_file_map(const struct ca_setup *setup, int start, struct ca_map *map,
                              struct ca_error *error)
{
    return start == WATER_FROM_FILE ? ca_asc_map(ca_text(&setup->params, grids[0]), map, error)
                                    : CA_OK;
}

/* Reads the grid that parameter grids[grid] names into plane; leaves it alone where it names none.
 * Cells without data, where they are allowed, are NaN. */
static enum ca_status read_grid(const struct ca_setup *setup, int grid, float *plane,
                                struct ca_error *error)
{
    const char *path = ca_text(&setup->params, grids[grid]);
    bool gaps = ca_choice(&setup->params, "nodata") != WATER_REFUSE;
    const char *no_gaps =
        ", or the parameter nodata say what becomes of it: nodata=wall a wall that "
        "no water reaches, nodata=value ground of the altitude nodata_value";
    enum ca_status status;
    struct ca_size size;
    float *values;

    if (!*path)
        return CA_OK;
    CA_TRY(ca_asc_read(path, gaps ? NULL : no_gaps, &values, &size, error));
    status = same_size(setup->size, "the lattice", size, path, error);
    if (status == CA_OK)
        memcpy(plane, values, (size_t)ca_cells(size) * sizeof *plane);
    free(values);
    return status;
}

#define WALL_HEIGHT 10000 /* above the highest ground */

/* Cells without data, which are NaN, get their ground, and neither water nor a source. */
static void fill_gaps(const struct ca_setup *setup, struct ca_lattice *lattice)
{
    float *terrain = lattice->plane[WATER_TERRAIN], ground = 0;
    float *depth = lattice->plane[WATER_LEVEL], *source = lattice->plane[WATER_SOURCE];
    int64_t cells = ca_cells(lattice->size);

    for (int64_t i = 0; i < cells; i++)
        ground = terrain[i] > ground ? terrain[i] : ground; /* never NaN */
    ground += WALL_HEIGHT;
    if (ca_choice(&setup->params, "nodata") == WATER_VALUE)
        ground = (float)ca_real(&setup->params, "nodata_value");
    for (int64_t i = 0; i < cells; i++) {
        bool none = isnan(terrain[i]) != 0;

        terrain[i] = none ? ground : terrain[i];
        depth[i] = none || isnan(depth[i]) ? 0 : depth[i];
        source[i] = none || isnan(source[i]) ? 0 : source[i];
    }
}

/* Turns the depths in the level's plane into terrain plus depth. */
static enum ca_status add_depths(const struct ca_setup *setup, struct ca_lattice *lattice,
                                 struct ca_error *error)
{
    const float *terrain = lattice->plane[WATER_TERRAIN];
    float *level = lattice->plane[WATER_LEVEL];
    int64_t w = lattice->size.w;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++) {
        float depth = level[i];

        if (!(depth >= 0))
            return ca_fail(error, CA_IO, "%s: depth %g in column %lld, row %lld; must be 0 or more",
                           ca_text(&setup->params, "depth_file"), (double)depth, (long long)(i % w),
                           (long long)(i / w));
        level[i] = terrain[i] + depth;
    }
    return CA_OK;
}

static enum ca_status read_grids(const struct ca_setup *setup, struct ca_lattice *lattice,
                                 struct ca_error *error)
{
    struct ca_size size;

    CA_TRY(water_file_size(setup, WATER_FROM_FILE, &size, error));
    CA_TRY(read_grid(setup, 0, lattice->plane[WATER_TERRAIN], error));
    CA_TRY(read_grid(setup, 1, lattice->plane[WATER_LEVEL], error));
    CA_TRY(read_grid(setup, 2, lattice->plane[WATER_SOURCE], error));
    fill_gaps(setup, lattice);
    return add_depths(setup, lattice, error);
}

enum ca_status water_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                          struct ca_error *error)
{
    struct ca_setup made = *setup;

    made.start = start;
    return start == WATER_FROM_FILE ? read_grids(setup, lattice, error)
                                    : make_planes(&made, lattice, error);
}

/* --- state files ------------------------------------------------------------------------------ */

enum ca_status water_check_state(const struct ca_setup *setup, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    const float *terrain = planes[WATER_TERRAIN], *level = planes[WATER_LEVEL];
    int64_t w = setup->size.w;

    for (int p = 0; p < WATER_PLANES; p++) {
        float *plane = planes[p];

        for (int64_t i = 0; i < rows * w; i++) {
            if (!isfinite(plane[i]))
                return ca_fail(error, CA_IO,
                               "plane '%s' is %g at x = %lld, y = %lld; values must be finite",
                               model->plane_names[p], (double)plane[i], (long long)(i % w),
                               (long long)(first + i / w));
            plane[i] += 0.0F; /* -0 becomes +0 */
        }
    }
    for (int64_t i = 0; i < rows * w; i++)
        if (level[i] < terrain[i])
            return ca_fail(error, CA_IO,
                           "level %g is below terrain %g at x = %lld, y = %lld; must be at or "
                           "above it",
                           (double)level[i], (double)terrain[i], (long long)(i % w),
                           (long long)(first + i / w));
    return CA_OK;
}
