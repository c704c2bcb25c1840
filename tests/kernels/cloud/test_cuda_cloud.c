/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends of cloud. The bit-sliced ones: rows of one group up to several cut ones, tiles
 * of any height, chunks of planes, tiles that stay in registers and overlap, clusters of blocks,
 * and events. Those with tiles in shared memory: sides around those of a layer, depths around what
 * a flat lattice leaves out. And what plans say: their shapes, the sizes that checks rely on, and
 * why a setup is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define TEMPORAL "cuda-temporal"
#define OVERLAPPED "cuda-overlapped"
#define PERSISTENT "cuda-persistent"
#define EVENTS "p_ext=0.2 p_hum=0.01 p_act=0.003"
#define SIZE(array) (sizeof(array) / sizeof(array)[0])

static const struct kernel_case table[] = {
    {TEMPORAL, "128x20x9", "generations=2"}, /* 32 rows in a warp */
    {TEMPORAL, "100x300x7", "generations=4 warps=1"},
    {TEMPORAL, "384x90x12", "generations=3 warps=1 planes=5"}, /* 10, two lanes over */
    {TEMPORAL, "4096x9x7", "generations=4 warps=2"},           /* a row a warp */
    {TEMPORAL, "4096x24x4", "generations=2 warps=10 planes=1"},
    {TEMPORAL, "4224x20x6", "generations=2 lanes=8 warps=4"}, /* rows are cut */
    {TEMPORAL, "5000x11x5", "generations=3 lanes=5 warps=2"},
    {TEMPORAL, "4100x20x6", "generations=4 lanes=3 planes=4"},
    {TEMPORAL, "8200x8x4", "generations=3"},
    {TEMPORAL, "1x1x200", NULL}, /* many chunks */
    {TEMPORAL, "4100x64x1", NULL},
    {TEMPORAL, "256x60x20", NULL},
    {OVERLAPPED, "256x60x20", NULL},
    {OVERLAPPED, "200x50x8", "generations=5 warps=4"},
    {OVERLAPPED, "1000x90x6", "generations=10"}, /* two of 42 rows are left */
    {OVERLAPPED, "1000x140x2", "generations=16"},
    {OVERLAPPED, "256x60x20", "generations=1"},
    {OVERLAPPED, "4096x30x2", "warps=8"},
    {OVERLAPPED, "3x5x64", NULL}, /* one block's */
    {OVERLAPPED, "129x3x3", "generations=2"},
    {PERSISTENT, "100x40x9", "warps=1"},  /* one lane, several blocks, odd depth */
    {PERSISTENT, "256x64x20", "warps=5"}, /* two lanes; four blocks of five warps */
    {PERSISTENT, "256x64x20", NULL},
    {PERSISTENT, "500x37x5", "warps=2"},  /* four lanes, odd height */
    {PERSISTENT, "300x41x4", "warps=1"},  /* the last band is shorter */
    {PERSISTENT, "1100x33x3", "warps=2"}, /* 16 lanes, five of them empty */
    {PERSISTENT, "4096x12x2", "warps=1"}, /* a pair of rows a block */
    {PERSISTENT, "60x140x14", "warps=2"}, /* 14 blocks */
    {PERSISTENT, "129x3x3", NULL},        /* one block's */
    {PERSISTENT, "1x1x1", NULL},
    {PERSISTENT, "130x200x40", NULL}, /* 13 pairs of 40 threads a block */
    {PERSISTENT, "1030x70x20", NULL}, /* three pairs of 160 threads a block */
    {BITSLICE, "128x7x9", NULL},
    {BITSLICE, "4100x12x7", NULL},
    {BITSLICE, "5x300x2", NULL},
    {BITSLICE, "4100x12x3", EVENTS},
    {BITSLICE, "300x20x9", EVENTS},
    {BITSLICE, "4100x64x1", NULL},
    {BITSLICE, "2000x3x70", NULL},
    {BITSLICE, "5x4000x1", NULL},
    {BITSLICE, "127x9x70", "p_act=0.002"},
    /* layers: one block and the corner of the next, edges within the far columns and rows */
    {"cuda-shared-32x1x32", "32x32x5", "act0=0.05"},
    {"cuda-shared-32x1x32", "33x34x1", "act0=0.05"},
    {"cuda-shared-32x1x32", "31x30x2", "act0=0.05"},
    {"cuda-shared-32x1x32", "67x66x3", EVENTS},
    {"cuda-shared-32x1x32", "1x65x4", "act0=0.05"},
    /* tiles of which a part is above the lattice: the last that is left out, and the first not */
    {"cuda-shared-8x8x8", "35x9x7", "act0=0.05"},
    {"cuda-shared-8x8x8", "35x9x8", "act0=0.05"},
    {"cuda-shared-8x8x8", "35x9x15", "act0=0.05"},
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(sizes)
{
    static const uint64_t calls[] = {1, 4, 9, 3, 0};

    kernel_check_case("cloud", &table[_i], NULL, calls);
}
END_TEST

/* One generation, the two buffers of a cluster's shared memory, and on. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const clusters[][2] = {{"256x24x6", "warps=1"},
                                              {"100x90x9", "warps=1"},
                                              {"257x13x3", "warps=1"},
                                              {"256x40x20", "warps=2"}};
    static const char *const tiles[][2] = {{"256x24x6", "warps=1"}};
    static const uint64_t calls[] = {1, 2, 17, 0};

    kernel_check_where("CALAB_EMULATED_ORDER", orders[_i], "cloud", PERSISTENT, clusters,
                       SIZE(clusters), calls);
    kernel_check_where("CALAB_EMULATED_ORDER", orders[_i], "cloud", OVERLAPPED, tiles, SIZE(tiles),
                       calls);
}
END_TEST

/* Where clusters have no more than so many blocks. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"7", "8"};
    static const char *const rows[][2] = {{"256x60x20", NULL}, {"256x60x20", "warps=4"}};
    static const uint64_t calls[] = {5, 0};

    kernel_check_where("CALAB_EMULATED_CLUSTER", most[_i], "cloud", PERSISTENT, rows, SIZE(rows),
                       calls);
}
END_TEST

START_TEST(slabs)
{
    static const struct {
        const char *backend, *size, *settings;
    } cut[] = {
        {TEMPORAL, "300x40x40", "generations=3"},
        {TEMPORAL, "4200x9x30", NULL},
        {OVERLAPPED, "300x40x40", NULL},
        {PERSISTENT, "300x40x40", NULL},
        {BITSLICE, "300x40x40", NULL},
        {BITSLICE, "300x9x40", EVENTS},
    };
    struct ca_experiment experiment = kernel_experiment("cloud", cut[_i].backend, cut[_i].size,
                                                        NULL, test_seed(), cut[_i].settings);

    kernel_check_slabs(&experiment, 6, false, 2);
}
END_TEST

static enum ca_status plan_of(const char *backend, const char *size, const char *settings,
                              struct ca_plan *plan, struct ca_error *error)
{
    struct ca_experiment experiment =
        kernel_experiment("cloud", backend, size, NULL, test_seed(), settings);
    struct ca_setup setup = ca_setup_of(&experiment);

    return experiment.backend->stepper->plan(&setup, plan, error);
}

/* 64 KiB of shared memory for a block, where tiles of 15 warps fit. */
START_TEST(little_shared_memory)
{
    static const uint64_t calls[] = {5, 0};
    struct ca_experiment experiment;

    setenv("CALAB_EMULATED_SHARED", "65536", 1);
    experiment = kernel_experiment("cloud", OVERLAPPED, "256x60x20", NULL, test_seed(), NULL);
    kernel_check_same(&experiment, calls);
}
END_TEST

/* What does not fit, with the variable of the emulator that makes it so; each in a process of its
 * own, which asks for the facts of its device once. */
static const struct {
    const char *name, *value, *backend, *size, *settings, *text;
} refusals[] = {
    {NULL, NULL, TEMPORAL, "300x20x9", EVENTS, "p_ext, p_hum and p_act must be 0"},
    {NULL, NULL, OVERLAPPED, "300x20x9", "p_act=0.5", "p_ext, p_hum and p_act must be 0"},
    {NULL, NULL, PERSISTENT, "300x20x9", EVENTS, "p_ext, p_hum and p_act must be 0"},
    {NULL, NULL, TEMPORAL, "128x20x9", "generations=1", "allowed are 0 (chosen) and 2 to 4"},
    {NULL, NULL, TEMPORAL, "128x20x9", "lanes=2", "allowed are 0 (chosen) and 3 to 32"},
    {NULL, NULL, TEMPORAL, "8200x300x4", "generations=4 lanes=32",
     "with lanes=32 a tile is all halo in 4 generations"},
    {NULL, NULL, OVERLAPPED, "4097x8x4", NULL, "at most 4096 cells, not 4097"},
    {NULL, NULL, OVERLAPPED, "2000x3x70", NULL, "needs 560 threads for two rows of all 70"},
    {NULL, NULL, OVERLAPPED, "1x64x300", "generations=2",
     "at most 6 of 64 rows of all planes, which leaves none after 2 generations"},
    {NULL, NULL, PERSISTENT, "4097x8x4", NULL, "at most 4096 cells, not 4097"},
    {NULL, NULL, PERSISTENT, "2000x3x70", NULL, "needs 560 threads for two rows of all 70"},
    {NULL, NULL, PERSISTENT, "256x1280x20", NULL, "needs 800 threads in each of 16 blocks"},
    {NULL, NULL, PERSISTENT, "5x4000x1", NULL, "needs 146304 bytes of shared memory"},
    {"CALAB_EMULATED_SHARED", "65536", TEMPORAL, "256x60x20", NULL,
     "needs 65664 bytes of shared memory a block for 2 generations a pass, GPU 0 has 65536"},
    {"CALAB_EMULATED_SHARED", "65536", TEMPORAL, "256x60x20", "generations=3", "needs 65664 bytes"},
    {NULL, NULL, OVERLAPPED, "1000x90x6", "generations=16",
     "at most 42 of 90 rows of all planes, which leaves none after 16 generations"},
    {"CALAB_EMULATED_SHARED", "65536", PERSISTENT, "256x60x20", NULL, "runs no cluster of blocks"},
    {"CALAB_EMULATED_CLUSTER", "1", PERSISTENT, "256x60x20", NULL, "runs no cluster of blocks"},
};

START_TEST(refused)
{
    struct ca_error error = {0};
    struct ca_plan plan;

    if (refusals[_i].name)
        setenv(refusals[_i].name, refusals[_i].value, 1);
    ck_assert_msg(plan_of(refusals[_i].backend, refusals[_i].size, refusals[_i].settings, &plan,
                          &error) == CA_USAGE,
                  "%s %s is not refused", refusals[_i].backend, refusals[_i].size);
    ck_assert_contains(error.text, refusals[_i].text, refusals[_i].backend);
}
END_TEST

/* A plan says what is launched, and small_sizes are planned by default parameters. */
START_TEST(plans)
{
    for (const struct ca_backend *b = cloud_model.backends; b->name; b++) {
        static const struct ca_size any[] = {{20, 20, 20}, {0}};
        const struct ca_size *size = b->small_sizes ? b->small_sizes : any;

        for (; b->device == CA_CUDA && size->w; size++) {
            struct ca_error error = {0};
            struct ca_plan plan;
            char text[64];

            ca_size_format(text, *size, 3);
            ck_assert_msg(plan_of(b->name, text, NULL, &plan, &error) == CA_OK, "%s %s: %s",
                          b->name, text, error.text);
            ck_assert_msg(plan.variant[0] && plan.generations >= 1 && plan.memory_bytes > 0,
                          "%s %s", b->name, text);
            for (int i = 0; i < 3; i++)
                ck_assert_msg(plan.grid[i] && plan.block[i], "%s %s", b->name, text);
            ck_assert_msg(!b->small_sizes || (plan.generations > 1 && plan.step_s > 0), "%s %s",
                          b->name, text);
        }
    }
}
END_TEST

/* Draws are the more, the more bits a probability has. */
START_TEST(events_are_predicted)
{
    static const char *const settings[] = {NULL, "p_ext=0.5", "p_ext=0.01",
                                           "p_ext=0.01 p_hum=0.01 p_act=0.25"};
    double before_s = 0;

    for (size_t i = 0; i < SIZE(settings); i++) {
        struct ca_error error;
        struct ca_plan plan;

        ck_assert_ok(plan_of("cuda-bitslice", "64x64x20", settings[i], &plan, &error));
        ck_assert_msg(plan.step_s > before_s, "%s: %g s, before it %g", settings[i], plan.step_s,
                      before_s);
        before_s = plan.step_s;
    }
}
END_TEST

/* The shapes that small_sizes are there for. */
START_TEST(planned_shapes)
{
    struct ca_error error;
    struct ca_plan plan;

    ck_assert_ok(plan_of(OVERLAPPED, "20x20x20", NULL, &plan, &error));
    ck_assert_uint_eq(plan.grid[0], 1);
    ck_assert_ok(plan_of(OVERLAPPED, "3x64x40", NULL, &plan, &error));
    ck_assert_uint_gt(plan.grid[0], 1);
    ck_assert_int_le(plan.generations, 16);
    ck_assert_ok(plan_of(OVERLAPPED, "130x60x40", NULL, &plan, &error));
    ck_assert_uint_gt(plan.grid[0], 1);
    ck_assert_ok(plan_of(PERSISTENT, "5x2x3", NULL, &plan, &error));
    ck_assert_uint_eq(plan.cluster, 1);
    ck_assert_ok(plan_of(PERSISTENT, "300x33x7", NULL, &plan, &error));
    ck_assert_uint_gt(plan.cluster, 1);
    ck_assert_int_eq(plan.shared_bytes > 65536, 1);
    ck_assert_ok(plan_of(TEMPORAL, "128x20x9", "generations=3", &plan, &error));
    ck_assert_int_eq(plan.generations, 3);
    ck_assert_int_eq(plan.shared_bytes, 73920);
}
END_TEST

/* Widths at and beside the ends of words and groups, few rows and planes, with events and without.
 */
static const char *const start_sizes[] = {"1x1x1",   "31x3x2",  "63x2x3",  "64x5x4",
                                          "65x4x5",  "127x2x6", "128x6x1", "129x4x4",
                                          "130x3x4", "200x1x6", "300x5x2"};

static const char *const start_settings[] = {
    "hum0=0.3 act0=0.2", "hum0=1 act0=0.001 p_hum=0.1 p_act=0.01 p_ext=0.1", "hum0=0 act0=1"};

/* Each size with one of the settings, in turn. */
START_TEST(starts) { kernel_check_starts("cloud", start_sizes[_i], NULL, start_settings[_i % 3]); }
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300,
                     .test = {little_shared_memory, plans, events_are_predicted, planned_shapes},
                     .table = {{sizes, COUNT(table)},
                               {slabs, 6},
                               {in_every_order, 4},
                               {small_clusters, 2},
                               {refused, COUNT(refusals)},
                               {starts, COUNT(start_sizes)}});
}
