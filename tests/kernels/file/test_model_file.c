/* SPDX-License-Identifier: MIT */
/* Models in files: their steps, beside loops that write the same rules out, and their starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/verify/verify.h"
#include "kernels/file/file_model.h"
#include "tests/kernels/file/models.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* The model of a text. */
static const struct ca_model *opened(const char *text)
{
    const struct ca_model *model = NULL;
    static int count;
    enum ca_status status =
        file_model_open(&model, test_put(test_text("model%d.c", count++), text), &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
    return model;
}

static struct ca_experiment experiment_of(const struct ca_model *model, const char *backend,
                                          const char *size)
{
    struct ca_experiment experiment;
    const struct ca_backend *row;

    ck_assert_int_eq(ca_backend_find(&row, model, backend, &error), CA_OK);
    ca_experiment_default(&experiment, model);
    ca_experiment_backend(&experiment, row, CA_FROM_COMMAND_LINE);
    ck_assert_int_eq(ca_size_parse(&experiment.size, size, model->dimensions, "size", &error),
                     CA_OK);
    experiment.seed = test_seed();
    return experiment;
}

/* --- the rules, written out ------------------------------------------------------------------- */

struct edges {
    int edge[3]; /* CA_TORUS, CA_DEAD, CA_CONSTANT */
    double beyond[4];
};

static bool inside(int64_t *i, int64_t n, int edge)
{
    if (edge == CA_TORUS)
        *i = (*i % n + n) % n;
    return *i >= 0 && *i < n;
}

/* The value of plane p at a place; beyond several edges the first of x, z and y counts. */
static double value_at(const struct ca_lattice *now, const struct edges *edges, int p, int64_t x,
                       int64_t y, int64_t z)
{
    int64_t at[3] = {x, y, z};
    const int64_t n[3] = {now->size.w, now->size.h, now->size.d};
    static const int order[3] = {0, 2, 1};
    int64_t i;

    for (int k = 0; k < 3; k++) {
        int axis = order[k];

        if (!inside(&at[axis], n[axis], edges->edge[axis]))
            return edges->edge[axis] == CA_CONSTANT ? edges->beyond[p] : 0;
    }
    i = (at[2] * n[1] + at[1]) * n[0] + at[0];
    return now->type == CA_F32 ? (double)((const float *)now->plane[p])[i]
                               : ((const uint8_t *)now->plane[p])[i];
}

typedef void define_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                         int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[]);

static int count_square(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, int rz, int r, int state)
{
    int count = 0;

    for (int64_t dz = -rz; dz <= rz; dz++)
        for (int64_t dy = -r; dy <= r; dy++)
            for (int64_t dx = -r; dx <= r; dx++)
                count += value_at(now, edges, 0, x + dx, y + dy, z + dz) == state;
    return count;
}

static void highlife_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int n = count_square(now, edges, x, y, z, 0, 1, 1);

    (void)seed, (void)t;
    if (value_at(now, edges, 0, x, y, z) == 1)
        next[0] = n == 3 || n == 4;
    else
        next[0] = n == 3 || n == 6;
}

static void slanted_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                         int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int at[3][3];

    (void)seed, (void)t;
    for (int k = 0; k < 9; k++)
        at[k / 3][k % 3] = (int)value_at(now, edges, 0, x + k % 3 - 1, y + k / 3 - 1, z);
    if (at[0][0] && !at[1][2])
        next[0] = at[2][1] ^ at[0][2];
    else
        next[0] = count_square(now, edges, x, y, z, 0, 1, 1) >= 2 ? at[1][0] : !at[0][1];
}

static void far_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x, int64_t y,
                     int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int steps = 0, n = count_square(now, edges, x, y, z, 0, 4, 1);

    (void)seed, (void)t;
    for (int64_t dy = -8; dy <= 8; dy++)
        for (int64_t dx = -8; dx <= 8; dx++) {
            int c = (int)value_at(now, edges, 0, x + dx, y + dy, z);

            steps += llabs(dx) + llabs(dy) <= 3 && c == 2;
            n += dx * dx + dy * dy <= 72 && c == 0;
        }
    if (steps % 3 == 1)
        next[0] = value_at(now, edges, 0, x + 1, y, z);
    else
        next[0] = n % 5 == 0 ? 1 : n % 5 == 1 ? 2 : value_at(now, edges, 0, x, y, z);
}

static bool chance(uint64_t seed, int64_t x, int64_t y, uint64_t t, uint32_t stream, double p)
{
    return ca_uniform(seed, (uint64_t)x, (uint64_t)y, 0, t, 16 + stream) >> 2 <
           (uint32_t)(p * 1073741824);
}

static void forest_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z);
    bool fire =
        value_at(now, edges, 0, x - 1, y, z) == 2 || value_at(now, edges, 0, x + 1, y, z) == 2 ||
        value_at(now, edges, 0, x, y - 1, z) == 2 || value_at(now, edges, 0, x, y + 1, z) == 2;

    if (c == 2)
        next[0] = 3;
    else if (c == 1)
        next[0] = fire || chance(seed, x, y, t, 0, 0.01) ? 2 : 1;
    else
        next[0] = chance(seed, x, y, t, 1, 0.3) ? c == 0 : c;
}

/* Eight cells of a row share the four words of a block. */
static int drawn_16(uint64_t seed, int64_t x, int64_t y, uint64_t t, uint32_t stream)
{
    uint64_t word = (uint64_t)(4 * (x / 8) + x % 8 / 2);

    return (int)(ca_uniform(seed, word, (uint64_t)y, 0, t, stream) >> 16 * (x % 2) & 0xffff);
}

static void sparks_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z);
    bool hot =
        value_at(now, edges, 0, x - 1, y, z) == 2 || value_at(now, edges, 0, x + 1, y, z) == 2 ||
        value_at(now, edges, 0, x, y - 1, z) == 2 || value_at(now, edges, 0, x, y + 1, z) == 2;

    if (c == 2)
        next[0] = drawn_16(seed, x, y, t, 32) < 26624   ? 1
                  : drawn_16(seed, x, y, t, 33) > 60000 ? 0
                                                        : 2;
    else
        next[0] = hot && chance(seed, x, y, t, 0, 0.3) ? 2 : c;
}

/* In single precision, in the order of the file. */
static void reaction_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    float at[2][5], laplace[2], uvv, feed = 0.037f;

    (void)seed, (void)t;
    for (int p = 0; p < 2; p++) {
        static const int places[5][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};

        for (int i = 0; i < 5; i++)
            at[p][i] = (float)value_at(now, edges, p, x + places[i][0], y + places[i][1], z);
        laplace[p] = (at[p][1] + at[p][2]) + (at[p][3] + at[p][4]) - 4 * at[p][0];
    }
    uvv = at[0][0] * at[1][0] * at[1][0];
    next[0] = (double)(at[0][0] + 0.2f * laplace[0] - uvv + feed * (1 - at[0][0]));
    next[1] = (double)(at[1][0] + 0.1f * laplace[1] + uvv - (feed + 0.06f) * at[1][0]);
}

static void four_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x, int64_t y,
                      int64_t z, uint64_t seed, uint64_t t, double next[])
{
    (void)seed, (void)t;
    next[0] = value_at(now, edges, 1, x + 1, y, z);
    next[1] = value_at(now, edges, 2, x, y + 1, z);
    next[2] = value_at(now, edges, 3, x - 1, y, z);
    next[3] = value_at(now, edges, 0, x, y - 1, z) / 2;
}

static void clouds_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z), faces = 0;
    int n = count_square(now, edges, x, y, z, 1, 1, 1) - c;

    (void)seed;
    for (int k = -1; k <= 1; k += 2)
        faces += (int)(value_at(now, edges, 0, x + k, y, z) + value_at(now, edges, 0, x, y + k, z) +
                       value_at(now, edges, 0, x, y, z + k));
    if (c)
        next[0] = n >= 5 && n <= 10;
    else
        next[0] = (n >= 7 && n <= 9) || (((uint64_t)(y + z) + t) % 7 == 0 && faces == 2);
}

static void hexagons_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int64_t odd = y % 2, left = x - 1 + odd; /* above and below, left and right */
    const int64_t at[6][2] = {{left, y - 1},     {left + 1, y - 1}, {x + 1, y},
                              {left + 1, y + 1}, {left, y + 1},     {x - 1, y}};
    int around[6], n = 0;

    (void)seed, (void)t;
    for (int k = 0; k < 6; k++) {
        around[k] = (int)value_at(now, edges, 0, at[k][0], at[k][1], z);
        n += around[k] == 1;
    }
    if (value_at(now, edges, 0, x, y, z) == 1)
        next[0] = 2;
    else
        next[0] = (around[0] == 2 && around[4] == 1) || n == 2 ||
                  count_square(now, edges, x, y, z, 0, 2, 2) > 11;
}

struct rule {
    const char *text;
    struct edges edges;
    define_cell *cell;
    const char *sizes[6];
};

static const struct rule rules[] = {
    {HIGHLIFE("torus", ""),
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     highlife_cell,
     {"67x41", "1x1", "2x3", "3x1", "1030x4", NULL}},
    {HIGHLIFE("dead", "#define CA_EDGES CA_DEAD\n"),
     {{CA_DEAD, CA_DEAD, CA_DEAD}, {0, 0}},
     highlife_cell,
     {"67x41", "1x1", "2x3", "1x7", NULL}},
    {HIGHLIFE("tube", "#define CA_EDGE_X CA_CONSTANT\n#define CA_BEYOND 1\n"),
     {{CA_CONSTANT, CA_TORUS, CA_DEAD}, {1, 0}},
     highlife_cell,
     {"33x17", "1x1", "2x1", NULL}},
    {FOREST,
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     forest_cell,
     {"61x30", "1x1", "1025x3", "2051x2", NULL}},
    {SLANTED,
     {{CA_DEAD, CA_DEAD, CA_DEAD}, {0, 0}},
     slanted_cell,
     {"67x41", "1x1", "2x3", "64x5", "200x3", NULL}},
    {FAR("far", ""),
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     far_cell,
     {"67x41", "1x1", "3x9", "1030x4", NULL}},
    {FAR("far_walls",
         "#define CA_EDGES CA_CONSTANT\n#define CA_EDGE_Y CA_DEAD\n#define CA_BEYOND 2\n"),
     {{CA_CONSTANT, CA_DEAD, CA_DEAD}, {2, 0}},
     far_cell,
     {"67x41", "1x1", "3x9", "1030x4", NULL}},
    {SPARKS,
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     sparks_cell,
     {"61x30", "1x1", "1025x3", "2051x2", NULL}},
    {REACTION,
     {{CA_CONSTANT, CA_TORUS, CA_DEAD}, {1, 0.25}},
     reaction_cell,
     {"45x23", "1x1", "2x2", NULL}},
    {HIGHLIFE("corners", "#define CA_EDGE_X CA_DEAD\n#define CA_EDGE_Y CA_CONSTANT\n"
                         "#define CA_BEYOND 1\n"),
     {{CA_DEAD, CA_CONSTANT, CA_DEAD}, {1, 0}},
     highlife_cell,
     {"21x11", "1x1", NULL}},
    {FOUR,
     {{CA_CONSTANT, CA_CONSTANT, CA_DEAD}, {1, 2, 3, 0.5}},
     four_cell,
     {"45x23", "1x1", "2x2", NULL}},
    {CLOUDS,
     {{CA_TORUS, CA_DEAD, CA_CONSTANT}, {1, 0}},
     clouds_cell,
     {"17x13x9", "1x1x1", "2x1x3", "5x2x1", NULL}},
    {HEXAGONS,
     {{CA_CONSTANT, CA_CONSTANT, CA_DEAD}, {2, 0}},
     hexagons_cell,
     {"29x18", "1x1", "2x3", "3x2", "4x5", NULL}},
};

static void define(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed, uint64_t t,
                   const void *context)
{
    const struct rule *rule = context;

    for (int64_t i = 0; i < ca_cells(now->size); i++) {
        double value[4];

        rule->cell(now, &rule->edges, i % now->size.w, i / now->size.w % now->size.h,
                   i / now->size.w / now->size.h, seed, t, value);
        for (int p = 0; p < now->planes; p++)
            if (now->type == CA_F32)
                ((float *)next->plane[p])[i] = (float)value[p];
            else
                ((uint8_t *)next->plane[p])[i] = (uint8_t)value[p];
    }
}

START_TEST(steps_are_those_of_a_loop)
{
    const struct rule *rule = &rules[_i];
    const struct ca_model *model = opened(rule->text);

    for (int s = 0; rule->sizes[s]; s++)
        for (const struct ca_backend *b = model->backends; b->name; b++)
            for (uint64_t t = 0; t <= 4 && ca_backend_available(b, &error) == CA_OK; t += 4) {
                struct ca_experiment experiment = experiment_of(model, b->name, rule->sizes[s]);

                kernel_check_defined(&experiment, t, 4, define, rule);
            }
}
END_TEST

START_TEST(threads_and_slabs_are_the_reference)
{
    static const uint64_t calls[] = {1, 5, 2, 0};
    static const char *const threads[] = {"1", "2", "3", "7"};
    const struct rule *rule = &rules[_i];
    const struct ca_model *model = opened(rule->text);
    bool torus = rule->edges.edge[model->dimensions - 1] == CA_TORUS;
    struct ca_experiment experiment;

    for (int k = 0; k < 4; k++) {
        experiment = experiment_of(model, "threads", rule->sizes[0]);
        ck_assert_int_eq(ca_experiment_value(&experiment, "threads", threads[k],
                                             CA_FROM_COMMAND_LINE, "test", &error),
                         CA_OK);
        kernel_check_same(&experiment, calls);
        kernel_check_rows(&experiment);
    }
    for (const struct ca_backend *b = model->backends; b->name; b++) {
        if (ca_backend_available(b, &error) != CA_OK)
            continue;
        experiment = experiment_of(model, b->name, rule->sizes[0]);
        kernel_check_slabs(&experiment, 2 * model->radius, torus, 3);
    }
}
END_TEST

#define ONE_LINE(value)                                                                            \
    INCLUDE "CA_MODEL(line, \"a line\")\n" TWO_STATES                                              \
            "CA_CELL cell(CA_NB nb)\n{\n    return " value ";\n}\n"

/* Bit-sliced backends are those of rules of nine cells, two states and no place. */
START_TEST(bit_slices_are_of_nine_cells)
{
    static const struct {
        const char *text;
        int backends;
    } files[] = {
        {HIGHLIFE("closed", ""), 3},
        {HIGHLIFE("open", "#define CA_EDGES CA_DEAD\n"), 3},
        {SLANTED, 3}, /* whose start has a place */
        {HIGHLIFE("tube", "#define CA_EDGE_X CA_DEAD\n"), 0},
        {HIGHLIFE("walls", "#define CA_EDGES CA_CONSTANT\n"), 0},
        {HIGHLIFE("draws", "#define CA_DRAWS 1\n"), 0},
        {HIGHLIFE("draws_16", "#define CA_DRAWS_16 1\n"), 0},
        {HIGHLIFE("wide", "#define CA_RADIUS 2\n"), 0},
        {HIGHLIFE("deep", "#define CA_DIMENSIONS 3\n"), 0},
        {ONE_LINE("AT(0, 0) ^ (nb.x & 1)"), 0},
        {ONE_LINE("nb.t == 1000 ? AT(0, 0) : AT(1, 0)"), 0},
        {ONE_LINE("AT(0, 0) ^ AT(1, 0)"), 3},
        {FOREST, 0},
        {HEXAGONS, 0},
        {REACTION, 0},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct ca_model *model = opened(files[i].text);
        int count = 0;

        for (const struct ca_backend *b = model->backends; b->name; b++)
            count += strncmp(b->name, "bitslice", 8) == 0;
        must_hold(count == files[i].backends, "%s has %d", model->name, count);
    }
}
END_TEST

/* Parameters make the logic; what is observed needs no bytes. */
START_TEST(bit_slices_are_of_the_parameters)
{
    const struct ca_model *model = opened(SLANTED);
    double values[2][CA_OBSERVABLES_MAX];
    uint64_t hash[2];

    for (int least = 0; least <= 9; least += 3) {
        for (int b = 0; b < 2; b++) {
            struct ca_experiment experiment =
                experiment_of(model, b ? "bitslice" : "reference", "90x37");
            struct ca_simulation *simulation;

            ck_assert_int_eq(ca_values_set_number(&experiment.params,
                                                  ca_values_find(&experiment.params, "least"),
                                                  least, CA_FROM_COMMAND_LINE, NULL, &error),
                             CA_OK);
            ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
            ck_assert_int_eq(ca_simulation_step(simulation, 9, &error), CA_OK);
            ck_assert_int_eq(ca_simulation_hash(simulation, &hash[b], &error), CA_OK);
            ck_assert_int_eq(ca_simulation_observe(simulation, values[b], &error), CA_OK);
            ca_simulation_close(simulation);
        }
        must_hold(hash[0] == hash[1], "least = %d", least);
        must_hold(values[0][0] + values[0][1] == 90 * 37, "%g", values[0][0]);
        ck_assert_mem_eq(values[0], values[1], 2 * sizeof values[0][0]);
    }
}
END_TEST

/* What is not + - * / or sqrt needs a tolerance, of floats. */
START_TEST(inexact_functions_need_a_tolerance)
{
    static const struct {
        const char *defined, *value, *named;
    } files[] = {
        {"", "expf(VALUE(U, 0, 0))", "expf()"},
        {"", "(float)pow(VALUE(U, 0, 0), 0.3)", "pow()"},
        {"#define CA_TOLERANCE 1e-5\n", "expf(VALUE(U, 0, 0))", NULL},
        {"", "sqrtf(floorf(VALUE(U, 0, 0)) * fmodf(VALUE(U, 1, 0), 3))", NULL},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct ca_verify_choice choice = {.seed = 1, .count = 2, .small = true};
        struct ca_verify_case *cases;
        const struct ca_model *model =
            opened(test_text("#define CA_FLOATS 1\n%s#include <math.h>\n" INCLUDE
                             "CA_MODEL(curve, \"x\")\nCA_PLANE(U, 0, \"\", 0, 1, \"u\")\n"
                             "CA_START(one, \"1\")\n{\n    return 1;\n}\n"
                             "CA_CELL cell(CA_NB nb)\n{\n    return %s;\n}\n",
                             files[i].defined, files[i].value));
        enum ca_status status = ca_verify_cases(&cases, &(int){0}, model, &choice, &error);

        free(cases);
        ck_assert_int_eq(status, files[i].named ? CA_USAGE : CA_OK);
        for (const struct ca_backend *b = model->backends; b->name; b++)
            ck_assert_double_eq(b->tolerance, b->device == CA_CUDA && i == 2 ? 1e-5 : 0);
        if (files[i].named)
            must_hold(strstr(error.text, "curve calls ") && strstr(error.text, files[i].named),
                      "%s", error.text);
    }
}
END_TEST

/* Streams of a start are numbered from 0 on, those of 16 bits from 16 on. */
START_TEST(starts_draw_by_place)
{
    struct ca_experiment experiment = experiment_of(opened(SPARKS), "reference", "1043x3");
    struct ca_simulation *simulation;
    struct ca_lattice start;

    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
    ck_assert_int_eq(ca_simulation_store(simulation, &start, &error), CA_OK);
    ca_simulation_close(simulation);
    for (int64_t i = 0; i < ca_cells(start.size); i++) {
        int64_t x = i % 1043, y = i / 1043;
        int expected = drawn_16(experiment.seed, x, y, 0, 17) < 26624
                           ? 2
                           : drawn_16(experiment.seed, x, y, 0, 18) & 1;

        ck_assert_int_eq(((const uint8_t *)start.plane[0])[i], expected);
    }
    ca_lattice_free(&start);
}
END_TEST

/* A chance that 16 bits cannot have is refused, with those beside it. */
START_TEST(chances_of_16_bits_are_multiples)
{
    struct ca_experiment experiment = experiment_of(opened(SPARKS), "reference", "8x8");
    struct ca_simulation *simulation;

    ck_assert_int_eq(ca_values_set(&experiment.params, ca_values_find(&experiment.params, "fade"),
                                   "0.01", CA_FROM_COMMAND_LINE, NULL, &error),
                     CA_OK);
    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
    must_hold(strstr(error.text, "fade is 0.01, but is drawn from 16 bits") &&
                  strstr(error.text, "0.009994506836 and 0.01000976562 are the nearest"),
              "%s", error.text);
}
END_TEST

/* The same text is C++ and CUDA, for gcc, clang and nvcc where they are, and has no warnings. */
START_TEST(other_compilers_take_the_file)
{
    static const char *const commands[] = {
        "gcc -std=c11 -O3 -Wall -Wextra -Werror",
        "gcc -std=c11 -O1 -DCA_CHECKED -Wall -Wextra -Werror",
        "clang -std=c11 -Wall -Wextra -Werror",
        "g++ -x c++ -std=c++17 -Wall -Wextra -Werror",
        "clang++ -x c++ -std=c++17 -Wall -Wextra -Werror",
        "nvcc -x cu -Werror all-warnings",
    };
    const char *source = test_put("other.c", rules[_i].text);

    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        const char *command = test_text("command -v %.*s >/dev/null || exit 0; %s -I%s -c %s -o %s",
                                        (int)strcspn(commands[k], " "), commands[k], commands[k],
                                        test_source("kernels/file"), source, test_path("other.o"));

        must_hold(system(command) == 0, "%s", command);
    }
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder,
                     .test = {inexact_functions_need_a_tolerance, bit_slices_are_of_nine_cells,
                              bit_slices_are_of_the_parameters, starts_draw_by_place,
                              chances_of_16_bits_are_multiples},
                     .table = {
                         {other_compilers_take_the_file, sizeof rules / sizeof rules[0]},
                         {steps_are_those_of_a_loop, sizeof rules / sizeof rules[0]},
                         {threads_and_slabs_are_the_reference, sizeof rules / sizeof rules[0]}});
}
