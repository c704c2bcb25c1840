/* SPDX-License-Identifier: MIT */
/*
 * The sweeps and tiles of water on a GPU: their division, widths that their strips are cut by,
 * pieces of every length, lattices that one tile holds or many, and sources in some rows, all or
 * none.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/random.h"
#include "core/model/registry.h"
#include "kernels/water/quotient.h"
#include "kernels/water/rule.h"
#include "tests/support_kernels.h"

/* --- the quotient ----------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of all finite floats but -0 one in some thousand, and the ends of every binade. */
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

/* With the float nearest to 1 / n, and where that is not exact with those beside it. */
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

/* --- cuts ------------------------------------------------------------------------------------ */

static const struct kernel_case table[] = {
    {"cuda-fused", "120x20", NULL}, /* a strip's own columns */
    {"cuda-fused", "119x20", "rows=5"},
    {"cuda-fused", "121x9", "rows=1"}, /* and one column for another strip */
    {"cuda-fused", "363x31", "rows=4"},
    {"cuda-fused", "5x200", "rows=64 source_mode=fill"},
    {"cuda-blocked", "120x20", "generations=2"},
    {"cuda-blocked", "121x40", "generations=2 rows=1"},
    {"cuda-blocked", "241x40", "generations=2 rows=9 source_mode=fill"},
    {"cuda-blocked", "360x40", "generations=2 rows=30"},
    {"cuda-blocked", "300x30", "generations=1 rows=47"},
    {"cuda-blocked", "1x1", "generations=2"},
    {"cuda-blocked", "4x200", "generations=2"},
    {"cuda-blocked", "500x20", "generations=0"},
    {"cuda-blocked", "64x64", NULL}, /* a tile of all threads, through all generations */
    {"cuda-blocked", "128x32", "source_mode=fill"},
    {"cuda-blocked", "4x1024", NULL},
    {"cuda-blocked", "1x2", NULL},
    {"cuda-blocked", "2x1", "source_mode=fill"},
    {"cuda-blocked", "1x1", NULL},
    {"cuda-blocked", "31x45", "generations=3"},
    {"cuda-blocked", "61x63", "generations=12 spring=-3"},
    {"cuda-blocked", "65x64", "generations=4"}, /* and no longer */
    {"cuda-blocked", "64x65", "generations=4 source_mode=fill"},
    {"cuda-blocked", "127x33", "generations=5"}, /* a tile's width, and not its height */
    {"cuda-blocked", "129x32", "generations=3 spring=-3 source_mode=fill"}, /* neither */
    {"cuda-blocked", "5x1500", "generations=12"},
    {"cuda-blocked", "1500x5", "generations=12"},
    {"cuda-blocked", "250x90", "generations=7"},
    {"cuda-blocked", "160x110", "generations=12 source_mode=fill"},
    {"cuda-blocked", "200x150", "generations=0"},
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(cuts)
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
    struct ca_error error;
    uint32_t random = (uint32_t)seed;

    ck_assert_int_eq(ca_lattice_alloc(&lattice, size, CA_F32, WATER_PLANES, &error), CA_OK);
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
 * Heights of which no five may be added, and between walls some cells that give their whole water,
 * 2.5e38, to a pit: twice of that is no float.
 */
static struct ca_lattice huge_state(struct ca_size size)
{
    struct ca_lattice lattice;
    struct ca_error error;

    ck_assert_int_eq(ca_lattice_alloc(&lattice, size, CA_F32, WATER_PLANES, &error), CA_OK);
    for (int64_t i = 0; i < ca_cells(size); i++) {
        float *terrain = (float *)lattice.plane[WATER_TERRAIN] + i;
        float *level = (float *)lattice.plane[WATER_LEVEL] + i;
        int64_t spot = i / size.w % 5 == 2 ? i % size.w % 41 : 0;

        *terrain = spot == 20 ? 0.5e38F : spot == 21 ? -2.2e38F : 1e38F + 1e34F * (float)(i % 1009);
        *level = spot == 20 ? 3e38F : *terrain;
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

/* Sweeps, and tiles: many, of which some are at no edge, and one of all cells; both of a width that
 * puts a pit of the huge state beside an edge. */
static const struct {
    const char *backend, *size, *cut;
} paths[] = {
    {"cuda-fused", "250x60", "rows=20"},
    {"cuda-blocked", "250x60", "generations=2 rows=20"},
    {"cuda-blocked", "268x100", "generations=3"},
    {"cuda-blocked", "63x50", "generations=0"},
};

#define PATHS ((int)(sizeof paths / sizeof paths[0]))

/* `cut` NULL: by reference. */
static struct ca_experiment experiment_of(int path, const char *mode, const char *cut)
{
    char settings[100];

    snprintf(settings, sizeof settings, "source_mode=%s %s", mode, cut ? cut : "");
    return kernel_experiment("water", cut ? paths[path].backend : "reference", paths[path].size,
                             "hills", test_seed(), settings);
}

/* One state after the other in the same instance: what has sources is known anew. */
START_TEST(sources)
{
    static const int every[] = {1, 0, 7, 30};
    const char *mode = _i / PATHS ? "fill" : "add";
    struct ca_experiment by_reference = experiment_of(_i % PATHS, mode, NULL);
    struct ca_experiment experiment = experiment_of(_i % PATHS, mode, paths[_i % PATHS].cut);
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
    struct ca_experiment experiment = experiment_of(_i, "add", paths[_i].cut);
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
        {"cuda-blocked", "130x40", "generations=2 rows=11 relief=30"},
        {"cuda-blocked", "130x80", "generations=3 relief=30"},
        {"cuda-blocked", "50x40", "relief=30"}, /* a tile each */
    };
    const struct kernel_case *test = &slab[_i % 4];
    struct ca_experiment experiment =
        kernel_experiment("water", test->backend, test->size, "hills", test_seed(), test->settings);

    kernel_check_slabs(&experiment, 2 * (_i / 4 + 1), false, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_water");
    TCase *tests = tcase_create("cuda_water");

    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, quotient_is_ieee_division, 1, 6);
    tcase_add_loop_test(tests, cuts, 0, sizeof table / sizeof table[0]);
    tcase_add_loop_test(tests, sources, 0, 2 * PATHS);
    tcase_add_loop_test(tests, no_overflow_of_its_own, 0, PATHS);
    tcase_add_loop_test(tests, slabs, 0, 12);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
