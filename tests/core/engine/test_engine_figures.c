/* SPDX-License-Identifier: MIT */
/*
 * When the engine draws and observes, and what its figures say of the calls: by a backend of known
 * duration and a clock that only this backend and the test move.
 */
#include <math.h>

#include "core/engine/interference_json.h"
#include "tests/support/paced_engine.h"

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
                     .test = {no_frame_before_the_ack, as_many_frames_as_are_asked_for,
                              observables_take_their_share, no_frame_within_such_a_step,
                              a_frame_names_the_broken_invariant, figures_of_known_calls,
                              able_figures},
                     .table = {{frames_take_their_share, 3}});
}
