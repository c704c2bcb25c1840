/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends of fhp. Tiles in shared memory: all shapes, whole ones and parts. The
 * bit-sliced ones: widths at which blocks and row segments end (whole and narrow segments, periodic
 * ones, partial words), any number of generations in a pass, segments of all lengths, solid nodes
 * anywhere, and all sorts of probabilities; lattices that one block or a cluster holds, of any
 * width and as large as it can; and what the backends plan and refuse.
 */
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define TILES "cuda-tiles"
#define BITSLICE "cuda-bitslice"
#define TEMPORAL "cuda-temporal"
#define PERSISTENT "cuda-persistent"

static const struct kernel_case table[] = {
    {TILES, "90x42", "collisions=fhp3 geometry=none density=0.5"}, /* whole tiles of 30 x 14 */
    {TILES, "91x44", "collisions=fhp3 geometry=none density=0.5"}, /* and a row and column more */
    {TILES, "1x2", "p_force=0.5"},
    {TILES, "29x30", "block=16x16 geometry=cylinder"},
    {TILES, "61x14", "block=32x8 collisions=fhp1 p_force=1"},
    {TILES, "31x32", "block=32x32 geometry=none density=0.5"},
    {TILES, "125x8", "block=64x8 p_force=0.0078125"},
    {TILES, "62x28", "block=64x16 collisions=fhp3 geometry=none density=0.9"},
    {TEMPORAL, "128x2", "generations=8 collisions=fhp3 geometry=none"}, /* a lane is periodic */
    {TEMPORAL, "128x6", "generations=5 rows=2"},
    {TEMPORAL, "384x40", "generations=3 p_force=0.0078125"}, /* segments of 3, two lanes left */
    {TEMPORAL, "4096x12", "generations=4 collisions=fhp1 geometry=cylinder"}, /* a whole warp */
    {TEMPORAL, "3840x10", "generations=7 rows=4 collisions=fhp3"},            /* 30 lanes */
    {TEMPORAL, "4224x20", "generations=6 p_force=0.3 collisions=fhp3 geometry=cylinder"},
    {TEMPORAL, "7680x14", "generations=2 rows=6 p_force=1"}, /* two whole segments, no other */
    {TEMPORAL, "7680x14", "generations=3 rows=2"},
    {TEMPORAL, "7808x30", "generations=8 p_force=0.00002 geometry=none"},
    {TEMPORAL, "512x256", "generations=0 geometry=cylinder"},
    /* dense enough to meet all states of a node at both chiralities */
    {TEMPORAL, "1024x32", "generations=4 collisions=fhp1 geometry=none density=0.5"},
    {TEMPORAL, "1024x32", "generations=4 collisions=fhp2 geometry=none density=0.5"},
    {TEMPORAL, "1024x32", "generations=4 collisions=fhp3 geometry=none density=0.5"},
    /* as many generations as are unrolled, with walls in some rows, and odd and even draws */
    {TEMPORAL, "1024x64", "generations=5 rows=32 collisions=fhp1 geometry=none density=0.5"},
    {TEMPORAL, "1024x64", "generations=5 rows=32 geometry=cylinder density=0.5"},
    {TEMPORAL, "640x64", "generations=5 rows=64 collisions=fhp3 density=0.5"},
    {TEMPORAL, "640x48", "generations=4 rows=16 collisions=fhp1 p_force=0.3"},
    {TEMPORAL, "640x48", "generations=4 rows=24 p_force=0.0078125"},
    {TEMPORAL, "640x48", "generations=3 rows=24 collisions=fhp3 p_force=0.0078125"},
    {TEMPORAL, "512x256", NULL},
    {PERSISTENT, "512x256", NULL}, /* a cluster */
    {PERSISTENT, "64x64", NULL},   /* a block */
    {PERSISTENT, "128x128", "geometry=cylinder"},
    {PERSISTENT, "1x2", "blocks=1 p_force=0.5"},
    {PERSISTENT, "2x2", "blocks=1 geometry=none density=0.5"},
    {PERSISTENT, "31x6", "blocks=1 collisions=fhp1 geometry=none"},
    {PERSISTENT, "32x10", "blocks=1 collisions=fhp3"},
    {PERSISTENT, "33x34", "blocks=1 collisions=fhp3 p_force=0.5 geometry=cylinder"},
    {PERSISTENT, "127x64", "blocks=1 launch_generations=3 p_force=1"},
    {PERSISTENT, "129x2", "blocks=1 p_force=0.99999"},
    {PERSISTENT, "130x20", "blocks=1 p_force=0.5"},
    {PERSISTENT, "1100x40", "blocks=1 collisions=fhp1 p_force=0.3"},   /* two rows a thread */
    {PERSISTENT, "8224x12", "blocks=1 collisions=fhp3 geometry=none"}, /* six */
    {PERSISTENT, "16384x2", "blocks=1 collisions=fhp1 geometry=none"}, /* a word for each thread */
    {PERSISTENT, "512x200", "blocks=1"},                               /* all shared memory */
    {PERSISTENT, "512x164", "blocks=1 p_force=0.0078125"},             /* with forcing */
    {PERSISTENT, "160x32", "blocks=1 collisions=fhp1 geometry=none density=0.5"},
    {PERSISTENT, "160x32", "blocks=1 collisions=fhp2 geometry=none density=0.5"},
    {PERSISTENT, "160x32", "blocks=1 collisions=fhp3 geometry=none density=0.5"},
    {PERSISTENT, "64x32", "blocks=16 collisions=fhp3 geometry=none density=0.5"},
    {PERSISTENT, "1x4", "blocks=16 p_force=0.5"}, /* two blocks, each the other's both neighbours */
    {PERSISTENT, "33x34", "blocks=16 collisions=fhp3 p_force=0.5 geometry=cylinder"},
    {PERSISTENT, "127x66", "blocks=16 launch_generations=3 p_force=1"},
    {PERSISTENT, "1100x40", "blocks=16 collisions=fhp1 p_force=0.3"}, /* one and two pairs each */
    {PERSISTENT, "500x10", "blocks=16 geometry=none density=0.5"},    /* five blocks */
    {PERSISTENT, "500x10", "blocks=3 geometry=none density=0.5"},
    {PERSISTENT, "16384x6", "blocks=16 collisions=fhp1 geometry=none"},
    {PERSISTENT, "2048x96", "blocks=16 p_force=0.2"}, /* several rows a thread */
    {BITSLICE, "130x20", "p_force=0.5"},
    {BITSLICE, "7680x14", NULL},
    {BITSLICE, "160x33", "geometry=none"}, /* an odd number of rows, as a slab may have */
    {BITSLICE, "128x2", "collisions=fhp3 geometry=none"},
    {BITSLICE, "1x30", "p_force=0.5"},
    {BITSLICE, "127x6", "collisions=fhp1"},
    {BITSLICE, "129x8", "collisions=fhp3 p_force=0.0078125 geometry=cylinder"},
    {BITSLICE, "640x14", "p_force=0.99999"},   /* 5 groups in blocks of 8 */
    {BITSLICE, "4095x6", "collisions=fhp3"},   /* a warp a row, its last node missing */
    {BITSLICE, "4128x6", "p_force=1"},         /* blocks of 8, the last with one partial group */
    {BITSLICE, "5999x10", NULL},               /* three blocks of 16 groups */
    {BITSLICE, "8192x4", "geometry=cylinder"}, /* two warps a row */
    {BITSLICE, "33x2100", "collisions=fhp1"},  /* many rows */
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(widths)
{
    static const uint64_t calls[] = {1, 8, 17, 3, 0};

    kernel_check_case("fhp", &table[_i], NULL, calls);
}
END_TEST

START_TEST(slabs)
{
    static const struct kernel_case cut[] = {
        {TILES, "61x64", "collisions=fhp3 p_force=0.2"},
        {BITSLICE, "4224x64", "collisions=fhp3 p_force=0.2"},
        {BITSLICE, "300x64", "collisions=fhp3 p_force=0.2"},
        {TEMPORAL, "4224x64", "collisions=fhp3 p_force=0.2 generations=3"},
        {TEMPORAL, "1024x64", "collisions=fhp3 p_force=0.2 generations=3"},
        {PERSISTENT, "1024x64", "collisions=fhp3 p_force=0.2 blocks=1 launch_generations=3"},
        {PERSISTENT, "300x64", "collisions=fhp3 p_force=0.2 blocks=1"},
        {PERSISTENT, "300x64", "collisions=fhp3 p_force=0.2 blocks=16"},
    };
    const struct kernel_case *test = &cut[_i];
    struct ca_experiment experiment =
        kernel_experiment("fhp", test->backend, test->size, NULL, test_seed(), test->settings);

    kernel_check_slabs(&experiment, 6, true, 2);
}
END_TEST

/* A block and a cluster: one generation, both buffers of the planes, four draws, and more. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const rows[][2] = {{"200x40", "blocks=16 p_force=0.2"},
                                          {"64x34", "blocks=16 geometry=none density=0.5"},
                                          {"200x20", "blocks=1 p_force=0.2"}};
    static const uint64_t calls[] = {1, 2, 3, 4, 5, 11, 0};

    kernel_check_where("CALAB_EMULATED_ORDER", orders[_i], "fhp", PERSISTENT, rows,
                       sizeof rows / sizeof *rows, calls);
}
END_TEST

/* Clusters have at most so many blocks; 1 stands for a device before compute capability 9.0. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"1", "2", "7", "8"};
    static const char *const rows[][2] = {
        {"512x72", NULL}, {"512x72", "blocks=16"}, {"512x72", "blocks=16 p_force=0.2"}};
    static const uint64_t calls[] = {5, 2, 0};

    kernel_check_where("CALAB_EMULATED_CLUSTER", most[_i], "fhp", PERSISTENT, rows,
                       _i == 0 ? 1 : sizeof rows / sizeof *rows, calls);
}
END_TEST

/* 64 KiB of shared memory a block: the largest lattice of a block, and one of a cluster. */
START_TEST(little_shared_memory)
{
    static const struct kernel_case cases[] = {
        {PERSISTENT, "128x226", "blocks=1"},
        {PERSISTENT, "128x800", "blocks=16"},
    };
    static const uint64_t calls[] = {3, 1, 0};

    setenv("CALAB_EMULATED_SHARED", "65536", 1);
    kernel_check_case("fhp", &cases[_i], NULL, calls);
}
END_TEST

/* --- plans -------------------------------------------------------------------------------------
 */

static enum ca_status plan_of(const struct kernel_case *test, struct ca_plan *plan,
                              struct ca_error *error)
{
    struct ca_experiment experiment =
        kernel_experiment("fhp", test->backend, test->size, NULL, test_seed(), test->settings);
    struct ca_setup setup = ca_setup_of(&experiment);

    return experiment.backend->stepper->plan(&setup, plan, error);
}

/* Each backend's small sizes reach its kernel with default parameters. */
START_TEST(small_sizes)
{
    const struct ca_backend *backend;
    struct ca_error error = {0};
    int clusters = 0, blocks = 0;

    for (backend = fhp_model.backends; backend->name; backend++)
        for (const struct ca_size *size = backend->small_sizes; size && size->w; size++) {
            char text[64];
            struct kernel_case test = {backend->name, text, NULL};
            struct ca_plan plan;

            ca_size_format(text, *size, 2);
            ck_assert_msg(plan_of(&test, &plan, &error) == CA_OK, "%s %s: %s", backend->name, text,
                          error.text);
            clusters += plan.cluster > 1;
            blocks += strcmp(backend->name, PERSISTENT) == 0 && plan.cluster == 0;
        }
    ck_assert_int_gt(clusters, 0);
    ck_assert_int_gt(blocks, 0);
}
END_TEST

/* What the plans say. */
START_TEST(plans)
{
    static const struct {
        struct kernel_case test;
        const char *variant;
        int generations;
        unsigned grid, block, cluster;
        int64_t shared_bytes;
        bool predicted;
    } rows[] = {
        {{"cuda-naive", "512x256", "block=64x4"}, "a node a thread", 1, 8, 64, 0, 0, false},
        {{TILES, "512x256", "block=32x8"},
         "rectangles of 32x8 nodes",
         1,
         18,
         32,
         0,
         256 + (32 + 2) * (8 + 2),
         false},
        {{BITSLICE, "512x256", NULL}, "128 nodes a thread", 1, 1, 4, 0, 0, true},
        {{TEMPORAL, "4224x64", "generations=3 rows=16"},
         "sweep of 16 rows a warp",
         3,
         2,
         128,
         0,
         4 * 32 * 21 * 16,
         true},
        {{PERSISTENT, "64x64", NULL}, "one block", 65536, 1, 256, 0, 11392, true},
        {{PERSISTENT, "512x256", "launch_generations=9"},
         "cluster of 16 blocks",
         9,
         16,
         256,
         16,
         20384,
         true},
    };
    struct ca_error error = {0};
    struct ca_plan plan;

    ck_assert_ok(plan_of(&rows[_i].test, &plan, &error));
    ck_assert_str_eq(plan.variant, rows[_i].variant);
    ck_assert_int_eq(plan.generations, rows[_i].generations);
    ck_assert_uint_eq(plan.grid[0], rows[_i].grid);
    ck_assert_uint_eq(plan.block[0], rows[_i].block);
    ck_assert_uint_eq(plan.cluster, rows[_i].cluster);
    ck_assert_int_eq(plan.shared_bytes, rows[_i].shared_bytes);
    ck_assert_int_eq(plan.step_s > 0 && plan.step_s < 1e-3, rows[_i].predicted);
}
END_TEST

/* Setups that a kernel does not hold, and the words that say so; each in a process of its own,
 * which asks for the facts of its device once. */
static const struct {
    struct kernel_case test;
    const char *shared, *cluster; /* bytes a block, blocks; NULL: the most */
    const char *text;
} refused[] = {
    {{TEMPORAL, "130x20", "p_force=0.5"},
     NULL,
     NULL,
     "cuda-temporal takes rows that are a multiple of 128 nodes: 130 is not"},
    {{TEMPORAL, "512x20", "generations=1"},
     NULL,
     NULL,
     "generations is 1: cuda-temporal takes 2 to 8 in a pass"},
    {{TEMPORAL, "512x20", "rows=3"}, NULL, NULL, "rows is 3: cuda-temporal takes a multiple of 2"},
    {{TEMPORAL, "512x20", NULL},
     "16384",
     NULL,
     "cuda-temporal needs 28672 bytes of shared memory a block, GPU 0 has 16384"},
    {{PERSISTENT, "512x202", "blocks=1"},
     NULL,
     NULL,
     "cuda-persistent needs 228 KB on chip for 512x202 nodes, a block has 227 KB"},
    {{PERSISTENT, "512x166", "blocks=1 p_force=0.0078125"},
     NULL,
     NULL,
     "cuda-persistent needs 229 KB on chip for 512x166 nodes, a block has 227 KB"},
    {{PERSISTENT, "128x228", "blocks=1"},
     "65536",
     NULL,
     "cuda-persistent needs 65 KB on chip for 128x228 nodes, a block has 64 KB"},
    {{PERSISTENT, "4096x4096", NULL},
     NULL,
     NULL,
     "cuda-persistent needs 37091 KB on chip for 4096x4096 nodes, a cluster of 16 blocks has "
     "3632 KB"},
    {{PERSISTENT, "4096x1024", NULL}, NULL, "7", "a cluster of 7 blocks has 1589 KB"},
    {{PERSISTENT, "4096x1024", NULL}, NULL, "1", "a block has 227 KB"},
    {{PERSISTENT, "16385x2", "blocks=1 geometry=none"},
     NULL,
     NULL,
     "cuda-persistent takes rows of at most 16384 nodes: 16385 are more"},
    {{PERSISTENT, "16385x6", "geometry=none"},
     NULL,
     NULL,
     "cuda-persistent takes rows of at most 16384 nodes: 16385 are more"},
    {{PERSISTENT, "160x33", "geometry=none"},
     NULL,
     NULL,
     "cuda-persistent takes an even number of rows: 33 is not"},
    {{PERSISTENT, "160x2", "blocks=16"},
     NULL,
     NULL,
     "cuda-persistent runs no cluster of up to 16 blocks for 160x2 nodes on GPU 0"},
    {{PERSISTENT, "512x72", "blocks=16"},
     NULL,
     "1",
     "cuda-persistent runs no cluster of up to 16 blocks for 512x72 nodes on GPU 0"},
};

START_TEST(refusals)
{
    struct ca_error error = {0};
    struct ca_plan plan;

    if (refused[_i].shared)
        setenv("CALAB_EMULATED_SHARED", refused[_i].shared, 1);
    if (refused[_i].cluster)
        setenv("CALAB_EMULATED_CLUSTER", refused[_i].cluster, 1);
    ck_assert_int_eq(plan_of(&refused[_i].test, &plan, &error), CA_USAGE);
    ck_assert_contains(error.text, refused[_i].text);
}
END_TEST

/* Widths at and beside the ends of words and groups, few rows, and solid nodes of all geometries.
 */
static const char *const start_sizes[] = {"1x2",   "31x4",  "63x2",  "64x6",   "65x4",   "127x8",
                                          "128x6", "129x4", "130x2", "200x40", "300x150"};

/* Each size with one of the settings, in turn. */
START_TEST(starts)
{
    static const char *const settings[] = {
        "geometry=channel density=0", "geometry=none density=0.3",
        "geometry=cylinder density=0.3 collisions=fhp1", "geometry=cylinder density=1"};

    kernel_check_starts("fhp", start_sizes[_i], NULL, settings[_i % 4]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .test = {small_sizes},
                     .table = {{widths, COUNT(table)},
                               {slabs, 8},
                               {in_every_order, 4},
                               {small_clusters, 4},
                               {little_shared_memory, 2},
                               {plans, 6},
                               {refusals, COUNT(refused)},
                               {starts, COUNT(start_sizes)}});
}
