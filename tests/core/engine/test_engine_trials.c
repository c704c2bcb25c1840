/* SPDX-License-Identifier: MIT */
/* The engine's requests that take long and need no simulation: bench and verify. */
#include <stdlib.h>
#include <string.h>

#include "core/bench/report.h"
#include "core/files/file.h"
#include "core/probe/probe.h"
#include "tests/support/engine_peer.h"
#include "tests/support/hurried_clock.h"
#include "tests/support/support.h"

static struct ca_error error;

#define BENCH                                                                                      \
    "{\"id\":%d,\"op\":\"bench\",\"model\":\"anneal\",\"size\":[64,48],\"seed\":7,"                \
    "\"backends\":\"reference,threads,bitslice\",\"seconds\":%g}"

/* The next event of progress, or reply. */
static json_t *next_of(struct peer *peer)
{
    json_t *json = peer_next(peer, NULL);

    ck_assert_ptr_nonnull(json);
    return json;
}

static const char *text_at(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "";
}

static bool is_reply(const json_t *json, int id)
{
    return json_whole(json, "id") == id && json_object_get(json, "id");
}

static const json_t *line_of(const json_t *lines, const char *backend)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i,
                       line) if (strcmp(text_at(line, "backend"), backend) == 0) return line;
    ck_abort_msg("no line of %s", backend);
}

/* Lines go from waiting through timing to right, and the report is that of `calab bench`. */
START_TEST(benchmark)
{
    struct peer peer = peer_start();
    int waiting = 0, timing = 0;
    const json_t *lines, *report;
    json_t *json;

    json_decref(next_of(&peer));
    peer_say(&peer, BENCH, 2, 0.3);
    for (json = next_of(&peer); !is_reply(json, 2); json = next_of(&peer)) {
        ck_assert_str_eq(text_at(json, "event"), "progress");
        ck_assert_str_eq(text_at(json, "of"), "bench");
        ck_assert_uint_gt(strlen(text_at(json, "backend")), 0);
        ck_assert(json_number(json, "left_s") >= 0);
        lines = json_object_get(json, "lines");
        if (lines) {
            ck_assert_uint_eq(json_array_size(lines), 3);
            waiting += strcmp(text_at(line_of(lines, "threads"), "state"), "waiting") == 0;
            timing += strcmp(text_at(line_of(lines, "threads"), "state"), "timing") == 0;
        }
    }
    ck_assert_int_gt(waiting, 0);
    ck_assert_int_gt(timing, 0);
    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    ck_assert(json_is_false(json_object_get(json, "stopped")));
    lines = json_object_get(json, "lines");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);

        ck_assert_str_eq(text_at(line, "state"), "right");
        ck_assert(json_number(line, "rate") > 0);
        ck_assert(json_number(line, "to_reference") > 0);
    }
    ck_assert_double_eq(json_number(line_of(lines, "reference"), "to_reference"), 1);
    report = json_object_get(json, "report");
    ck_assert_str_eq(text_at(report, "schema"), CA_BENCH_SCHEMA);
    ck_assert_uint_eq(json_array_size(json_object_get(report, "lines")), 3);
    ck_assert_ptr_null(json_object_get(report, "incomplete"));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* While it works, requests that may be at once are answered; others wait for its end. */
START_TEST(answers_meanwhile)
{
    struct peer peer = peer_start();
    int order[3] = {0}, n = 0;

    json_decref(next_of(&peer));
    peer_say(&peer, BENCH, 2, 0.2);
    peer_say(&peer, PEER_OPEN);
    peer_say(&peer, "{'id':3,'op':'ping'}");
    while (n < 3) {
        json_t *json = next_of(&peer);

        if (json_object_get(json, "id"))
            order[n++] = (int)json_whole(json, "id");
    }
    ck_assert_int_eq(order[0], 3);
    ck_assert_int_eq(order[1], 2);
    ck_assert_int_eq(order[2], 1);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Reads events until a line has so many calls. */
static void await_calls(struct peer *peer, int calls)
{
    int seen = 0;

    while (seen < calls) {
        json_t *json = next_of(peer);
        const json_t *lines = json_object_get(json, "lines");

        ck_assert_ptr_null(json_object_get(json, "id"));
        if (lines)
            seen = (int)json_whole(line_of(lines, "bitslice"), "calls");
    }
}

/* What has calls enough is checked and kept; what waited is carried out as ever. */
START_TEST(stopped)
{
    struct peer peer = peer_start();
    const json_t *lines, *report;
    json_t *json;

    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':2,'op':'bench','model':'anneal','size':[64,48],"
                    "'backends':'reference,threads,bitslice','seconds':80,'error':0}");
    await_calls(&peer, CA_BENCH_MEDIAN + 1);
    peer_say(&peer, PEER_OPEN);
    peer_say(&peer, "{'id':3,'op':'stop'}");
    json = peer_answer(&peer, 2);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    lines = json_object_get(json, "lines");
    ck_assert_str_eq(text_at(line_of(lines, "bitslice"), "state"), "right");
    ck_assert(json_is_true(json_object_get(line_of(lines, "bitslice"), "partial")));
    report = json_object_get(json, "report");
    ck_assert_str_eq(text_at(report, "incomplete"), "stopped; 3 of 3 lines are finished");
    peer_good(&peer, 1, NULL);
    peer_good(&peer, 3, NULL);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':4,'op':'step','n':3}"), 3);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A benchmark that waits behind a step is stopped with it. */
START_TEST(stopped_while_it_waits)
{
    struct peer peer = peer_open_anneal();
    json_t *json;

    peer_say(&peer, "{'id':2,'op':'step','n':1000000000}");
    peer_say(&peer, BENCH, 3, 60.0);
    peer_say(&peer, "{'id':4,'op':'stop'}");
    peer_good(&peer, 2, NULL);
    json = peer_answer(&peer, 3);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    ck_assert_str_eq(text_at(line_of(json_object_get(json, "lines"), "threads"), "state"),
                     "waiting");
    peer_good(&peer, 4, NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* The open simulation stays where it was. */
START_TEST(beside_a_simulation)
{
    struct peer peer = peer_open_anneal();

    peer_gets(&peer, NULL, "{'id':2,'op':'step','n':5}");
    peer_say(&peer, BENCH, 3, 0.1);
    peer_good(&peer, 3, NULL);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':4,'op':'step','n':2}"), 7);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Each backend's turn at a case is told. */
START_TEST(verification)
{
    struct peer peer = peer_start();
    const json_t *results;
    int turns = 0;
    json_t *json;

    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':2,'op':'verify','model':'anneal','cases':6,'small':true,"
                    "'backends':'threads,bitslice'}");
    for (json = next_of(&peer); !is_reply(json, 2); json = next_of(&peer)) {
        ck_assert_str_eq(text_at(json, "of"), "verify");
        ck_assert_int_ge(json_whole(json, "cases"), 6);
        turns++;
    }
    ck_assert_int_ge(turns, 12);
    results = json_object_get(json, "results");
    ck_assert_uint_eq(json_array_size(results), 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(text_at(json_array_get(results, i), "result"), "ok");
        ck_assert_int_ge(json_whole(json_array_get(results, i), "cases"), 6);
    }
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(stopped_verification)
{
    struct peer peer = peer_start();
    json_t *json;

    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':2,'op':'verify','model':'cloud'}");
    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':3,'op':'stop'}");
    json = peer_answer(&peer, 2);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    peer_good(&peer, 3, NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

static const struct {
    const char *request, *text;
} wrong[] = {
    {"\"op\":\"bench\"", "bench: \"model\" is missing"},
    {"\"op\":\"bench\",\"model\":\"annael\"", "anneal"},
    {"\"op\":\"bench\",\"model\":\"anneal\",\"backends\":\"bitslcie\"", "bitslice"},
    {"\"op\":\"bench\",\"model\":\"anneal\",\"seconds\":-1", "\"seconds\" is -1"},
    {"\"op\":\"bench\",\"model\":\"anneal\",\"error\":2", "\"error\" is 2"},
    {"\"op\":\"verify\"", "verify: \"model\" is missing"},
    {"\"op\":\"verify\",\"model\":\"water\",\"backends\":\"bitslice\"",
     "matches 'bitslice'; there are: reference, threads"},
    {"\"op\":\"verify\",\"model\":\"water\",\"cases\":-3", "\"cases\" is -3"},
};

START_TEST(refused)
{
    struct peer peer = peer_start();

    json_decref(next_of(&peer));
    peer_refuses(&peer, "usage", wrong[_i].text, "{'id':2,%s}", wrong[_i].request);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* An engine whose cache files are in the test's folder. */
static struct peer peer_of_a_cache(void)
{
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", test_path("cache"), 1), 0);
    return peer_start();
}

/* Each figure is announced, and the ceilings are those of the file. */
START_TEST(probe)
{
    struct peer peer = peer_of_a_cache();
    struct ca_probe told, kept;
    int figures = 0;
    json_t *json;

    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':2,'op':'probe'}");
    for (json = next_of(&peer); !is_reply(json, 2); json = next_of(&peer)) {
        ck_assert_str_eq(text_at(json, "of"), "probe");
        ck_assert_uint_gt(strlen(text_at(json, "what")), 0);
        ck_assert_int_eq(json_whole(json, "done"), figures++);
    }
    ck_assert_int_ge(figures, CA_LEVELS + 1);
    ck_assert(json_is_true(json_object_get(json, "ok")));
    ck_assert(json_is_false(json_object_get(json, "stopped")));
    ck_assert_str_eq(text_at(json, "file"), ca_probe_path());
    ck_assert(ca_probe_from_json(&told, json_object_get(json, "ceilings")));
    ck_assert_ok(ca_probe_read(&kept, ca_probe_path(), &error));
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq(told.logic_gops[i], kept.logic_gops[i]);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* One that is stopped keeps the file of before, and says nothing of ceilings. */
START_TEST(probe_stopped)
{
    struct peer peer = peer_of_a_cache();
    bool asked = false;
    json_t *json;
    size_t size;
    char *text;

    ck_assert_ok(ca_file_parents(ca_probe_path(), &error));
    test_write(ca_probe_path(), "before", 6);
    json_decref(next_of(&peer));
    peer_say(&peer, "{'id':2,'op':'probe'}");
    for (json = next_of(&peer); !is_reply(json, 2); json = next_of(&peer)) {
        if (!asked)
            peer_say(&peer, "{'id':3,'op':'stop'}");
        asked = true;
    }
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    ck_assert_ptr_null(json_object_get(json, "ceilings"));
    ck_assert_ptr_null(json_object_get(json, "file"));
    text = test_read(ca_probe_path(), &size);
    ck_assert(size == 6 && memcmp(text, "before", 6) == 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {benchmark, answers_meanwhile, stopped, stopped_while_it_waits,
                              beside_a_simulation, verification, stopped_verification, probe,
                              probe_stopped},
                     .table = {{refused, COUNT(wrong)}});
}
