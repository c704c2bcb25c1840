/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of life3d: rows that sweeps are made for (4 to 32 lanes of two
 * words and 32 of four; closed, walled and ragged), blocks of any number of layers, the last of
 * which share rows; two generations a pass; lattices that are a cluster's, one block's, or bricks
 * of some generations; all sorts of rules.
 */
#include <stdlib.h>

#include "core/model/registry.h"
#include "tests/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define BLOCKED "cuda-blocked"

static const struct kernel_case table[] = {
    {BITSLICE, "256x33x5", NULL}, /* closed rows of 4 lanes */
    {BITSLICE, "256x129x4", "layers=2 boundary=dead"},
    {BITSLICE, "129x7x6", "layers=3 density=0.2 rule=3D4,5/5"},
    {BITSLICE, "200x4x9", "boundary=dead rule=3D4,7/5,8"},
    {BITSLICE, "512x9x5", NULL}, /* closed rows of 8 lanes */
    {BITSLICE, "512x66x7", "layers=3 boundary=dead"},
    {BITSLICE, "300x7x6", "layers=1 density=0.2 rule=3D4,5/5"}, /* ragged */
    {BITSLICE, "511x5x4", "boundary=dead density=0.2 rule=3D5..7/6"},
    {BITSLICE, "513x6x5", "layers=2"}, /* of 16 */
    {BITSLICE, "1024x35x4", "rule=3D4,7/5,8"},
    {BITSLICE, "1025x17x6", "layers=4 rule=3D2..9/4..6"}, /* of 32 */
    {BITSLICE, "2048x5x9", "layers=2 boundary=dead rule=3D4,7/5,8"},
    {BITSLICE, "2048x4x4", "rule=3D0..26/"},
    {BITSLICE, "2049x6x4", NULL}, /* four words a lane */
    {BITSLICE, "4096x9x5", "layers=2 boundary=dead"},
    {BITSLICE, "4096x4x6", "density=0.2 rule=3D5..7/6"},
    {BITSLICE, "4097x5x4", NULL}, /* a word a thread */
    {BITSLICE, "300x3x9", "boundary=dead"},
    {BITSLICE, "256x9x1", NULL},
    {BLOCKED, "512x124x8", "generations=2"}, /* a block has all rows of a layer */
    {BLOCKED, "512x125x9", "generations=2 layers=4 boundary=dead"},
    {BLOCKED, "300x130x8", "generations=2 layers=1 rule=3D4,5/5 density=0.2"},
    {BLOCKED, "1024x61x9", "generations=2 layers=3 rule=3D5..7/6 density=0.2"},
    {BLOCKED, "1000x60x10", "generations=2 boundary=dead rule=3D4,7/5,8"},
    {BLOCKED, "2048x28x8", "generations=2 boundary=dead"},
    {BLOCKED, "2048x57x9", "generations=2 layers=5"},
    {BLOCKED, "1030x40x8", "generations=2 boundary=dead rule=3D2..9/4..6"},
    {BLOCKED, "2048x57x9", NULL},
    {BLOCKED, "4096x30x8", "generations=2"}, /* a generation a pass */
    {BLOCKED, "512x100x7", "generations=2"},
    {BLOCKED, "32x32x32", NULL}, /* a cluster's */
    {BLOCKED, "32x32x31", "rule=3D4,5/5"},
    {BLOCKED, "32x32x64", "boundary=dead"},
    {BLOCKED, "32x32x33", "boundary=dead rule=3D4,5/5"},
    {BLOCKED, "31x30x8", "generations=3 rule=3D4,7/5,8"},
    {BLOCKED, "17x32x77", "boundary=dead rule=3D5..7/6"},
    {BLOCKED, "32x9x128", "generations=6 density=0.2 rule=3D2..9/4..6"},
    {BLOCKED, "3x2x70", "generations=6 boundary=dead rule=3D2..9/4..6"},
    {BLOCKED, "1x1x9", NULL},
    {BLOCKED, "32x1x101", "generations=1 rule=3D4,5/5"},
    {BLOCKED, "17x32x7", "boundary=dead rule=3D4,5/5"},
    {BLOCKED, "1x1x4", NULL},
    {BLOCKED, "32x32x3", NULL}, /* one block's */
    {BLOCKED, "20x31x1", "boundary=dead rule=3D4,7/5,8"},
    {BLOCKED, "32x32x129", NULL}, /* and no longer: bricks */
    {BLOCKED, "64x64x32", "generations=4"},
    {BLOCKED, "128x25x9", "generations=4"},
    {BLOCKED, "96x20x24", "generations=7 rule=3D4,7/5,8"}, /* which need calls of so many */
    {BLOCKED, "32x33x6", "generations=2 boundary=dead"},
    {BLOCKED, "128x57x25", "generations=2 boundary=dead rule=3D5..7/6"},
    {BLOCKED, "100x26x11", "generations=3 density=0.2 rule=3D4,5/5"},
    {BLOCKED, "63x35x17", "generations=5 boundary=dead density=0.2 rule=3D2..9/4..6"},
    {BLOCKED, "33x1x1", "generations=7"},
    {BLOCKED, "3x33x70", "generations=6 boundary=dead"},
    {BLOCKED, "90x70x3", "generations=9"},  /* seven at once */
    {BLOCKED, "64x30x9", "generations=1"},  /* a word a thread */
    {BLOCKED, "256x40x8", "generations=2"}, /* a generation a pass */
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(sizes)
{
    static const uint64_t calls[] = {1, 2, 5, 4, 7, 0};

    kernel_check_case("life3d", &table[_i], NULL, calls);
}
END_TEST

/* Of a cluster: each remainder of its two turns. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const rows[][2] = {
        {"32x32x16", NULL}, {"20x32x9", "boundary=dead"}, {"32x9x70", NULL}};
    static const uint64_t calls[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};

    kernel_check_where("SHIM_ORDER", orders[_i], "life3d", BLOCKED, rows,
                       sizeof rows / sizeof *rows, calls);
}
END_TEST

/* Where clusters have no more than so many blocks: 1 is as before compute capability 9.0. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"1", "2", "7", "8"};
    static const char *const rows[][2] = {{"32x32x32", NULL},
                                          {"32x32x64", "boundary=dead"},
                                          {"31x20x40", "rule=3D4,7/5,8"},
                                          {"17x32x7", "boundary=dead rule=3D4,5/5"},
                                          {"20x31x100", "boundary=dead rule=3D4,5/5"}};
    static const uint64_t calls[] = {5, 2, 0};

    kernel_check_where("SHIM_CLUSTER", most[_i], "life3d", BLOCKED, rows,
                       sizeof rows / sizeof *rows, calls);
}
END_TEST

START_TEST(slabs)
{
    static const char *const wide[] = {"300x5x40", "512x124x40", "2048x28x40", "20x9x40",
                                       "64x30x40"};
    struct ca_experiment experiment = kernel_experiment(
        "life3d", _i % 2 ? BITSLICE : BLOCKED, wide[_i / 2], NULL, test_seed(), "generations=2");

    kernel_check_slabs(&experiment, 4, true, 2);
}
END_TEST

/* 64 KiB of shared memory for a block, where a pass of two generations takes 80. */
START_TEST(little_shared_memory)
{
    static const uint64_t calls[] = {3, 0};
    struct ca_experiment experiment;

    setenv("SHIM_SHARED", "65536", 1);
    experiment =
        kernel_experiment("life3d", BLOCKED, "1024x61x9", NULL, test_seed(), "generations=2");
    kernel_check_same(&experiment, calls);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_life3d");
    TCase *tests = tcase_create("cuda_life3d");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, sizes, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, in_every_order, 0, 4);
    tcase_add_loop_test(tests, small_clusters, 0, 4);
    tcase_add_loop_test(tests, slabs, 0, 10);
    tcase_add_test(tests, little_shared_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
