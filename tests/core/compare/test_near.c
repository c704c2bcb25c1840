/* SPDX-License-Identifier: MIT */
/*
 * Backends that agree with the reference within a tolerance: verify, benchmarks and the comparison
 * of two find those that are beyond it, not finite, or not the same in longer calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/bench/choose.h"
#include "core/compare/pair.h"
#include "core/model/registry.h"
#include "core/verify/verify.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/water/rule.h"
#include "tests/support/hurried_clock.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

enum { REFERENCE, NEIGHBOURS, FAR, NO_NUMBER, INFINITE, LONG, BACKENDS };

static const char *const names[] = {"reference", "near", "far", "no-number", "infinite", "long"};
static struct ca_backend ladder[BACKENDS + 1];
static struct ca_stepper fake[BACKENDS];
static struct ca_model model;
static struct ca_error error;

/* The reference's generation, then the level of cell 0 is multiplied. */
static enum ca_status scaled_step(void *self, uint64_t t, uint64_t n, float factor,
                                  struct ca_error *e)
{
    struct byte_stepper *plain = self;

    for (uint64_t i = 0; i < n; i++) {
        CA_TRY(byte_stepper.step(self, t + i, 1, e));
        ((float *)plain->now.plane[WATER_LEVEL])[0] *= factor;
    }
    return CA_OK;
}

static enum ca_status near_step(void *self, uint64_t t, uint64_t n, struct ca_error *e)
{
    return scaled_step(self, t, n, 1 + 5e-6F, e);
}

static enum ca_status far_step(void *self, uint64_t t, uint64_t n, struct ca_error *e)
{
    return scaled_step(self, t, n, t + n > 3 ? 1 + 1e-3F : 1, e);
}

static enum ca_status no_number_step(void *self, uint64_t t, uint64_t n, struct ca_error *e)
{
    return scaled_step(self, t, n, t + n > 3 ? NAN : 1, e);
}

static enum ca_status infinite_step(void *self, uint64_t t, uint64_t n, struct ca_error *e)
{
    return scaled_step(self, t, n, t + n > 3 ? INFINITY : 1, e);
}

static enum ca_status long_step(void *self, uint64_t t, uint64_t n, struct ca_error *e)
{
    return scaled_step(self, t, n, n > 1 ? 1 + 2e-6F : 1, e);
}

static void setup(void)
{
    for (int i = 0; i < BACKENDS; i++) {
        ladder[i] = water_model.backends[0];
        ladder[i].name = names[i];
        ladder[i].tolerance = i == REFERENCE ? 0 : 1e-5;
        fake[i] = byte_stepper;
        ladder[i].stepper = &fake[i];
    }
    test_hurry();
    fake[NEIGHBOURS].step = near_step;
    fake[FAR].step = far_step;
    fake[NO_NUMBER].step = no_number_step;
    fake[INFINITE].step = infinite_step;
    fake[LONG].step = long_step;
    model = water_model;
    model.backends = ladder;
}

/* --- verify ---------------------------------------------------------------------------------- */

static const char *const found[] = {
    [FAR] = "by more than 1e-05 in one generation",
    [NO_NUMBER] = "by more than 1e-05 in one generation",
    [INFINITE] = "by more than 1e-05 in one generation",
    [LONG] = "against single generations of the same backend",
};

START_TEST(verify_holds_the_tolerance)
{
    static const struct ca_verify_choice choice = {8, 30, true};
    struct ca_verify_result result = {.backend = &ladder[_i]};
    char *command;

    ck_assert_ok(ca_verify_model(&model, &result, 1, &choice, NULL, NULL, &error));
    ck_assert_int_ge(result.cases, 30);
    ck_assert_msg((result.failed > 0) == (found[_i] != NULL), "%s", result.first.text);
    if (!found[_i])
        return;
    ck_assert_int_eq(result.first.fault, CA_FAULT_CELL);
    ck_assert_contains(result.first.text, found[_i]);
    /* The hash of a run says nothing here. */
    command = ca_verify_command(&result.first, &choice);
    ck_assert_contains(command, "calab verify water -b ");
    free(command);
}
END_TEST

/* --- two of them ----------------------------------------------------------------------------- */

static struct ca_pair pair;
static char sentence[512];

static void compare(int a, int b, uint64_t steps)
{
    memset(&pair, 0, sizeof pair);
    for (int i = 0; i < 2; i++) {
        struct ca_experiment *e = &pair.experiment[i];

        ca_experiment_default(e, &model);
        ca_experiment_backend(e, &ladder[i ? b : a], CA_FROM_COMMAND_LINE);
        e->size = (struct ca_size){20, 10, 1};
        e->steps = steps;
    }
    ck_assert_ok(ca_pair_run(&pair, &error));
    ca_pair_sentence(sentence, sizeof sentence, &pair, names[a], names[b]);
}

START_TEST(two_that_agree)
{
    compare(_i ? REFERENCE : NEIGHBOURS, _i ? NEIGHBOURS : REFERENCE, 200);
    ck_assert(pair.equal && pair.together);
    ck_assert(pair.side[0].hash != pair.side[1].hash);
    ck_assert_double_eq(pair.tolerance, 1e-5);
    ck_assert_uint_eq(pair.compared, 200);
    ck_assert_int_gt(pair.ratio.made, 0);
    ck_assert_contains(sentence,
                       "; all 200 generations, each from the same state, agree within 1e-05");
}
END_TEST

START_TEST(two_that_do_not)
{
    for (int other = FAR; other <= INFINITE; other++) {
        compare(_i ? REFERENCE : other, _i ? other : REFERENCE, 20);
        ck_assert(!pair.equal && pair.searched);
        ck_assert_int_eq(pair.ratio.made, 0);
        ck_assert_uint_eq(pair.compared, 3);
        ck_assert_uint_eq(pair.finding.generation, 4);
        ck_assert_int_eq(pair.finding.kind, CA_DIFFER_FROM);
        ck_assert_int_eq(pair.finding.plane, WATER_LEVEL);
        ck_assert(pair.finding.cell.x == 0 && pair.finding.cell.y == 0);
        ck_assert(isfinite(pair.finding.value[!_i]));
        ck_assert(other == FAR || !isfinite(pair.finding.value[_i]));
        ck_assert_contains(sentence, "differ by more than 1e-05 in the step to generation 4");
    }
}
END_TEST

START_TEST(long_calls_that_differ)
{
    compare(REFERENCE, LONG, 20);
    ck_assert(!pair.equal && pair.searched);
    ck_assert_uint_eq(pair.compared, 20);
    ck_assert_int_eq(pair.finding.kind, CA_DIFFER_LENGTH);
    ck_assert(!pair.finding.guilty[0] && pair.finding.guilty[1]);
    ck_assert_contains(sentence, "longer calls do not");
}
END_TEST

/* A backend is held against itself to the last bit. */
START_TEST(itself)
{
    compare(NEIGHBOURS, NEIGHBOURS, 20);
    ck_assert(pair.equal);
    ck_assert_double_eq(pair.tolerance, 0);
    ck_assert_contains(sentence, "are equal");
}
END_TEST

/* --- benchmarks ------------------------------------------------------------------------------ */

/* `check_s` 0: on a smaller lattice, of 16 generations. */
static void benchmark(struct ca_bench *bench, double check_s)
{
    static struct ca_bench_spec spec;

    memset(&spec, 0, sizeof spec);
    spec.model = &model;
    strcpy(spec.sizes, "20x10");
    strcpy(spec.setting[CA_KEY_STEPS], "40");
    ca_bench_default(bench);
    bench->time_s = 0.02;
    bench->check_s = check_s;
    ck_assert_ok(ca_bench_add(bench, &spec, NULL, &error));
    ck_assert_ok(ca_bench_run(bench, NULL, NULL, &error));
}

START_TEST(benchmarks_hold_the_tolerance)
{
    struct ca_bench bench;
    char text[512];

    benchmark(&bench, _i ? 10 : 0);
    for (int i = 0; i < bench.count; i++) {
        const struct ca_bench_line *line = &bench.line[i];
        bool right =
            i == REFERENCE || i == NEIGHBOURS || (i == LONG && !_i); /* one generation a call */

        ck_assert_msg((line->wrong == 0) == right, "%s: %d wrong", names[i], (int)line->wrong);
        if (i != REFERENCE)
            ck_assert_str_eq(line->checked,
                             _i ? i == NEIGHBOURS || i == LONG
                                      ? "reference within 1e-05"
                                      : "reference within 1e-05, only to generation 3"
                                : "reference within 1e-05, only on 20x10");
    }
    ca_bench_free(&bench);
    ladder[FAR].name = NULL; /* those that are right */
    benchmark(&bench, 10);
    ck_assert_contains(ca_bench_sentence(text, sizeof text, &bench, 0),
                       "; all equal or within the tolerance");
    ca_bench_free(&bench);
}
END_TEST

/* --- the program ----------------------------------------------------------------------------- */

START_TEST(command)
{
    struct outcome o = calab_good("run water -s 64x64 -n 20 -b reference,elimination/threads=2");

    ck_assert_contains(o.out, "\nequal: yes\ntolerance: 1e-05\ncompared: 20\n");
    o = calab_good("run water -s 64x64 -n 20 -b reference,elimination --json");
    ck_assert_contains(o.out, "\"tolerance\"");
}
END_TEST

/* A choice must not show in the state. */
START_TEST(never_chosen)
{
    static struct ca_experiment experiment;

    for (const struct ca_backend *c = ca_backend_auto(&water_model); c->choice; c++) {
        ca_experiment_default(&experiment, &water_model);
        ca_experiment_backend(&experiment, c, CA_FROM_COMMAND_LINE);
        experiment.size = (struct ca_size){30 + 500 * _i, 20 + 500 * _i, 1};
        if (ca_choose_backend(&experiment, &error) == CA_OK)
            ck_assert(experiment.backend->tolerance == 0);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .test = {long_calls_that_differ, itself, command},
                     .table = {{verify_holds_the_tolerance, BACKENDS, .first = NEIGHBOURS},
                               {two_that_agree, 2},
                               {two_that_do_not, 2},
                               {benchmarks_hold_the_tolerance, 2},
                               {never_chosen, 2}});
}
