/* SPDX-License-Identifier: MIT */
/* This file makes fhp's solid nodes and its initial state. */
#include "core/base/random.h"
#include "core/files/file.h"
#include "kernels/cpu/initial_state.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ca_status fhp_check(const struct ca_setup *setup, struct ca_error *error)
{
    if (setup->size.h % 2)
        return ca_fail(error, CA_USAGE,
                       "fhp: the height must be even, since every other row is shifted and the "
                       "lattice closes in y; got %lld",
                       (long long)setup->size.h);
    return CA_OK;
}

/* The path of the geometry file: the parameter must be given. */
static enum ca_status geometry_path(const struct ca_setup *setup, const char **path,
                                    struct ca_error *error)
{
    *path = ca_text(&setup->params, "geometry_file");
    if (!**path)
        return ca_fail(error, CA_USAGE,
                       "fhp: geometry = file needs geometry_file, a PBM in which 1 is solid");
    return CA_OK;
}

enum ca_status fhp_file_size(const struct ca_setup *setup, int start, struct ca_size *size,
                             struct ca_error *error)
{
    const char *path;

    (void)start;
    if (ca_choice(&setup->params, "geometry") != FHP_FILE)
        return CA_OK;
    CA_TRY(geometry_path(setup, &path, error));
    return ca_pbm_size(path, size, error);
}

static enum ca_status read_solid(const struct ca_setup *setup, struct ca_lattice *lattice,
                                 struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(lattice);
    uint8_t *node = lattice->plane[0];
    const char *path;
    struct ca_size size;

    CA_TRY(geometry_path(setup, &path, error));
    CA_TRY(ca_pbm_size(path, &size, error));
    if (size.w != lattice->size.w || size.h != lattice->size.h)
        return ca_fail(error, CA_IO, "%s is %lldx%lld, but the lattice is %lldx%lld", path,
                       (long long)size.w, (long long)size.h, (long long)lattice->size.w,
                       (long long)lattice->size.h);
    CA_TRY(ca_pbm_read(path, &sink, error));
    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        node[i] = node[i] ? FHP_SOLID : 0;
    return CA_OK;
}

static void place_solid(enum fhp_geometry geometry, struct ca_lattice *lattice)
{
    struct ca_size size = lattice->size;
    uint8_t *node = lattice->plane[0];

    for (int64_t y = 0; y < size.h; y++)
        for (int64_t x = 0; x < size.w; x++)
            if (fhp_is_solid(geometry, size.w, size.h, x, y))
                node[y * size.w + x] = FHP_SOLID;
}

static uint32_t drawn_bits(const struct ca_setup *setup)
{
    return ca_choice(&setup->params, "collisions") == FHP_1 ? 6 : 7;
}

static void solid_row(const struct ca_setup *setup, int64_t row, uint64_t *words)
{
    enum fhp_geometry geometry = (enum fhp_geometry)ca_choice(&setup->params, "geometry");
    int64_t w = setup->size.w, h = setup->size.h;

    memset(words, 0, (size_t)(w + 63) / 64 * sizeof *words);
    for (int64_t x = 0; x < w; x++)
        words[x / 64] |= (uint64_t)fhp_is_solid(geometry, w, h, x, row) << x % 64;
}

bool fhp_random_start(const struct ca_setup *setup, struct ca_random_start *random)
{
    for (uint32_t i = 0; i < drawn_bits(setup); i++)
        random->below[i] = ca_threshold(ca_real(&setup->params, "density"));
    if (ca_choice(&setup->params, "geometry") != FHP_NONE)
        random->solid = solid_row;
    random->solid_bit = 7;
    return setup->start == FHP_RANDOM && ca_choice(&setup->params, "geometry") != FHP_FILE;
}

/*
 * Equilibrium at small velocity (Frisch et al., Complex Systems 1, 1987): direction i is occupied
 * with d (1 + 2 c_i u), or d (1 + 7/3 c_i u) where particles rest. In the wave `shear` u is along x
 * and a sine of y, in `sound` there is none, and d a sine of x.
 */
static double occupation(const struct ca_setup *setup, int start, int i, int64_t x, int64_t y)
{
    const double two_pi = 6.28318530717958647692;
    double d = ca_real(&setup->params, "density"), by = ca_real(&setup->params, "amplitude");
    double slope = ca_choice(&setup->params, "collisions") == FHP_1 ? 2 : 7.0 / 3;
    double along = i < 6 ? fhp_momentum_x((uint8_t)(1 << i)) / 2.0 : 0;

    if (start == FHP_SHEAR)
        return d * (1 + slope * along * by * sin(two_pi * (double)y / (double)setup->size.h));
    return d * (1 + by * sin(two_pi * (double)x / (double)setup->size.w));
}

/* Draws a wave as initial_random does a density; what is above 1 counts as 1. */
static void draw_wave(const struct ca_setup *setup, int start, uint8_t *node)
{
    int64_t w = setup->size.w;

    for (uint32_t i = 0; i < drawn_bits(setup); i++)
        for (int64_t y = 0; y < setup->size.h; y++)
            for (int64_t x = 0; x < w; x++) {
                double p = fmin(1, occupation(setup, start, (int)i, x, y));

                if (ca_uniform(setup->seed, (uint64_t)x, (uint64_t)y, 0, 0, i) < ca_threshold(p))
                    node[y * w + x] |= (uint8_t)(1 << i);
            }
}

enum ca_status fhp_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                        struct ca_error *error)
{
    enum fhp_geometry geometry = (enum fhp_geometry)ca_choice(&setup->params, "geometry");
    uint8_t *node = lattice->plane[0];

    if (geometry == FHP_FILE)
        CA_TRY(read_solid(setup, lattice, error));
    else
        place_solid(geometry, lattice);

    if (start == FHP_SHEAR || start == FHP_SOUND)
        draw_wave(setup, start, node);
    else
        for (uint32_t i = 0; i < drawn_bits(setup); i++)
            CA_TRY(initial_random(setup, ca_real(&setup->params, "density"), i, node,
                                  (uint8_t)(1 << i), error));
    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        if (node[i] & FHP_SOLID)
            node[i] = FHP_SOLID;
    return CA_OK;
}
