/* SPDX-License-Identifier: MIT */
/*
 * The search for the first difference on CUDA backends that are wrong in known ways: from
 * generation 3,117 on at one cell, once, in calls of 6 or more, at random. The faults are put into
 * what a right kernel left on the device.
 */
#include <string.h>

#include "core/compare/lock_step.h"
#include "core/model/registry.h"
#include "tests/support/support.h"

#define X 211
#define Y 40
#define FIRST 3117
#define WIDTH 300

static uint64_t draws; /* of the backend that is wrong at random */
static const struct ca_stepper *stepper;

static enum ca_status flip(void *self, int64_t x, int64_t y, struct ca_error *error)
{
    static uint8_t row[WIDTH];
    void *const planes[CA_PLANES_MAX] = {row};

    CA_TRY(stepper->store(self, planes, y, 1, error));
    row[x] ^= 1;
    return stepper->load(self, (const void *const *)planes, y, 1, error);
}

/* Calls that end before or with each wrong generation, so that what is right is fast. */
static enum ca_status wrong_between(void *self, uint64_t t, uint64_t n, uint64_t last,
                                    struct ca_error *error)
{
    for (uint64_t end = t + n, next; t < end; t = next) {
        next = t + 1 < FIRST && end >= FIRST ? FIRST - 1 : end;
        next = t + 1 >= FIRST && t < last ? t + 1 : next;
        CA_TRY(stepper->step(self, t, next - t, error));
        if (next >= FIRST && next <= last)
            CA_TRY(flip(self, X, Y, error));
    }
    return CA_OK;
}

static enum ca_status wrong_from(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, UINT64_MAX, error);
}

static enum ca_status wrong_once(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, FIRST, error);
}

static enum ca_status wrong_calls(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(stepper->step(self, t, n, error));
    return n >= 6 ? flip(self, X, Y, error) : CA_OK;
}

static enum ca_status wrong_at_random(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    uint64_t u = (test_seed() + ++draws) * UINT64_C(0x9E3779B97F4A7C15);

    CA_TRY(stepper->step(self, t, n, error));
    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return u >> 62 ? flip(self, (int64_t)(u >> 8 & 255), (int64_t)(u >> 20 & 31), error) : CA_OK;
}

static const struct {
    enum ca_status (*step)(void *, uint64_t, uint64_t, struct ca_error *);
    uint64_t call; /* generations between two checks */
    const char *headline;
} faults[] = {
    {wrong_from, 64, "DIFFER from 3,117 at 211,40"},
    {wrong_once, 1, "DIFFER from 3,117 at 211,40"},
    {wrong_calls, 64, "DIFFER in calls of 6 or more"},
    {wrong_at_random, 64, "NOT DETERMINISTIC"},
};

static const char *const kernels[] = {"cuda-naive", "cuda-bitslice", "cuda-overlapped"};

#define FAULTS ((int)(sizeof faults / sizeof faults[0]))
#define KERNELS ((int)(sizeof kernels / sizeof kernels[0]))

/* A right kernel against a wrong one of another layout, in lock step until a check finds it. */
START_TEST(each_is_named_rightly)
{
    static struct ca_differ differ;
    const char *name[2] = {kernels[(_i + 1) % KERNELS], kernels[_i % KERNELS]};
    const char *expected = faults[_i].headline;
    struct ca_simulation *pair[2];
    struct ca_simulation_side self[2];
    struct ca_side side[2];
    struct ca_stepper wrong;
    struct ca_model model = anneal_model;
    struct ca_backend ladder[3] = {{0}};
    struct ca_experiment experiment;
    struct ca_differ_case found;
    struct ca_error error;
    char text[80], sentence[600];
    bool different;

    for (int i = 0; i < 2; i++) {
        const struct ca_backend *backend;

        ck_assert_ok(ca_backend_find(&backend, &anneal_model, name[i], &error));
        ladder[i] = *backend;
    }
    stepper = ladder[1].stepper;
    wrong = *stepper;
    wrong.step = faults[_i].step;
    ladder[1].stepper = &wrong;
    model.backends = ladder;
    for (int i = 0; i < 2; i++) {
        ca_experiment_default(&experiment, &model);
        ca_experiment_backend(&experiment, &ladder[i], CA_FROM_COMMAND_LINE);
        experiment.size = (struct ca_size){WIDTH, 64, 1};
        ck_assert_ok(ca_simulation_open(&pair[i], &experiment, &error));
    }
    ck_assert_ok(
        ca_differ_lock_step(&found, &different, pair, faults[_i].call, 4096, NULL, NULL, &error));
    ck_assert_msg(different, "%s: the wrong %s is not found", expected, name[1]);
    for (int i = 0; i < 2; i++)
        side[i] = ca_simulation_side(&self[i], pair[i]);
    ca_differ_begin(&differ, &found);
    ck_assert_ok(ca_differ_run(&differ, side, NULL, NULL, &error));
    ck_assert_str_eq(ca_differ_headline(text, &differ.result, &model), expected);
    ca_differ_sentence(sentence, sizeof sentence, &differ.result, &model, name[0], name[1]);
    if (strcmp(expected, "NOT DETERMINISTIC") == 0)
        ck_assert(!differ.result.guilty[0] && differ.result.guilty[1]);
    else
        ck_assert_contains(sentence, "211,40");
    for (int i = 0; i < 2; i++) {
        ca_simulation_side_end(&self[i]);
        ca_simulation_close(pair[i]);
    }
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{each_is_named_rightly, FAULTS}}); }
