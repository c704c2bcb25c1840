/* SPDX-License-Identifier: MIT */
/* fhp: solid nodes, initial states, state files, what bounces off walls, and looks. */
#include <math.h>
#include <string.h>

#include "core/files/file.h"
#include "core/model/registry.h"
#include "kernels/fhp/rule.h"
#include "tests/support/draws.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* The initial state of an experiment, which must be allowed. */
static struct ca_lattice start_of(const struct ca_experiment *experiment)
{
    struct ca_error error = {.text = ""};
    struct ca_lattice lattice;

    ck_assert_ok(ca_initial_state(experiment, &lattice, &error));
    return lattice;
}

/* What opening an experiment is refused with. */
static void check_refused(struct ca_experiment *experiment, enum ca_status status, const char *part)
{
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};

    ck_assert_int_eq(ca_simulation_open(&simulation, experiment, &error), status);
    ck_assert_contains(error.text, part);
    ck_assert_ptr_null(simulation);
}

static bool in_disc(int64_t x, int64_t y, double w, double h)
{
    double dx = (double)x + (y % 2 ? 0.5 : 0) - w / 4, dy = sqrt(0.75) * ((double)y - h / 2);

    return dx * dx + dy * dy <= h * h / 64 + 1e-9;
}

static const struct {
    const char *size, *settings;
    bool walls, disc;
    int bits;
    uint64_t below; /* of 2^32 */
} starts[] = {
    {"12x6", "", true, false, 7, 858993459},
    {"9x10", "collisions=fhp1 density=0.5", true, false, 6, UINT64_C(1) << 31},
    {"160x64", "geometry=cylinder density=0.25", true, true, 7, UINT64_C(1) << 30},
    {"64x40", "geometry=cylinder density=1", true, true, 7, UINT64_C(1) << 32},
    {"5x4", "geometry=none density=1", false, false, 7, UINT64_C(1) << 32},
    {"7x2", "geometry=none density=0", false, false, 7, 0},
    {"3x2", "", true, false, 7, 858993459}, /* walls and nothing else */
};

START_TEST(start_is_as_defined)
{
    struct ca_experiment experiment =
        kernel_experiment("fhp", "reference", starts[_i].size, "random", 7, starts[_i].settings);
    struct ca_lattice lattice = start_of(&experiment);
    const uint8_t *node = lattice.plane[0];
    struct ca_size size = lattice.size;
    int disc = 0;

    for (int64_t y = 0; y < size.h; y++)
        for (int64_t x = 0; x < size.w; x++, node++) {
            bool round = starts[_i].disc && in_disc(x, y, (double)size.w, (double)size.h);
            int expected = 0;

            disc += round;
            for (int i = 0; i < starts[_i].bits; i++)
                expected |= (draw_uniform(7, x, y, 0, 0, i) < starts[_i].below) << i;
            if (round || (starts[_i].walls && (y == 0 || y == size.h - 1)))
                expected = 128;
            ck_assert_msg(*node == expected, "(%d, %d): expected %d, got %d", (int)x, (int)y,
                          expected, *node);
        }
    if (starts[_i].disc) { /* pi/4 (H/4)^2 in area, a node taking sqrt(3)/2 */
        double area = 3.14159265 * (double)(size.h * size.h) / 64 / sqrt(0.75);

        ck_assert_double_gt(disc, 0.9 * area);
        ck_assert_double_lt(disc, 1.1 * area);
    }
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(odd_heights_are_refused)
{
    static const char *const sizes[] = {"4x1", "4x3", "8x255"};

    for (int i = 0; i < 3; i++) {
        struct ca_experiment experiment =
            kernel_experiment("fhp", "reference", sizes[i], NULL, 1, "geometry=none");

        check_refused(&experiment, CA_USAGE, "height must be even");
    }
}
END_TEST

/* --- geometry from a file -------------------------------------------------------------------- */

/* 8 x 10 with walls in rows 0 and 5. */
static const char two_chambers[] = "P1\n# two chambers\n8 10\n"
                                   "11111111 00000000 00000000 00000000 00000000\n"
                                   "11111111 00000000 00000000 00000000 00000000\n";

static struct ca_experiment from_file(const char *size, const char *path)
{
    struct ca_experiment experiment = kernel_experiment("fhp", "threads", size, NULL, test_seed(),
                                                        "geometry=file threads=2 density=0.4");
    struct ca_error error;

    ck_assert_ok(ca_experiment_value(&experiment, "geometry_file", path, CA_FROM_COMMAND_LINE, NULL,
                                     &error));
    return experiment;
}

START_TEST(walls_of_a_file_keep_particles_in)
{
    const char *path = test_path("walls.pbm");
    struct ca_experiment experiment = from_file("8x10", path);
    struct ca_simulation *simulation;
    struct ca_lattice lattice;
    struct ca_error error = {.text = ""};
    uint8_t *node;
    int upper = 0;

    test_write(path, two_chambers, strlen(two_chambers));
    experiment.size = (struct ca_size){512, 256, 1};
    experiment.origin[CA_KEY_SIZE] = CA_BUILT_IN; /* the file's size is taken */
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert(ca_size_equal(experiment.size, (struct ca_size){8, 10, 1}));

    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    node = lattice.plane[0];
    for (int i = 0; i < 80; i++) {
        ck_assert_int_eq(node[i] >> 7, i / 8 % 5 == 0);
        if (i / 8 > 5) /* the lower chamber is emptied */
            node[i] = 0;
        upper += fhp_particles(node[i]);
    }
    ck_assert_int_gt(upper, 40);
    ck_assert_ok(ca_simulation_load(simulation, &lattice, 0, &error));
    ca_lattice_free(&lattice);
    for (int n = 0; n < 40; n++) {
        ck_assert_ok(ca_simulation_step(simulation, 5, &error));
        ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
        node = lattice.plane[0];
        for (int i = 48; i < 80; i++)
            ck_assert_int_eq(node[i], 0);
        ca_lattice_free(&lattice);
    }
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(geometry_files_are_refused)
{
    static const char odd[] = "P1 2 3 000000", short_one[] = "P1 4 4 0101";
    const char *path = test_path("bad.pbm");
    struct ca_experiment experiment = from_file("8x10", "");

    check_refused(&experiment, CA_USAGE, "geometry_file");
    experiment = from_file("8x10", test_path("missing.pbm"));
    check_refused(&experiment, CA_IO, "missing.pbm");

    test_write(path, two_chambers, strlen(two_chambers));
    experiment = from_file("8x12", path);
    check_refused(&experiment, CA_USAGE, "bad.pbm is 8x10");

    test_write(path, odd, strlen(odd));
    experiment = from_file("2x3", path);
    check_refused(&experiment, CA_USAGE, "height must be even");

    test_write(path, short_one, strlen(short_one));
    experiment = from_file("4x4", path);
    check_refused(&experiment, CA_IO, "bad.pbm");
}
END_TEST

START_TEST(init_refuses_a_file_of_another_size)
{
    const char *path = test_path("walls.pbm");
    struct ca_experiment experiment = from_file("8x12", path);
    struct ca_lattice lattice;
    struct ca_error error = {.text = ""};

    test_write(path, two_chambers, strlen(two_chambers));
    ck_assert_int_eq(ca_initial_state(&experiment, &lattice, &error), CA_IO);
    ck_assert_contains(error.text, "8x10", "8x12", path);
}
END_TEST

/* --- walls and state files ------------------------------------------------------------------- */

static uint8_t at(struct kernel *kernel, int64_t x, int64_t y)
{
    struct ca_lattice lattice = kernel_store(kernel);
    uint8_t node = ((uint8_t *)lattice.plane[0])[y * lattice.size.w + x];

    ca_lattice_free(&lattice);
    return node;
}

/* A lone particle flies north-west into the wall and comes back the way that it went. */
START_TEST(a_particle_bounces_back)
{
    struct ca_experiment experiment =
        kernel_experiment("fhp", "reference", "9x8", NULL, 1, "geometry=channel density=0");
    struct ca_lattice lattice = start_of(&experiment);
    struct kernel kernel;

    ((uint8_t *)lattice.plane[0])[3 * 9 + 5] = 1 << FHP_NW; /* odd row: (5, 2), (4, 1), (4, 0) */
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &lattice);
    kernel_step(&kernel, 1);
    ck_assert_int_eq(at(&kernel, 5, 2), 1 << FHP_NW);
    kernel_step(&kernel, 1);
    ck_assert_int_eq(at(&kernel, 4, 1), 1 << FHP_NW);
    kernel_step(&kernel, 1);
    ck_assert_int_eq(at(&kernel, 4, 0), 128 | 1 << FHP_SE);
    kernel_step(&kernel, 3);
    ck_assert_int_eq(at(&kernel, 5, 3), 1 << FHP_SE);
    kernel_close(&kernel);
    ca_lattice_free(&lattice);
}
END_TEST

/* Momentum is watched by what the state holds, not by what the parameters say of its start. */
START_TEST(state_files_bring_their_solid_nodes)
{
    const char *path = test_path("state.npy");
    struct ca_experiment experiment = kernel_experiment("fhp", "reference", "16x8", NULL,
                                                        test_seed(), "geometry=none density=0.5");
    struct ca_lattice lattice = start_of(&experiment);
    double start[CA_OBSERVABLES_MAX], now[CA_OBSERVABLES_MAX];
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};

    for (int solid = 0; solid < 2; solid++) {
        ((uint8_t *)lattice.plane[0])[20] =
            solid ? 255 : 127; /* any value of the byte is allowed */
        ck_assert_ok(test_npy_write(path, &lattice, 2, &error));
        experiment = kernel_experiment("fhp", "reference", "16x8", path, 1, "geometry=channel");
        ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
        ck_assert_ok(ca_simulation_observe(simulation, start, &error));
        ck_assert_double_eq(start[3], solid);
        ck_assert_ok(ca_simulation_step(simulation, 50, &error));
        ck_assert_ok(ca_simulation_observe(simulation, now, &error));
        ck_assert_int_eq(kernel_broken(simulation, start, now), -1);
        ck_assert_double_eq(now[0], start[0]);
        now[1]++;
        ck_assert_int_eq(kernel_broken(simulation, start, now), solid ? -1 : 1);
        ca_simulation_close(simulation);
    }
    ca_lattice_free(&lattice);
}
END_TEST

static const struct {
    double vx, vy, level;
    char glyph;
} flows[] = {
    {0, 0, 0, ' '},  {0, 0, 1, '.'},    {2, 0, 1, '>'},  {-2, 0, 1, '<'},  {0, 2, 1, 'v'},
    {0, -2, 1, '^'}, {1, 1, 1, '\\'},   {1, -1, 1, '/'}, {3, 1, 2, '\\'},  {3, -1, 2, '/'},
    {-3, 1, 2, '/'}, {-3, -1, 2, '\\'}, {4, 1, 10, '.'}, {20, 1, 10, '>'},
};

START_TEST(flow_becomes_arrows)
{
    uint8_t node[3] = {128 | 4, 4 | 64, 0};
    const void *planes[1] = {node};
    struct ca_appearance look;
    uint8_t code = fhp_model.draw->flow(&fhp_model, flows[_i].vx, flows[_i].vy, flows[_i].level);

    ck_assert_int_eq(fhp_model.draw->states[code].glyph, flows[_i].glyph);
    fhp_model.draw->cell(&fhp_model, planes, 0, 0, 0, &look);
    ck_assert_int_eq(fhp_model.draw->states[look.code].glyph, '#');
    fhp_model.draw->cell(&fhp_model, planes, 1, 0, 0, &look);
    ck_assert_int_eq(fhp_model.draw->states[look.code].glyph, '>');
    ck_assert_float_eq(look.level, 2.0F / 7);
    ck_assert_int_eq(look.vx, 2);
    fhp_model.draw->cell(&fhp_model, planes, 2, 0, 0, &look);
    ck_assert_int_eq(fhp_model.draw->states[look.code].glyph, ' ');
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {odd_heights_are_refused, walls_of_a_file_keep_particles_in,
                              geometry_files_are_refused, init_refuses_a_file_of_another_size,
                              a_particle_bounces_back, state_files_bring_their_solid_nodes},
                     .table = {{start_is_as_defined, COUNT(starts)},
                               {flow_becomes_arrows, COUNT(flows)}});
}
