/* SPDX-License-Identifier: MIT */
/*
 * cloud: its reference against counts made by hand and against the definition written out again
 * here; its other backends against reference.
 */
#include <jansson.h>
#include <string.h>

#include "core/model/registry.h"
#include "core/model/survey.h"
#include "kernels/cloud/rule.h"
#include "tests/support/draws.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static uint8_t *plane_of(const struct ca_lattice *lattice, int plane)
{
    return lattice->plane[plane];
}

static int64_t count(const struct ca_lattice *lattice, int plane)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        sum += plane_of(lattice, plane)[i];
    return sum;
}

START_TEST(rule_is_its_truth_table)
{
    for (uint8_t i = 0; i < 16; i++) {
        struct cloud_cell cell = {i & 1, i >> 1 & 1, i >> 2 & 1};
        uint8_t f = i >> 3;
        struct cloud_cell next = cloud_rule(cell, f);

        ck_assert_int_eq(next.hum, cell.hum == 1 && cell.act == 0);
        ck_assert_int_eq(next.act, cell.act == 0 && cell.hum == 1 && f == 1);
        ck_assert_int_eq(next.cld, cell.cld == 1 || cell.act == 1);
    }
}
END_TEST

/* One active cell, everything humid, far from all edges: counts made by hand. */
START_TEST(growth_of_one_cell_is_golden)
{
    const char *backends[] = {"reference", "threads", "bitslice"};
    json_t *golden = json_load_file(test_source("tests/data/golden.json"), 0, NULL);
    json_t *counts = json_object_get(golden, "cloud_one_active_cell_all_humid_far_from_edges");
    json_t *act = json_object_get(counts, "act"), *cld = json_object_get(counts, "cld");
    struct ca_experiment experiment =
        kernel_experiment("cloud", backends[_i], "37x35x40", NULL, 1, "hum0=1 act0=0");
    struct ca_lattice lattice;
    struct kernel kernel;

    ck_assert_int_eq(json_array_size(act), 9);
    ck_assert_ok(ca_initial_state(&experiment, &lattice, &error));
    plane_of(&lattice, CLOUD_ACT)[(20 * 35 + 17) * 37 + 18] = 1;
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &lattice);
    for (size_t t = 0; t < json_array_size(act); t++) {
        ck_assert_int_eq(count(&lattice, CLOUD_ACT), json_integer_value(json_array_get(act, t)));
        ck_assert_int_eq(count(&lattice, CLOUD_CLD), json_integer_value(json_array_get(cld, t)));
        kernel_step(&kernel, 1);
        ca_lattice_free(&lattice);
        lattice = kernel_store(&kernel);
    }
    kernel_close(&kernel);
    ca_lattice_free(&lattice);
    json_decref(golden);
}
END_TEST

/* --- the definition, written out again -------------------------------------------------------- */

static const int reach[11][3] = {{1, 0, 0}, {-1, 0, 0}, {2, 0, 0}, {-2, 0, 0},
                                 {0, 1, 0}, {0, -1, 0}, {0, 2, 0}, {0, -2, 0},
                                 {0, 0, 1}, {0, 0, -1}, {0, 0, -2}};

static bool active_near(const struct ca_lattice *now, int64_t x, int64_t y, int64_t z)
{
    struct ca_size size = now->size;

    for (int i = 0; i < 11; i++) {
        int64_t nx = x + reach[i][0], ny = y + reach[i][1], nz = z + reach[i][2];

        if (nx >= 0 && nx < size.w && ny >= 0 && ny < size.h && nz >= 0 && nz < size.d &&
            plane_of(now, CLOUD_ACT)[(nz * size.h + ny) * size.w + nx])
            return true;
    }
    return false;
}

static const struct definition {
    const char *size, *settings;
    uint32_t k[3]; /* p_ext, p_hum, p_act in 65536ths */
} definitions[] = {
    {"9x8x7", "", {0, 0, 0}},
    {"1x1x1", "hum0=1 act0=1 p_hum=1", {0, 65536, 0}},
    {"2x3x1", "act0=0.3", {0, 0, 0}},
    {"131x3x4", "p_ext=0.1 p_hum=0.05 p_act=0.001", {6554, 3277, 66}},
    {"260x2x3", "p_ext=0.5 p_hum=0.25 p_act=0.0000153", {32768, 16384, 1}},
    {"40x5x6", "p_ext=1 p_hum=0.99999 p_act=0.33", {65536, 65535, 21627}},
};

static void define_step(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed,
                        uint64_t t, const void *definition)
{
    const uint32_t *k = ((const struct definition *)definition)->k;
    struct ca_size size = now->size;
    int64_t i = 0;

    for (int64_t z = 0; z < size.d; z++)
        for (int64_t y = 0; y < size.h; y++)
            for (int64_t x = 0; x < size.w; x++, i++) {
                bool hum = plane_of(now, CLOUD_HUM)[i], act = plane_of(now, CLOUD_ACT)[i];
                bool cld = plane_of(now, CLOUD_CLD)[i], f = active_near(now, x, y, z);

                plane_of(next, CLOUD_HUM)[i] =
                    (hum && !act) || draw_event(seed, x, y, z, t, 80, k[1]);
                plane_of(next, CLOUD_ACT)[i] =
                    (!act && hum && f) || draw_event(seed, x, y, z, t, 96, k[2]);
                plane_of(next, CLOUD_CLD)[i] =
                    (cld || act) && !draw_event(seed, x, y, z, t, 64, k[0]);
            }
}

START_TEST(steps_are_as_defined)
{
    uint64_t seed = test_seed() * UINT64_C(0x100000001);
    struct ca_experiment experiment = kernel_experiment("cloud", "reference", definitions[_i].size,
                                                        NULL, seed, definitions[_i].settings);

    /* The counter's t wraps on the way. */
    kernel_check_defined(&experiment, UINT32_MAX - 1, 6, define_step, &definitions[_i]);
}
END_TEST

START_TEST(start_is_as_defined)
{
    struct ca_experiment experiment =
        kernel_experiment("cloud", "reference", "11x6x3", "random", 99, "hum0=0.6 act0=0.25");
    struct ca_lattice lattice;
    int64_t i = 0;

    ck_assert_ok(ca_initial_state(&experiment, &lattice, &error));
    for (int64_t z = 0; z < 3; z++)
        for (int64_t y = 0; y < 6; y++)
            for (int64_t x = 0; x < 11; x++, i++) {
                ck_assert_int_eq(plane_of(&lattice, CLOUD_HUM)[i],
                                 draw_uniform(99, x, y, z, 0, 0) < 2576980377U);
                ck_assert_int_eq(plane_of(&lattice, CLOUD_ACT)[i],
                                 draw_uniform(99, x, y, z, 0, 1) < 1073741824U);
            }
    ck_assert_int_eq(count(&lattice, CLOUD_CLD), 0);
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(looks_and_observables)
{
    uint8_t hum[4] = {0, 1, 1, 1}, act[4] = {0, 0, 0, 1}, cld[4] = {0, 0, 1, 1};
    const void *planes[3] = {hum, act, cld};
    const char *names[4] = {"dry", "humid", "cloud", "active"};
    struct ca_setup setup = {.model = &cloud_model, .size = {4, 1, 1}};
    struct ca_survey survey = ca_survey_none();
    double sums[CA_OBSERVABLES_MAX];
    struct ca_appearance look;

    for (int i = 0; i < 4; i++) {
        cloud_model.draw->cell(&cloud_model, planes, i, 0, 0, &look);
        ck_assert_str_eq(cloud_model.draw->states[look.code].name, names[i]);
    }
    ca_survey_rows(&setup, CA_SURVEY_OBSERVABLES, planes, 0, 1, &survey);
    ca_survey_observables(&survey, &setup, sums);
    ck_assert_double_eq(sums[0], 3);
    ck_assert_double_eq(sums[1], 1);
    ck_assert_double_eq(sums[2], 2);
}
END_TEST

/* --- the other backends ----------------------------------------------------------------------- */

static const char *const shapes[] = {"1x1x1",  "2x1x3",   "1x17x1",  "31x2x5", "32x3x2", "33x5x4",
                                     "64x1x7", "129x4x3", "5x255x2", "3x2x61", "96x64x3"};
static const char *const settings[] = {"threads=2", "threads=3 p_ext=0.1 p_hum=0.02 p_act=0.01",
                                       "threads=7 hum0=1 act0=0.5 p_ext=1"};

START_TEST(backends_equal_reference)
{
    static const uint64_t calls[] = {1, 2, 3, 11, 0};

    kernel_check_backends("cloud", "", shapes[_i / COUNT(settings)], test_seed(),
                          settings[_i % COUNT(settings)], calls);
}
END_TEST

START_TEST(slabs_equal_the_whole)
{
    for (const struct ca_backend *b = cloud_model.backends; b->name; b++) {
        struct ca_experiment experiment =
            kernel_experiment("cloud", b->name, "19x7x12", NULL, test_seed(),
                              "threads=2 act0=0.05 p_ext=0.1 p_hum=0.02 p_act=0.01");

        if (ca_backend_available(b, &error) != CA_OK)
            continue;
        kernel_check_slabs(&experiment, 2 * (_i + 1), false, 3);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {rule_is_its_truth_table, start_is_as_defined, looks_and_observables},
                     .table = {{growth_of_one_cell_is_golden, 3},
                               {steps_are_as_defined, COUNT(definitions)},
                               {backends_equal_reference, COUNT(shapes) * COUNT(settings)},
                               {slabs_equal_the_whole, 2}});
}
