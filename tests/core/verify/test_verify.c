/* SPDX-License-Identifier: MIT */
/*
 * verify notices: backends made here that get one cell wrong, write outside their buffer, fail, or
 * break in pieces only, are each found and told rightly; the right ones pass.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/backend_glob.h"
#include "core/model/registry.h"
#include "core/verify/verify.h"
#include "core/model/survey.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* --- self-test backends ---------------------------------------------------------------------- */

/* The reference, but one cell, (1, 2) if there is one, comes out wrong after generation 3. */
static enum ca_status wrong_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    if (t + n >= 3 && plain->size.w > 1 && plain->size.h > 2)
        ((uint8_t *)plain->now.plane[0])[2 * plain->size.w + 1] ^= 1;
    return status;
}

/* One byte behind the rows that were asked for. */
static enum ca_status wide_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    struct byte_stepper *plain = self;

    ((uint8_t *)planes[0])[rows * plain->size.w] = 0;
    return byte_stepper.store(self, planes, first, rows, error);
}

/* One byte before them. */
static enum ca_status early_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                  struct ca_error *error)
{
    ((uint8_t *)planes[0])[-1] = 0;
    return byte_stepper.store(self, planes, first, rows, error);
}

/* Spoils what it was given to read. */
static enum ca_status rude_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                                struct ca_error *error)
{
    enum ca_status status = byte_stepper.load(self, planes, first, rows, error);

    ((uint8_t *)(uintptr_t)planes[0])[0] ^= 1;
    return status;
}

/* Right only when all rows are asked for at once. */
static enum ca_status clumsy_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                   struct ca_error *error)
{
    return byte_stepper.store(self, planes, first > 0 ? first - 1 : 0, rows, error);
}

/* Right on whole lattices only. */
static enum ca_status whole_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    if (plain->setup.slab.ghost_high)
        ((uint8_t *)plain->now.plane[0])[plain->size.w * (plain->size.h / 2)] ^= 1;
    return status;
}

/* Makes one cell of the initial state wrong. */
static enum ca_status hasty_init(void *self, bool *made, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    const struct ca_setup *setup = &plain->setup;

    CA_TRY(setup->model->start->init(setup, setup->start, &plain->now, error));
    ((uint8_t *)plain->now.plane[0])[0] ^= 1;
    *made = true;
    return CA_OK;
}

/* Says of all rows what is true of the first ones. */
static enum ca_status false_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                   struct ca_survey *survey, struct ca_error *error)
{
    struct byte_stepper *plain = self;

    (void)first, (void)error;
    ca_survey_rows(&plain->setup, parts, (const void *const *)plain->now.plane, 0, rows, survey);
    return CA_OK;
}

/* Numbers the rows of a slab from its own first one. */
static enum ca_status local_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                   struct ca_survey *survey, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&plain->now, first, at);
    ca_survey_rows(&plain->setup, parts, (const void *const *)at, first, rows, survey);
    return CA_OK;
}

/* Leave out the last row that they are asked for. */
static enum ca_status short_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                                   int64_t rows, double *sums, struct ca_error *error)
{
    return byte_stepper.observe->blocks(self, blocks, first, rows - 1, sums, error);
}

static enum ca_status short_near(void *self, const struct ca_blocks *blocks, int64_t first,
                                 int64_t rows, double *neighbours, struct ca_error *error)
{
    return byte_stepper.observe->neighbours(self, blocks, first, rows - 1, neighbours, error);
}

/* Comes back with one cell wrong. */
static enum ca_status dim_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.mark(self, what, error);

    if (what == CA_MARK_BACK)
        ((uint8_t *)plain->now.plane[0])[0] ^= 1;
    return status;
}

static enum ca_status full_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    (void)self, (void)what;
    return ca_fail(error, CA_NO_MEMORY, "the cat lies there");
}

static enum ca_status failing_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    (void)self, (void)t, (void)n;
    return ca_fail(error, CA_NO_DEVICE, "the cat has eaten it");
}

static enum ca_status failing_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error)
{
    (void)setup;
    *self = NULL;
    return ca_fail(error, CA_NO_DEVICE, "no cat either");
}

static enum ca_status absent(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE, "needs an abacus");
}

static const struct ca_verify_choice choice = {7, 40, false};
static struct ca_backend ladder[20];
static struct ca_stepper fake[20];           /* of the backends, each its own */
static struct ca_stepper_observe observe[4]; /* of those that survey wrongly */
static struct ca_model model;

static void make_ladder(void)
{
    int i = 0;

    for (; i < 19; i++)
        ladder[i] = anneal_model.backends[0], fake[i] = byte_stepper, ladder[i].stepper = &fake[i];
    for (i = 0; i < 4; i++)
        observe[i] = *byte_stepper.observe;
    i = 1;
    ladder[i].name = "right", i++;
    ladder[i].name = "wrong", fake[i].step = wrong_step, i++;
    ladder[i].name = "wide", fake[i].store = wide_store, i++;
    ladder[i].name = "early", fake[i].store = early_store, i++;
    ladder[i].name = "rude", fake[i].load = rude_load, i++;
    ladder[i].name = "clumsy", fake[i].store = clumsy_store, i++;
    ladder[i].name = "whole", fake[i].step = whole_step, i++;
    ladder[i].name = "failing", fake[i].step = failing_step, i++;
    ladder[i].name = "absent", ladder[i].available = absent, i++;
    ladder[i].name = "hasty", fake[i].init = hasty_init, i++;
    ladder[i].name = "false", observe[0].survey = false_survey, fake[i].observe = &observe[0], i++;
    ladder[i].name = "local", observe[1].survey = local_survey, fake[i].observe = &observe[1], i++;
    ladder[i].name = "short", observe[2].blocks = short_blocks, fake[i].observe = &observe[2], i++;
    ladder[i].name = "lonely", observe[3].neighbours = short_near, fake[i].observe = &observe[3],
    i++;
    ladder[i].name = "dim", fake[i].mark = dim_mark, i++;
    ladder[i].name = "full", fake[i].mark = full_mark, i++;
    ladder[i].name = "markless", fake[i].mark = NULL, i++;
    ladder[i].name = "unmade", fake[i].create = failing_create, i++;
    model = anneal_model;
    model.backends = ladder;
}

static const struct {
    const char *backend;
    enum ca_fault fault;
    const char *text, *command;
} noticed[] = {
    {"right", CA_FAULT_NONE, NULL, NULL},
    {"wrong", CA_FAULT_CELL, "1 cell wrong, the first at x 1, y 2, z 0, plane cell: expected ",
     "calab run anneal"},
    {"wide", CA_FAULT_OUTSIDE, "wrote outside the buffer", "calab verify anneal -b wide --seed 7"},
    {"early", CA_FAULT_OUTSIDE, "wrote outside the buffer", "--cases 40"},
    {"rude", CA_FAULT_OUTSIDE, "wrote to the caller's memory", "calab verify anneal -b rude"},
    {"clumsy", CA_FAULT_ROWS, "when moved in pieces of rows", "calab verify anneal -b clumsy"},
    {"whole", CA_FAULT_SLAB, "when cut in two slabs", "calab verify anneal -b whole"},
    {"hasty", CA_FAULT_START, "generation 0: 1 cell wrong when made in place",
     "calab verify anneal -b hasty"},
    {"false", CA_FAULT_SURVEY, "the survey of rows 0 ... ", "calab verify anneal -b false"},
    {"local", CA_FAULT_SURVEY, "is wrong: digest ", "calab verify anneal -b local"},
    {"short", CA_FAULT_SURVEY, ": sum 0 of block ", "calab verify anneal -b short"},
    {"lonely", CA_FAULT_SURVEY, ": neighbour sum 0 of block ", "calab verify anneal -b lonely"},
    {"dim", CA_FAULT_MARK, "when a kept state is back, the first at x 0, y 0",
     "calab verify anneal -b dim"},
    {"full", CA_FAULT_FAILED, "mark failed: the cat lies there", "calab verify anneal -b full"},
    {"markless", CA_FAULT_NONE, NULL, NULL},
    {"failing", CA_FAULT_FAILED, "step failed: the cat has eaten it", "calab verify"},
    {"unmade", CA_FAULT_FAILED, "create failed: no cat either", "calab verify"},
};

static struct ca_verify_result *verified(const char *name)
{
    static struct ca_verify_result result;
    struct ca_error error;

    make_ladder();
    memset(&result, 0, sizeof result);
    ck_assert_ok(ca_backend_find(&result.backend, &model, name, &error));
    ck_assert_ok(ca_verify_model(&model, &result, 1, &choice, NULL, NULL, &error));
    return &result;
}

START_TEST(notices)
{
    const struct ca_verify_result *result = verified(noticed[_i].backend);
    char *command;

    ck_assert(result->available);
    ck_assert_int_eq(result->cases, 40);
    ck_assert_msg(result->first.fault == noticed[_i].fault, "%s: fault is %s: %s",
                  noticed[_i].backend, ca_fault_names[result->first.fault], result->first.text);
    ck_assert_int_eq(result->failed > 0, noticed[_i].fault != CA_FAULT_NONE);
    if (!noticed[_i].text) {
        ck_assert_int_gt(result->cells, 10000);
        return;
    }
    ck_assert_contains(result->first.text, noticed[_i].text);
    command = ca_verify_command(&result->first, &choice);
    ck_assert_contains(command, noticed[_i].command);
    free(command);
}
END_TEST

/* The difference as numbers, and a command with everything that determines the state. */
START_TEST(wrong_cell)
{
    const struct ca_verify_result *result = verified("wrong");
    const struct ca_difference *d = &result->first.difference;
    char *command = ca_verify_command(&result->first, &choice);

    ck_assert_int_ge(d->count, 1);
    ck_assert_int_eq(d->x, 1);
    ck_assert_int_eq(d->y, 2);
    ck_assert(d->expected != d->got);
    ck_assert_uint_ge(result->first.generation, 3);
    ck_assert_contains(command, "-b wrong", "--seed ", " -n ", " -s ");
    free(command);
}
END_TEST

START_TEST(not_available)
{
    const struct ca_verify_result *result = verified("absent");

    ck_assert(!result->available);
    ck_assert_str_eq(result->reason, "needs an abacus");
    ck_assert_int_eq(result->cases, 0);
}
END_TEST

static bool stop_at_three(void *context, const struct ca_backend *which, int done, int all)
{
    ck_assert_ptr_eq(which, &ladder[1]);
    ck_assert_int_eq(all, 40);
    ++*(int *)context;
    return done < 3;
}

START_TEST(progress_stops)
{
    struct ca_verify_result result = {0};
    struct ca_error error;
    int calls = 0;

    make_ladder();
    result.backend = &ladder[1];
    ck_assert_ok(ca_verify_model(&model, &result, 1, &choice, stop_at_three, &calls, &error));
    ck_assert_int_eq(calls, 4);
    ck_assert_int_eq(result.cases, 3);
}
END_TEST

/* --- cases ----------------------------------------------------------------------------------- */

static int cases_of(struct ca_verify_case **cases, const struct ca_model *m, uint64_t seed,
                    int count)
{
    struct ca_error error;
    int made;

    ck_assert_ok(
        ca_verify_cases(cases, &made, m, &(struct ca_verify_choice){seed, count, false}, &error));
    return made;
}

static bool has_size(const struct ca_verify_case *cases, int count, int64_t w, int64_t h)
{
    for (int i = 0; i < count; i++)
        if (cases[i].experiment.size.w == w && cases[i].experiment.size.h == h)
            return true;
    return false;
}

static bool has_value(const struct ca_verify_case *cases, int count, const char *name, double value)
{
    for (int i = 0; i < count; i++) {
        const struct ca_values *params = &cases[i].experiment.params;

        if (params->value[ca_values_find(params, name)].number == value)
            return true;
    }
    return false;
}

static bool has_generations(const struct ca_verify_case *cases, int count, uint64_t n)
{
    for (int i = 0; i < count; i++)
        if (cases[i].calls[0] == n && cases[i].calls[1] == 0)
            return true;
    return false;
}

START_TEST(covers)
{
    static const int64_t sizes[][2] = {{1, 1},    {2, 2},     {3, 3},    {31, 31},
                                       {32, 32},  {33, 33},   {64, 64},  {96, 64},
                                       {255, 33}, {500, 500}, {512, 512}};
    static const uint64_t steps[] = {1, 2, 3, 17, 64};
    struct ca_verify_case *cases;
    int count = cases_of(&cases, &anneal_model, test_seed(), 0);
    bool several = false;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        ck_assert_msg(has_size(cases, count, sizes[i][0], sizes[i][1]), "no %dx%d",
                      (int)sizes[i][0], (int)sizes[i][1]);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        ck_assert_msg(has_generations(cases, count, steps[i]), "no %d steps", (int)steps[i]);
    for (int i = 0; i < 3; i++)
        ck_assert(has_value(cases, count, "density", 0.5 * i));
    for (int i = 0; i < count; i++)
        several |= cases[i].calls[1] > 0;
    ck_assert(several);
    free(cases);
    count = cases_of(&cases, &life3d_model, test_seed(), 0);
    for (int i = 0; i < 2; i++)
        ck_assert(has_value(cases, count, "boundary", i));
    free(cases);
    count = cases_of(&cases, &fhp_model, test_seed(), 0);
    for (int i = 0; i < 3; i++)
        ck_assert(has_value(cases, count, "collisions", i));
    ck_assert(has_value(cases, count, "p_force", 1));
    free(cases);
}
END_TEST

/* Small sizes of the backends that do not hold every setup: a case each comes on top. */
static int small_sizes(const struct ca_model *m)
{
    int count = 0;

    for (const struct ca_backend *b = m->backends; b->name; b++)
        for (const struct ca_size *size = b->small_sizes; size && size->w; size++)
            count++;
    return count;
}

START_TEST(chosen_by_seed)
{
    struct ca_verify_case *a, *b, *c;
    int n = cases_of(&a, &cloud_model, 1, 9), differ = 0;

    ck_assert_int_eq(n, 9 + small_sizes(&cloud_model));
    ck_assert_int_eq(cases_of(&b, &cloud_model, 1, 9), n);
    ck_assert_int_eq(cases_of(&c, &cloud_model, 2, 9), n);
    for (int i = 0; i < n; i++) {
        ck_assert_uint_eq(a[i].experiment.seed, b[i].experiment.seed);
        ck_assert(ca_size_equal(a[i].experiment.size, b[i].experiment.size));
        differ += a[i].experiment.seed != c[i].experiment.seed;
    }
    ck_assert_int_gt(differ, 0);
    free(a);
    free(b);
    free(c);
    ck_assert_int_gt(cases_of(&a, &water_model, 1, 1000000), 100);
    free(a);
}
END_TEST

/* Whether some case gives a backend's option this value, on two ranks. */
static bool is_drawn(const struct ca_verify_case *cases, int count,
                     const struct ca_backend *backend, int option, double value)
{
    for (int i = 0; i < count; i++) {
        struct ca_experiment e = ca_verify_experiment(&cases[i], backend, 2);

        if (e.options.value[option].number == value)
            return true;
    }
    return false;
}

/* Every choice of every option of every backend is tried, and more than one number. */
START_TEST(options_vary)
{
    const struct ca_model *m = ca_models[_i];
    struct ca_verify_case *cases;
    int count = cases_of(&cases, m, test_seed(), 0);

    for (const struct ca_backend *b = m->backends; b->name; b++)
        for (int i = 0; b->options && b->options[i].name; i++) {
            const struct ca_param *option = &b->options[i];

            if (strcmp(option->name, "device") == 0 || strcmp(option->name, "ranks") == 0)
                continue;
            for (int c = 0; option->choices && option->choices[c]; c++)
                ck_assert_msg(is_drawn(cases, count, b, i, c), "%s: no %s=%s", b->name,
                              option->name, option->choices[c]);
            if (option->kind == CA_INT)
                ck_assert_msg(is_drawn(cases, count, b, i, option->min) &&
                                  is_drawn(cases, count, b, i, option->min + 1),
                              "%s: %s is always one", b->name, option->name);
        }
    free(cases);
}
END_TEST

/* Small ones are small, still many and among them those at the edges of words and warps. */
START_TEST(small_ones)
{
    const struct ca_verify_choice few = {3, 5, true}, all = {3, 0, true};
    const struct ca_model *m = ca_models[_i];
    struct ca_verify_fault fault = {.fault = CA_FAULT_SLAB};
    struct ca_verify_case *cases;
    struct ca_error error;
    char *command;
    int made;

    ck_assert_ok(ca_verify_cases(&cases, &made, m, &all, &error));
    ck_assert_int_gt(made, 50);
    for (int i = 0; i < made; i++) {
        int64_t cells = ca_cells(cases[i].experiment.size);

        ck_assert_uint_gt(cases[i].calls[0], 0);
        if (cases[i].reaches)
            continue;
        ck_assert_int_le(cells, 5000);
        for (int c = 0; cases[i].calls[c]; c++)
            ck_assert_int_le(cells * (int64_t)cases[i].calls[c], 80000);
    }
    ck_assert(m->dimensions == 3 ? has_size(cases, made, 33, 9) : has_size(cases, made, 65, 64));
    fault.experiment = cases[0].experiment;
    free(cases);
    ck_assert_ok(ca_verify_cases(&cases, &made, m, &few, &error));
    ck_assert_int_eq(made, 5 + small_sizes(m));
    free(cases);
    command = ca_verify_command(&fault, &few);
    ck_assert_contains(command, " --seed 3 --cases 5 --small");
    free(command);
}
END_TEST

/* --- lists of names -------------------------------------------------------------------------- */

START_TEST(matching)
{
    const struct ca_model *const models[] = {&anneal_model, NULL};
    struct ca_error error;

    ck_assert(ca_backend_glob("threads", "threads"));
    ck_assert(!ca_backend_glob("threads", "thread"));
    ck_assert(ca_backend_glob("a,bit*", "bitslice-avx2"));
    ck_assert(ca_backend_glob("*", "reference"));
    ck_assert(!ca_backend_glob("a,b", "c"));
    ck_assert_ok(ca_backend_glob_check("threads,bit*", models, "-b", &error));
    ck_assert_int_eq(ca_backend_glob_check("threads,bitslyce", models, "-b", &error), CA_USAGE);
    ck_assert_contains(error.text, "bitslyce", "did you mean 'bitslice'?");
}
END_TEST

/* --- the command ----------------------------------------------------------------------------- */

START_TEST(text)
{
    struct outcome o = calab_good("verify anneal --cases 3 -b thr*");

    ck_assert_str_eq(o.err, "");
    ck_assert_contains(o.out, "seed 1", "anneal   threads                   3      0", "  ok\n");
    ck_assert_ptr_null(strstr(o.out, "bitslice"));
    o = calab_good("verify anneal --cases 3 --small -b thr*");
    ck_assert_contains(o.out, "anneal   threads                   3      0");
}
END_TEST

START_TEST(json)
{
    struct outcome o = calab("verify cloud anneal --cases 2 --seed 0x10 --json");
    json_t *root = outcome_json(&o), *results = json_object_get(root, "results");
    const char *last = "";

    ck_assert_int_eq(o.status, 0);
    ck_assert_str_eq(json_text(root, "schema"), "calab-verify/1");
    ck_assert_int_eq(json_whole(root, "seed"), 16);
    ck_assert_uint_ge(json_array_size(results), 3);
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *result = json_array_get(results, i);

        last = json_text(result, "model");
        ck_assert_str_ne(json_text(result, "backend"), "reference");
        if (strcmp(json_text(result, "result"), "unavailable") == 0)
            ck_assert_ptr_nonnull(json_object_get(result, "reason"));
        else
            ck_assert_int_eq(json_whole(result, "cases"),
                             2); /* small sizes are tried on their own backends alone */
        ck_assert_int_eq(json_whole(result, "failed"), 0);
    }
    ck_assert_str_eq(last, "anneal");
}
END_TEST

START_TEST(progress_line)
{
    const struct surroundings terminal = {.term = "xterm"};
    struct outcome o = calab_good_in(&terminal, "verify water --cases 8 -b threads");

    ck_assert_contains(o.err, "water: case 1 of 8");
    o = calab_in(&terminal, "verify water --cases 8 -b threads -q");
    ck_assert_ptr_null(strstr(o.err, "case 1 of 8"));
}
END_TEST

/* What was tried until then is told, and that it is not all. The cases of water take seconds, so
 * that the signal arrives before the last of them on a busy machine too. */
START_TEST(stops)
{
    static const struct surroundings s = {.interrupt_after = "water: case 1 of 100"};
    struct outcome o =
        calab_in(&s, "verify water fhp -b threads --cases 100%s", _i ? " --json" : "");
    json_t *root = _i ? outcome_json(&o) : NULL;

    ck_assert_msg(o.status == 130, "exit status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, "calab verify: stopped by signal 2 (Interrupt); only the finished "
                              "cases are counted");
    ck_assert_contains(o.out, _i ? "\"threads\"" : "water    threads");
    ck_assert_ptr_null(strstr(o.out, "fhp"));
    if (_i) {
        json_t *result = json_at(root, "results.0");

        ck_assert(json_is_string(json_object_get(root, "incomplete")));
        ck_assert_int_ge(json_whole(result, "cases"), 0);
        ck_assert_int_lt(json_whole(result, "cases"), 100);
    }
}
END_TEST

static const struct refusal refused[] = {
    {"verify anneel", 2, "anneel", "anneal"},
    {"verify anneal anneal", 2, "anneal", "twice"},
    {"verify anneal -b bitslyce", 2, "bitslyce", "bitslice"},
    {"verify anneal -b zzzzzzzz", 2, "zzzzzzzz", "reference, threads"},
    {"verify anneal --cases 0", 2, "--cases", "1 ..."},
    {"verify anneal --cases x", 2, "--cases", "'x'"},
    {"verify anneal --cases 1.5", 2, "'1.5'", "a whole number 1 ... 1000000"},
    {"verify anneal --cases 99999999999999999999", 2, "--cases", "1 ... 1000000"},
    {"verify anneal --small=1", 2, "--small", "argument"},
    {"bench anneal --small", 2, "--small", "not an option"},
    {"verify anneal --seed x", 2, "--seed", "'x'"},
    {"verify anneal --size 3x3", 2, "--size", "not an option"},
    {"verify anneal -b ,", 2, "--backend", "','"},
};

int main(void)
{
    return RUN_TESTS(.test = {wrong_cell, not_available, progress_stops, covers, chosen_by_seed,
                              matching, text, json, progress_line},
                     .table = {{notices, COUNT(noticed)},
                               {options_vary, test_models()},
                               {small_ones, test_models()},
                               {stops, 2},
                               {refusals_test(refused), COUNT(refused)}});
}
