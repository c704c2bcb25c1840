/* SPDX-License-Identifier: MIT */
/* Owns water's initial states, and the checks of a state that comes from files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/base/random.h"
#include "kernels/cpu/initial_state.h"
#include "kernels/water/rule.h"
#include "kernels/water/water.h"

/* --- hills and dam ---------------------------------------------------------------------------- */

/*
 * Integer value noise of six octaves: octave o has random heights of 12 bits at the corners of a
 * mesh of spacing c = 2^(7 - o), between them bilinear, rounded down, and counts 2^(5 - o) times.
 * The sum is below 2^18.
 */
#define OCTAVES 6

/* Heights of the two corners around row y on a line of the mesh, weighted by distance, times c. */
static uint32_t on_line(uint64_t seed, uint32_t octave, int64_t line, int64_t y)
{
    uint32_t c = 1U << (7 - octave), fy = (uint32_t)y % c;
    uint64_t corner = (uint64_t)y / c;

    return (c - fy) * (ca_uniform(seed, (uint64_t)line, corner, 0, 0, octave) >> 20) +
           fy * (ca_uniform(seed, (uint64_t)line, corner + 1, 0, 0, octave) >> 20);
}

static void add_octave(uint64_t seed, uint32_t octave, int64_t y, float *row, int64_t w)
{
    uint32_t bits = 7 - octave, c = 1U << bits, left, right = on_line(seed, octave, 0, y);

    for (int64_t x = 0; x < w; x += c) {
        left = right;
        right = on_line(seed, octave, x / c + 1, y);
        for (uint32_t fx = 0; fx < c && x + fx < w; fx++)
            row[x + fx] += (float)(((c - fx) * left + fx * right) >> 2 * bits << (5 - octave));
    }
}

struct hills {
    struct ca_size size;
    uint64_t seed;
    float scale, rain, *terrain, *level;
};

static void make_row(void *context, int64_t y)
{
    const struct hills *hills = context;
    int64_t w = hills->size.w;
    float *terrain = hills->terrain + y * w, *level = hills->level + y * w;

    for (uint32_t octave = 0; octave < OCTAVES; octave++)
        add_octave(hills->seed, octave, y, terrain, w);
    for (int64_t x = 0; x < w; x++) {
        terrain[x] = terrain[x] * hills->scale + 0.0F; /* no -0 */
        level[x] = terrain[x] + hills->rain;
    }
}

static enum ca_status make_hills(const struct ca_setup *setup, struct ca_lattice *lattice,
                                 struct ca_error *error)
{
    struct hills hills = {
        .size = lattice->size,
        .seed = setup->seed,
        .scale = (float)ca_real(&setup->params, "relief") / 262144.0F,
        .rain = (float)ca_real(&setup->params, "rain"),
        .terrain = lattice->plane[WATER_TERRAIN],
        .level = lattice->plane[WATER_LEVEL],
    };
    float *source = lattice->plane[WATER_SOURCE];
    int64_t w = lattice->size.w, h = lattice->size.h;

    source[h / 2 * w + w / 2] = (float)ca_real(&setup->params, "spring") + 0.0F;
    return initial_rows(setup, make_row, &hills, error);
}

static void make_dam(struct ca_lattice *lattice)
{
    float *level = lattice->plane[WATER_LEVEL];
    int64_t w = lattice->size.w;

    for (int64_t y = 0; y < lattice->size.h; y++)
        for (int64_t x = 0; x < w / 4; x++)
            level[y * w + x] = 10;
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

/* Reads the grid that parameter `name` names into plane; leaves it alone where it names none. */
static enum ca_status read_grid(const struct ca_setup *setup, const char *name, float *plane,
                                struct ca_error *error)
{
    const char *path = ca_text(&setup->params, name);
    enum ca_status status;
    struct ca_size size;
    float *values;

    if (!*path)
        return CA_OK;
    CA_TRY(ca_asc_read(path, &values, &size, error));
    status = same_size(setup->size, "the lattice", size, path, error);
    if (status == CA_OK)
        memcpy(plane, values, (size_t)ca_cells(size) * sizeof *plane);
    free(values);
    return status;
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
        if (!isfinite(level[i]))
            return ca_fail(error, CA_IO,
                           "%s: terrain plus depth in column %lld, row %lld is beyond what single "
                           "precision holds",
                           ca_text(&setup->params, "depth_file"), (long long)(i % w),
                           (long long)(i / w));
    }
    return CA_OK;
}

static enum ca_status read_grids(const struct ca_setup *setup, struct ca_lattice *lattice,
                                 struct ca_error *error)
{
    struct ca_size size;

    CA_TRY(water_file_size(setup, WATER_FROM_FILE, &size, error));
    CA_TRY(read_grid(setup, "terrain_file", lattice->plane[WATER_TERRAIN], error));
    CA_TRY(read_grid(setup, "depth_file", lattice->plane[WATER_LEVEL], error));
    CA_TRY(read_grid(setup, "source_file", lattice->plane[WATER_SOURCE], error));
    return add_depths(setup, lattice, error);
}

enum ca_status water_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                          struct ca_error *error)
{
    switch (start) {
    case WATER_HILLS:
        return make_hills(setup, lattice, error);
    case WATER_DAM:
        make_dam(lattice);
        return CA_OK;
    default:
        return read_grids(setup, lattice, error);
    }
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
