/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of anneal at the widths by which rows are cut to segments: whole and
 * narrow segments, rows that are periodic within a warp and rows with a halo, with chunks and tiles
 * of every length; what they plan, and what they refuse.
 */
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define TEMPORAL "cuda-temporal"
#define OVERLAPPED "cuda-overlapped"
#define ALONE (227 * 1024 / 2) /* bytes, beside which a multiprocessor has no room for others */

static const struct kernel_case table[] = {
    {OVERLAPPED, "128x5", NULL},                  /* a row is one lane */
    {TEMPORAL, "384x40", "generations=3"},        /* rows of 3 lanes, two lanes left over */
    {OVERLAPPED, "4096x13", "rows=1"},            /* a row is a warp */
    {TEMPORAL, "4096x21", "generations=6"},       /* some warps have nothing to do */
    {TEMPORAL, "4224x30", "generations=8"},       /* a whole segment and 3 groups */
    {TEMPORAL, "3840x9", "rows=2 generations=5"}, /* rows of 30 lanes */
    {OVERLAPPED, "7680x20", "rows=4"},            /* two whole segments and no other */
    {OVERLAPPED, "7681x20", "rows=2"},            /* and a cell behind them */
    {TEMPORAL, "7680x20", "generations=7 rows=7"},
    {TEMPORAL, "8000x11", "generations=4 rows=3"},
    {TEMPORAL, "3839x12", "generations=2"}, /* a whole segment with a halo */
    {OVERLAPPED, "3841x6", "rows=6"},
    {OVERLAPPED, "255x40", "rows=8 generations=20"},
    {OVERLAPPED, "5x300", "rows=12"},
    {OVERLAPPED, "1x1", "generations=64"},
    {OVERLAPPED, "300x9", "generations=128"}, /* as many as a halo lane has cells */
    {OVERLAPPED, "4097x7", "generations=47"}, /* as many as a tile of 96 rows takes */
    {TEMPORAL, "4097x7", "generations=8"},
    {OVERLAPPED, "700x60", NULL},
    {TEMPORAL, "700x60", NULL},
    {OVERLAPPED, "4096x20", "generations=1"},
    {TEMPORAL, "4096x20", "generations=2"}, /* odd calls end in cuda-bitslice's kernel */
    {TEMPORAL, "255x3", "generations=2"},
    {BITSLICE, "128x5", NULL}, /* all lanes at ends of rows */
    {BITSLICE, "128x1", "rows=8"},
    {BITSLICE, "384x7", "rows=4"}, /* ends of rows within a warp */
    {BITSLICE, "4096x21", "rows=2"},
    {BITSLICE, "4224x30", "rows=8"},
    {BITSLICE, "7680x20", "rows=7"},
    {BITSLICE, "3839x12", NULL}, /* with a halo */
    {BITSLICE, "8000x11", "rows=1"},
    {BITSLICE, "255x40", "rows=8"},
    {BITSLICE, "5x3", "rows=8"},
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(widths)
{
    static const uint64_t calls[] = {1, 8, 17, 3, 0};

    kernel_check_case("anneal", &table[_i], NULL, calls);
}
END_TEST

START_TEST(slabs)
{
    static const char *const sizes[] = {"4096x64", "4099x64", "300x64"};
    static const char *const backends[] = {BITSLICE, TEMPORAL, OVERLAPPED};
    struct ca_experiment experiment = kernel_experiment("anneal", backends[_i % 3], sizes[_i / 3],
                                                        NULL, test_seed(), "generations=3");

    kernel_check_slabs(&experiment, 6, true, 2);
}
END_TEST

static enum ca_status plan_of(const char *backend, const char *size, const char *settings,
                              struct ca_plan *plan, struct ca_error *error)
{
    struct ca_experiment experiment =
        kernel_experiment("anneal", backend, size, NULL, test_seed(), settings);
    struct ca_setup setup = ca_setup_of(&experiment);

    return experiment.backend->stepper->plan(&setup, plan, error);
}

/* A plan names the kernel and its launch; `generations`, `block`, `shared` and whether it predicts
 * a time depend on the backend alone. */
static const struct {
    const char *backend, *settings, *variant;
    int generations_min, generations_max;
    unsigned block[2];
    int64_t shared_bytes;
    bool predicts;
} plans[] = {
    {"cuda-naive", "block=32x8", "a cell a thread", 1, 1, {32, 8}, 0, false},
    {"cuda-shared", "block=16x16", "tile of 18x18 cells", 1, 1, {16, 16}, 324, false},
    {BITSLICE, "rows=4", "4 rows a lane", 1, 1, {128, 1}, 0, true},
    {TEMPORAL, NULL, "sweep of ", 2, 8, {128, 1}, 0, true},
    {TEMPORAL, "generations=5 rows=3", "sweep of ", 5, 5, {128, 1}, 0, true},
    {OVERLAPPED, NULL, "tiles of ", 1, 128, {256, 1}, ALONE, true},
    {OVERLAPPED, "generations=7 rows=4", "tiles of 4 rows a lane", 7, 7, {256, 1}, ALONE, true},
};

START_TEST(plans_small_sizes)
{
    static const char *const sizes[] = {"1x1", "3x2", "31x33", "64x64", "65x64", "128x1", "500x7"};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ca_error error = {.text = ""};
        struct ca_plan plan = {.generations = 0};
        enum ca_status status =
            plan_of(plans[_i].backend, sizes[i], plans[_i].settings, &plan, &error);

        ck_assert_msg(status == CA_OK, "%s %s: %s", plans[_i].backend, sizes[i], error.text);
        ck_assert_contains(plan.variant, plans[_i].variant);
        ck_assert_int_ge(plan.generations, plans[_i].generations_min);
        ck_assert_int_le(plan.generations, plans[_i].generations_max);
        ck_assert_uint_eq(plan.block[0], plans[_i].block[0]);
        ck_assert_uint_eq(plan.block[1], plans[_i].block[1]);
        ck_assert_uint_eq(plan.block[2], 1);
        ck_assert_uint_ge(plan.grid[0], 1);
        ck_assert_uint_ge(plan.grid[1], 1);
        ck_assert_uint_eq(plan.grid[2], 1);
        ck_assert_uint_eq(plan.cluster, 0);
        ck_assert_int_eq(plan.shared_bytes, plans[_i].shared_bytes);
        ck_assert_int_gt(plan.memory_bytes, 0);
        ck_assert(plans[_i].predicts ? plan.step_s > 0 && plan.step_s < 1e-3 : plan.step_s == 0);
    }
}
END_TEST

static const struct {
    const char *backend, *size, *settings, *part;
} refusals[] = {
    {TEMPORAL, "64x64", "generations=1",
     "cuda-temporal takes 2 to 8 generations a pass, or 0 to choose: 1 is not"},
    {OVERLAPPED, "4097x7", "generations=64",
     "cuda-overlapped takes at most 47 generations a pass in tiles of 96 rows (12 a lane)"},
    {OVERLAPPED, "4096x64", "rows=1 generations=4",
     "takes at most 3 generations a pass in tiles of 8 rows (1 a lane)"},
    {OVERLAPPED, "4194304x4194304", "rows=1 generations=3",
     "cuda-overlapped needs more than 1073741824 blocks for 4194304x4194304 cells in tiles of 8 "
     "rows"},
};

START_TEST(refuses)
{
    struct ca_error error = {.text = ""};
    struct ca_plan plan;
    struct ca_experiment experiment = kernel_experiment(
        "anneal", refusals[_i].backend, refusals[_i].size, NULL, 1, refusals[_i].settings);
    struct ca_setup setup = ca_setup_of(&experiment);
    void *self;

    ck_assert_int_eq(
        plan_of(refusals[_i].backend, refusals[_i].size, refusals[_i].settings, &plan, &error),
        CA_USAGE);
    ck_assert_contains(error.text, refusals[_i].part);
    ck_assert_int_eq(experiment.backend->stepper->create(&self, &setup, &error), CA_USAGE);
    ck_assert_ptr_null(self);
}
END_TEST

/* Widths at and beside the ends of words and groups, few rows, and all sorts of densities. */
static const char *const start_sizes[] = {"1x1",   "31x3",  "63x2",  "64x5",  "65x4", "127x7",
                                          "128x6", "129x9", "130x4", "200x8", "300x5"};

START_TEST(starts)
{
    static const char *const densities[] = {"density=0", "density=0.3", "density=1"};

    kernel_check_starts("anneal", start_sizes[_i / 3], NULL, densities[_i % 3]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .table = {{widths, COUNT(table)},
                                                 {slabs, 9},
                                                 {plans_small_sizes, COUNT(plans)},
                                                 {refuses, COUNT(refusals)},
                                                 {starts, 3 * (int)COUNT(start_sizes)}});
}
