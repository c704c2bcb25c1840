/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends of cloud. The bit-sliced ones: rows of one group up to several cut ones, tiles
 * of any height, chunks of planes, tiles that stay in registers and lose rows, clusters of blocks,
 * and events. Those with tiles in shared memory: depths around what a tile leaves out.
 */
#include <stdlib.h>

#include "core/model/registry.h"
#include "tests/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define BLOCKED "cuda-blocked"
#define EVENTS "p_ext=0.2 p_hum=0.01 p_act=0.003"

static const struct kernel_case table[] = {
    {BLOCKED, "128x20x9", "form=sweep generations=2"}, /* 32 rows in a warp */
    {BLOCKED, "100x300x7", "form=sweep generations=4 warps=1"},
    {BLOCKED, "384x90x12", "form=sweep generations=3 warps=1 planes=5"}, /* 10, two lanes over */
    {BLOCKED, "4096x9x7", "form=sweep generations=4 warps=2"},           /* a row a warp */
    {BLOCKED, "4096x24x4", "form=sweep generations=2 warps=10 planes=1"},
    {BLOCKED, "4224x20x6", "form=sweep generations=2 lanes=8 warps=4"}, /* rows are cut */
    {BLOCKED, "5000x11x5", "form=sweep generations=3 lanes=5 warps=2"},
    {BLOCKED, "4100x20x6", "form=sweep generations=4 lanes=3 planes=4"},
    {BLOCKED, "8200x8x4", "form=sweep generations=3"},
    {BLOCKED, "1x1x200", "form=sweep"}, /* many chunks */
    {BLOCKED, "4100x64x1", NULL},       /* flat: one generation a pass */
    {BLOCKED, "256x60x20", "form=tile"},
    {BLOCKED, "256x60x20", NULL},
    {BLOCKED, "200x50x8", "form=tile generations=5 warps=4"},
    {BLOCKED, "1000x90x6", "form=tile generations=16"},
    {BLOCKED, "4096x30x2", "form=tile warps=8"},
    {BLOCKED, "3x5x64", "form=tile"}, /* one block's */
    {BLOCKED, "129x3x3", "form=tile generations=2"},
    {BLOCKED, "2000x3x70", "form=tile"},            /* too many planes for a tile */
    {BLOCKED, "100x40x9", "form=cluster warps=1"},  /* one lane, several blocks, odd depth */
    {BLOCKED, "256x64x20", "form=cluster warps=5"}, /* two lanes; four blocks of five warps */
    {BLOCKED, "256x64x20", "form=cluster"},
    {BLOCKED, "500x37x5", "form=cluster warps=2"},               /* four lanes, odd height */
    {BLOCKED, "300x41x4", "form=cluster warps=1 generations=3"}, /* the last band is shorter */
    {BLOCKED, "1100x33x3", "form=cluster warps=2"},              /* 16 lanes, five of them empty */
    {BLOCKED, "4096x12x2", "form=cluster warps=1"},              /* a pair of rows a block */
    {BLOCKED, "60x140x14", "form=cluster warps=2"},              /* 14 blocks */
    {BLOCKED, "129x3x3", "form=cluster"},                        /* one block's */
    {BLOCKED, "1x1x1", "form=cluster"},
    {BLOCKED, "5x4000x1", "form=cluster"},   /* 125 pairs a block, with their empty slots: tiles */
    {BLOCKED, "130x200x40", "form=cluster"}, /* 13 pairs of 40 threads a block */
    {BLOCKED, "1030x70x20", "form=cluster"}, /* three pairs of 160 threads a block */
    {BLOCKED, "2000x3x70", "form=cluster"},  /* too many planes for a block */
    {BLOCKED, "300x20x9", "form=cluster " EVENTS},
    {BLOCKED, "300x20x9", EVENTS},
    {BITSLICE, "128x7x9", NULL},
    {BITSLICE, "4100x12x7", NULL},
    {BITSLICE, "5x300x2", NULL},
    {BITSLICE, "4100x12x3", EVENTS},
    {BITSLICE, "127x9x70", "p_act=0.002"},
    /* tiles of which a part is above the lattice: the last that is left out, and the first not */
    {"cuda-shared-32x1x32", "35x9x25", "act0=0.05"},
    {"cuda-shared-32x1x32", "35x9x26", "act0=0.05"},
    {"cuda-shared-32x1x32", "35x9x57", "act0=0.05"},
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

/* Of a cluster: one generation, the two turns of its memory, and on. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const rows[][2] = {{"256x24x6", "form=cluster warps=1"},
                                          {"100x90x9", "form=cluster warps=1"},
                                          {"257x13x3", "form=cluster warps=1"},
                                          {"256x40x20", "form=cluster warps=2"},
                                          {"256x24x6", "form=tile warps=1"}};
    static const uint64_t calls[] = {1, 2, 17, 0};

    kernel_check_where("SHIM_ORDER", orders[_i], "cloud", BLOCKED, rows, sizeof rows / sizeof *rows,
                       calls);
}
END_TEST

/* Where clusters have no more than so many blocks: 1 is as before compute capability 9.0. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"1", "7", "8"};
    static const char *const rows[][2] = {
        {"256x60x20", "form=cluster"}, {"256x60x20", "form=cluster warps=1"}, {"256x60x20", NULL}};
    static const uint64_t calls[] = {5, 0};

    kernel_check_where("SHIM_CLUSTER", most[_i], "cloud", BLOCKED, rows, sizeof rows / sizeof *rows,
                       calls);
}
END_TEST

START_TEST(slabs)
{
    static const struct {
        const char *backend, *size, *settings;
    } cut[] = {
        {BLOCKED, "300x40x40", "form=sweep generations=3"},
        {BLOCKED, "300x40x40", "form=tile"},
        {BLOCKED, "300x40x40", "form=cluster"},
        {BLOCKED, "4200x9x30", NULL},
        {BITSLICE, "300x40x40", NULL},
        {BITSLICE, "300x9x40", EVENTS},
    };
    struct ca_experiment experiment = kernel_experiment("cloud", cut[_i].backend, cut[_i].size,
                                                        NULL, test_seed(), cut[_i].settings);

    kernel_check_slabs(&experiment, 6, false, 2);
}
END_TEST

/* 64 KiB of shared memory for a block, where sweeps take more and tiles of 15 warps fit. */
START_TEST(little_shared_memory)
{
    static const char *const settings[] = {NULL, "form=sweep generations=3", "form=tile",
                                           "form=cluster"};
    static const uint64_t calls[] = {5, 0};
    struct ca_experiment experiment;

    setenv("SHIM_SHARED", "65536", 1);
    experiment = kernel_experiment("cloud", BLOCKED, "256x60x20", NULL, test_seed(), settings[_i]);
    kernel_check_same(&experiment, calls);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_cloud");
    TCase *tests = tcase_create("cuda_cloud");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, sizes, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, slabs, 0, 6);
    tcase_add_loop_test(tests, in_every_order, 0, 4);
    tcase_add_loop_test(tests, small_clusters, 0, 3);
    tcase_add_loop_test(tests, little_shared_memory, 0, 4);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
