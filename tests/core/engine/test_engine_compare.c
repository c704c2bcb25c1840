/* SPDX-License-Identifier: MIT */
/*
 * What two engines that are compared are asked for: steps with a hash and a frame, a kept state,
 * timed calls, digests of rows, blocks of cells; and what each of them says where it fails.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/engine_inside.h"
#include "tests/support/support.h"

static char *text_of(struct peer *peer, int id, const char *key)
{
    json_t *json = peer_answer(peer, id);
    char *text;

    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    ck_assert_ptr_nonnull(json_string_value(json_object_get(json, key)));
    text = strdup(json_string_value(json_object_get(json, key)));
    return text;
}

static char *hash(struct peer *peer)
{
    peer_say(peer, "{'id':900,'op':'hash'}");
    return text_of(peer, 900, "hash");
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The frame comes before the reply, of the same generation, acknowledged or not, at any fps. */
START_TEST(step_with_hash_and_frame)
{
    struct peer peer = peer_open_anneal();
    uint8_t *bytes = NULL;
    char *now;
    json_t *json;

    peer_gets(&peer, NULL, "{'id':2,'op':'view','columns':4,'lines':3,'fps':%d}", _i);
    if (_i > 0) /* the paused state, which is never acknowledged */
        ck_assert_int_eq(peer_frame_generation(&peer), 0);
    for (int id = 3; id < 8; id++) {
        int n = id == 7 ? 0 : 7; /* nothing to step: the same frame again */

        peer_say(&peer, "{'id':%d,'op':'step','n':%d,'frame':true,'hash':true}", id, n);
        json = peer_next(&peer, &bytes);
        ck_assert_str_eq(json_text(json, "event"), "frame");
        ck_assert_int_eq(json_whole(json, "bytes"), 2 * 4 * 3);
        ck_assert_int_eq(json_whole(json, "generation"), id == 7 ? 28 : 7 * (id - 2));
        ck_assert(json_is_false(json_object_get(json, "running")));
        json = peer_next(&peer, NULL);
        ck_assert_int_eq(json_whole(json, "id"), id);
        ck_assert_uint_eq(strlen(json_text(json, "hash")), 16);
        now = hash(&peer);
        ck_assert_str_eq(json_text(json, "hash"), now);
        free(now);
    }
    /* the next step has neither */
    peer_say(&peer, "{'id':8,'op':'step'}");
    json = peer_next(&peer, NULL);
    ck_assert_int_eq(json_whole(json, "id"), 8);
    ck_assert_ptr_null(json_object_get(json, "hash"));
    peer_refuses(&peer, "usage", "step: \"frame\" is 1: true or false is allowed",
                 "{'id':9,'op':'step','frame':1}");
    peer_refuses(&peer, "usage", "step: \"hash\" is \"yes\": true or false is allowed",
                 "{'id':10,'op':'step','hash':'yes'}");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* However long the step, one frame, at its end. */
START_TEST(one_frame_a_step)
{
    struct peer peer = peer_open_anneal();
    int frames = 0;
    bool done = false;

    peer_gets(&peer, NULL, "{'id':2,'op':'view','columns':4,'lines':3,'fps':1000}");
    peer_frame(&peer, NULL);
    peer_say(&peer, "{'op':'ack'}\n{'id':3,'op':'step','n':3000,'frame':true}");
    while (!done) {
        json_t *json = peer_next(&peer, NULL);

        done = json_object_get(json, "id") != NULL;
        frames += !done;
        ck_assert_int_eq(json_whole(json, "generation"), 3000);
    }
    ck_assert_int_eq(frames, 1);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- a kept state ------------------------------------------------------------------------------
 */

START_TEST(mark_and_back)
{
    struct peer peer = peer_open_anneal();
    char *at_7, *again;

    peer_refuses(&peer, "usage", "no state is kept to go back to", "{'id':2,'op':'back'}");
    peer_say(&peer, "{'id':3,'op':'step','n':7}\n{'id':4,'op':'mark'}");
    peer_good(&peer, 3, NULL);
    ck_assert_int_eq(peer_good(&peer, 4, NULL), 7);
    at_7 = hash(&peer);
    peer_say(&peer, "{'id':5,'op':'run'}\n{'id':6,'op':'back'}");
    peer_good(&peer, 5, NULL);
    ck_assert_int_eq(peer_good(&peer, 6, NULL), 7); /* which ends the run */
    ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':7,'op':'step','n':0}"), 7);
    again = hash(&peer);
    ck_assert_str_eq(at_7, again);
    free(again);
    peer_say(&peer, "{'id':8,'op':'reset'}\n{'id':9,'op':'back'}");
    ck_assert_int_eq(peer_good(&peer, 8, NULL), 0);
    ck_assert_int_eq(peer_good(&peer, 9, NULL), 7);
    again = hash(&peer);
    ck_assert_str_eq(at_7, again);
    free(again);
    free(at_7);
    ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':10,'op':'observe'}"), 7);
    peer_say(&peer, "{'id':11,'op':'unmark'}\n{'id':12,'op':'back'}");
    ck_assert_int_eq(peer_good(&peer, 11, NULL), 7);
    peer_refused(&peer, 12, "usage", "no state is kept");
    peer_say(&peer, "{'id':13,'op':'mark'}\n{'id':14,'op':'change','backend':"
                    "'threads'}\n{'id':15,'op':'back'}");
    peer_good(&peer, 13, NULL);
    peer_good(&peer, 14, NULL);
    peer_refused(&peer, 15, "usage", "no state is kept");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- bursts ------------------------------------------------------------------------------------
 */

/* Every call has a time, and none of them is left in the state or in the timing. */
START_TEST(burst_leaves_nothing_behind)
{
    struct peer peer = peer_open_anneal();
    char *before, *after;
    json_t *json, *timing;

    peer_gets(&peer, NULL, "{'id':2,'op':'step','n':5}");
    before = hash(&peer);
    if (_i) {
        peer_gets(&peer, NULL, "{'id':3,'op':'mark'}");
    }
    json = peer_ask(&peer, "{'id':4,'op':'burst','n':11,'calls':6}");
    ck_assert_int_eq(json_whole(json, "generation"), 5);
    ck_assert(json_is_false(json_object_get(json, "stopped")));
    for (int d = 0; d < 2; d++) {
        json_t *seconds = json_object_get(json, d ? "device_s" : "seconds"), *value;
        size_t i;

        ck_assert_uint_eq(json_array_size(seconds), 6);
        json_array_foreach(seconds, i, value) ck_assert(json_real_value(value) > 0);
    }
    after = hash(&peer);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    peer_say(&peer, "{'id':5,'op':'back'}");
    if (_i)
        ck_assert_int_eq(peer_good(&peer, 5, NULL), 5);
    else
        peer_refused(&peer, 5, "usage", "no state is kept");
    peer_say(&peer, "{'id':6,'op':'step','n':0,'frame':true}");
    json = peer_frame(&peer, NULL);
    timing = json_object_get(json, "timing");
    ck_assert_int_eq(json_whole(timing, "generations"), 5);
    peer_good(&peer, 6, NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* By its limit, by "stop"; what was made until then is told. */
START_TEST(burst_ends_early)
{
    struct peer peer = peer_open_anneal();
    json_t *json;
    size_t calls;

    json = peer_ask(&peer, "{'id':2,'op':'burst','n':1,'calls':10000,'seconds':0}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "seconds")), 1);
    ck_assert(json_is_false(json_object_get(json, "stopped")));
    peer_say(&peer, "{'id':3,'op':'burst','n':20000,'calls':10000}\n"
                    "{'id':4,'op':'stop'}");
    json = peer_answer(&peer, 3);
    calls = json_array_size(json_object_get(json, "seconds"));
    ck_assert_uint_lt(calls, 10000);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "device_s")), calls);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    ck_assert_int_eq(json_whole(json, "generation"), 0);
    ck_assert_int_eq(peer_good(&peer, 4, NULL), 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(burst_refuses_another_mark)
{
    struct peer peer = peer_open_anneal();

    peer_say(&peer, "{'id':2,'op':'mark'}\n{'id':3,'op':'step','n':9}\n"
                    "{'id':4,'op':'burst'}");
    peer_good(&peer, 2, NULL);
    peer_good(&peer, 3, NULL);
    peer_refused(&peer, 4, "usage",
                 "burst: the state of generation 0 is kept, and this is 9; send \"back\", \"mark\" "
                 "or \"unmark\" first");
    peer_refuses(&peer, "usage", "burst: \"n\" is 0: a whole number from 1",
                 "{'id':5,'op':'burst','n':0}");
    peer_refuses(&peer, "usage", "\"calls\" is 10001: a whole number from 1 to 10000",
                 "{'id':6,'op':'burst','calls':10001}");
    peer_refuses(&peer, "usage", "\"seconds\" is -1: a number from 0",
                 "{'id':7,'op':'burst','seconds':-1}");
    peer_gets(&peer, NULL, "{'id':8,'op':'ping'}");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- digests and cells -------------------------------------------------------------------------
 */

/* The digests of parts add up to that of the range, and those of all rows to the hash. */
START_TEST(digests_add_up)
{
    struct peer peer = peer_open_anneal();
    uint64_t sum = 0, parts = 0;
    char *all, *digest;
    json_t *json, *part;
    size_t i;

    peer_gets(&peer, NULL, "{'id':2,'op':'step','n':3}");
    all = hash(&peer);
    peer_say(&peer, "{'id':3,'op':'digest'}");
    digest = text_of(&peer, 3, "digest");
    ck_assert_str_eq(digest, all);
    free(digest);
    for (int first = 0; first < 64; first += 9) {
        peer_say(&peer, "{'id':4,'op':'digest','first':%d,'rows':%d}", first,
                 64 - first < 9 ? 64 - first : 9);
        digest = text_of(&peer, 4, "digest");
        sum += strtoull(digest, NULL, 16);
        free(digest);
    }
    ck_assert_uint_eq(sum, strtoull(all, NULL, 16));
    json = peer_ask(&peer, "{'id':5,'op':'digest','parts':7}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "digests")), 7);
    json_array_foreach(json_object_get(json, "digests"), i, part)
    {
        int first = 64 * (int)i / 7, last = 64 * ((int)i + 1) / 7;

        parts += strtoull(json_string_value(part), NULL, 16);
        peer_say(&peer, "{'id':6,'op':'digest','first':%d,'rows':%d}", first, last - first);
        digest = text_of(&peer, 6, "digest");
        ck_assert_str_eq(digest, json_string_value(part));
        free(digest);
    }
    ck_assert_uint_eq(parts, sum);
    free(all);
    peer_refuses(&peer, "usage", "\"first\" is 64: a whole number from 0 to 63",
                 "{'id':7,'op':'digest','first':64}");
    peer_refuses(&peer, "usage", "\"rows\" is 5: a whole number from 1 to 4",
                 "{'id':8,'op':'digest','first':60,'rows':5}");
    peer_refuses(&peer, "usage", "\"parts\" is 5: a whole number from 1 to 4",
                 "{'id':9,'op':'digest','first':60,'parts':5}");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Each cell of a block is what "cell" says of it. */
START_TEST(cells_of_a_block)
{
    static const char *const opens[] = {
        "\"model\":\"life3d\",\"size\":[11,7,5],\"backend\":\"reference\"",
        "\"model\":\"life3d\",\"size\":[11,7,5],\"backend\":\"bitslice\"",
        "\"model\":\"water\",\"size\":[11,7],\"backend\":\"reference\"",
    };
    struct peer peer = peer_start();
    const char *name;
    json_t *json, *values, *cell;
    int depth = _i == 2 ? 1 : 3, low = _i == 2 ? 0 : 1;

    peer_next(&peer, NULL);
    peer_say(&peer, "{'id':1,'op':'open',%s}\n{'id':2,'op':'step','n':2}", opens[_i]);
    peer_good(&peer, 1, NULL);
    peer_good(&peer, 2, NULL);
    json = peer_ask(&peer,
                    "{'id':3,'op':'cells','x':8,'y':2,'z':%d,'width':3,'height':4,"
                    "'depth':%d}",
                    low, depth);
    ck_assert_int_eq(json_whole(json, "generation"), 2);
    json_object_foreach(json_object_get(json, "planes"), name, values)
    {
        ck_assert_uint_eq(json_array_size(values), (size_t)(3 * 4 * depth));
        for (int i = 0; i < 3 * 4 * depth; i++) {
            cell = peer_ask(&peer, "{'id':4,'op':'cell','x':%d,'y':%d,'z':%d}", 8 + i % 3,
                            2 + i / 3 % 4, low + i / 12);
            ck_assert(json_equal(json_array_get(values, (size_t)i),
                                 json_object_get(json_object_get(cell, "planes"), name)));
        }
    }
    peer_refuses(&peer, "usage", "\"width\" is 3: a whole number from 1 to 2",
                 "{'id':5,'op':'cells','x':9,'width':3}");
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(too_many_cells)
{
    struct peer peer = peer_open_anneal();

    peer_gets(&peer, NULL, "{'id':2,'op':'cells','width':64,'height':64}");
    peer_refuses(&peer, "usage", "cells: 83x50x1 are 4150 cells: at most 4096 are allowed",
                 "{'id':3,'op':'cells','width':83,'height':50}");
    peer_finish(&peer, CA_OK);
}
END_TEST

static json_t *digest_frame(struct peer *peer, const char *view, uint8_t **bytes)
{
    json_t *json;

    peer_gets(peer, NULL, "{'id':2,'op':'view',%s,'digests':true,'fps':0}", view);
    peer_say(peer, "{'id':3,'op':'step','n':0,'frame':true}");
    json = peer_frame(peer, bytes);
    peer_good(peer, 3, NULL);
    return json;
}

/* Two states that differ in one cell: the digests differ in the character that has it alone, at any
 * zoom at which all cells are read. */
START_TEST(digests_of_characters)
{
    static const char *const views[] = {
        "\"columns\":96,\"lines\":64", "\"columns\":100,\"lines\":70,\"x\":-2,\"y\":-3",
        "\"columns\":20,\"lines\":20,\"zoom\":5", "\"columns\":7,\"lines\":5,\"zoom\":16"};
    static const int columns[] = {96, 100, 20, 7}, lines[] = {64, 70, 20, 5};
    static const int zoom[] = {1, 1, 5, 16}, x[] = {0, -2, 0, 0}, y[] = {0, -3, 0, 0};
    char path[] = "/tmp/calab-digests-XXXXXX.npy";
    struct ca_size size = {96, 64, 1};
    int characters = columns[_i] * lines[_i];
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    struct ca_lattice lattice;
    struct ca_row_source source;
    struct ca_error error;
    struct peer peer = peer_open_anneal();
    uint8_t *first, *second;
    json_t *json;

    close(mkstemps(path, 4));
    ca_experiment_default(&experiment, &anneal_model);
    ca_experiment_backend(&experiment, anneal_model.backends, CA_FROM_COMMAND_LINE);
    experiment.size = size;
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    ((uint8_t *)lattice.plane[0])[37 * 96 + 81] ^= 1;
    ca_simulation_load(simulation, &lattice, 0, &error);
    source = ca_simulation_source(simulation);
    ck_assert_ok(ca_state_write(path, &anneal_model, &source, &error));

    json = digest_frame(&peer, views[_i], &first);
    ck_assert_int_eq(json_whole(json, "bytes"), 10 * characters);
    ck_assert(json_is_false(json_object_get(json, "sampled")));
    ck_assert(json_is_true(json_at(json, "view.digests")));
    peer_gets(&peer, NULL,
              "{'id':9,'op':'open','model':'anneal','size':[96,64],'backend':"
              "'bitslice','state':'%s'}",
              path);
    json_decref(digest_frame(&peer, views[_i], &second));
    for (int i = 0; i < characters; i++) {
        const uint8_t *a = first + 2 * characters + 8 * i, *b = second + 2 * characters + 8 * i;
        int cx = x[_i] + i % columns[_i] * zoom[_i], cy = y[_i] + i / columns[_i] * zoom[_i];
        bool here = cx <= 81 && 81 < cx + zoom[_i] && cy <= 37 && 37 < cy + zoom[_i];

        ck_assert_msg((memcmp(a, b, 8) != 0) == here, "character %d", i);
        if (first[i] == CA_VIEW_OUTSIDE)
            ck_assert_mem_eq(a, "\0\0\0\0\0\0\0", 8);
    }
    unlink(path);
    free(second);
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- failures ----------------------------------------------------------------------------------
 */

/* An engine in this process, whose backend fails on demand. */
static struct ca_stepper fake;
static struct ca_stepper_observe observe;
static enum ca_status fail_mark[3], fail_step, fail_survey, fail_store;

static enum ca_status mark(void *self, enum ca_mark what, struct ca_error *error)
{
    return fail_mark[what] == CA_OK ? byte_stepper.mark(self, what, error)
                                    : ca_fail(error, fail_mark[what], "the mark is full");
}

static enum ca_status failing_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return fail_step == CA_OK ? byte_stepper.step(self, t, n, error)
                              : ca_fail(error, fail_step, "the step is broken");
}

static enum ca_status survey(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *total, struct ca_error *error)
{
    return fail_survey == CA_OK
               ? byte_stepper.observe->survey(self, parts, first, rows, total, error)
               : ca_fail(error, fail_survey, "the survey is blind");
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    return fail_store == CA_OK ? byte_stepper.store(self, planes, first, rows, error)
                               : ca_fail(error, fail_store, "the store is shut");
}

static void open_inside(struct inside *inside)
{
    memset(fail_mark, 0, sizeof fail_mark);
    fail_step = fail_survey = fail_store = CA_OK;
    fake = byte_stepper;
    fake.mark = mark, fake.step = failing_step, fake.store = store;
    observe = *byte_stepper.observe, observe.survey = survey;
    fake.observe = &observe;
    inside_open(inside, &fake);
}

/* Each is refused with the reason, and the simulation stays. */
static const struct {
    const char *request, *says;
    enum ca_status *what;
} failures[] = {
    {"{\"id\":1,\"op\":\"mark\"}", "the mark is full", &fail_mark[CA_MARK_KEEP]},
    {"{\"id\":1,\"op\":\"burst\"}", "the mark is full", &fail_mark[CA_MARK_KEEP]},
    {"{\"id\":1,\"op\":\"digest\"}", "the survey is blind", &fail_survey},
    {"{\"id\":1,\"op\":\"hash\"}", "the survey is blind", &fail_survey},
    {"{\"id\":1,\"op\":\"step\",\"n\":0,\"hash\":true}", "the survey is blind", &fail_survey},
    {"{\"id\":1,\"op\":\"step\",\"n\":0,\"frame\":true}", "the store is shut", &fail_store},
    {"{\"id\":1,\"op\":\"cells\"}", "the store is shut", &fail_store},
    {"{\"id\":1,\"op\":\"cell\"}", "the store is shut", &fail_store},
};

START_TEST(failures_are_told)
{
    struct inside inside;

    open_inside(&inside);
    *failures[_i].what = CA_NO_MEMORY;
    inside_ask(&inside, failures[_i].request);
    peer_refused(&inside.peer, 1, "no-memory", failures[_i].says);
    *failures[_i].what = CA_OK;
    inside_ask(&inside, "{\"id\":2,\"op\":\"hash\"}");
    ck_assert_int_eq(peer_good(&inside.peer, 2, NULL), 0);
    inside_ask(&inside, failures[_i].request); /* and works where nothing fails */
    if (inside.engine.job)
        ca_engine_stop(&inside.engine);
    ck_assert_int_eq(peer_good(&inside.peer, 1, NULL), 0);
    inside_close(&inside);
}
END_TEST

/* A call that fails costs the state: told as an event, and as the reply. */
START_TEST(burst_that_fails)
{
    struct inside inside;
    struct ca_error error;
    json_t *json;
    bool last;

    open_inside(&inside);
    inside_ask(&inside, "{\"id\":1,\"op\":\"burst\",\"n\":3,\"calls\":5}");
    ck_assert(inside.engine.job);
    ck_assert_ok(ca_engine_burst_call(&inside.engine, &last, &error));
    if (_i)
        fail_step = CA_NO_DEVICE;
    else
        fail_mark[CA_MARK_BACK] = CA_NO_DEVICE;
    ck_assert_int_eq(ca_engine_burst_call(&inside.engine, &last, &error), CA_NO_DEVICE);
    ca_engine_lose(&inside.engine, &error);
    ck_assert(!ca_engine_stepping(&inside.engine));
    ck_assert(!inside.engine.burst.active);
    json = peer_next(&inside.peer, NULL);
    ck_assert_str_eq(json_text(json, "event"), "stopped");
    peer_refused(&inside.peer, 1, "no-device", _i ? "the step is broken" : "the mark is full");
    inside_close(&inside);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {one_frame_a_step, mark_and_back, burst_ends_early,
                              burst_refuses_another_mark, digests_add_up, too_many_cells},
                     .table = {{step_with_hash_and_frame, 2},
                               {burst_leaves_nothing_behind, 2},
                               {cells_of_a_block, 3},
                               {digests_of_characters, 4},
                               {failures_are_told, COUNT(failures)},
                               {burst_that_fails, 2}});
}
