/* SPDX-License-Identifier: MIT */
/* This file chooses the cases that backends are checked on. Sizes are a list, because kernels fail
 * at edges of words, vectors, tiles and bands. All else is drawn at random, parameters from their
 * descriptions. */
#include "core/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/cuda.h"
#include "core/sim/simulation.h"

#define ROUNDS 10
#define SMALL_ROUNDS 3     /* over the sizes of backends that do not hold every setup */
#define SMALL_CASES_MAX 96 /* of these */
#define TRIES 24
#define CELL_STEPS_MAX (17 * 1000 * 1000) /* 512 x 512 for 64 generations */
#define SMALL_CELLS 4200                  /* 65 x 64 */
#define SMALL_CELL_STEPS (80 * 1000)      /* those for 19 generations */

static const struct ca_size flat[] = {
    {1, 1, 1},     {2, 2, 1},     {3, 3, 1},      {31, 31, 1},   {32, 32, 1},   {33, 33, 1},
    {64, 64, 1},   {65, 64, 1},   {96, 64, 1},    {255, 33, 1},  {500, 500, 1}, {512, 512, 1},
    {1, 64, 1},    {64, 1, 1},    {2, 100, 1},    {100, 2, 1},   {3, 70, 1},    {513, 6, 1},
    {1100, 8, 1},  {129, 130, 1}, {257, 66, 1},   {4, 1000, 1},  {1000, 4, 1},  {2100, 34, 1},
    {4100, 12, 1}, {8200, 4, 1},  {1537, 140, 1}, {640, 400, 1},
};

static const struct ca_size deep[] = {
    {1, 1, 1},     {2, 2, 2},     {3, 3, 3},     {5, 4, 3},     {31, 7, 5},   {32, 32, 32},
    {33, 9, 8},    {64, 5, 9},    {96, 64, 4},   {255, 33, 3},  {64, 64, 16}, {1, 20, 20},
    {20, 1, 20},   {20, 20, 1},   {1, 1, 40},    {513, 3, 5},   {500, 6, 7},  {512, 4, 9},
    {130, 17, 19}, {65, 2, 12},   {2, 33, 12},   {1100, 5, 2},  {63, 16, 33}, {1, 64, 1},
    {512, 130, 9}, {1100, 64, 9}, {2048, 33, 9}, {4100, 12, 7},
};

#define SIZES ((int)(sizeof flat / sizeof flat[0]))
_Static_assert(sizeof flat == sizeof deep, "one count serves both");

static const uint64_t patterns[][CA_VERIFY_CALLS + 1] = {
    {1, 0}, {2, 0}, {3, 0}, {17, 0}, {64, 0}, {1, 1, 1, 0}, {2, 1, 17, 0}, {5, 3, 8, 1, 0},
};
#define LONG_CALLS 3 /* the first pattern with many generations in a call */
#define PATTERNS ((int)(sizeof patterns / sizeof patterns[0]))

/* SplitMix64 suffices to choose cases. */
static uint64_t cases_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t below(uint64_t *state, uint64_t n) { return n ? cases_draw(state) % n : 0; }
static double unit(uint64_t *state) { return (double)(cases_draw(state) >> 11) * 0x1p-53; }

/* Draws an end of the range, its middle, or any number in it. */
static double draw_number(uint64_t *state, const struct ca_param *param)
{
    double low = param->min, high = param->max;

    switch (below(state, 5)) {
    case 0:
        return low;
    case 1:
        return high;
    case 2:
        return low + (high - low) / 2;
    case 3:
        return low <= 0 && high >= 0 ? 0 : low;
    default:
        return low + (high - low) * unit(state);
    }
}

/* Words end with NULL; there is at least one. */
static uint64_t count_words(const char *const words[])
{
    uint64_t count = 1;

    while (words[count])
        count++;
    return count;
}

static const char *draw_word(uint64_t *state, const char *const words[])
{
    return words[below(state, count_words(words))];
}

/* Each parameter keeps its default with probability 1/2. */
static void draw_params(uint64_t *state, struct ca_values *values)
{
    struct ca_error ignored;

    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        double number = 0;

        if (below(state, 2))
            continue;
        switch (param->kind) {
        case CA_CHOICE:
            ca_values_set(values, i, draw_word(state, param->choices), CA_FROM_COMMAND_LINE, NULL,
                          &ignored);
            continue;
        case CA_INT:
            number = (double)(int64_t)draw_number(state, param);
            break;
        case CA_TEXT:
            if (param->examples)
                ca_values_set(values, i, draw_word(state, param->examples), CA_FROM_COMMAND_LINE,
                              NULL, &ignored);
            continue;
        case CA_FILE:
            continue;
        default:
            number = draw_number(state, param);
        }
        ca_values_set_number(values, i, number, CA_FROM_COMMAND_LINE, NULL, &ignored);
    }
}

/* Whether the model accepts the experiment, with its files. */
static bool allowed(const struct ca_experiment *experiment)
{
    const struct ca_model *model = experiment->model;
    struct ca_size imposed = experiment->size;
    struct ca_setup setup = ca_setup_of(experiment);
    struct ca_lattice lattice;
    struct ca_error ignored;

    if (model->check && model->check(&setup, &ignored) != CA_OK)
        return false;
    if (model->start->file_size &&
        model->start->file_size(&setup, setup.start, &imposed, &ignored) != CA_OK)
        return false;
    if (!ca_size_equal(imposed, experiment->size) ||
        ca_initial_state(experiment, &lattice, &ignored) != CA_OK)
        return false;
    ca_lattice_free(&lattice);
    return true;
}

/* Chooses a pattern of calls within the limit of cell updates. */
static void choose_calls(struct ca_verify_case *test, int at, bool small)
{
    int64_t cells = ca_cells(test->experiment.size);
    int64_t most = small ? SMALL_CELL_STEPS : CELL_STEPS_MAX;

    for (int i = 0; i < PATTERNS; i++) {
        const uint64_t *calls = patterns[(at + i) % PATTERNS];
        uint64_t sum = 0;

        for (int c = 0; calls[c]; c++)
            sum += calls[c];
        if (cells * (int64_t)sum <= most) {
            memcpy(test->calls, calls, sizeof test->calls);
            return;
        }
    }
    memcpy(test->calls, patterns[0], sizeof test->calls); /* more cells than the limit allows */
}

/* Draws until the model accepts the case. Every other attempt has a row more, because a model may
 * refuse odd heights. `draws`: parameters are drawn, not only defaults; `at` selects the pattern of
 * calls. */
static bool make_case(struct ca_verify_case *test, const struct ca_model *model,
                      struct ca_size size, bool draws, int at, bool small, uint64_t *state)
{
    struct ca_experiment *e = &test->experiment;
    uint64_t starts = 0;

    while (model->start->named[starts].name)
        starts++;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        ca_experiment_default(e, model);
        ca_experiment_backend(e, &model->backends[0], CA_FROM_COMMAND_LINE);
        e->size = size;
        e->size.h += attempt & 1;
        e->origin[CA_KEY_SIZE] = e->origin[CA_KEY_SEED] = e->origin[CA_KEY_INIT] =
            CA_FROM_COMMAND_LINE;
        e->seed = cases_draw(state);
        snprintf(e->init, sizeof e->init, "%s", model->start->named[below(state, starts)].name);
        if (draws)
            draw_params(state, &e->params);
        if (!allowed(e))
            continue;
        choose_calls(test, at, small);
        test->slab_steps = 1 + below(state, 3);
        test->draw = cases_draw(state);
        test->defaults = !draws;
        return true;
    }
    return false;
}

/* Shuffles the cases and keeps the first `count`. */
static void take_subset(struct ca_verify_case *cases, int *made, int count, uint64_t *state)
{
    for (int i = 0; i < count && i < *made; i++) {
        int other = i + (int)below(state, (uint64_t)(*made - i));
        struct ca_verify_case *a = &cases[i], *b = &cases[other];
        struct ca_verify_case *kept = malloc(sizeof *kept);

        if (!kept)
            break;
        *kept = *a;
        *a = *b;
        *b = *kept;
        free(kept);
    }
    if (count < *made)
        *made = count;
}

/* Cases on the small sizes of the backends that do not hold every setup, as many as there is room
 * for: with default parameters and options once, then with drawn ones. Calls are long enough for a
 * pass of many generations. */
static int make_small_cases(struct ca_verify_case *cases, int most, const struct ca_model *model,
                            int rounds, uint64_t *state)
{
    int made = 0;

    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        for (const struct ca_size *size = b->small_sizes; size && size->w; size++)
            for (int round = 0; round < rounds && made < most; round++) {
                cases[made].reaches = b;
                made += make_case(&cases[made], model, *size, round > 0, LONG_CALLS + round, false,
                                  state);
            }
    return made;
}

enum ca_status ca_verify_cases(struct ca_verify_case **cases, int *made,
                               const struct ca_model *model, const struct ca_verify_choice *choice,
                               struct ca_error *error)
{
    const struct ca_size *sizes = model->dimensions == 3 ? deep : flat;
    uint64_t state = choice->seed;

    *made = 0;
    *cases = NULL;
    if (model->source && model->source->inexact)
        return ca_fail(
            error, CA_USAGE,
            "%s calls %s(), whose last bits differ between machines: define CA_TOLERANCE, "
            "1e-5 say, before calab_model.h is included, or use + - * / and sqrtf()",
            model->name, model->source->inexact);
    *cases = calloc((size_t)SIZES * ROUNDS + SMALL_CASES_MAX, sizeof **cases);
    if (!*cases)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the cases of %s", model->name);
    for (int round = 0; round < ROUNDS; round++)
        for (int size = 0; size < SIZES; size++)
            if (!choice->small || ca_cells(sizes[size]) <= SMALL_CELLS)
                *made += make_case(&(*cases)[*made], model, sizes[size], true, size + round,
                                   choice->small, &state);
    if (choice->count > 0)
        take_subset(*cases, made, choice->count, &state);
    *made += make_small_cases(*cases + *made, SMALL_CASES_MAX, model,
                              choice->count > 0 || choice->small ? 1 : SMALL_ROUNDS, &state);
    return CA_OK;
}

static void cases_set_option(struct ca_experiment *experiment, const char *name, const char *text)
{
    int index = ca_values_find(&experiment->options, name);
    struct ca_error ignored;

    if (index >= 0)
        ca_values_set(&experiment->options, index, text, CA_FROM_COMMAND_LINE, NULL, &ignored);
}

/* Ranks are dealt to all GPUs in order. 0: as many as there are without being asked for. */
static void set_ranks(struct ca_experiment *experiment, int ranks, uint64_t drawn)
{
    static const char *const exchanges[] = {"0", "1", "2", "3", "5"};
    char number[32];

    if (ranks == 0)
        return;
    snprintf(number, sizeof number, "%d", ranks);
    cases_set_option(experiment, "ranks", number);
    if (ranks == 1)
        return;
    cases_set_option(experiment, "exchange", exchanges[drawn % 5]);
    if (experiment->backend->device == CA_CUDA && ca_cuda_devices() > 1)
        cases_set_option(experiment, "devices", "all");
}

struct ca_experiment ca_verify_experiment(const struct ca_verify_case *test,
                                          const struct ca_backend *backend, int ranks)
{
    static const char *const threads[] = {"1", "2", "3", "0"};
    struct ca_experiment experiment = test->experiment;
    uint64_t state = test->draw;

    ca_experiment_backend(&experiment, backend, CA_FROM_COMMAND_LINE);
    for (int i = 0; i < experiment.options.count; i++) {
        const struct ca_param *param = &experiment.options.table[i];
        uint64_t drawn, values = (uint64_t)(param->max - param->min) + 1;
        struct ca_error ignored;
        char number[32];
        const char *text = number;

        if (test->defaults || strcmp(param->name, "ranks") == 0 ||
            strcmp(param->name, "exchange") == 0 || strcmp(param->name, "devices") == 0)
            continue;
        drawn = cases_draw(&state);
        if (strcmp(param->name, "threads") == 0)
            text = threads[drawn % 4];
        else if (strcmp(param->name, "device") == 0 || drawn % 2)
            continue;
        else if (param->kind == CA_CHOICE)
            text = param->choices[drawn / 2 % count_words(param->choices)];
        else
            snprintf(number, sizeof number, "%g",
                     param->min + (double)(drawn / 2 % (values < 9 ? values : 9)));
        ca_values_set(&experiment.options, i, text, CA_FROM_COMMAND_LINE, NULL, &ignored);
    }
    set_ranks(&experiment, ranks, cases_draw(&state));
    return experiment;
}
