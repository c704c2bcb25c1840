/* SPDX-License-Identifier: MIT */
/*
 * When the engine steps, in which calls, and what its figures say of them: by a backend of known
 * duration and a clock that only this backend and the test move.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/byte_stepper.h"
#include "tests/engine_inside.h"
#include "tests/manual_clock.h"
#include "tests/support.h"

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
static struct ca_clock spent;
static struct inside inside;

static enum ca_status step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    double took_s = overhead_s + (double)n * generation_s;

    (void)self, (void)t, (void)error;
    ck_assert_int_lt(call_count, CALLS_MAX);
    calls[call_count].at_s = manual_clock_s;
    calls[call_count++].n = n;
    manual_clock_s += took_s;
    spent.device_s += took_s * DEVICE_SHARE;
    spent.transfer_s += took_s * TRANSFER_SHARE;
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
    static struct ca_stepper fake;

    fake = byte_stepper;
    fake.step = step, fake.clock = read_clock, fake.report = report;
    manual_clock_s = 1000;
    generation_s = 1e-6;
    overhead_s = 0;
    call_count = 0;
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
    json_decref(json);
}

/* What the loop does until then. */
static void pass_until(double end_s)
{
    for (;;) {
        double now = ca_now(), next;

        ca_engine_frame(&inside.engine, now);
        next = ca_engine_next_step_s(&inside.engine, now);
        if (next > end_s || now > end_s)
            break;
        manual_clock_s = next > now ? next : now;
        ca_engine_step(&inside.engine, manual_clock_s);
    }
    manual_clock_s = end_s > manual_clock_s ? end_s : manual_clock_s;
}

/* --- deadlines -------------------------------------------------------------------------------- */

/* From the second frame on, when its duration is known, one call for each deadline. */
START_TEST(a_call_for_each_frame)
{
    double start = manual_clock_s;

    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":1000,\"fps\":20}");
    pass_until(start + 10.01);
    ck_assert_uint_eq(ca_simulation_generation(inside.engine.simulation), 201 * 1000);
    for (int i = 2; i < call_count; i++) {
        ck_assert_uint_eq(calls[i].n, 1000);
        ck_assert_double_eq_tol(calls[i].at_s, start + 0.05 * (i - 1), TOLERANCE);
    }
    ck_assert_int_eq(call_count, 202); /* the first frame takes two, to find out */
}
END_TEST

/* A frame of 250 ms: three calls of at most 100 ms, of one length but for the rest. */
START_TEST(a_long_frame_goes_in_equal_calls)
{
    double start = manual_clock_s;

    generation_s = 1e-3;
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":250,\"fps\":2}");
    pass_until(start + 9.99);
    ck_assert_uint_eq(ca_simulation_generation(inside.engine.simulation), 20 * 250);
    for (int i = call_count - 30; i < call_count; i += 3) {
        ck_assert_uint_eq(calls[i].n, 84);
        ck_assert_uint_eq(calls[i + 1].n, 84);
        ck_assert_uint_eq(calls[i + 2].n, 82);
    }
    ck_assert_uint_eq(ca_simulation_timing(inside.engine.simulation)->call, 84);
}
END_TEST

START_TEST(less_than_one_generation_a_frame)
{
    double start = manual_clock_s;

    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":0.25,\"fps\":20}");
    pass_until(start + 9.99);
    ck_assert_int_eq(call_count, 50);
    for (int i = 0; i < call_count; i++) {
        ck_assert_uint_eq(calls[i].n, 1);
        ck_assert_double_eq_tol(calls[i].at_s, start + 0.2 * i, TOLERANCE);
    }
}
END_TEST

/* What a hitch of 1 s has cost is lost: no frame comes sooner after it than at any other time. */
START_TEST(late_frames_are_dropped)
{
    double start = manual_clock_s, hitch;
    int before;

    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":10,\"fps\":20}");
    pass_until(start + 1.01);
    before = call_count;
    overhead_s = 1;
    pass_until(start + 1.06);
    overhead_s = 0;
    ck_assert_int_eq(call_count, before + 1);
    hitch = manual_clock_s;
    pass_until(hitch + 1);
    ck_assert_int_ge(call_count, before + 20);
    ck_assert_int_le(call_count, before + 22);
    for (int i = before + 2; i < call_count; i++)
        ck_assert_double_gt(calls[i].at_s - calls[i - 1].at_s, 0.05 - TOLERANCE);
}
END_TEST

/* Frames that are always late follow each other at once, each with all of its generations. */
START_TEST(an_overloaded_run_does_what_it_can)
{
    double start = manual_clock_s;

    generation_s = 0.007; /* 70 ms a frame of 50 */
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":10,\"fps\":20}");
    pass_until(start + 7);
    ck_assert_uint_ge(ca_simulation_generation(inside.engine.simulation), 990);
    ck_assert_uint_eq(ca_simulation_generation(inside.engine.simulation) % 10, 0);
}
END_TEST

/* A frame shows the end of its generations, never the middle. */
START_TEST(frames_at_deadlines)
{
    double start = manual_clock_s;
    int64_t shown = 0;

    generation_s = 0.004; /* 10 of 200 ms: three calls a frame */
    inside.engine.fps = 4;
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":50,\"fps\":4}");
    for (int i = 0; i < 10; i++) {
        json_t *json;

        inside.engine.outstanding = false;
        pass_until(start + 0.25 * (i + 1) - 0.001);
        json = peer_frame(&inside.peer, NULL);
        if (i > 0)
            ck_assert_int_eq(json_integer_value(json_object_get(json, "generation")), shown + 50);
        shown = json_integer_value(json_object_get(json, "generation"));
        ck_assert_int_eq(shown % 50, 0);
        json_decref(json);
    }
}
END_TEST

/* --- free runs -------------------------------------------------------------------------------- */

/* The length of calls stands once it is found, though they take a third more or less. */
START_TEST(free_calls_keep_their_length)
{
    double start = manual_clock_s;
    uint64_t length;
    int settled;

    ask("{\"id\":1,\"op\":\"run\"}");
    pass_until(start + 0.1);
    settled = call_count;
    length = calls[settled - 1].n;
    ck_assert_int_lt(settled, 25);
    ck_assert_double_ge((double)length * generation_s, 0.004);
    ck_assert_double_le((double)length * generation_s, 0.011);
    for (int i = 0; i < 100; i++) {
        generation_s = i % 3 == 0 ? 1.3e-6 : i % 3 == 1 ? 0.7e-6 : 1e-6;
        pass_until(manual_clock_s + 0.01);
    }
    for (int i = settled; i < call_count; i++)
        ck_assert_uint_eq(calls[i].n, length);
    ck_assert_uint_eq(ca_simulation_timing(inside.engine.simulation)->call, length);
    /* one hitch does not change it, a backend that is ten times slower does */
    generation_s = 1e-6;
    overhead_s = 0.05;
    pass_until(manual_clock_s + 0.01);
    overhead_s = 0;
    pass_until(manual_clock_s + 0.1);
    ck_assert_uint_eq(calls[call_count - 1].n, length);
    generation_s = 1e-5;
    pass_until(manual_clock_s + 0.4);
    ck_assert_uint_lt(calls[call_count - 1].n, length / 4);
}
END_TEST

/* --- figures ---------------------------------------------------------------------------------- */

static json_t *frame_now(void)
{
    inside_ask(&inside, "{\"id\":9,\"op\":\"step\",\"n\":0,\"frame\":true}");
    return peer_frame(&inside.peer, NULL);
}

static void check(const json_t *figures, const char *key, double expected)
{
    const json_t *value = json_object_get(figures, key);

    ck_assert_msg(json_is_number(value), "%s is missing", key);
    ck_assert_msg(fabs(json_number_value(value) - expected) <= 1e-4 * fabs(expected),
                  "%s is %g, not %g", key, json_number_value(value), expected);
}

static void check_text(const json_t *json, const char *key, const char *expected)
{
    ck_assert_str_eq(json_string_value(json_object_get(json, key)), expected);
}

/* One call of 1 ms, many of 2, two of 8, of 8 generations each; half of each in kernels. All
 * figures differ, so that none can take another's place. */
START_TEST(figures_of_known_calls)
{
    const double cells = 32 * 32, gen = 0.25e-3 * DEVICE_SHARE;
    double start = manual_clock_s, bytes = inside.backends[0].bytes_per_cell_step;
    json_t *json, *timing;

    inside.engine.copy_gb = (struct ca_fact){true, 10};
    inside.engine.logic_gops = (struct ca_fact){true, 40};
    generation_s = 0.25e-3;
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":8,\"fps\":20}");
    pass_until(start + 0.06); /* calls of 1 and 7, then 8 */
    ca_timing_clear(ca_simulation_timing(inside.engine.simulation));
    for (int i = 2; i < 102; i++) {
        generation_s = i == 50 ? 0.125e-3 : i >= 100 ? 1e-3 : 0.25e-3;
        pass_until(start + 0.05 * i + 0.01);
    }
    json = frame_now(); /* which steps nothing, and so leaves the figures as they are */
    timing = json_object_get(json, "timing");
    check_text(timing, "mode", "paced");
    check(timing, "count", 100);
    check(timing, "call", 8);
    check(timing, "generations", 800);
    check(timing, "step_min_s", gen / 2);
    check(timing, "step_p50_s", gen);
    check(timing, "step_p99_s", 4 * gen);
    check(timing, "cells_per_s", cells / gen);
    check(timing, "gb_per_s", cells / gen * bytes / 2 / 1e9);
    check(timing, "wall_s", 97 * 2e-3 + 1e-3 + 2 * 8e-3);
    check(timing, "device_s", (97 * 2e-3 + 1e-3 + 2 * 8e-3) * DEVICE_SHARE);
    check(timing, "transfer_s", (97 * 2e-3 + 1e-3 + 2 * 8e-3) * TRANSFER_SHARE);
    check(timing, "copy_share", cells / gen * bytes / 2 / 1e9 / 10);
    check(timing, "logic_share", cells / gen * inside.backends[0].ops_per_cell_step / 1e9 / 40);
    ck_assert_ptr_null(json_object_get(timing, "able"));
    json_decref(json);
    json_decref(peer_answer(&inside.peer, 9));
    /* a step has figures of its own */
    inside_ask(&inside, "{\"id\":10,\"op\":\"step\",\"n\":1}");
    pass_until(manual_clock_s + 1);
    json_decref(peer_answer(&inside.peer, 10));
    json = frame_now();
    timing = json_object_get(json, "timing");
    check_text(timing, "mode", "step");
    check(timing, "count", 1);
    check(timing, "call", 1);
    json_decref(json);
}
END_TEST

/* What it was able to do: by the last burst, or the last free run, whichever was later. */
START_TEST(able_figures)
{
    double start = manual_clock_s;
    json_t *json, *able;

    generation_s = 1e-3;
    overhead_s = 4e-3;
    inside_ask(&inside, "{\"id\":1,\"op\":\"burst\",\"n\":4,\"calls\":5}");
    pass_until(start + 1);
    json = peer_answer(&inside.peer, 1);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "seconds")), 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_double_eq_tol(
            json_real_value(json_array_get(json_object_get(json, "seconds"), i)), 8e-3, TOLERANCE);
        ck_assert_double_eq_tol(
            json_real_value(json_array_get(json_object_get(json, "device_s"), i)),
            8e-3 * DEVICE_SHARE, TOLERANCE);
    }
    json_decref(json);
    json = frame_now();
    able = json_object_get(json_object_get(json, "timing"), "able");
    check(able, "call", 4);
    check(able, "count", 5);
    check(able, "step_p50_s", 2e-3 * DEVICE_SHARE);
    check(able, "cells_per_s", 32 * 32 / (2e-3 * DEVICE_SHARE));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "timing"), "count")),
                     0);
    json_decref(json);
    json_decref(peer_answer(&inside.peer, 9));

    overhead_s = 0;
    ask("{\"id\":2,\"op\":\"run\"}");
    pass_until(manual_clock_s + 2);
    ask("{\"id\":3,\"op\":\"run\",\"per_frame\":1,\"fps\":20}"); /* which ends it */
    overhead_s = 1;
    pass_until(manual_clock_s + 4);
    ask("{\"id\":4,\"op\":\"reset\"}");
    json = frame_now();
    able = json_object_get(json_object_get(json, "timing"), "able");
    check(able, "call", 8);
    check(able, "step_p50_s", 1e-3 * DEVICE_SHARE);
    check(able, "cells_per_s", 32 * 32 / (1e-3 * DEVICE_SHARE));
    json_decref(json);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("engine pace");
    TCase *tests = tcase_create("engine pace");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_call_for_each_frame);
    tcase_add_test(tests, a_long_frame_goes_in_equal_calls);
    tcase_add_test(tests, less_than_one_generation_a_frame);
    tcase_add_test(tests, late_frames_are_dropped);
    tcase_add_test(tests, an_overloaded_run_does_what_it_can);
    tcase_add_test(tests, frames_at_deadlines);
    tcase_add_test(tests, free_calls_keep_their_length);
    tcase_add_test(tests, figures_of_known_calls);
    tcase_add_test(tests, able_figures);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
