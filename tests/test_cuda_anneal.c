/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of anneal at the widths that their strips are cut by: of whole and
 * narrow strips, rings of lanes and ragged rows, with pieces and tiles of every length.
 */
#include "core/model/registry.h"
#include "tests/support_kernels.h"

#define BITSLICE "cuda-bitslice"
#define BLOCKED "cuda-blocked"

static const struct kernel_case table[] = {
    {BLOCKED, "128x5", "form=tile"},                        /* a lane is a ring */
    {BLOCKED, "384x40", "form=sweep generations=3"},        /* rings of 3, two lanes left over */
    {BLOCKED, "4096x13", "form=tile rows=1"},               /* a warp is a ring */
    {BLOCKED, "4096x21", "form=sweep generations=6"},       /* some warps have nothing to do */
    {BLOCKED, "4224x30", "form=sweep generations=8"},       /* a whole strip and 3 groups */
    {BLOCKED, "3840x9", "form=sweep rows=2 generations=5"}, /* a ring of 30 */
    {BLOCKED, "7680x20", "form=tile rows=4"},               /* two whole strips and no other */
    {BLOCKED, "7681x20", "form=tile rows=2"},               /* and a cell behind them */
    {BLOCKED, "7680x20", "form=sweep generations=7 rows=7"},
    {BLOCKED, "8000x11", "form=sweep generations=4 rows=3"},
    {BLOCKED, "3839x12", "form=sweep generations=2"}, /* ragged, a whole strip */
    {BLOCKED, "3841x6", "form=tile rows=6"},
    {BLOCKED, "255x40", "form=tile rows=8 generations=20"},
    {BLOCKED, "5x300", "form=tile rows=12"},
    {BLOCKED, "1x1", "form=tile generations=64"},
    {BLOCKED, "4097x7", "form=tile generations=64"}, /* no tile has so many rows: swept */
    {BLOCKED, "700x60", "form=auto"},
    {BLOCKED, "4096x20", "generations=1"}, /* as cuda-bitslice */
    {BITSLICE, "128x5", NULL},             /* all lanes at ends of rows */
    {BITSLICE, "128x1", "rows=8"},
    {BITSLICE, "384x7", "rows=4"}, /* ends of rows within a warp */
    {BITSLICE, "4096x21", "rows=2"},
    {BITSLICE, "4224x30", "rows=8"},
    {BITSLICE, "7680x20", "rows=7"},
    {BITSLICE, "3839x12", NULL}, /* ragged */
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
    struct ca_experiment experiment = kernel_experiment(
        "anneal", _i % 2 ? BITSLICE : BLOCKED, sizes[_i / 2], NULL, test_seed(), "generations=3");

    kernel_check_slabs(&experiment, 6, true, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_anneal");
    TCase *tests = tcase_create("cuda_anneal");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, widths, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, slabs, 0, 6);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
