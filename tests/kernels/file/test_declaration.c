/* SPDX-License-Identifier: MIT */
/* Declarations of models in files: the record that one becomes, what is just allowed and what is
 * not, and what is observed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/machine/cpu.h"
#include "tests/kernels/file/rules.h"

#define TEXT 4000

/* All at the edge of what is allowed. */
#define EDGES                                                                                      \
    "#define CA_REACH 3\n#define CA_AREAS 1\n" INCLUDE                                             \
    "CA_MODEL(edges, \"at the edges\")\nCA_ABOUT(\"All that is just allowed.\")\n"                 \
    "CA_SIZE(1, 2, 1)\nCA_PACE(1048576)\n"                                                         \
    "CA_STATE(FIRST, 0, ' ', CA_QUIET, \"\")\nCA_STATE(LAST, 1, '~', CA_SOLID, \"last\")\n"        \
    "CA_PARAM(low, -2, -2, 3, \"at its least\")\nCA_PARAM(high, 3, -2, 3, \"at its most\")\n"      \
    "CA_PARAM_16(chance, 1, 0, 1, \"a chance\")\n"                                                 \
    "CA_PARAM_INT(whole, 7, -2147483648.0, 2147483647, \"32 bits\")\n"                             \
    "CA_AREA(far, 0, CA_SQUARE, 3, LAST, \"as far as it may\")\n"                                  \
    "CA_COUNT(lasts, LAST, \"cells\")\nCA_CONSERVED(lasts, 0)\n"                                   \
    "CA_RANDOM_START(full, \"all\", SHARE(LAST, 1))\n"                                             \
    "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0);\n}\n"

/* Planes that share a byte, of which one has no names. */
#define PAIRS                                                                                      \
    "#define CA_STATE_PLANES 2, 5\n" INCLUDE "CA_MODEL(pairs, \"two planes\")\n"                   \
    "CA_PLANE(KIND, 0, \"kind\")\n" TWO_STATES "CA_PLANE(SPEED, 1, \"speed\")\n"                   \
    "CA_COUNT(live, LIVE, \"live cells\")\nCA_SUM(speeds, SPEED, \"all speeds\")\n"                \
    "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(VALUE(KIND, 1, 0), VALUE(SPEED, 0, 1));\n}\n"

static void add_params(char *text, const struct ca_param *params)
{
    char preset[CA_TEXT_MAX], range[CA_TEXT_MAX];

    for (const struct ca_param *p = params; p->name; p++)
        ca_text_add(text, TEXT, "param %s %s, %s%s, %s\n", p->name, ca_param_default(preset, p),
                    ca_param_range(range, p), p->initial ? ", initial" : "", p->help);
}

/* The record of a model, a line for each of its parts. */
static char *record(const struct ca_model *m)
{
    static char text[TEXT];

    text[0] = '\0';
    ca_text_add(text, TEXT, "%s: %s; %s\n%dD radius %d planes %d of %s", m->name, m->title,
                m->summary, m->dimensions, m->radius, m->planes,
                m->type == CA_F32 ? "floats" : "bytes");
    for (int p = 0; p < m->planes; p++)
        ca_text_add(text, TEXT, " %s", m->plane_names[p]);
    ca_text_add(text, TEXT, ", at most %d%s\n%lldx%lldx%lld, pace %.9g\n", m->max_value,
                m->rows_alternate ? ", alternating" : "", (long long)m->default_size.w,
                (long long)m->default_size.h, (long long)m->default_size.d, m->pace);
    add_params(text, m->params);
    for (const struct ca_state_appearance *s = m->draw->states; s->name; s++)
        ca_text_add(text, TEXT, "state '%c' %d %s\n", s->glyph, s->colour, s->name);
    ca_text_add(text, TEXT, "full %g %s, mask %d\n", (double)m->draw->level_full,
                m->draw->level_unit, m->draw->picture_mask);
    for (const struct ca_brush *b = m->brushes; b->name; b++)
        ca_text_add(text, TEXT, "brush %s %u %g%s\n", b->name, b->planes, (double)b->value[0],
                    b->over ? " over" : "");
    for (const struct ca_observable *o = m->observe->observables; o->name; o++)
        ca_text_add(text, TEXT, "observable %s %g%s, %s\n", o->name, o->tolerance,
                    o->conserved ? " conserved" : "", o->help);
    for (const struct ca_start *s = m->start->named; s->name; s++)
        ca_text_add(text, TEXT, "start %s, %s\n", s->name, s->help);
    for (const struct ca_backend *b = m->backends; b->name; b++)
        if (b->device == CA_CPU)
            ca_text_add(text, TEXT, "%s %g %g\n", b->name, b->memory_bytes_per_cell,
                        b->bytes_per_cell_step);
    return text;
}

static const struct {
    const char *text, *record;
} files[] = {
    {EDGES, "edges: at the edges; All that is just allowed.\n"
            "2D radius 3 planes 1 of bytes cell, at most 1\n"
            "1x2x1, pace 1048576\n"
            "param low -2, -2 ... 3, at its least\n"
            "param high 3, -2 ... 3, at its most\n"
            "param chance 1, 0 ... 1, a chance\n"
            "param whole 7, -2147483648 ... 2147483647, whole, 32 bits\n"
            "state ' ' 0 FIRST\n"
            "state '~' 6 last\n"
            "full 1 not quiet, mask 1\n"
            "brush FIRST 1 0\n"
            "brush last 1 1\n"
            "observable lasts 0 conserved, cells\n"
            "start full, all\n"
            "reference 2 2\n"
            "threads 2 2\n"},
    {FOREST, "embers: forest fire with ash; forest fire with ash\n"
             "2D radius 1 planes 1 of bytes cell, at most 3\n"
             "256x256x1, pace 1\n"
             "param spark 0.01, 0 ... 1, chance of a spark\n"
             "param change 0.3, 0 ... 1, chance that ash or soil changes\n"
             "param wood 0.6, 0 ... 1, initial, share of trees at the start\n"
             "state '.' 0 soil\n"
             "state '#' 5 tree\n"
             "state '*' 3 fire\n"
             "state '-' 4 ash\n"
             "full 1 not quiet, mask 0\n"
             "brush soil 1 0\n"
             "brush tree 1 1\n"
             "brush fire 1 2\n"
             "brush ash 1 3\n"
             "observable trees 0, trees\n"
             "observable fires 0, fires\n"
             "observable codes 0, sum of all codes\n"
             "start random, trees and some fires\n"
             "start stripes, columns of trees\n"
             "reference 2 2\n"
             "threads 2 2\n"},
    {REACTION, "reaction: reaction and diffusion; reaction and diffusion\n"
               "2D radius 1 planes 2 of floats U V, at most 0\n"
               "256x256x1, pace 1\n"
               "param feed 0.037, 0 ... 0.1, feed rate\n"
               "state '.' 0 low\n"
               "state 'O' 2 high\n"
               "full 1 mol, mask 0\n"
               "brush low 1 0\n"
               "brush high 1 1\n"
               "observable all_u 0, sum of u\n"
               "start ramp, a ramp\n"
               "reference 16 16\n"
               "threads 16 16\n"},
    {CLOUDS, "clouds: a rule in 3D; a rule in 3D\n"
             "3D radius 1 planes 1 of bytes cell, at most 1\n"
             "64x64x64, pace 1\n"
             "state '.' 0 empty\n"
             "state 'O' 2 live\n"
             "full 1 not quiet, mask 1\n"
             "brush empty 1 0\n"
             "brush live 1 1\n"
             "observable live 0, live cells\n"
             "start random, a third\n"
             "reference 2 2\n"
             "threads 2 2\n"},
    {HEXAGONS, "hexagons: six neighbours; six neighbours\n"
               "2D radius 2 planes 1 of bytes cell, at most 2, alternating\n"
               "256x256x1, pace 1\n"
               "state '.' 0 empty\n"
               "state 'O' 2 live\n"
               "state 'o' 4 old\n"
               "full 1 not quiet, mask 0\n"
               "brush empty 1 0\n"
               "brush live 1 1\n"
               "brush old 1 2\n"
               "start random, all states alike\n"
               "reference 2 2\n"
               "threads 2 2\n"},
    {PAIRS, "pairs: two planes; two planes\n"
            "2D radius 1 planes 1 of bytes cell, at most 15\n"
            "256x256x1, pace 1\n"
            "state '.' 0 empty\n"
            "state 'O' 2 live\n"
            "state ' ' 0 SPEED 0\n"
            "state '1' 1 SPEED 1\n"
            "state '2' 1 SPEED 2\n"
            "state '3' 1 SPEED 3\n"
            "state '4' 1 SPEED 4\n"
            "full 1 not quiet, mask 0\n"
            "brush empty, SPEED 0 1 0\n"
            "brush live, SPEED 0 1 1\n"
            "brush empty, SPEED 1 1 2\n"
            "brush live, SPEED 1 1 3\n"
            "brush empty, SPEED 2 1 4\n"
            "brush live, SPEED 2 1 5\n"
            "brush empty, SPEED 3 1 6\n"
            "brush live, SPEED 3 1 7\n"
            "brush empty, SPEED 4 1 8\n"
            "brush live, SPEED 4 1 9\n"
            "observable live 0, live cells\n"
            "observable speeds 0, all speeds\n"
            "start random, all states alike\n"
            "reference 2 2\n"
            "threads 2 2\n"},
};

START_TEST(becomes_a_record) { ck_assert_str_eq(record(opened(files[_i].text)), files[_i].record); }
END_TEST

#define BAD INCLUDE "CA_MODEL(bad, \"a model\")\n"
#define BAD_FLOATS "#define CA_FLOATS 1\n" BAD "CA_START(one, \"1\")\n{\n    return 1;\n}\n"
#define BAD_CELL "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0);\n}\n"

/* Just beyond what is allowed. */
static const struct {
    const char *text, *says;
} beyond[] = {
    {BAD "CA_STATE(A, 0, '.', 7, \"a\")\n", "state A has no colour"},
    {BAD "CA_STATE(A, 0, '.', -1, \"a\")\n", "state A has no colour"},
    {BAD "CA_STATE(A, 0, 31, CA_QUIET, \"a\")\n", "the glyph of state A"},
    {BAD "CA_STATE(A, 0, 127, CA_QUIET, \"a\")\n", "the glyph of state A"},
    {BAD TWO_STATES "CA_SIZE(0, 8, 1)\n", "CA_SIZE has three sides from 1 on"},
    {BAD TWO_STATES "CA_SIZE(8, 0, 1)\n", "CA_SIZE has three sides from 1 on"},
    {BAD TWO_STATES "CA_SIZE(8, 8, 0)\n", "CA_SIZE has three sides from 1 on"},
    {BAD TWO_STATES "CA_SIZE(8, 8, 2)\n", "in 2D a depth of 1"},
    {BAD TWO_STATES "CA_PACE(1048577)\n", "at most 1048576"},
    {BAD TWO_STATES "CA_PARAM(p, -0.25, 0, 1, \"p\")\n", "-0.25, is not in its range, 0 to 1"},
    {BAD TWO_STATES "CA_PARAM_INT(p, 1.5, 0, 3, \"p\")\n", "p is not a whole number of 32 bits"},
    {BAD TWO_STATES "CA_PARAM_INT(p, 1, -2147483649.0, 3, \"p\")\n", "not a whole number"},
    {BAD TWO_STATES "CA_PARAM_INT(p, 1, 0, 2147483648.0, \"p\")\n", "not a whole number"},
    {BAD TWO_STATES "CA_PARAM_16(p, 0, -0.5, 1, \"p\")\n", "its range is within 0 to 1"},
    {BAD TWO_STATES "CA_COUNT(many, 2, \"many\")\n", "count many is of no state"},
    {BAD TWO_STATES "CA_COUNT(many, -1, \"many\")\n", "count many is of no state"},
    {BAD TWO_STATES "CA_SUM(all, 1, \"all\")\n", "sum all is of no plane: 0 to 0"},
    {BAD TWO_STATES "CA_SUM(all, -1, \"all\")\n", "sum all is of no plane: 0 to 0"},
    {BAD TWO_STATES "CA_COUNT(n, 1, \"n\")\nCA_CONSERVED(n, 1)\n", "the tolerance of n is not in"},
    {BAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE(EMPTY, 0.5))\n", "states above 0"},
    {BAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE(2, 0.5))\n", "states above 0"},
    {BAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE(LIVE, 0.5), SHARE(LIVE, 0.5))\n",
     "in rising order"},
    {BAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE(LIVE, -0.01))\n", "has a share below 0"},
    {BAD TWO_STATES "CA_PARAM(p, 0, -1, 1, \"p\")\nCA_RANDOM_START(r, \"r\", SHARE_OF(LIVE, p))\n",
     "'p' is not a parameter that is at least 0"},
    {"#define CA_REACH 2\n" BAD TWO_STATES "CA_AREA(a, 0, CA_DISC, 0, LIVE, \"a\")\n",
     "area a has the radius 0, but areas reach 1 to 2"},
    {BAD_FLOATS "CA_PLANE(U, 1, \"\", 0, 1, \"u\")\n",
     "plane U has the number 1: each from 0 to 0"},
    {BAD_FLOATS "CA_PLANE(U, -1, \"\", 0, 1, \"u\")\n", "plane U has the number -1"},
};

START_TEST(is_refused_beyond)
{
    const char *text = test_text("%s%s", beyond[_i].text, BAD_CELL);
    const struct ca_model *model = NULL;
    struct ca_error error;

    if (strstr(beyond[_i].text, "CA_FLOATS"))
        text = test_text("%sCA_CELL cell(CA_NB nb)\n{\n    return VALUE(0, 0, 0);\n}\n",
                         beyond[_i].text);
    ck_assert_int_eq(file_model_open(&model, test_put("bad.c", text), &error), CA_COMPILE);
    ck_assert_ptr_null(model);
    ck_assert_contains(error.text, "bad.c:", beyond[_i].says);
}
END_TEST

/* The level of a float is its part of the range that is declared, within 0 and 1. */
START_TEST(levels_of_floats)
{
    static const struct {
        float value, level;
        int code;
    } cells[] = {{-1, 0, 0},       {0, 0, 0}, {0.25F, 0.125F, 0}, {0.75F, 0.375F, 0}, {1, 0.5F, 1},
                 {1.5F, 0.75F, 1}, {2, 1, 1}, {3, 1, 1},          {(float)NAN, 0, 0}};
    const struct ca_model *model = opened(
        "#define CA_FLOATS 1\n" INCLUDE "CA_MODEL(heat, \"heat\")\nCA_PLANE(T, 0, \"K\", 0, 2, "
        "\"T\")\nCA_START(one, \"1\")\n{\n    return 1;\n}\n"
        "CA_CELL cell(CA_NB nb)\n{\n    return VALUE(T, 0, 0);\n}\n");

    for (size_t i = 0; i < COUNT(cells); i++) {
        const void *const planes[] = {&cells[i].value};
        struct ca_appearance look;

        model->draw->cell(model, planes, 0, 0, 0, &look);
        ck_assert_float_eq(look.level, cells[i].level);
        ck_assert_int_eq(look.code, cells[i].code);
    }
}
END_TEST

/* A state that is quiet has no level; one of another program's file that does not exist is the
 * last. */
START_TEST(levels_of_states)
{
    static const uint8_t codes[] = {0, 1, 2, 3, 4, 255};
    const struct ca_model *model = opened(FOREST);

    for (size_t i = 0; i < COUNT(codes); i++) {
        const void *const planes[] = {codes};
        struct ca_appearance look;

        model->draw->cell(model, planes, (int64_t)i, 0, 0, &look);
        ck_assert_float_eq(look.level, i > 0);
        ck_assert_int_eq(look.code, i < 4 ? (int)i : 3);
    }
}
END_TEST

/* The last plane is seen whose state is not quiet. */
START_TEST(planes_cover_each_other)
{
    static const uint8_t cells[] = {0, 1, 2, 3, 9, 8, 0xff};
    static const int codes[] = {0, 1, 3, 3, 6, 6, 6};
    const struct ca_model *model = opened(PAIRS);

    for (size_t i = 0; i < COUNT(cells); i++) {
        const void *const planes[] = {cells};
        struct ca_appearance look;

        model->draw->cell(model, planes, (int64_t)i, 0, 0, &look);
        ck_assert_float_eq(look.level, i > 0);
        ck_assert_int_eq(look.code, codes[i]);
    }
}
END_TEST

/* Each plane of a random start has draws of its own. */
START_TEST(planes_start_by_their_shares)
{
    struct ca_experiment experiment = experiment_of(opened(LANES), "reference", "400x300");
    struct ca_simulation *simulation;
    struct ca_lattice start;
    struct ca_error error;
    int lit[3] = {0}, count[3] = {0};

    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
    ck_assert_int_eq(ca_simulation_store(simulation, &start, &error), CA_OK);
    ca_simulation_close(simulation);
    for (int64_t i = 0; i < ca_cells(start.size); i++) {
        uint8_t byte = ((const uint8_t *)start.plane[0])[i];
        double u = ca_uniform(experiment.seed, (uint64_t)(i % 400), (uint64_t)(i / 400), 0, 0, 0);
        double v = ca_uniform(experiment.seed, (uint64_t)(i % 400), (uint64_t)(i / 400), 0, 0, 2);

        ck_assert_int_eq(byte & 3, u < 0x1p31 ? 1 : u < 0x1.8p31 ? 2 : 0);
        ck_assert_int_eq(byte >> 2, (v < floor(0.2 * 0x1p32)) << 3);
        count[byte & 3]++;
        lit[byte & 3] += byte >> 5;
    }
    for (int k = 0; k < 3; k++) /* whatever the other plane is */
        ck_assert_msg(abs(5 * lit[k] - count[k]) < 2000, "%d of %d", lit[k], count[k]);
    ca_lattice_free(&start);
}
END_TEST

/* What is observed of a state: cells of a code, the sum of all codes, and of a plane. */
static const struct {
    const char *text, *size, *name;
    int code, plane; /* no code: the sum */
    int shift, mask; /* of a plane that shares a byte */
} observed[] = {
    {FOREST, "61x30", "trees", 1, 0},       {FOREST, "61x30", "fires", 2, 0},
    {FOREST, "61x30", "codes", -1, 0},      {HIGHLIFE("observed", ""), "67x41", "live", 1, 0},
    {SLANTED, "67x41", "empty", 0, 0},      {REACTION, "45x23", "all_u", -1, 0},
    {FOUR, "45x23", "all_d", -1, 3},        {LANES, "61x30", "olds", 2, 0, 0, 3},
    {LANES, "61x30", "lights", 1, 0, 5, 1}, {LANES, "61x30", "speeds", -1, 0, 2, 7},
    {LAYERS, "17x13x9", "hs", -1, 0, 7, 1},
};

START_TEST(observables_are_counts_and_sums)
{
    const struct ca_model *model = opened(observed[_i].text);
    int observable = 0;

    while (strcmp(model->observe->observables[observable].name, observed[_i].name) != 0)
        ck_assert_ptr_nonnull(model->observe->observables[++observable].name);
    for (const struct ca_backend *b = model->backends; b->name; b++) {
        struct ca_experiment experiment = experiment_of(model, b->name, observed[_i].size);
        double values[CA_OBSERVABLES_MAX], sum = 0;
        struct ca_simulation *simulation;
        struct ca_lattice state;
        struct ca_error error;

        if (ca_backend_available(b, &error) != CA_OK)
            continue;
        ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
        ck_assert_int_eq(ca_simulation_step(simulation, 3, &error), CA_OK);
        ck_assert_int_eq(ca_simulation_observe(simulation, values, &error), CA_OK);
        ck_assert_int_eq(ca_simulation_store(simulation, &state, &error), CA_OK);
        ca_simulation_close(simulation);
        for (int64_t i = 0; i < ca_cells(state.size); i++) {
            int byte = 0;

            if (model->type == CA_U8)
                byte = ((const uint8_t *)state.plane[0])[i] >> observed[_i].shift &
                       (observed[_i].mask ? observed[_i].mask : 255);
            if (model->type == CA_F32)
                sum += (double)((const float *)state.plane[observed[_i].plane])[i];
            else
                sum += observed[_i].code < 0 ? byte : byte == observed[_i].code;
        }
        ck_assert_msg(fabs(values[observable] - sum) <= 1e-9 * fabs(sum) && sum > 0,
                      "%s: %g, not %g", b->name, values[observable], sum);
        ca_lattice_free(&state);
    }
}
END_TEST

/* A cell of the checks loads all within the radius, two operations each; 20 and 5 are of a draw. */
START_TEST(costs_of_backends)
{
    static const struct {
        const char *text;
        double least, all, draws;
    } priced[] = {
        {HIGHLIFE("costs", ""), 2 * 5, 2 * 9, 0},
        {FOREST, 2 * 5, 2 * 9, 2},
        {SPARKS, 2 * 5, 2 * 9, 1 + 3 / 2.0},
        {REACTION, 2 * 2 * 5, 2 * 2 * 9, 0},
        {CLOUDS, 2 * 7, 2 * 27, 0},
        {HEXAGONS, 2 * 5, 2 * 25, 0},
    };
    enum ca_isa isa = ca_cpu_isa();
    double bytes = isa == CA_AVX512 ? 64 : isa == CA_AVX2 ? 32 : 16;

    for (size_t i = 0; i < COUNT(priced); i++) {
        const struct ca_model *model = opened(priced[i].text);
        double lanes = bytes / (double)ca_type_bytes(model->type);

        ck_assert_double_eq_tol(model->backends[0].ops_per_cell_step,
                                priced[i].all + priced[i].least + 20 * priced[i].draws, 1e-9);
        ck_assert_double_eq_tol(model->backends[1].ops_per_cell_step,
                                priced[i].least / lanes + 5 * priced[i].draws, 1e-9);
    }
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder,
                     .test = {levels_of_floats, levels_of_states, planes_cover_each_other,
                              planes_start_by_their_shares, costs_of_backends},
                     .table = {{becomes_a_record, COUNT(files)},
                               {is_refused_beyond, COUNT(beyond)},
                               {observables_are_counts_and_sums, COUNT(observed)}});
}
