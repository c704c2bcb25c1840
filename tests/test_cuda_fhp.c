/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of fhp: widths that blocks and strips are cut by (whole and narrow
 * strips, rings of lanes, ragged rows), any number of generations in a pass, pieces of all lengths,
 * solid nodes anywhere, and all sorts of probabilities; lattices that one block or a cluster holds,
 * of any width and as large as it can.
 */
#include <stdlib.h>

#include "core/model/registry.h"
#include "tests/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define BLOCKED "cuda-blocked"

static const struct kernel_case table[] = {
    {BLOCKED, "128x2",
     "form=sweep generations=8 collisions=fhp3 geometry=none"}, /* a lane is a ring */
    {BLOCKED, "128x6", "form=sweep generations=5 rows=2"},
    {BLOCKED, "384x40",
     "form=sweep generations=3 p_force=0.0078125"}, /* rings of 3, two lanes left over */
    {BLOCKED, "4096x12",
     "form=sweep generations=4 collisions=fhp1 geometry=cylinder"},          /* a warp is a ring */
    {BLOCKED, "3840x10", "form=sweep generations=7 rows=4 collisions=fhp3"}, /* a ring of 30 */
    {BLOCKED, "4224x20", "form=sweep generations=6 p_force=0.3 collisions=fhp3 geometry=cylinder"},
    {BLOCKED, "7680x14",
     "form=sweep generations=2 rows=6 p_force=1"}, /* two whole strips and no other */
    {BLOCKED, "7680x14", "form=sweep generations=1 rows=2"},
    {BLOCKED, "7808x30", "form=sweep generations=64 p_force=0.00002 geometry=none"},
    {BLOCKED, "512x256", "form=sweep generations=0 geometry=cylinder"},
    /* dense enough to meet all states of a node at both chiralities */
    {BLOCKED, "1024x32", "form=sweep generations=4 collisions=fhp1 geometry=none density=0.5"},
    {BLOCKED, "1024x32", "form=sweep generations=4 collisions=fhp2 geometry=none density=0.5"},
    {BLOCKED, "1024x32", "form=sweep generations=4 collisions=fhp3 geometry=none density=0.5"},
    /* as many generations as are written out, with walls in some rows, and odd and even draws */
    {BLOCKED, "1024x64",
     "form=sweep generations=5 rows=32 collisions=fhp1 geometry=none density=0.5"},
    {BLOCKED, "1024x64", "form=sweep generations=5 rows=32 geometry=cylinder density=0.5"},
    {BLOCKED, "640x64", "form=sweep generations=5 rows=64 collisions=fhp3 density=0.5"},
    {BLOCKED, "640x48", "form=sweep generations=4 rows=16 collisions=fhp1 p_force=0.3"},
    {BLOCKED, "640x48", "form=sweep generations=4 rows=24 p_force=0.0078125"},
    {BLOCKED, "640x48", "form=sweep generations=3 rows=24 collisions=fhp3 p_force=0.0078125"},
    {BLOCKED, "130x20", "form=sweep generations=4 p_force=0.5"}, /* ragged: a generation a pass */
    {BLOCKED, "512x256", NULL},
    {BLOCKED, "64x64", NULL}, /* a block holds it */
    {BLOCKED, "128x128", "geometry=cylinder"},
    {BLOCKED, "1x2", "form=block p_force=0.5"},
    {BLOCKED, "2x2", "form=block geometry=none density=0.5"},
    {BLOCKED, "31x6", "form=block collisions=fhp1 geometry=none"},
    {BLOCKED, "32x10", "form=block collisions=fhp3"},
    {BLOCKED, "33x34", "form=block collisions=fhp3 p_force=0.5 geometry=cylinder"},
    {BLOCKED, "127x64", "form=block generations=3 p_force=1"}, /* of a launch */
    {BLOCKED, "129x2", "form=block p_force=0.99999"},
    {BLOCKED, "1100x40", "form=block collisions=fhp1 p_force=0.3"},   /* two rows a thread */
    {BLOCKED, "8224x12", "form=block collisions=fhp3 geometry=none"}, /* six */
    {BLOCKED, "16384x2", "form=block collisions=fhp1 geometry=none"}, /* as many words as threads */
    {BLOCKED, "16385x2", "form=block geometry=none"},                 /* more */
    {BLOCKED, "512x200", "form=block"},                               /* all shared memory */
    {BLOCKED, "512x202", "form=block"},                               /* and not enough */
    {BLOCKED, "512x164", "form=block p_force=0.0078125"},             /* with forcing */
    {BLOCKED, "512x166", "form=block p_force=0.0078125"},
    {BLOCKED, "160x32", "form=block collisions=fhp1 geometry=none density=0.5"},
    {BLOCKED, "160x32", "form=block collisions=fhp2 geometry=none density=0.5"},
    {BLOCKED, "160x32", "form=block collisions=fhp3 geometry=none density=0.5"},
    {BLOCKED, "512x256", NULL}, /* a cluster holds it */
    {BLOCKED, "64x32", "form=cluster collisions=fhp3 geometry=none density=0.5"},
    {BLOCKED, "1x4", "form=cluster p_force=0.5"}, /* two blocks, each beside the other twice */
    {BLOCKED, "33x34", "form=cluster collisions=fhp3 p_force=0.5 geometry=cylinder"},
    {BLOCKED, "127x66", "form=cluster generations=3 p_force=1"},
    {BLOCKED, "1100x40",
     "form=cluster collisions=fhp1 p_force=0.3"},                  /* one and two pairs a block */
    {BLOCKED, "500x10", "form=cluster geometry=none density=0.5"}, /* five blocks */
    {BLOCKED, "16384x6", "form=cluster collisions=fhp1 geometry=none"},
    {BLOCKED, "16385x6", "form=cluster geometry=none"}, /* more words than threads */
    {BLOCKED, "160x2", "form=cluster"},                 /* one pair of rows */
    {BLOCKED, "160x33", "form=cluster geometry=none"},  /* an odd number of rows */
    {BLOCKED, "2048x96", "form=cluster p_force=0.2"},   /* some rows a thread */
    {BITSLICE, "128x2", "collisions=fhp3 geometry=none"},
    {BITSLICE, "1x30", "p_force=0.5"},
    {BITSLICE, "127x6", "collisions=fhp1"},
    {BITSLICE, "129x8", "collisions=fhp3 p_force=0.0078125 geometry=cylinder"},
    {BITSLICE, "640x14", "p_force=0.99999"},   /* blocks of 8 groups, of which 3 are none */
    {BITSLICE, "4095x6", "collisions=fhp3"},   /* a warp a row, its last node missing */
    {BITSLICE, "4128x6", "p_force=1"},         /* blocks of 8, the last of one ragged group */
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
        {BITSLICE, "4224x64", "collisions=fhp3 p_force=0.2"},
        {BITSLICE, "300x64", "collisions=fhp3 p_force=0.2"},
        {BLOCKED, "4224x64", "collisions=fhp3 p_force=0.2 form=sweep generations=3"},
        {BLOCKED, "1024x64", "collisions=fhp3 p_force=0.2 form=sweep generations=3"},
        {BLOCKED, "1024x64", "collisions=fhp3 p_force=0.2 form=block generations=3"},
        {BLOCKED, "300x64", "collisions=fhp3 p_force=0.2 form=block"},
        {BLOCKED, "300x64", "collisions=fhp3 p_force=0.2 form=cluster"},
    };
    const struct kernel_case *test = &cut[_i];
    struct ca_experiment experiment =
        kernel_experiment("fhp", test->backend, test->size, NULL, test_seed(), test->settings);

    kernel_check_slabs(&experiment, 6, true, 2);
}
END_TEST

/* Of a block and a cluster: one generation, the two copies of its planes, four draws, and on. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const rows[][2] = {{"200x40", "form=cluster p_force=0.2"},
                                          {"64x34", "form=cluster geometry=none density=0.5"},
                                          {"200x20", "form=block p_force=0.2"}};
    static const uint64_t calls[] = {1, 2, 3, 4, 5, 11, 0};

    kernel_check_where("SHIM_ORDER", orders[_i], "fhp", BLOCKED, rows, sizeof rows / sizeof *rows,
                       calls);
}
END_TEST

/* Where clusters have no more than so many blocks: 1 is as before compute capability 9.0. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"1", "2", "7", "8"};
    static const char *const rows[][2] = {
        {"512x72", "form=cluster"}, {"512x72", "form=cluster p_force=0.2"}, {"512x72", NULL}};
    static const uint64_t calls[] = {5, 2, 0};

    kernel_check_where("SHIM_CLUSTER", most[_i], "fhp", BLOCKED, rows, sizeof rows / sizeof *rows,
                       calls);
}
END_TEST

/* 64 KiB of shared memory for a block: the largest lattice that it holds, and a larger one. */
START_TEST(little_shared_memory)
{
    static const struct kernel_case cases[] = {
        {BLOCKED, "128x226", "form=block"},
        {BLOCKED, "128x228", "form=block"},
        {BLOCKED, "128x800", "form=cluster"},
    };
    static const uint64_t calls[] = {3, 1, 0};

    setenv("SHIM_SHARED", "65536", 1);
    kernel_check_case("fhp", &cases[_i], NULL, calls);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_fhp");
    TCase *tests = tcase_create("cuda_fhp");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, widths, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, slabs, 0, 7);
    tcase_add_loop_test(tests, in_every_order, 0, 4);
    tcase_add_loop_test(tests, small_clusters, 0, 4);
    tcase_add_loop_test(tests, little_shared_memory, 0, 3);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
