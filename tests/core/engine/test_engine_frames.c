/* SPDX-License-Identifier: MIT */
/* The engine's frames: what they show, when they come, and that they hold nothing up. */
#include <poll.h>
#include <string.h>
#include <time.h>

#include "core/engine/state.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"
#include "core/base/clock.h"

START_TEST(frame_shows_the_state)
{
    struct peer peer = peer_open_anneal();
    json_t *json, *view, *timing, *observables;
    uint8_t *bytes;
    int live = 0;

    peer_say(&peer, "{'id':2,'op':'view','columns':100,'lines':64,'x':-2,'fps':1000}");
    json = peer_frame(&peer, &bytes);
    ck_assert_int_eq(json_whole(json, "bytes"), 2 * 100 * 64);
    ck_assert(json_is_false(json_object_get(json, "running")));
    ck_assert(json_is_false(json_object_get(json, "sampled")));
    view = json_object_get(json, "view");
    ck_assert_int_eq(json_whole(view, "x"), -2);
    ck_assert_str_eq(json_text(view, "reduce"), "any");
    timing = json_object_get(json, "timing");
    ck_assert_int_eq(json_whole(timing, "count"), 0);
    observables = json_object_get(json, "observables");
    ck_assert_int_eq(json_whole(observables, "broken"), -1);
    for (int i = 0; i < 100 * 64; i++) {
        bool outside = i % 100 < 2 || i % 100 >= 98;

        ck_assert(outside ? bytes[i] == CA_VIEW_OUTSIDE : bytes[i] <= 1);
        live += !outside && bytes[i];
    }
    ck_assert_int_eq(json_whole(observables, "values.0"), live);
    /* a step makes a new one, with figures */
    peer_say(&peer, "{'op':'ack'}\n{'id':3,'op':'step','n':4}");
    json = peer_frame(&peer, NULL);
    while (json_whole(json, "generation") < 4) {
        peer_say(&peer, "{'op':'ack'}");
        json = peer_frame(&peer, NULL);
    }
    timing = json_object_get(json, "timing");
    ck_assert_int_eq(json_whole(timing, "generations"), 4);
    observables = json_object_get(json, "observables");
    ck_assert_int_eq(json_whole(observables, "generation"), 4);
    ck_assert(json_number(timing, "step_p50_s") > 0);
    ck_assert(json_number(timing, "cells_per_s") > 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(one_frame_outstanding_and_the_newest_wins)
{
    struct peer peer = peer_open_anneal();
    json_t *json;
    int frames = 0;

    peer_gets(&peer, NULL, "{'id':2,'op':'view','columns':4,'lines':2,'fps':1000}");
    peer_frame(&peer, NULL);
    for (int x = 1; x <= 20; x++)
        peer_say(&peer, "{'id':%d,'op':'view','x':%d}\n{'id':%d,'op':'step'}", 2 * x, x, 2 * x + 1);
    for (int id = 2; id <= 41;) {
        json = peer_next(&peer, NULL);
        frames += json_object_get(json, "event") != NULL;
        id += json_object_get(json, "id") != NULL;
    }
    ck_assert_int_eq(frames, 0);
    peer_say(&peer, "{'op':'ack'}");
    json = peer_frame(&peer, NULL);
    ck_assert_int_eq(json_whole(json, "generation"), 20);
    ck_assert_int_eq(json_whole(json, "view.x"), 20);
    /* nothing new: no frame, acknowledged or not; nor after fps 0 */
    peer_say(&peer, "{'op':'ack'}\n{'id':50,'op':'ping'}");
    json = peer_next(&peer, NULL);
    ck_assert_int_eq(json_whole(json, "id"), 50);
    peer_say(&peer, "{'id':51,'op':'view','fps':0}\n{'id':52,'op':'step'}\n"
                    "{'id':53,'op':'observe'}");
    for (int id = 51; id <= 53; id++) {
        json = peer_next(&peer, NULL);
        ck_assert_int_eq(json_whole(json, "id"), id);
    }
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(run_and_stop)
{
    struct peer peer = peer_open_anneal();
    int64_t generation = 0, stopped;

    peer_gets(&peer, NULL, "{'id':2,'op':'view','columns':10,'lines':5,'fps':200}");
    peer_say(&peer, "{'id':3,'op':'run'}");
    for (int frames = 0; frames < 3 || generation < 100; frames++) {
        int64_t shown = peer_frame_generation(&peer);

        ck_assert_int_ge(shown, generation);
        generation = shown;
        peer_say(&peer, "{'op':'ack'}");
    }
    peer_say(&peer, "{'id':4,'op':'stop'}");
    stopped = peer_good(&peer, 4, "generation");
    ck_assert_int_ge(stopped, generation);
    peer_say(&peer, "{'op':'ack'}\n{'id':5,'op':'observe'}");
    ck_assert_int_eq(peer_good(&peer, 5, "generation"), stopped);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(throttled_run)
{
    struct peer peer = peer_open_anneal();
    double began = ca_now(), fps = 100;
    int64_t generation;

    peer_say(&peer,
             "{'id':2,'op':'view','columns':1,'lines':1,'fps':1000}\n"
             "{'id':3,'op':'run','per_frame':2,'fps':%g}",
             fps);
    do {
        generation = peer_frame_generation(&peer);
        ck_assert_int_le(generation, 2 * ((int64_t)((ca_now() - began) * fps) + 1));
        ck_assert_int_eq(generation % 2, 0);
        peer_say(&peer, "{'op':'ack'}");
    } while (generation < 40);
    /* a slow one still answers at once */
    peer_say(&peer, "{'id':4,'op':'run','per_frame':0.001,'fps':1}\n{'id':5,'op':'ping'}\n"
                    "{'id':6,'op':'stop'}");
    peer_finish(&peer, CA_OK);
}
END_TEST

static double cpu_seconds(const struct peer *peer)
{
    struct timespec time;

    clockid_t clock;

    ck_assert_int_eq(clock_getcpuclockid(peer->pid, &clock), 0);
    ck_assert_int_eq(clock_gettime(clock, &time), 0);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

START_TEST(slow_reader_does_not_hold_it_up)
{
    struct timespec nap = {.tv_nsec = 1000000};
    struct peer peer = peer_open_anneal();
    int64_t shown, stopped;
    double began;

    /* the frame is larger than the pipe: the engine cannot get rid of it */
    peer_say(&peer, "{'id':2,'op':'view','columns':1000,'lines':1000,'fps':1000}\n"
                    "{'id':3,'op':'run'}");
    began = cpu_seconds(&peer);
    while (cpu_seconds(&peer) < began + 0.2)
        nanosleep(&nap, NULL);
    peer_say(&peer, "{'id':4,'op':'stop'}");
    shown = peer_frame_generation(&peer);
    stopped = peer_good(&peer, 4, "generation");
    ck_assert_int_gt(stopped, shown + 10);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(paused_is_idle)
{
    struct timespec nap = {.tv_nsec = 200000000};
    struct peer peer = peer_open_anneal();
    struct pollfd out = {.fd = peer.from, .events = POLLIN};
    double before;

    peer_say(&peer, "{'id':2,'op':'view','columns':80,'lines':24,'fps':1000}");
    peer_frame(&peer, NULL);
    peer_say(&peer, "{'op':'ack'}\n{'id':3,'op':'ping'}");
    peer_good(&peer, 3, NULL);
    before = cpu_seconds(&peer);
    nanosleep(&nap, NULL);
    ck_assert_msg(cpu_seconds(&peer) - before < 0.01, "a paused engine works");
    ck_assert_int_eq(poll(&out, 1, 0), 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(view_survives_another_lattice)
{
    struct peer peer = peer_start();
    json_t *json;

    peer_next(&peer, NULL);
    peer_say(&peer, "{'id':1,'op':'open','model':'life3d','size':[9,9,9]}\n"
                    "{'id':2,'op':'view','slice':8,'columns':9,'lines':9,'fps':1000}");
    peer_good(&peer, 1, NULL);
    peer_good(&peer, 2, NULL);
    peer_frame(&peer, NULL);
    peer_say(&peer, "{'op':'ack'}\n{'id':3,'op':'open','model':'water','size':[9,9]}");
    peer_good(&peer, 3, NULL);
    json = peer_frame(&peer, NULL);
    ck_assert_int_eq(json_whole(json, "view.slice"), 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* The engine projects a lattice with two cells, and says which of its slices have any. A flat model
 * that is opened next has slices again. */
START_TEST(a_projection_in_place_of_a_slice)
{
    struct peer peer = peer_start();
    json_t *json;
    uint8_t *bytes;

    peer_next(&peer, NULL);
    peer_gets(&peer, NULL,
              "{'id':1,'op':'open','model':'life3d','size':[5,4,9],'parameters':{'density':0}}");
    peer_gets(&peer, NULL, "{'id':2,'op':'put','x':3,'y':1,'z':6,'next':true}");
    peer_gets(&peer, NULL, "{'id':3,'op':'put','x':3,'y':2,'z':6,'next':true}");
    peer_gets(&peer, NULL, "{'id':4,'op':'put','x':3,'y':1,'z':2,'next':true}");
    json = peer_ask(&peer, "{'id':5,'op':'slice','axis':'xy'}");
    ck_assert_int_eq(json_whole(json, "slice"), 6);
    ck_assert_int_eq(json_whole(json, "cells"), 2);
    json = peer_ask(&peer, "{'id':6,'op':'slice','after':6}");
    ck_assert_int_eq(json_whole(json, "slice"), 2);
    peer_refuses(&peer, "usage", "slice: \"after\" is 9: a whole number from 0 to 8 is allowed",
                 "{'id':7,'op':'slice','after':9}");
    peer_say(&peer, "{'id':8,'op':'view','projection':'depth','columns':5,'lines':4,'fps':1000}");
    json = peer_frame(&peer, &bytes);
    ck_assert_str_eq(json_text(json_object_get(json, "view"), "projection"), "depth");
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(bytes[i], i == 8 || i == 13 ? CA_VIEW_VALUE : CA_VIEW_NOTHING);
    ck_assert_int_gt(bytes[20 + 8], bytes[20 + 13]); /* z = 2 is nearer than z = 6 */
    peer_refuses(&peer, "usage", "projection 'depth' of changes",
                 "{'id':9,'op':'view','drawn':'change'}");
    peer_say(&peer, "{'op':'ack'}\n{'id':10,'op':'open','model':'anneal','size':[9,9]}");
    json = peer_frame(&peer, NULL);
    ck_assert_str_eq(json_text(json_object_get(json, "view"), "projection"), "slice");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Two slices of one frame: the second has the range of the first, and goes with the lattice. */
START_TEST(a_second_view_beside_the_first)
{
    static const char asked[] =
        "{\"id\":2,\"op\":\"view\",\"columns\":9,\"lines\":8,\"slice\":3,\"drawn\":\"density\","
        "\"range\":\"auto\",\"fps\":1000,"
        "\"beside\":{\"axis\":\"xz\",\"slice\":5,\"columns\":9,\"lines\":7}}";
    struct peer peer = peer_start();
    json_t *json, *beside, *view;
    uint8_t *bytes;

    peer_next(&peer, NULL);
    peer_gets(&peer, NULL, "{'id':1,'op':'open','model':'life3d','size':[9,8,7]}");
    peer_say(&peer, "%s", asked);
    peer_good(&peer, 2, NULL);
    json = peer_frame(&peer, &bytes);
    beside = json_object_get(json, "beside");
    view = json_object_get(beside, "view");
    ck_assert_int_eq(json_whole(json, "bytes"), 2 * 9 * (8 + 7));
    ck_assert_str_eq(json_text(view, "axis"), "xz");
    ck_assert_str_eq(json_text(view, "drawn"), "density");
    ck_assert(json_equal(json_object_get(beside, "range"), json_object_get(json, "range")));
    /* they meet in the cells (x, 5, 3) */
    ck_assert_mem_eq(bytes + 5 * 9, bytes + 2 * 9 * 8 + 3 * 9, 9);
    /* what is wrong changes nothing; null ends it */
    peer_say(&peer, "{'op':'ack'}\n{'id':3,'op':'view','beside':{'slice':7}}\n"
                    "{'id':4,'op':'view','beside':7}\n{'id':5,'op':'step'}");
    peer_refused(&peer, 3, "usage", "slice z = 7: 0 ... 6 are allowed");
    peer_refused(&peer, 4, "usage", "allowed are an object and null");
    peer_good(&peer, 5, NULL);
    json = peer_frame(&peer, NULL);
    ck_assert(json_object_get(json, "beside") != NULL);
    peer_say(&peer, "{'op':'ack'}\n{'id':6,'op':'view','beside':null}");
    peer_good(&peer, 6, NULL);
    json = peer_frame(&peer, NULL);
    ck_assert(json_object_get(json, "beside") == NULL);
    /* nor does it outlive its lattice */
    peer_say(&peer, "{'op':'ack'}");
    peer_say(&peer, "%s", asked);
    peer_good(&peer, 2, NULL);
    peer_frame(&peer, NULL);
    peer_say(&peer, "{'op':'ack'}\n{'id':7,'op':'open','model':'water','size':[9,9]}");
    peer_good(&peer, 7, NULL);
    json = peer_frame(&peer, NULL);
    ck_assert(json_object_get(json, "beside") == NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {frame_shows_the_state, one_frame_outstanding_and_the_newest_wins,
                              run_and_stop, throttled_run, slow_reader_does_not_hold_it_up,
                              paused_is_idle, view_survives_another_lattice,
                              a_second_view_beside_the_first, a_projection_in_place_of_a_slice});
}
