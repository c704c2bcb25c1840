/* SPDX-License-Identifier: MIT */
/* water: hills, dam, ESRI grids, state files, what of them is refused, and looks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/files/file.h"
#include "core/model/registry.h"
#include "kernels/water/rule.h"
#include "kernels/water/water.h"
#include "tests/support/draws.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_lattice start_of(const struct ca_experiment *experiment)
{
    struct ca_error error = {.text = ""};
    struct ca_lattice lattice;

    ck_assert_ok(ca_initial_state(experiment, &lattice, &error));
    return lattice;
}

static const float *plane_of(const struct ca_lattice *lattice, int plane)
{
    return lattice->plane[plane];
}

/* What opening an experiment is refused with: the status, and each part of the message. */
static void check_refused(struct ca_experiment *experiment, enum ca_status status,
                          const char *part_1, const char *part_2)
{
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};

    ck_assert_int_eq(ca_simulation_open(&simulation, experiment, &error), status);
    ck_assert_contains(error.text, part_1, part_2);
    ck_assert_ptr_null(simulation);
}

/* --- hills and dam --------------------------------------------------------------------------- */

/* The height of calab-models(7), term by term. */
static int64_t define_height(uint64_t seed, int64_t x, int64_t y)
{
    int64_t h = 0;

    for (int o = 0; o < 6; o++) {
        int64_t c = 128 >> o, cx = x / c, cy = y / c, fx = x - cx * c, fy = y - cy * c;
        int64_t r00 = draw_uniform(seed, cx, cy, 0, 0, o) >> 20;
        int64_t r10 = draw_uniform(seed, cx + 1, cy, 0, 0, o) >> 20;
        int64_t r01 = draw_uniform(seed, cx, cy + 1, 0, 0, o) >> 20;
        int64_t r11 = draw_uniform(seed, cx + 1, cy + 1, 0, 0, o) >> 20;
        int64_t n = ((c - fx) * (c - fy) * r00 + fx * (c - fy) * r10 + (c - fx) * fy * r01 +
                     fx * fy * r11) /
                    (c * c);

        h += n * (32 >> o);
    }
    return h;
}

static const struct {
    const char *size, *settings;
    float relief, rain, spring;
} hills[] = {
    {"140x131", "", 100, 0.5F, 1},
    {"1x1", "relief=-0.3 rain=0.1 spring=-2.5", -0.3F, 0.1F, -2.5F},
    {"5x300", "relief=0 rain=0 spring=0", 0, 0, 0},
    {"300x4", "relief=-10000 rain=1000 spring=1000", -10000, 1000, 1000},
};

START_TEST(hills_are_as_defined)
{
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", hills[_i].size, NULL, 77, hills[_i].settings);
    struct ca_lattice lattice = start_of(&experiment);
    volatile float factor = hills[_i].relief / 262144;
    struct ca_size size = lattice.size;
    int64_t i = 0;

    for (int64_t y = 0; y < size.h; y++)
        for (int64_t x = 0; x < size.w; x++, i++) {
            volatile float g = (float)define_height(77, x, y) * factor, l;
            bool middle = x == size.w / 2 && y == size.h / 2;

            l = g + hills[_i].rain;
            ck_assert_float_eq(plane_of(&lattice, WATER_TERRAIN)[i], g);
            ck_assert_float_eq(plane_of(&lattice, WATER_LEVEL)[i], l);
            ck_assert_float_eq(plane_of(&lattice, WATER_SOURCE)[i], middle ? hills[_i].spring : 0);
            for (int p = 0; p < 3; p++) /* no -0 */
                ck_assert(plane_of(&lattice, p)[i] != 0 || !signbit(plane_of(&lattice, p)[i]));
        }
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(dam_is_as_defined)
{
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", "11x3", "dam", 1, NULL);
    struct ca_lattice lattice = start_of(&experiment);

    for (int64_t i = 0; i < 33; i++) {
        ck_assert_float_eq(plane_of(&lattice, WATER_TERRAIN)[i], 0);
        ck_assert_float_eq(plane_of(&lattice, WATER_LEVEL)[i], i % 11 < 2 ? 10 : 0);
        ck_assert_float_eq(plane_of(&lattice, WATER_SOURCE)[i], 0);
    }
    ca_lattice_free(&lattice);
}
END_TEST

/* --- grids ----------------------------------------------------------------------------------- */

/* Writes a grid of `columns` by `rows` and returns its path. */
static const char *grid(const char *name, int columns, int rows, const char *values)
{
    const char *path = test_path(name);
    char text[512];
    int n = snprintf(text, sizeof text,
                     "ncols %d\nnrows %d\nxllcorner 0\nyllcorner 0\ncellsize 1\n%s\n", columns,
                     rows, values);

    test_write(path, text, (size_t)n);
    return path;
}

static void set_file(struct ca_experiment *experiment, const char *name, const char *path)
{
    struct ca_error error;

    ck_assert_ok(ca_experiment_value(experiment, name, path, CA_FROM_COMMAND_LINE, NULL, &error));
}

/* The start `file` at the built-in size. */
static struct ca_experiment from_files(const char *terrain, const char *depth, const char *source)
{
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", "256x256", "file", 1, NULL);

    experiment.origin[CA_KEY_SIZE] = CA_BUILT_IN;
    set_file(&experiment, "terrain_file", terrain);
    set_file(&experiment, "depth_file", depth);
    set_file(&experiment, "source_file", source);
    return experiment;
}

START_TEST(grids_make_a_start)
{
    static const float expected[3][6] = {
        {1, 2.5F, -3, 0, 5, 6}, {1.5F, 2.5F, -1, 0, 5.25F, 106}, {0, 0, 0, 1, -2, 0}};
    bool all = _i == 1;
    struct ca_experiment experiment =
        from_files(grid("g.asc", 3, 2, "1 2.5 -3\n-0 5 6"),
                   all ? grid("d.asc", 3, 2, "0.5 0 2\n0 0.25 1e2") : "",
                   all ? grid("s.asc", 3, 2, "0 0 0\n1 -2 -0") : "");
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};
    struct ca_lattice lattice;

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert(ca_size_equal(experiment.size, (struct ca_size){3, 2, 1}));
    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    for (int i = 0; i < 6; i++) {
        ck_assert_float_eq(plane_of(&lattice, 0)[i], expected[0][i]);
        ck_assert_float_eq(plane_of(&lattice, 1)[i], expected[all ? 1 : 0][i]);
        ck_assert_float_eq(plane_of(&lattice, 2)[i], all ? expected[2][i] : 0);
        for (int p = 0; p < 3; p++)
            ck_assert(plane_of(&lattice, p)[i] != 0 || !signbit(plane_of(&lattice, p)[i]));
    }
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
}
END_TEST

/* Cells without data: walls that stay dry, above all ground and the sea's level, or ground of an
 * altitude; dry and without a source. */
START_TEST(cells_without_data)
{
    static const struct {
        const char *grid, *refused;
        float first, last, wall;
    } grids[] = {{"7 -9999 2", "g.asc:6: '-9999'", 7, 2, 10007},
                 {"7 nan 2", "g.asc:6: 'nan'", 7, 2, 10007},
                 {"0.25 nan 0.5", "g.asc:6: 'nan'", 0.25, 0.5, 10000.5},
                 {"-7 nan -2", "g.asc:6: 'nan'", -7, -2, 10000}};
    const char *g = test_path("g.asc"), *d = test_path("d.asc");

    grid("d.asc", 3, 1, "1 2 -9999");
    for (size_t i = 0; i < 2 * COUNT(grids); i++) {
        struct ca_experiment experiment = from_files(g, d, "");
        float gap = i % 2 ? -3 : grids[i / 2].wall;
        struct ca_lattice lattice;
        struct ca_error error;
        const float *ground, *level;

        grid("g.asc", 3, 1, grids[i / 2].grid);
        check_refused(&experiment, CA_IO, grids[i / 2].refused,
                      "nodata=value ground of the altitude nodata_value");
        ck_assert_ok(ca_experiment_value(&experiment, "nodata", i % 2 ? "value" : "wall",
                                         CA_FROM_COMMAND_LINE, "test", &error));
        ck_assert_ok(ca_experiment_value(&experiment, "nodata_value", "-3", CA_FROM_COMMAND_LINE,
                                         "test", &error));
        ck_assert_ok(ca_experiment_check(&experiment, &error));
        ck_assert_ok(ca_initial_state(&experiment, &lattice, &error));
        ground = lattice.plane[0];
        level = lattice.plane[1];
        ck_assert_float_eq(ground[0], grids[i / 2].first);
        ck_assert_float_eq(level[0], grids[i / 2].first + 1);
        ck_assert_float_eq(ground[1], gap);
        ck_assert_float_eq(level[1], gap);
        ck_assert_float_eq(ground[2], grids[i / 2].last);
        ck_assert_float_eq(level[2], grids[i / 2].last);
        ca_lattice_free(&lattice);
    }
}
END_TEST

/* What lies behind the planes is neither read nor written. */
START_TEST(planes_end)
{
    static const char *const starts[] = {"file", "hills", "dam"};
    const char *g = grid("g.asc", 3, 2, "1 nan 2 3 4 nan"), *d = grid("d.asc", 3, 2, "1 2 3 4 5 6");

    for (size_t i = 0; i < COUNT(starts); i++) {
        float planes[3][8];
        struct ca_experiment experiment = from_files(g, d, "");
        struct ca_lattice lattice = {.size = {3, 2, 1}, .type = CA_F32, .planes = 3};
        struct ca_setup setup;
        struct ca_error error;
        int start = ca_start_find(experiment.model, starts[i]);

        experiment.size = lattice.size;
        ck_assert_ok(ca_experiment_value(&experiment, "nodata", "wall", CA_FROM_COMMAND_LINE,
                                         "test", &error));
        setup = ca_setup_of(&experiment);
        for (int p = 0; p < 3; p++) {
            for (int k = 0; k < 8; k++)
                planes[p][k] = k < 6 ? 0 : 1e6F;
            lattice.plane[p] = planes[p];
        }
        ck_assert_int_ge(start, 0);
        ck_assert_ok(water_init(&setup, start, &lattice, &error));
        for (int p = 0; p < 3; p++)
            for (int k = 0; k < 8; k++)
                ck_assert_msg((planes[p][k] == 1e6F) == (k >= 6), "%s, plane %d: %g at %d",
                              starts[i], p, (double)planes[p][k], k);
        if (i == 0)
            ck_assert_float_eq(planes[0][5], 10004);
    }
}
END_TEST

START_TEST(grids_are_refused)
{
    const char *g = grid("g.asc", 2, 2, "1e7 2\n3 4"), *d = test_path("d.asc");
    struct ca_experiment experiment = from_files("", "", "");

    check_refused(&experiment, CA_USAGE, "terrain_file", "ESRI ASCII grid");
    experiment = from_files(test_path("none.asc"), "", "");
    check_refused(&experiment, CA_IO, "none.asc", "");

    grid("d.asc", 2, 2, "0 0 0 -0.5");
    experiment = from_files(g, d, "");
    check_refused(&experiment, CA_IO, "d.asc: depth -0.5 in column 1, row 1", "must be 0 or more");
    grid("d.asc", 2, 2, "3e38 0 0 0");
    check_refused(&experiment, CA_IO, "d.asc:6: '3e38'", "-10000000 ... 10000000");
    grid("d.asc", 2, 2, "0 0 nan 0");
    check_refused(&experiment, CA_IO, "d.asc:6: 'nan', which means no data", "nodata=wall a wall");
    grid("d.asc", 3, 2, "0 0 0 0 0 0");
    check_refused(&experiment, CA_IO, "d.asc is 3x2", "g.asc is 2x2");

    experiment = from_files(g, "", d);
    check_refused(&experiment, CA_IO, "d.asc is 3x2", "g.asc is 2x2");
    experiment = from_files(g, "", "");
    experiment.size = (struct ca_size){4, 4, 1};
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    check_refused(&experiment, CA_USAGE, "4x4", "g.asc is 2x2");
}
END_TEST

/* Files may change between the question for their size and their reading. */
START_TEST(init_refuses_grids_of_another_size)
{
    struct ca_experiment experiment = from_files(grid("g.asc", 2, 2, "1 2 3 4"), "", "");
    struct ca_error error = {.text = ""};
    struct ca_lattice lattice;

    experiment.size = (struct ca_size){2, 3, 1};
    ck_assert_int_eq(ca_initial_state(&experiment, &lattice, &error), CA_IO);
    ck_assert_contains(error.text, "g.asc is 2x2", "lattice is 2x3");
}
END_TEST

/* --- state files ----------------------------------------------------------------------------- */

static const struct {
    int plane;
    float value;
    const char *parts[2];
} bad_states[] = {
    {WATER_TERRAIN, NAN, {"plane 'terrain'", "x = 1, y = 2"}},
    {WATER_LEVEL, INFINITY, {"plane 'level' is inf", "must be finite"}},
    {WATER_SOURCE, -INFINITY, {"plane 'source' is -inf", "must be finite"}},
    {WATER_LEVEL, -1, {"level -1 is below terrain 0 at x = 1, y = 2", "at or above"}},
    {WATER_TERRAIN, 10.5F, {"level 10 is below terrain 10.5", "x = 1, y = 2"}},
};

START_TEST(bad_states_are_refused)
{
    const char *path = test_path("state.npy");
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", "8x4", "dam", 1, NULL);
    struct ca_lattice lattice = start_of(&experiment);
    struct ca_error error;

    ((float *)lattice.plane[bad_states[_i].plane])[17] = bad_states[_i].value;
    ck_assert_ok(test_npy_write(path, &lattice, 2, &error));
    experiment = kernel_experiment("water", "reference", "8x4", path, 1, NULL);
    check_refused(&experiment, CA_IO, bad_states[_i].parts[0], bad_states[_i].parts[1]);
    check_refused(&experiment, CA_IO, path, "");
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(minus_zero_becomes_zero)
{
    const char *path = test_path("state.npy");
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", "8x4", "dam", 1, NULL);
    struct ca_lattice lattice = start_of(&experiment);
    struct ca_error error;

    for (int p = 0; p < 3; p++)
        ((float *)lattice.plane[p])[20] = -0.0F;
    ck_assert_ok(test_npy_write(path, &lattice, 2, &error));
    ca_lattice_free(&lattice);
    experiment = kernel_experiment("water", "reference", "8x4", path, 1, NULL);
    lattice = start_of(&experiment);
    for (int p = 0; p < 3; p++)
        ck_assert(!signbit(plane_of(&lattice, p)[20]));
    ca_lattice_free(&lattice);
}
END_TEST

/* --- looks ----------------------------------------------------------------------------------- */

static const struct {
    float g, l, low, high;
    char glyph;
} looks[] = {
    {0, 0, 0, 0, '.'},         {0, 0, 0, 100, '.'},   {30, 30, 0, 100, ':'},
    {60, 60, 0, 100, 'n'},     {90, 90, 0, 100, '^'}, {-90, -90, -100, -80, 'n'},
    {90, 90.05F, 0, 100, '-'}, {90, 91, 0, 100, '~'}, {0, 7, 0, 100, '='},
    {5, 5.0005F, 0, 100, '.'},
};

START_TEST(depth_over_relief)
{
    float source = 0;
    const void *planes[3] = {&looks[_i].g, &looks[_i].l, &source};
    struct ca_appearance look;

    water_model.draw->cell(&water_model, planes, 0, looks[_i].low, looks[_i].high, &look);
    ck_assert_int_eq(water_model.draw->states[look.code].glyph, looks[_i].glyph);
    ck_assert_float_ge(look.level, 0);
    ck_assert_float_le(look.level, 1);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {dam_is_as_defined, cells_without_data, planes_end, grids_are_refused,
                              init_refuses_grids_of_another_size, minus_zero_becomes_zero},
                     .table = {{hills_are_as_defined, COUNT(hills)},
                               {grids_make_a_start, 2},
                               {bad_states_are_refused, COUNT(bad_states)},
                               {depth_over_relief, COUNT(looks)}});
}
