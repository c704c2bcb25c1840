/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of fhp: widths that blocks and strips are cut by (whole and narrow
 * strips, rings of lanes, ragged rows), any number of generations in a pass, pieces of all lengths,
 * solid nodes anywhere, and all sorts of probabilities.
 */
#include "core/registry.h"
#include "tests/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define BLOCKED "cuda-blocked"

static const struct kernel_case table[] = {
    {BLOCKED, "128x2", "generations=8 collisions=fhp3 geometry=none"}, /* a lane is a ring */
    {BLOCKED, "128x6", "generations=5 rows=2"},
    {BLOCKED, "384x40", "generations=3 p_force=0.0078125"}, /* rings of 3, two lanes left over */
    {BLOCKED, "4096x12", "generations=4 collisions=fhp1 geometry=cylinder"}, /* a warp is a ring */
    {BLOCKED, "3840x10", "generations=7 rows=4 collisions=fhp3"},            /* a ring of 30 */
    {BLOCKED, "4224x20", "generations=6 p_force=0.3 collisions=fhp3 geometry=cylinder"},
    {BLOCKED, "7680x14", "generations=2 rows=6 p_force=1"}, /* two whole strips and no other */
    {BLOCKED, "7680x14", "generations=1 rows=2"},
    {BLOCKED, "7808x30", "generations=64 p_force=0.00002 geometry=none"},
    {BLOCKED, "512x256", "generations=0 geometry=cylinder"},
    /* dense enough to meet all states of a node at both chiralities */
    {BLOCKED, "1024x32", "generations=4 collisions=fhp1 geometry=none density=0.5"},
    {BLOCKED, "1024x32", "generations=4 collisions=fhp2 geometry=none density=0.5"},
    {BLOCKED, "1024x32", "generations=4 collisions=fhp3 geometry=none density=0.5"},
    {BLOCKED, "130x20", "generations=4 p_force=0.5"}, /* ragged: a generation a pass */
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
    static const char *const sizes[] = {"4224x64", "1024x64", "300x64"};
    struct ca_experiment experiment =
        kernel_experiment("fhp", _i % 2 ? BITSLICE : BLOCKED, sizes[_i / 2], NULL, test_seed(),
                          "generations=3 collisions=fhp3 p_force=0.2");

    kernel_check_slabs(&experiment, 6, true, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_fhp");
    TCase *tests = tcase_create("cuda_fhp");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, widths, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, slabs, 0, 6);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
