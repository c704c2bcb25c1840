/* SPDX-License-Identifier: MIT */
/*
 * When the engine steps, in which calls, and what its figures say of them: by a backend of known
 * duration and a clock that only this backend and the test move.
 */
#include <math.h>
#include <string.h>

#include "core/engine/interference_json.h"
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

/* Twice what a call may take are two calls. */
START_TEST(the_fewest_calls)
{
    generation_s = 0.999e-3;
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":200,\"fps\":2}");
    pass_until(manual_clock_s + 9.99);
    for (int i = call_count - 10; i < call_count; i++)
        ck_assert_uint_eq(calls[i].n, 100);
}
END_TEST

/* A generation that takes longer than a call should is a call, of a paced run and of a free one. */
START_TEST(one_generation_at_least)
{
    generation_s = 0.5;
    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":3,\"fps\":0.5}");
    pass_until(manual_clock_s + 9.99);
    ck_assert_int_ge(call_count, 12);
    ask("{\"id\":2,\"op\":\"run\"}");
    pass_until(manual_clock_s + 9.99);
    ck_assert_int_ge(call_count, 30);
    for (int i = 0; i < call_count; i++)
        ck_assert_uint_eq(calls[i].n, 1);
}
END_TEST

/* However short generations are, calls have an end. */
START_TEST(so_many_generations_at_most)
{
    generation_s = 0;
    ask("{\"id\":1,\"op\":\"run\"}");
    for (int i = 0; i < 100; i++)
        ca_engine_step(&inside.engine, manual_clock_s);
    ck_assert_uint_eq(calls[call_count - 1].n, UINT64_C(1) << 40);
}
END_TEST

/* One that is late by less than a period leaves the deadlines of all others as they are. */
START_TEST(a_short_delay_is_caught_up)
{
    double start = manual_clock_s;
    int before;

    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":10,\"fps\":20}");
    pass_until(start + 0.99);
    before = call_count;
    overhead_s = 0.07;
    pass_until(start + 1.01);
    overhead_s = 0;
    pass_until(start + 2.01);
    ck_assert_double_eq_tol(calls[before].at_s, start + 1, 1e-4);
    ck_assert_double_eq_tol(calls[before + 1].at_s, start + 1.07, 1e-4);
    for (int i = before + 2; i < call_count; i++)
        ck_assert_double_eq_tol(calls[i].at_s, start + 1 + 0.05 * (i - before), TOLERANCE);
    ck_assert_int_eq(call_count, before + 21);
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
            ck_assert_int_eq(json_whole(json, "generation"), shown + 50);
        shown = json_whole(json, "generation");
        ck_assert_int_eq(shown % 50, 0);
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
    /* and one that is as fast again has its calls again */
    generation_s = 1e-6;
    pass_until(manual_clock_s + 0.4);
    ck_assert_uint_eq(calls[call_count - 1].n, length);
}
END_TEST

/* Nor does a hitch in the first call of a new length. */
START_TEST(a_new_length_gets_two_calls)
{
    int first;

    ask("{\"id\":1,\"op\":\"run\"}");
    pass_until(manual_clock_s + 0.1);
    first = call_count;
    generation_s = 1e-5; /* two calls find it out */
    slow_call = first + 2;
    pass_until(manual_clock_s + 0.4);
    ck_assert_uint_eq(calls[first + 1].n, calls[first].n);
    ck_assert_uint_lt(calls[first + 2].n, calls[first].n / 4);
    for (int i = first + 3; i < call_count; i++)
        ck_assert_uint_eq(calls[i].n, calls[first + 2].n);
}
END_TEST

/* A free run after a paced one has calls of its own at once; of a backend of which nothing is known
 * it asks one generation first. */
START_TEST(calls_of_another_run)
{
    int first;

    ask("{\"id\":1,\"op\":\"run\",\"per_frame\":50,\"fps\":20}");
    pass_until(manual_clock_s + 0.2);
    first = call_count;
    ask("{\"id\":2,\"op\":\"run\"}");
    pass_until(manual_clock_s + 0.1);
    ck_assert_uint_eq(calls[first].n, 8192);
    first = call_count;
    ca_engine_forget_pace(&inside.engine);
    pass_until(manual_clock_s + 0.1);
    ck_assert_uint_eq(calls[first].n, 1);
}
END_TEST

/* A state to compare comes from a call of the length that was asked for, others in short calls. */
START_TEST(steps_in_one_call)
{
    generation_s = 1e-3;
    inside_ask(&inside, "{\"id\":1,\"op\":\"step\",\"n\":500,\"hash\":true}");
    pass_until(manual_clock_s + 1);
    peer_answer(&inside.peer, 1);
    ck_assert_int_eq(call_count, 1);
    ck_assert_uint_eq(calls[0].n, 500);
    inside_ask(&inside, "{\"id\":2,\"op\":\"step\",\"n\":500}");
    pass_until(manual_clock_s + 1);
    peer_answer(&inside.peer, 2);
    ck_assert_int_gt(call_count, 40);
}
END_TEST

/* --- frames ----------------------------------------------------------------------------------- */

static double shortest(const double at[], int count)
{
    double gap = INFINITY;

    for (int i = 2; i < count; i++) /* the second comes when what a frame costs is known */
        gap = fmin(gap, at[i] - at[i - 1]);
    return gap;
}

/* However long the engine steps, it sends one frame, and the next one after the ack. */
START_TEST(no_frame_before_the_ack)
{
    inside.engine.fps = 60;
    ask("{\"id\":1,\"op\":\"run\"}");
    pass_until(manual_clock_s + 10);
    ck_assert_int_eq(drawn, 1);
    inside_ask(&inside, "{\"op\":\"ack\"}");
    pass_until(manual_clock_s + 10);
    ck_assert_int_eq(drawn, 2);
}
END_TEST

START_TEST(as_many_frames_as_are_asked_for)
{
    acknowledge = true;
    inside.engine.fps = 4;
    ask("{\"id\":1,\"op\":\"run\"}");
    pass_until(manual_clock_s + 9.99);
    ck_assert_int_eq(drawn, 40);
    /* a lower rate begins after the next frame, a higher one at once */
    inside_ask(&inside, "{\"id\":2,\"op\":\"view\",\"fps\":0.01}");
    pass_until(manual_clock_s + 9.99);
    ck_assert_int_eq(drawn, 41);
    inside_ask(&inside, "{\"id\":3,\"op\":\"view\",\"fps\":8}");
    pass_until(manual_clock_s + 9.99);
    ck_assert_int_ge(drawn, 41 + 80);
    ck_assert_int_le(drawn, 41 + 81);
}
END_TEST

/* Frames of 10 ms take 2 % of a free run's time, and of a run that misses its deadlines; not of one
 * that waits for its deadlines anyway. */
START_TEST(frames_take_their_share)
{
    static const struct {
        const char *run;
        double generation_s, gap_s;
    } rows[] = {
        {"{\"id\":1,\"op\":\"run\"}", 1e-6, 0.5},
        {"{\"id\":1,\"op\":\"run\",\"per_frame\":10,\"fps\":20}", 7e-3, 0.5},
        {"{\"id\":1,\"op\":\"run\",\"per_frame\":10,\"fps\":20}", 1e-6, 0.1},
    };

    draw_s = 0.01;
    acknowledge = true;
    inside.engine.fps = 10;
    generation_s = rows[_i].generation_s;
    ask(rows[_i].run);
    pass_until(manual_clock_s + 10);
    ck_assert_double_ge(shortest(drawn_at, drawn), rows[_i].gap_s - 0.002);
    ck_assert_double_ge(drawn, 9 / (rows[_i].gap_s + 0.07)); /* and no less: a frame of 70 ms */
}
END_TEST

/* Observables of 20 ms take 1 % of a run's time; a paused simulation is observed at once. */
START_TEST(observables_take_their_share)
{
    observe_s = 0.02;
    acknowledge = true;
    inside.engine.fps = 20;
    ask("{\"id\":1,\"op\":\"run\"}");
    pass_until(manual_clock_s + 10);
    ck_assert_double_ge(shortest(observed_at, observed), 2);
    ck_assert_int_ge(observed, 4);
    inside_ask(&inside, "{\"id\":2,\"op\":\"stop\"}");
    pass_until(manual_clock_s + 1);
    pass_until(manual_clock_s + 1); /* when the frame is due */
    ck_assert_int_ge(observed, 5);
    ck_assert_uint_eq(inside.engine.observed_generation,
                      ca_simulation_generation(inside.engine.simulation));
}
END_TEST

/* A step that ends with its frame has no other on the way. */
START_TEST(no_frame_within_such_a_step)
{
    json_t *json;

    generation_s = 1e-3;
    inside.engine.fps = 60;
    acknowledge = true;
    pass_until(manual_clock_s + 1);
    drawn = 0;
    inside_ask(&inside, "{\"id\":1,\"op\":\"step\",\"n\":2000,\"frame\":true}");
    pass_until(manual_clock_s + 1.5);
    ck_assert_int_eq(drawn, 0);
    pass_until(manual_clock_s + 0.6);
    json = peer_answer(&inside.peer, 1);
    ck_assert_int_eq(json_whole(json, "generation"), 2000);
    ck_assert_int_eq(drawn, 1);
}
END_TEST

static bool conserved(const struct ca_setup *setup, const double start[])
{
    (void)setup, (void)start;
    return true;
}

/* A cell that appears from nowhere is named by its observable, in this frame and all others. */
START_TEST(a_frame_names_the_broken_invariant)
{
    static const struct ca_observable observables[] = {
        {.name = "live", .help = "live cells", .conserved = conserved}, {.name = NULL}};
    static struct ca_model_observe observe;

    observe = *inside.model.observe;
    observe.observables = observables;
    inside.model.observe = &observe;
    for (int i = 0; i < 4; i++) {
        json_t *json;

        appeared = i == 2;
        inside_ask(&inside, "{\"id\":1,\"op\":\"step\",\"n\":1}");
        inside.engine.fps = 20;
        inside.engine.outstanding = false;
        pass_until(manual_clock_s + 1);
        json = peer_frame(&inside.peer, NULL);
        ck_assert_int_eq(json_whole(json, "observables.broken"), i < 2 ? -1 : 0);
        inside_ask(&inside, "{\"op\":\"ack\"}");
    }
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
    peer_answer(&inside.peer, 9);
    /* a step has figures of its own */
    inside_ask(&inside, "{\"id\":10,\"op\":\"step\",\"n\":1}");
    pass_until(manual_clock_s + 1);
    peer_answer(&inside.peer, 10);
    json = frame_now();
    timing = json_object_get(json, "timing");
    check_text(timing, "mode", "step");
    check(timing, "count", 1);
    check(timing, "call", 1);
}
END_TEST

/* What it was able to do: by the last burst, or the last free run, whichever was later. */
START_TEST(able_figures)
{
    double start = manual_clock_s;
    struct ca_interference others;
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
    ca_interference_from_json(&others, json_object_get(json, "interference"));
    json = frame_now();
    able = json_at(json, "timing.able");
    if (ca_interference_judge(&others, 0) == CA_DISTURBED) { /* by what else this machine does */
        ck_assert_ptr_null(able);
    } else {
        check(able, "call", 4);
        check(able, "count", 5);
        check(able, "step_p50_s", 2e-3 * DEVICE_SHARE);
        check(able, "cells_per_s", 32 * 32 / (2e-3 * DEVICE_SHARE));
    }
    ck_assert_int_eq(json_whole(json, "timing.count"), 0);
    peer_answer(&inside.peer, 9);

    overhead_s = 0;
    ask("{\"id\":2,\"op\":\"run\"}");
    pass_until(manual_clock_s + 2);
    ask("{\"id\":3,\"op\":\"run\",\"per_frame\":1,\"fps\":20}"); /* which ends it */
    overhead_s = 1;
    pass_until(manual_clock_s + 4);
    ask("{\"id\":4,\"op\":\"reset\"}");
    json = frame_now();
    able = json_at(json, "timing.able");
    check(able, "call", 8);
    check(able, "step_p50_s", 1e-3 * DEVICE_SHARE);
    check(able, "cells_per_s", 32 * 32 / (1e-3 * DEVICE_SHARE));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {a_call_for_each_frame,
                              a_long_frame_goes_in_equal_calls,
                              the_fewest_calls,
                              one_generation_at_least,
                              so_many_generations_at_most,
                              a_short_delay_is_caught_up,
                              less_than_one_generation_a_frame,
                              late_frames_are_dropped,
                              an_overloaded_run_does_what_it_can,
                              frames_at_deadlines,
                              free_calls_keep_their_length,
                              a_new_length_gets_two_calls,
                              calls_of_another_run,
                              steps_in_one_call,
                              no_frame_before_the_ack,
                              as_many_frames_as_are_asked_for,
                              observables_take_their_share,
                              no_frame_within_such_a_step,
                              a_frame_names_the_broken_invariant,
                              figures_of_known_calls,
                              able_figures},
                     .table = {{frames_take_their_share, 3}});
}
