/* SPDX-License-Identifier: MIT */
/*
 * When the engine steps and in which calls: by a backend of known duration and a clock that only
 * this backend and the test move.
 */
#include "tests/support/paced_engine.h"

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

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {a_call_for_each_frame, a_long_frame_goes_in_equal_calls,
                              the_fewest_calls, one_generation_at_least,
                              so_many_generations_at_most, a_short_delay_is_caught_up,
                              less_than_one_generation_a_frame, late_frames_are_dropped,
                              an_overloaded_run_does_what_it_can, frames_at_deadlines,
                              free_calls_keep_their_length, a_new_length_gets_two_calls,
                              calls_of_another_run, steps_in_one_call});
}
