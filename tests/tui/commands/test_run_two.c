/* SPDX-License-Identifier: MIT */
/* Two backends on one experiment: equal states with a ratio, different ones with a place, states
 * that do not fit together; what `calab run -b A,B` prints and refuses. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/hurried_clock.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/run_two.h"

/* --- backends that are wrong ----------------------------------------------------------------- */

static uint64_t runs; /* of the backend that is wrong at times */
static int opened;    /* instances of the backend that fits once */

static void flip(void *self)
{
    const struct byte_stepper *stepper = self;

    ((uint8_t *)stepper->now.plane[0])[5 * stepper->size.w + 7] ^= 1;
}

static enum ca_status wrong_from_20(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    for (uint64_t end = t + n; t < end; t++) {
        CA_TRY(byte_stepper.step(self, t, 1, error));
        if (t + 1 >= 20)
            flip(self);
    }
    return CA_OK;
}

static enum ca_status wrong_once_in_a_while(void *self, uint64_t t, uint64_t n,
                                            struct ca_error *error)
{
    CA_TRY(byte_stepper.step(self, t, n, error));
    if (t == 0 && n == 30 && runs++ == 0)
        flip(self);
    return CA_OK;
}

static enum ca_status fits_once(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    if (opened > 0)
        return ca_fail(error, CA_NO_MEMORY, "the shelf is full");
    opened++;
    return byte_stepper.create(self, setup, error);
}

static void leaves(void *self)
{
    opened -= self != NULL;
    byte_stepper.destroy(self);
}

enum { RIGHT, FROM_20, AT_TIMES, LARGE };

static struct ca_backend ladder[5];
static struct ca_stepper fake[4];
static struct ca_model model;
static struct two_results two;
static struct ca_error error;
static char *printed;
static int ran_sides;

static enum ca_status ran(void *context, int side, struct ca_simulation *simulation,
                          struct ca_error *err)
{
    (void)context;
    ck_assert_int_eq(side, ran_sides++);
    return result_take(&two.result[side], simulation, false, err);
}

static void setup(void)
{
    static const char *const names[] = {"right", "from-20", "at-times", "large"};

    test_hurry();
    for (int i = 0; i < 4; i++) {
        ladder[i] = anneal_model.backends[0];
        ladder[i].name = names[i];
        fake[i] = byte_stepper;
        ladder[i].stepper = &fake[i];
    }
    fake[FROM_20].step = wrong_from_20;
    fake[AT_TIMES].step = wrong_once_in_a_while;
    fake[LARGE].create = fits_once, fake[LARGE].destroy = leaves;
    model = anneal_model;
    model.backends = ladder;
    memset(&two, 0, sizeof two);
    two.pair.ran = ran;
    runs = 0;
    opened = ran_sides = 0;
}

static void teardown(void)
{
    free(printed);
    printed = NULL;
}

static void compare(int a, int b, uint64_t steps)
{
    enum ca_status status;

    for (int i = 0; i < 2; i++) {
        struct ca_experiment *e = &two.pair.experiment[i];

        ca_experiment_default(e, &model);
        ca_experiment_backend(e, &ladder[i ? b : a], CA_FROM_COMMAND_LINE);
        e->size = (struct ca_size){40, 20, 1};
        e->steps = steps;
        snprintf(two.name[i], sizeof two.name[i], "%s", ladder[i ? b : a].name);
    }
    status = ca_pair_run(&two.pair, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
    ck_assert_int_eq(ran_sides, 2);
    for (int i = 0; i < 2; i++)
        two.result[i].experiment = &two.pair.experiment[i];
}

static const char *print(void (*form)(FILE *, const struct two_results *, const json_t *))
{
    json_t *lines = two_lines(&two);
    size_t size;
    FILE *out;

    teardown();
    out = open_memstream(&printed, &size);
    form(out, &two, lines);
    fclose(out);
    json_decref(lines);
    return printed;
}

START_TEST(equal)
{
    compare(RIGHT, RIGHT, 30);
    ck_assert(two.pair.together && two.pair.equal && !two.pair.searched);
    ck_assert_int_ge(two.pair.ratio.made, 6);
    ck_assert_double_gt(two.pair.ratio.median, 0.2);
    ck_assert_double_lt(two.pair.ratio.median, 5);
    ck_assert_uint_eq(two.pair.side[0].hash, two.result[1].hash);
    ck_assert_uint_eq(two.result[0].steps, 30);
    two.result[0].wall_s = 1.23456789;
    ck_assert_contains(print(two_print_text), "equal: yes\n", "a.wall_s: 1.23457\n");
    ck_assert_contains(printed, "; the states at generation 30 are equal\n");
    ck_assert(!strstr(printed, "differences:") && !strstr(printed, "found:"));
    ck_assert(!strstr(printed, "tolerance:") && !strstr(printed, "apart:"));
    ck_assert_contains(print(two_print_markdown), "| A | right |");
}
END_TEST

START_TEST(different)
{
    json_t *root;

    compare(RIGHT, FROM_20, 30);
    ck_assert(two.pair.together && !two.pair.equal && two.pair.searched);
    ck_assert_int_eq(two.pair.ratio.made, 0); /* what is wrong has no ratio */
    ck_assert_int_ge(two.pair.difference.count, 1);
    ck_assert_uint_eq(two.pair.finding.generation, 20);
    ck_assert_contains(print(two_print_text), "equal: no\ndifferences: ");
    ck_assert_contains(printed,
                       "found: right and from-20 are equal at generation 19 and differ at "
                       "20; the first cell is 7,5: ",
                       "summary: right and from-20 differ at generation 30\n");
    ck_assert_contains(print(two_print_markdown), "\nFound: right and from-20 are equal at");
    root = two_json(&two);
    ck_assert_ptr_nonnull(root);
    ck_assert(json_is_false(json_object_get(root, "equal")));
    ck_assert(json_is_null(json_object_get(root, "ratio")));
    ck_assert_str_eq(json_text(root, "found.headline"), "DIFFER from 20 at 7,5");
    json_decref(root);
}
END_TEST

/* Wrong in the first call of 30 generations from the start, which is the run: warming up begins
 * with single ones. The search finds nothing wrong any more. */
START_TEST(at_times)
{
    compare(RIGHT, AT_TIMES, 30);
    ck_assert(!two.pair.equal && two.pair.searched);
    ck_assert_int_eq(two.pair.finding.kind, CA_DIFFER_VARYING);
    ck_assert(!two.pair.finding.guilty[0] && two.pair.finding.guilty[1]);
    ck_assert_contains(print(two_print_text), "found: at-times is not deterministic: ");
}
END_TEST

START_TEST(one_by_one)
{
    compare(LARGE, LARGE, 30);
    ck_assert(!two.pair.together && two.pair.equal);
    ck_assert_str_eq(two.pair.apart, "the shelf is full");
    ck_assert_int_eq(opened, 0);
    ck_assert_contains(print(two_print_text), "apart: the shelf is full\n");
    ck_assert(!strstr(printed, "found:"));
    ck_assert_contains(printed,
                       "summary: the states of large and large at generation 30 are equal");
    ran_sides = 0;
    memset(&two.pair.ratio, 0, sizeof two.pair.ratio);
    compare(RIGHT, RIGHT, 0); /* no generation has no ratio */
    ck_assert(two.pair.equal);
    ck_assert_int_eq(two.pair.ratio.made, 0);
}
END_TEST

static bool stop(void *context, const char *what)
{
    (void)context;
    return strstr(what, "pair") == NULL;
}

START_TEST(stopped)
{
    two.pair.watch = stop;
    for (int i = 0; i < 2; i++) {
        ca_experiment_default(&two.pair.experiment[i], &model);
        ca_experiment_backend(&two.pair.experiment[i], &ladder[RIGHT], CA_FROM_COMMAND_LINE);
        two.pair.experiment[i].size = (struct ca_size){40, 20, 1};
    }
    ck_assert_int_eq(ca_pair_run(&two.pair, &error), CA_TIMEOUT);
    ck_assert(two.pair.equal);
    ck_assert_int_eq(two.pair.ratio.made, 0);
}
END_TEST

/* --- the command ----------------------------------------------------------------------------- */

START_TEST(command_text)
{
    static const char *const ways[] = {"-b threads/threads=1,threads/threads=2",
                                       "-b threads/threads=1 -b threads/threads=2"};
    struct outcome o = calab_good("run anneal -s 64x64 -n 20 %s", ways[_i]);

    ck_assert_str_eq(outcome_value(&o, "a.options.threads"), "1");
    ck_assert_str_eq(outcome_value(&o, "b.options.threads"), "2");
    ck_assert_str_eq(outcome_value(&o, "equal"), "yes");
    ck_assert_str_eq(outcome_value(&o, "steps"), "20");
    ck_assert_contains(outcome_value(&o, "a.rate"), "ups");
    ck_assert_contains(outcome_value(&o, "summary"), "threads/threads=1");
}
END_TEST

START_TEST(command_json)
{
    struct outcome o = calab("run fhp -s 64x64 -n 20 -b reference,threads --json");
    json_t *root = outcome_json(&o), *a, *b;

    ck_assert_int_eq(o.status, 0);
    ck_assert_ptr_nonnull(root);
    ck_assert_str_eq(json_text(root, "schema"), "calab-run-two/1");
    a = json_object_get(root, "a"), b = json_object_get(root, "b");
    ck_assert_str_eq(json_text(a, "schema"), "calab-run/2");
    ck_assert_str_eq(json_text(a, "backend"), "reference");
    ck_assert_str_eq(json_text(b, "backend"), "threads");
    ck_assert_str_eq(json_text(a, "hash"), json_text(b, "hash"));
    ck_assert(json_is_true(json_object_get(root, "equal")));
    ck_assert_double_gt(json_number(root, "ratio.median"), 0);
}
END_TEST

START_TEST(command_markdown)
{
    struct outcome o = calab_good("run anneal -s 64x64 -n 1000 -b reference,threads --markdown");

    ck_assert_contains(o.out, "anneal 64x64, seed 1, random, 1,000 generations (calab ",
                       "\n|---|---|---|---|---|---|---|\n| A | reference | ",
                       "; the states at generation 1,000 are equal.\n");
}
END_TEST

static const struct refusal refusals[] = {
    {"run anneal -b lab:threads,threads", CA_USAGE, "host 'lab' is not allowed here",
     "allowed: BACKEND[/OPTION=VALUE...], or two of them"},
    {"run anneal -b a,b,c", CA_USAGE, "--backend: at most 2 backends", "'a,b,c'"},
    {"run anneal -b reference, ", CA_USAGE, "'reference,' is not allowed", "between two items"},
    {"run anneal -b reference,thread", CA_USAGE, "--backend", "did you mean 'threads'?"},
    {"run anneal -b reference,threads -o x.npy", CA_USAGE, "--output", "only allowed with one"},
    {"run anneal -b reference,threads --frame", CA_USAGE, "--frame", "only allowed with one"},
    {"run anneal -b reference,threads --seconds 1", CA_USAGE, "--seconds", "with one backend"},
    {"run anneal -b threads --markdown", CA_USAGE, "--markdown", "two backends, as in -b A,B"},
    {"run anneal -b threads --find", CA_USAGE, "--find", "two backends, as in -b A,B"},
    {"run anneal -b reference,threads --json --markdown", CA_USAGE, "--json, --markdown", "one"},
};

START_TEST(command_stops)
{
    struct surroundings tty = {.interrupt_after = "reference"};
    struct outcome o = calab_in(&tty, "run water -s 600x600 -n 1000000 -b reference,reference");

    ck_assert_int_eq(o.status, 130);
    ck_assert_contains(o.err, "stopped by signal 2");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {equal, different, at_times, one_by_one, stopped, command_json,
                              command_markdown, command_stops},
                     .table = {{command_text, 2}, {refusals_test(refusals), COUNT(refusals)}});
}
