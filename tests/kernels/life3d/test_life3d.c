/* SPDX-License-Identifier: MIT */
/* The model life3d: its rule as masks and text, known patterns, boundaries, and its ladder. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/life3d/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* bitslice.c's further widths: tests/kernels/life3d/test_life3d_bitslice.c. */
static const char *const backends[] = {"reference", "threads", "bitslice"};
#define BACKENDS ((int)(sizeof backends / sizeof backends[0]))
#define BIT(n) (UINT32_C(1) << (n))

static struct ca_lattice empty_lattice(struct ca_size size)
{
    struct ca_lattice lattice;

    ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_U8, 1, &error));
    return lattice;
}

/* The cell at (x, y, z) of the torus. */
static uint8_t *cell(const struct ca_lattice *lattice, int64_t x, int64_t y, int64_t z)
{
    struct ca_size s = lattice->size;

    x = (x % s.w + s.w) % s.w;
    y = (y % s.h + s.h) % s.h;
    z = (z % s.d + s.d) % s.d;
    return (uint8_t *)lattice->plane[0] + (z * s.h + y) * s.w + x;
}

static int64_t live(const struct ca_lattice *lattice)
{
    int64_t count = 0;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        count += ((uint8_t *)lattice->plane[0])[i];
    return count;
}

static void refused(const char *text, const char *part, int at)
{
    struct life3d_rule rule = {7, 7};
    char place[64];

    snprintf(place, sizeof place, "at character %d;", at);
    ck_assert_msg(life3d_rule_parse(&rule, text, &error) == CA_USAGE, "'%s' was taken", text);
    ck_assert_contains(error.text, text, part, place, "3D5..7/6");
    ck_assert_uint_eq(rule.survive, 7);
}

START_TEST(bad_rules)
{
    refused("5..7/6", "no '3D'", 1);
    refused("B3/S23", "no '3D'", 1);
    refused("3", "no '3D'", 1);
    refused("3D", "number is missing", 3);
    refused("3D5..7", "neither ',', '..' nor '/'", 7);
    refused("3D5.7/6", "neither", 4);
    refused("3D5../6", "number is missing", 6);
    refused("3D7..5/6", "range that ends below its start", 3);
    refused("3D5,/6", "number is missing", 5);
    refused("3D27/6", "number above 26", 3);
    refused("3D99999999999999999999/6", "number above 26", 3);
    refused("3D5/6,27", "number above 26", 7);
    refused("3D5/6/7", "nor the end", 6);
    refused("3D5/6 ", "nor the end", 6);
    refused("3D-1/6", "number is missing", 3);
    refused("3D 5/6", "number is missing", 3);
}
END_TEST

START_TEST(good_rules)
{
    static const struct {
        const char *text;
        uint32_t survive, born;
    } table[] = {
        {"3D5..7/6", BIT(5) | BIT(6) | BIT(7), BIT(6)},
        {"3D4,7/5,8", BIT(4) | BIT(7), BIT(5) | BIT(8)},
        {"3d0..26/0", (BIT(27) - 1), BIT(0)},
        {"3D/", 0, 0},
        {"3D/5", 0, BIT(5)},
        {"3D26,1..2,9..9/", BIT(26) | BIT(1) | BIT(2) | BIT(9), 0},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct life3d_rule rule;

        ck_assert_msg(life3d_rule_parse(&rule, table[i].text, &error) == CA_OK, "'%s': %s",
                      table[i].text, error.text);
        ck_assert_uint_eq(rule.survive, table[i].survive);
        ck_assert_uint_eq(rule.born, table[i].born);
    }
}
END_TEST

/* Every r1 ... r4 against the words of the definition. */
START_TEST(ranges)
{
    for (int low = 0; low <= 27; low++)
        for (int high = 0; high <= 27; high++) {
            struct life3d_rule rule = life3d_rule_of_ranges(low, high, high, low);

            for (int n = 0; n <= 26; n++) {
                int dies = n > high || n < low; /* r3 = high, r4 = low */

                ck_assert_int_eq(life3d_next(rule, 0, n), low <= n && n <= high);
                ck_assert_int_eq(life3d_next(rule, 1, n), !dies);
            }
        }
}
END_TEST

/* What a person gets to see: the run is refused, with the rule's own message. */
START_TEST(bad_rule_refused_by_the_model)
{
    struct ca_experiment experiment =
        kernel_experiment("life3d", "reference", "4x4x4", NULL, 1, "rule=3D5..7");
    struct ca_simulation *simulation;

    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
    ck_assert_ptr_null(simulation);
    ck_assert_contains(error.text, "rule '3D5..7'");
    ck_assert_int_eq(
        ca_experiment_value(&experiment, "r1", "28", CA_FROM_COMMAND_LINE, "--set", &error),
        CA_USAGE);
    ck_assert_contains(error.text, "0 ... 27");
    ck_assert_int_eq(
        ca_experiment_value(&experiment, "boundary", "tours", CA_FROM_COMMAND_LINE, "x", &error),
        CA_USAGE);
    ck_assert_contains(error.text, "torus");
}
END_TEST

/* Three numbers or more that follow each other are a range; r1 ... r4 are such a rule, too. */
START_TEST(rules_as_text)
{
    static const char *const rows[][2] = {
        {"rule=3D4,5/5..7", "3D4,5/5..7"},
        {"rule=3D7,4/8..8,5", "3D4,7/5,8"},
        {"rule=3D0..26/", "3D0..26/"},
        {"r1=5 r2=7 r3=6 r4=5", "3D5,6/5..7"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_experiment experiment =
            kernel_experiment("life3d", "reference", "4x4x4", NULL, 1, rows[i][0]);
        const struct ca_setup setup = {.model = experiment.model, .params = experiment.params};
        char text[CA_TEXT_MAX];

        life3d_rule_text(&setup, text);
        ck_assert_str_eq(text, rows[i][1]);
        ck_assert(life3d_is_rule(&setup, text));
    }
}
END_TEST

/* The definition by force: 26 neighbours one by one. */
static struct ca_lattice next_by_force(const struct ca_lattice *now, struct life3d_rule rule,
                                       bool torus)
{
    struct ca_size s = now->size;
    struct ca_lattice next = empty_lattice(s);

    for (int64_t z = 0; z < s.d; z++)
        for (int64_t y = 0; y < s.h; y++)
            for (int64_t x = 0; x < s.w; x++) {
                int n = 0;

                for (int i = 0; i < 27; i++) {
                    int64_t u = x + i % 3 - 1, v = y + i / 3 % 3 - 1, q = z + i / 9 - 1;
                    bool inside = u >= 0 && u < s.w && v >= 0 && v < s.h && q >= 0 && q < s.d;

                    if (i != 13 && (torus || inside))
                        n += *cell(now, u, v, q);
                }
                *cell(&next, x, y, z) = (uint8_t)life3d_next(rule, *cell(now, x, y, z), n);
            }
    return next;
}

static const char *const shapes[] = {"1x1x1",  "2x1x1",   "1x2x1",   "1x1x2",  "2x2x2",
                                     "3x3x3",  "63x2x3",  "1x64x2",  "3x1x65", "5x7x11",
                                     "64x3x1", "1x500x1", "32x32x4", "9x1x17", "127x2x2"};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

START_TEST(reference_by_force)
{
    static const char *const settings[] = {"", "boundary=dead", "rule=3D2,4..7/1,3,26",
                                           "rule=3D0..26/5..9 boundary=dead"};

    for (int s = 0; s < 4; s++) {
        struct ca_experiment experiment =
            kernel_experiment("life3d", "reference", shapes[_i], NULL, test_seed(), settings[s]);
        struct ca_lattice state, next, got;
        struct kernel kernel;
        struct life3d_rule rule;

        kernel_open(&kernel, &experiment);
        ck_assert_ok(life3d_rule_of_setup(&rule, &kernel.setup, &error));
        ck_assert_ok(ca_initial_state(&experiment, &state, &error));
        kernel_load(&kernel, &state);
        for (int i = 0; i < 3; i++) {
            next = next_by_force(&state, rule, s % 2 == 0);
            ca_lattice_free(&state);
            state = next;
            kernel_step(&kernel, 1);
            got = kernel_store(&kernel);
            kernel_compare(&experiment, kernel.generation, &state, &got);
            ca_lattice_free(&got);
        }
        ca_lattice_free(&state);
        kernel_close(&kernel);
    }
}
END_TEST

struct pattern {
    const char *name, *settings;
    int period, shift[3]; /* after a period it is the same, moved */
    int cells, at[12][3];
};

/* Found by search with another program; Bays' 4555 and 5766. */
static const struct pattern patterns[] = {
    {"still life of 4555",
     "r1=5 r2=5 r3=5 r4=4",
     1,
     {0},
     6,
     {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 1, 0}, {1, 1, 1}}},
    {"oscillator of 4555, period 2",
     "rule=3D4,5/5",
     2,
     {0},
     7,
     {{0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 2}, {1, 2, 0}, {1, 2, 1}, {2, 1, 1}}},
    {"oscillator of 4555, period 4",
     "r1=5 r2=5 r3=5 r4=4",
     4,
     {0},
     8,
     {{0, 1, 1}, {1, 0, 0}, {1, 1, 2}, {1, 2, 1}, {2, 0, 0}, {2, 1, 2}, {2, 2, 1}, {3, 1, 1}}},
    {"still life of 5766",
     "r1=6 r2=6 r3=7 r4=5",
     1,
     {0},
     7,
     {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}},
    {"oscillator of 5766, period 2",
     "rule=3D5..7/6",
     2,
     {0},
     6,
     {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}}},
};
#define PATTERNS ((int)(sizeof patterns / sizeof patterns[0]))

static struct ca_lattice with_pattern(const struct pattern *pattern, struct ca_size size, int times)
{
    struct ca_lattice lattice = empty_lattice(size);

    /* Across the corner where all faces meet. */
    for (int i = 0; i < pattern->cells; i++)
        *cell(&lattice, pattern->at[i][0] - 1 + (int64_t)times * pattern->shift[0],
              pattern->at[i][1] - 1 + (int64_t)times * pattern->shift[1],
              pattern->at[i][2] - 1 + (int64_t)times * pattern->shift[2]) = 1;
    return lattice;
}

/* Three laps of its period or, for what moves, once around the torus and on. */
static void check_pattern(const struct pattern *pattern, const char *backend)
{
    struct ca_experiment experiment =
        kernel_experiment("life3d", backend, "12x11x10", NULL, 1, pattern->settings);
    struct ca_lattice state = with_pattern(pattern, experiment.size, 0);
    struct kernel kernel;

    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &state);
    for (int t = 1; t <= 14 * pattern->period; t++) {
        struct ca_lattice got, expected;

        kernel_step(&kernel, 1);
        got = kernel_store(&kernel);
        if (t < pattern->period) {
            ck_assert_msg(ca_lattice_compare(&state, &got).count > 0,
                          "%s: the same after %d generations", pattern->name, t);
        } else if (t % pattern->period == 0) {
            expected = with_pattern(pattern, experiment.size, t / pattern->period);
            ck_assert_msg(ca_lattice_compare(&expected, &got).count == 0,
                          "%s on %s: not itself after %d generations", pattern->name, backend, t);
            ca_lattice_free(&expected);
        }
        ca_lattice_free(&got);
    }
    kernel_close(&kernel);
    ca_lattice_free(&state);
}

START_TEST(known_patterns)
{
    for (int b = 0; b < BACKENDS; b++)
        check_pattern(&patterns[_i], backends[b]);
}
END_TEST

static int number_at(const json_t *object, const char *key, size_t i)
{
    return (int)json_integer_value(json_array_get(json_object_get(object, key), i));
}

START_TEST(golden_gliders)
{
    json_t *root = json_load_file(test_source("tests/data/golden.json"), 0, NULL), *glider;
    size_t i;

    ck_assert_uint_ge(json_array_size(json_object_get(root, "life3d_glider")), 1);
    json_array_foreach(json_object_get(root, "life3d_glider"), i, glider)
    {
        const json_t *cells = json_object_get(glider, "cells");
        struct pattern pattern = {.cells = (int)json_array_size(cells)};
        char settings[128];

        snprintf(settings, sizeof settings, "r1=%d r2=%d r3=%d r4=%d",
                 number_at(glider, "r1r2r3r4", 0), number_at(glider, "r1r2r3r4", 1),
                 number_at(glider, "r1r2r3r4", 2), number_at(glider, "r1r2r3r4", 3));
        pattern.name = json_text(glider, "name");
        pattern.settings = settings;
        pattern.period = (int)json_whole(glider, "period");
        ck_assert_int_le(pattern.cells, 12);
        for (size_t k = 0; k < 3; k++)
            pattern.shift[k] = number_at(glider, "displacement", k);
        for (size_t c = 0; c < (size_t)pattern.cells; c++)
            for (size_t k = 0; k < 3; k++)
                pattern.at[c][k] =
                    (int)json_integer_value(json_array_get(json_array_get(cells, c), k));
        for (int b = 0; b < BACKENDS; b++)
            check_pattern(&pattern, backends[b]);
    }
    json_decref(root);
}
END_TEST

/* Live cells of an all-live (or, with `empty`, all-empty) lattice after one generation. */
static int64_t after_one(const char *backend, const char *size, bool empty, const char *settings)
{
    struct ca_experiment experiment = kernel_experiment("life3d", backend, size, NULL, 1, settings);
    struct ca_lattice state = empty_lattice(experiment.size);
    struct kernel kernel;
    int64_t count;

    memset(state.plane[0], !empty, (size_t)ca_cells(experiment.size));
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &state);
    ca_lattice_free(&state);
    kernel_step(&kernel, 1);
    state = kernel_store(&kernel);
    count = live(&state);
    kernel_close(&kernel);
    ca_lattice_free(&state);
    return count;
}

START_TEST(boundaries)
{
    const char *b = backends[_i];

    /* With all live, a cell has 26 neighbours on a torus; without, only inside. */
    ck_assert_int_eq(after_one(b, "5x6x7", false, "rule=3D26/"), 210);
    ck_assert_int_eq(after_one(b, "5x6x7", false, "rule=3D26/ boundary=dead"), 3 * 4 * 5);
    ck_assert_int_eq(after_one(b, "5x6x7", false, "rule=3D7/ boundary=dead"), 8);
    ck_assert_int_eq(after_one(b, "5x6x7", false, "rule=3D17/ boundary=dead"),
                     2 * (3 * 4 + 3 * 5 + 4 * 5));
    /* A cell alone is its own neighbour 26 times on a torus. */
    ck_assert_int_eq(after_one(b, "1x1x1", false, "rule=3D26/"), 1);
    ck_assert_int_eq(after_one(b, "1x1x1", false, "rule=3D0/ boundary=dead"), 1);
    ck_assert_int_eq(after_one(b, "2x2x2", false, "rule=3D7/ boundary=dead"), 8);
    ck_assert_int_eq(after_one(b, "2x2x2", false, "rule=3D7/"), 0);
}
END_TEST

START_TEST(corner_cases_of_ranges)
{
    const char *b = backends[_i];

    ck_assert_int_eq(after_one(b, "3x3x3", true, "r1=0 r2=0"), 27); /* born of nothing */
    ck_assert_int_eq(after_one(b, "3x3x3", true, "r1=1 r2=0"), 0);  /* r1 > r2: no births */
    ck_assert_int_eq(after_one(b, "3x3x3", true, "r1=27 r2=27"), 0);
    ck_assert_int_eq(after_one(b, "3x3x3", false, "r3=27 r4=0"), 27);
    ck_assert_int_eq(after_one(b, "3x3x3", false, "r3=26 r4=27"), 0); /* r4 > r3: no survivors */
    ck_assert_int_eq(after_one(b, "3x3x3", false, "r3=5 r4=6"), 0);
    /* `rule` takes the place of all four. */
    ck_assert_int_eq(after_one(b, "3x3x3", true, "r1=0 r2=0 rule=3D5/6"), 0);
}
END_TEST

/* The seed's own start, by the C library's rand(). */
START_TEST(crand_start)
{
    struct ca_experiment experiment =
        kernel_experiment("life3d", "reference", "7x5x3", "crand", UINT64_C(0x700000000) + 9, NULL);
    struct ca_lattice state;

    ck_assert_ok(ca_initial_state(&experiment, &state, &error));
    srand(9);
    for (int64_t i = 0; i < ca_cells(experiment.size); i++)
        ck_assert_int_eq(((uint8_t *)state.plane[0])[i], rand() % 2);
    ca_lattice_free(&state);
}
END_TEST

START_TEST(random_start)
{
    static const double densities[] = {0, 0.2, 1};
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    double values[CA_OBSERVABLES_MAX], p = densities[_i], far;

    experiment = kernel_experiment("life3d", "threads", "41x37x29", NULL, test_seed(),
                                   test_text("density=%g", p));
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_observe(simulation, values, &error));
    far = values[0] - p * (double)ca_cells(experiment.size);
    ck_assert_msg(far * far <= 36 * p * (1 - p) * (double)ca_cells(experiment.size),
                  "density %g: %g live cells", p, values[0]);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(same_as_reference)
{
    static const char *const settings[] = {"threads=1",
                                           "threads=2 boundary=dead",
                                           "threads=3 rule=3D2,4..9/3,5",
                                           "threads=7 rule=3D0..13/5..9 boundary=dead",
                                           "threads=2 density=0 r1=0",
                                           "threads=3 density=1 r3=26"};
    static const uint64_t calls[] = {1, 2, 3, 17, 0};

    for (int s = 0; s < 6; s++)
        for (int b = 1; b < BACKENDS; b++) {
            struct ca_experiment experiment = kernel_experiment(
                "life3d", backends[b], shapes[_i], NULL, test_seed() + (uint64_t)s, settings[s]);

            kernel_check_same(&experiment, calls);
        }
}
END_TEST

START_TEST(rows_in_and_out)
{
    struct ca_experiment experiment =
        kernel_experiment("life3d", backends[_i], "65x5x4", NULL, test_seed(), "threads=2");

    kernel_check_rows(&experiment);
}
END_TEST

START_TEST(slabs)
{
    static const char *const settings[] = {"threads=3 rule=3D2..9/4..8",
                                           "threads=3 rule=3D2..9/4..8 boundary=dead"};

    for (int dead = 0; dead < 2; dead++)
        for (int64_t ghosts = 1; ghosts <= 4; ghosts++) {
            struct ca_experiment experiment = kernel_experiment("life3d", backends[_i], "17x6x12",
                                                                NULL, test_seed(), settings[dead]);

            kernel_check_slabs(&experiment, ghosts, !dead, 3);
        }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {good_rules, bad_rules, ranges, rules_as_text,
                              bad_rule_refused_by_the_model, golden_gliders, crand_start},
                     .table = {{reference_by_force, SHAPES},
                               {known_patterns, PATTERNS},
                               {boundaries, BACKENDS},
                               {corner_cases_of_ranges, BACKENDS},
                               {random_start, 3},
                               {same_as_reference, SHAPES},
                               {rows_in_and_out, BACKENDS},
                               {slabs, BACKENDS}});
}
