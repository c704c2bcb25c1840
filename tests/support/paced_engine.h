/* SPDX-License-Identifier: MIT */
/*
 * An engine whose backend takes a known time, by a clock that only this backend and the test move.
 * Included by one file of a program.
 */
#ifndef CALAB_TESTS_PACED_ENGINE_H
#define CALAB_TESTS_PACED_ENGINE_H

#include <string.h>

#include "kernels/cpu/byte_stepper.h"
#include "tests/support/engine_inside.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"

#define TOLERANCE 1e-6 /* of times: each look at the clock moves it */
#define CALLS_MAX 4096

/* --- a backend of known duration -------------------------------------------------------------- */

#define DEVICE_SHARE 0.5 /* of a call's time, in kernels */
#define TRANSFER_SHARE 0.125

static double generation_s, overhead_s; /* what a call of n generations takes: overhead + n of it */
static struct {
    double at_s;
    uint64_t n;
} calls[CALLS_MAX];
static int call_count;
static int slow_call;            /* the call that takes 50 ms longer, counted from 0; -1: none */
static double draw_s, observe_s; /* what a frame takes to draw, and its observables */
static double drawn_at[CALLS_MAX], observed_at[CALLS_MAX];
static int drawn, observed, appeared; /* appeared: live cells that are none */
static bool acknowledge;              /* frames are, at once */
static struct ca_clock spent;
static struct inside inside;

static enum ca_status paced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    double took_s = overhead_s + (double)n * generation_s + (call_count == slow_call ? 0.05 : 0);

    (void)self, (void)t, (void)error;
    ck_assert_int_lt(call_count, CALLS_MAX);
    calls[call_count].at_s = manual_clock_s;
    calls[call_count++].n = n;
    manual_clock_s += took_s;
    spent.device_s += took_s * DEVICE_SHARE;
    spent.transfer_s += took_s * TRANSFER_SHARE;
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    ck_assert_int_lt(drawn, CALLS_MAX);
    drawn_at[drawn++] = manual_clock_s;
    manual_clock_s += draw_s;
    return byte_stepper.store(self, planes, first, rows, error);
}

static enum ca_status survey(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *total, struct ca_error *error)
{
    CA_TRY(byte_stepper.observe->survey(self, parts, first, rows, total, error));
    ck_assert_int_lt(observed, CALLS_MAX);
    observed_at[observed++] = manual_clock_s;
    manual_clock_s += observe_s;
    total->ones[0] += appeared;
    return CA_OK;
}

static void read_clock(void *self, struct ca_clock *clock)
{
    (void)self;
    *clock = spent;
}

/* Two generations a pass. */
static void report(const void *self, struct ca_plan *plan)
{
    (void)self;
    *plan = (struct ca_plan){.generations = 2};
}

static void setup(void)
{
    static struct ca_stepper_observe observe;
    static struct ca_stepper fake;

    fake = byte_stepper;
    fake.step = paced_step, fake.clock = read_clock, fake.report = report;
    observe = *byte_stepper.observe, observe.survey = survey;
    fake.store = store, fake.observe = &observe;
    manual_clock_s = 1000;
    generation_s = 1e-6;
    overhead_s = 0;
    slow_call = -1;
    draw_s = observe_s = 0;
    call_count = drawn = observed = appeared = 0;
    acknowledge = false;
    spent = (struct ca_clock){0};
    inside_open(&inside, &fake);
}

static void teardown(void) { inside_close(&inside); }

static void ask(const char *request)
{
    json_t *json;

    inside_ask(&inside, request);
    json = peer_next(&inside.peer, NULL);
    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
}

/* What the loop does until then. */
static void pass_until(double end_s)
{
    for (;;) {
        double now = ca_now(), next;

        ca_engine_frame(&inside.engine, now);
        if (acknowledge)
            inside.engine.outstanding = false;
        next = ca_engine_next_step_s(&inside.engine, now);
        if (next > end_s || now > end_s)
            break;
        manual_clock_s = next > now ? next : now;
        ca_engine_step(&inside.engine, manual_clock_s);
    }
    manual_clock_s = end_s > manual_clock_s ? end_s : manual_clock_s;
}

#endif
