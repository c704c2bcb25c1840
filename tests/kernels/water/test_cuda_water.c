/* SPDX-License-Identifier: MIT */
/*
 * The sweeps and tiles of water on a GPU: their division, widths around those of row segments,
 * every number of rows a warp, lattices that one tile holds or many, sources in some rows, all or
 * none, and what their plans say.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/water/quotient.h"
#include "kernels/water/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* --- the quotient ----------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One finite float in some thousand, and those at the ends of every binade; -0 may differ. */
static void check_quotients(float n, float reciprocal)
{
    uint32_t random = (uint32_t)test_seed() | 1;

    for (uint32_t i = 0; i < 2 * 255 * 4096; i++) {
        uint32_t binade = i / 4096 << 23, place = i % 4096;
        uint32_t mantissa = place < 16 ? place : place < 32 ? 0x800000 - (place - 15) : random >> 9;
        float sum = float_of(binade / 0x7f800000 << 31 | binade % 0x7f800000 | mantissa);
        float expected = sum / n, got = water_quotient(sum, n, reciprocal);

        random = random * 1664525 + 1013904223;
        if (memcmp(&expected, &got, sizeof got) != 0 && !(sum == 0 && signbit(sum)))
            ck_abort_msg("%a / %g by %a: expected %a, got %a", (double)sum, (double)n,
                         (double)reciprocal, (double)expected, (double)got);
    }
}

/* With the float nearest to 1 / n, and where that is not exact, with the two floats beside it. */
START_TEST(quotient_is_ieee_division)
{
    float n = (float)_i, reciprocal = 1 / n;

    check_quotients(n, reciprocal);
    if (_i == 3 || _i == 5) {
        check_quotients(n, nextafterf(reciprocal, 0));
        check_quotients(n, nextafterf(reciprocal, 1));
    }
}
END_TEST

/* --- partitions ------------------------------------------------------------------------------ */

static const struct kernel_case table[] = {
    {"cuda-fused", "120x20", NULL}, /* the columns that one segment stores */
    {"cuda-fused", "119x20", "rows=5"},
    {"cuda-fused", "121x9", "rows=1"}, /* and one column for another segment */
    {"cuda-fused", "363x31", "rows=4"},
    {"cuda-fused", "5x200", "rows=64 source_mode=fill"},
    {"cuda-fused", "300x30", "rows=47"},
    {"cuda-temporal", "120x20", NULL},
    {"cuda-temporal", "121x40", "rows=1"},
    {"cuda-temporal", "241x40", "rows=9 source_mode=fill"},
    {"cuda-temporal", "360x40", "rows=30"},
    {"cuda-temporal", "1x1", NULL},
    {"cuda-temporal", "4x200", NULL},
    {"cuda-temporal", "500x20", NULL},
    {"cuda-temporal", "300x30", "rows=47"},
    {"cuda-overlapped", "500x20", "generations=0"},
    {"cuda-overlapped", "64x64", NULL}, /* a tile of all threads, through all generations */
    {"cuda-overlapped", "128x32", "source_mode=fill"},
    {"cuda-overlapped", "4x1024", NULL},
    {"cuda-overlapped", "1x2", NULL},
    {"cuda-overlapped", "2x1", "source_mode=fill"},
    {"cuda-overlapped", "1x1", NULL},
    {"cuda-overlapped", "120x20", "generations=1"},
    {"cuda-overlapped", "121x40", "generations=2"},
    {"cuda-overlapped", "31x45", "generations=3"},
    {"cuda-overlapped", "61x63", "generations=12 spring=-3"},
    {"cuda-overlapped", "65x64", "generations=4"}, /* more than one tile */
    {"cuda-overlapped", "64x65", "generations=4 source_mode=fill"},
    {"cuda-overlapped", "127x33", "generations=5"}, /* the width of a tile, but not the height */
    {"cuda-overlapped", "129x32", "generations=3 spring=-3 source_mode=fill"}, /* neither */
    {"cuda-overlapped", "5x1500", "generations=12"},
    {"cuda-overlapped", "1500x5", "generations=12"},
    {"cuda-overlapped", "250x90", "generations=7"},
    {"cuda-overlapped", "160x110", "generations=12 source_mode=fill"},
    {"cuda-overlapped", "200x150", "generations=0"},
};

/* In calls of one generation, of a full pass, and of numbers that leave a remainder. */
START_TEST(partitions)
{
    static const uint64_t calls[] = {1, 2, 5, 17, 0};

    kernel_check_case("water", &table[_i], _i % 2 ? "hills" : "dam", calls);
}
END_TEST

/* --- sources --------------------------------------------------------------------------------- */

/* Coarse altitudes of both signs, so that many are equal, and sources in one of `every` rows. */
static struct ca_lattice state_of(struct ca_size size, int every, uint64_t seed)
{
    struct ca_lattice lattice;
    uint32_t random = (uint32_t)seed;

    ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_F32, WATER_PLANES, &error));
    for (int64_t i = 0; i < ca_cells(size); i++) {
        float value[WATER_PLANES];

        for (int p = 0; p < WATER_PLANES; p++) {
            random = random * 1664525 + 1013904223;
            value[p] = (float)((int)(random >> 24) % 7 - 3);
        }
        ((float *)lattice.plane[WATER_TERRAIN])[i] = value[0];
        ((float *)lattice.plane[WATER_LEVEL])[i] = value[0] + fmaxf(0, value[1]) / 3;
        ((float *)lattice.plane[WATER_SOURCE])[i] =
            every && i / size.w % every == every - 1 ? value[2] : 0;
    }
    return lattice;
}

/*
 * Altitudes so large that the sum of five overflows, and between walls some cells that give all of
 * their water, 2.5e38, to a pit: twice that amount overflows.
 */
static struct ca_lattice huge_state(struct ca_size size)
{
    struct ca_lattice lattice;

    ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_F32, WATER_PLANES, &error));
    for (int64_t i = 0; i < ca_cells(size); i++) {
        float *terrain = (float *)lattice.plane[WATER_TERRAIN] + i;
        float *level = (float *)lattice.plane[WATER_LEVEL] + i;
        int64_t place = i / size.w % 5 == 2 ? i % size.w % 41 : 0;

        *terrain = place == 20   ? 0.5e38F
                   : place == 21 ? -2.2e38F
                                 : 1e38F + 1e34F * (float)(i % 1009);
        *level = place == 20 ? 3e38F : *terrain;
        ((float *)lattice.plane[WATER_SOURCE])[i] = 0;
    }
    return lattice;
}

static void step_both(struct kernel *reference, struct kernel *tested,
                      const struct ca_experiment *experiment, uint64_t n)
{
    struct ca_lattice expected, got;

    kernel_step(reference, n);
    kernel_step(tested, n);
    expected = kernel_store(reference);
    got = kernel_store(tested);
    kernel_compare(experiment, tested->generation, &expected, &got);
    ca_lattice_free(&expected);
    ca_lattice_free(&got);
}

/* Sweeps, many tiles, of which some are at no edge, and one tile of all cells. The widths put a pit
 * of the huge state beside an edge. */
static const struct {
    const char *backend, *size, *settings;
} paths[] = {
    {"cuda-fused", "250x60", "rows=20"},
    {"cuda-temporal", "250x60", "rows=20"},
    {"cuda-overlapped", "268x100", "generations=3"},
    {"cuda-overlapped", "63x50", "generations=0"},
};

#define PATHS ((int)(sizeof paths / sizeof paths[0]))

/* `options` NULL: on reference. */
static struct ca_experiment experiment_of(int path, const char *mode, const char *options)
{
    char settings[100];

    snprintf(settings, sizeof settings, "source_mode=%s %s", mode, options ? options : "");
    return kernel_experiment("water", options ? paths[path].backend : "reference", paths[path].size,
                             "hills", test_seed(), settings);
}

/* Several states in the same instance: each load finds anew which rows have sources. */
START_TEST(sources)
{
    static const int every[] = {1, 0, 7, 30};
    const char *mode = _i / PATHS ? "fill" : "add";
    struct ca_experiment by_reference = experiment_of(_i % PATHS, mode, NULL);
    struct ca_experiment experiment = experiment_of(_i % PATHS, mode, paths[_i % PATHS].settings);
    struct kernel reference, tested;

    kernel_open(&reference, &by_reference);
    kernel_open(&tested, &experiment);
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        struct ca_lattice state = state_of(experiment.size, every[i], test_seed() + i);

        kernel_load(&reference, &state);
        kernel_load(&tested, &state);
        step_both(&reference, &tested, &experiment, 2);
        step_both(&reference, &tested, &experiment, 3);
        ca_lattice_free(&state);
    }
    kernel_close(&reference);
    kernel_close(&tested);
}
END_TEST

START_TEST(no_overflow_of_its_own)
{
    struct ca_experiment by_reference = experiment_of(_i, "add", NULL);
    struct ca_experiment experiment = experiment_of(_i, "add", paths[_i].settings);
    struct ca_lattice state = huge_state(experiment.size);
    struct kernel reference, tested;

    kernel_open(&reference, &by_reference);
    kernel_open(&tested, &experiment);
    kernel_load(&reference, &state);
    kernel_load(&tested, &state);
    for (int n = 1; n <= 3; n++)
        step_both(&reference, &tested, &experiment, (uint64_t)n);
    kernel_close(&reference);
    kernel_close(&tested);
    ca_lattice_free(&state);
}
END_TEST

START_TEST(slabs)
{
    static const struct kernel_case slab[] = {
        {"cuda-fused", "130x40", "rows=11 relief=30"},
        {"cuda-temporal", "130x40", "rows=11 relief=30"},
        {"cuda-overlapped", "130x80", "generations=3 relief=30"},
        {"cuda-overlapped", "50x40", "relief=30"}, /* a tile each */
    };
    const struct kernel_case *test = &slab[_i % 4];
    struct ca_experiment experiment =
        kernel_experiment("water", test->backend, test->size, "hills", test_seed(), test->settings);

    kernel_check_slabs(&experiment, 2 * (_i / 4 + 1), false, 3);
}
END_TEST

/* --- plans ----------------------------------------------------------------------------------- */

static enum ca_status plan_of(const struct ca_experiment *experiment, struct ca_plan *plan,
                              struct ca_error *cause)
{
    struct ca_setup setup = ca_setup_of(experiment);

    memset(plan, 0, sizeof *plan);
    setup.slab = (struct ca_slab){0, setup.size.h, 0, 0};
    return experiment->backend->stepper->plan(&setup, plan, cause);
}

static const struct {
    struct kernel_case test;
    const char *variant;
    int generations;
    unsigned grid[3], block[3];
    int64_t shared_bytes;
    bool predicted; /* how long a generation takes */
} plans[] = {
    {{"cuda-global", "130x70", NULL},
     "two kernels, a cell a thread",
     1,
     {9, 5, 1},
     {16, 16, 1},
     0,
     false},
    {{"cuda-shared", "130x70", "block=32x8"},
     "two kernels, a tile of 10 rows of 35 floats",
     1,
     {5, 9, 1},
     {32, 8, 1},
     1400,
     false},
    {{"cuda-fused", "121x40", "rows=9"},
     "sweep of 1 generation, 9 rows a warp",
     1,
     {10, 1, 1},
     {32, 1, 1},
     0,
     true},
    {{"cuda-temporal", "121x40", "rows=50"},
     "sweep of 2 generations, 40 rows a warp",
     2,
     {2, 1, 1},
     {32, 1, 1},
     0,
     true},
    {{"cuda-overlapped", "1x1", NULL},
     "one tile of 4x32 cells",
     1 << 16,
     {1, 1, 1},
     {32, 1, 1},
     32800,
     true},
};

START_TEST(plans_say_what_runs)
{
    const struct kernel_case *test = &plans[_i].test;
    struct ca_experiment experiment =
        kernel_experiment("water", test->backend, test->size, "hills", 1, test->settings);
    struct ca_plan plan;

    ck_assert_ok(plan_of(&experiment, &plan, &error));
    ck_assert_str_eq(plan.variant, plans[_i].variant);
    ck_assert_int_eq(plan.generations, plans[_i].generations);
    ck_assert_mem_eq(plan.grid, plans[_i].grid, sizeof plan.grid);
    ck_assert_mem_eq(plan.block, plans[_i].block, sizeof plan.block);
    ck_assert_int_eq(plan.shared_bytes, plans[_i].shared_bytes);
    ck_assert_uint_eq(plan.cluster, 0);
    ck_assert_int_eq(plan.step_s > 0, plans[_i].predicted);
}
END_TEST

START_TEST(sweeps_take_every_size)
{
    static const char *const sizes[] = {"1x1", "31x17", "500x33", "8388608x1024"};
    static const char *const backends[] = {"cuda-fused", "cuda-temporal"};
    struct ca_experiment experiment = kernel_experiment(
        "water", backends[_i / (int)COUNT(sizes)], sizes[_i % (int)COUNT(sizes)], "hills", 1, NULL);
    struct ca_plan plan;
    enum ca_status status = plan_of(&experiment, &plan, &error);

    ck_assert(status == CA_OK || status == CA_NO_MEMORY);
    ck_assert_int_eq(strncmp(plan.variant, "sweep of ", 9), 0);
    ck_assert_uint_gt(plan.grid[0], 0);
}
END_TEST

START_TEST(overlapped_refuses_too_many_tiles)
{
    static const char *const settings[] = {NULL, "generations=12"};
    static const char *const said[] = {"for 8388608x8388608 with 1 generation a pass",
                                       "for 8388608x8388608 with 12 generations a pass"};
    struct ca_experiment experiment =
        kernel_experiment("water", "cuda-overlapped", "8388608x8388608", "hills", 1, settings[_i]);
    struct ca_plan plan;

    ck_assert_int_eq(plan_of(&experiment, &plan, &error), CA_USAGE);
    ck_assert_contains(error.text, said[_i], "a launch has at most 1073741823");
}
END_TEST

/* --- starts ----------------------------------------------------------------------------------- */

/* Widths at and beside the ends of groups, segments and meshes; few rows. */
static const char *const start_sizes[] = {"1x1",   "31x3",  "63x2",  "64x5",  "65x4",  "127x7",
                                          "128x6", "129x9", "130x4", "200x8", "300x20"};

/* Each size with one of the settings, in turn. */
START_TEST(starts)
{
    static const struct {
        const char *init, *settings;
    } cases[] = {{"dam", NULL},
                 {"hills", NULL},
                 {"hills", "relief=-300 rain=0 spring=-2"},
                 {"hills", "relief=0.1 source_mode=fill rain=3"}};

    kernel_check_starts("water", start_sizes[_i], cases[_i % 4].init, cases[_i % 4].settings);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .table = {{quotient_is_ieee_division, 6, .first = 1},
                                                 {partitions, COUNT(table)},
                                                 {sources, 2 * PATHS},
                                                 {no_overflow_of_its_own, PATHS},
                                                 {slabs, 12},
                                                 {plans_say_what_runs, COUNT(plans)},
                                                 {sweeps_take_every_size, 8},
                                                 {overlapped_refuses_too_many_tiles, 2},
                                                 {starts, COUNT(start_sizes)}});
}
