/* SPDX-License-Identifier: MIT */
/* "stop" in every state of the engine, with every request behind what it ends; and an engine that
 * hears however many requests wait. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/state.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

#define FOR_EVER "1000000000000000"

/* What is under way when "stop" comes; NULL: nothing. `later`: its reply comes when it ends. */
static const struct job {
    const char *request;
    bool later;
} jobs[] = {
    {NULL, false},
    {"\"op\":\"run\"", false},
    {"\"op\":\"run\",\"per_frame\":1,\"fps\":1000", false},
    {"\"op\":\"step\",\"n\":" FOR_EVER, true},
    {"\"op\":\"seek\",\"generation\":" FOR_EVER, true},
    {"\"op\":\"burst\",\"n\":9,\"calls\":10000,\"seconds\":1e9", true},
    {"\"op\":\"bench\",\"model\":\"anneal\",\"size\":[32,32],\"backends\":\"reference,threads\","
     "\"seconds\":80000,\"error\":0",
     true},
    {"\"op\":\"verify\",\"model\":\"anneal\",\"backends\":\"bitslice\",\"cases\":1000000,"
     "\"small\":true",
     true},
};

/* What waits behind it, and what comes of that. */
enum outcome { STOPPED, DONE, DONE_AT_ONCE, REFUSED };

static const struct {
    const char *request;
    enum outcome outcome;
} waiting[] = {
    {"\"op\":\"step\",\"n\":" FOR_EVER, STOPPED},
    {"\"op\":\"step\",\"n\":" FOR_EVER ",\"hash\":true,\"frame\":true", STOPPED},
    {"\"op\":\"seek\",\"generation\":" FOR_EVER, STOPPED},
    {"\"op\":\"seek\",\"generation\":0", STOPPED},
    {"\"op\":\"burst\",\"n\":" FOR_EVER ",\"calls\":10000", STOPPED},
    {"\"op\":\"bench\",\"model\":\"anneal\",\"seconds\":80000,\"error\":0", STOPPED},
    {"\"op\":\"verify\",\"model\":\"cloud\"", STOPPED},
    {"\"op\":\"run\"", DONE},
    {"\"op\":\"run\",\"per_frame\":1,\"fps\":1000", DONE},
    {"\"op\":\"put\",\"x\":1,\"y\":2,\"planes\":{\"cell\":[1]}", DONE},
    {"\"op\":\"put\",\"x\":1,\"y\":2,\"planes\":{\"cell\":[9]}", REFUSED},
    {"\"op\":\"cell\",\"x\":1,\"y\":2", DONE},
    {"\"op\":\"cells\",\"width\":4,\"height\":4", DONE},
    {"\"op\":\"observe\"", DONE},
    {"\"op\":\"hash\"", DONE},
    {"\"op\":\"digest\"", DONE},
    {"\"op\":\"give\"", DONE},
    {"\"op\":\"take\",\"generation\":4,\"digest\":\"0\"", REFUSED},
    {"\"op\":\"mark\"", DONE},
    {"\"op\":\"back\"", DONE},
    {"\"op\":\"unmark\"", DONE},
    {"\"op\":\"reset\"", DONE},
    {"\"op\":\"reset\",\"undo\":true", DONE},
    {"\"op\":\"undo\"", DONE},
    {"\"op\":\"change\",\"backend\":\"threads\"", DONE},
    {"\"op\":\"view\",\"columns\":4,\"lines\":2,\"fps\":0", DONE_AT_ONCE},
    {"\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"reference\"", DONE},
};

/* Starts a job and sees it under way: "ping" is answered before it. */
static void begin(struct peer *peer, const struct job *job)
{
    if (job->request)
        peer_say(peer, "{'id':2,%s}", job->request);
    if (job->request && !job->later)
        peer_good(peer, 2, "generation");
    peer_gets(peer, NULL, "{'id':3,'op':'ping'}");
}

/* The next reply, which is this one's, and says whether it was stopped, if it is about that. */
static void expect_stopped(struct peer *peer, int id)
{
    json_t *json = peer_answer(peer, id);

    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    ck_assert_msg(json_is_true(json_object_get(json, "stopped")), "%s", json_dumps(json, 0));
}

static void end(struct peer *peer, const struct job *job)
{
    if (job->later)
        expect_stopped(peer, 2);
}

static void expect(struct peer *peer, int id, enum outcome outcome)
{
    if (outcome == STOPPED)
        expect_stopped(peer, id);
    else if (outcome == DONE)
        peer_good(peer, id, NULL);
    else
        peer_refused(peer, id, "usage", "");
}

/* A simulation with something that a reset has saved for undo, and on request a state to go back
 * to. */
static void open_again(struct peer *peer, bool mark)
{
    const char *const before[] = {"\"op\":\"step\",\"n\":2", "\"op\":\"reset\",\"undo\":true",
                                  mark ? "\"op\":\"mark\"" : "\"op\":\"unmark\""};

    peer_gets(peer, NULL, PEER_OPEN);
    for (size_t i = 0; i < COUNT(before); i++) {
        peer_gets(peer, NULL, "{'id':1,%s}", before[i]);
    }
}

/* The job ends, what waits behind it does not step, "stop" has its reply, and what came after it
 * is carried out. Where nothing that takes long is under way, the first of them does. */
START_TEST(stop_ends_all_before_it)
{
    const struct job *job = &jobs[_i];
    struct peer peer = peer_open_anneal();

    for (size_t i = 0; i < COUNT(waiting); i++) {
        bool stepped = !job->later && strstr(waiting[i].request, "\"generation\":0");
        int64_t generation;

        open_again(&peer, strstr(waiting[i].request, "\"back\""));
        begin(&peer, job);
        peer_say(&peer,
                 "{'id':4,%s}\n{'id':5,%s}\n{'id':6,'op':'stop'}\n"
                 "{'id':7,'op':'step','n':3}\n{'id':8,'op':'stop'}",
                 waiting[i].request, waiting[0].request);
        if (waiting[i].outcome == DONE_AT_ONCE)
            peer_good(&peer, 4, NULL);
        end(&peer, job);
        if (waiting[i].outcome != DONE_AT_ONCE)
            expect(&peer, 4, stepped ? DONE : waiting[i].outcome);
        expect(&peer, 5, STOPPED);
        generation = peer_good(&peer, 6, "generation");
        expect_stopped(&peer, 7);
        ck_assert_int_eq(peer_good(&peer, 8, "generation"), generation);
        ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':9,'op':'step','n':3}"),
                         generation + 3);
    }
    peer_finish(&peer, CA_OK);
}
END_TEST

/* What comes behind "stop" is carried out, also where a second one follows much later. */
START_TEST(what_comes_later_steps)
{
    const struct job *job = &jobs[_i];
    struct peer peer = peer_open_anneal();
    int64_t generation;

    begin(&peer, job);
    peer_say(&peer, "{'id':4,'op':'stop'}");
    end(&peer, job);
    generation = peer_good(&peer, 4, "generation");
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':5,'op':'step','n':3}"), generation + 3);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':6,'op':'stop'}"), generation + 3);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* The reply to "quit" is the last one, and each request behind it has one before. */
START_TEST(quit_is_last)
{
    const struct job *job = &jobs[_i];
    struct peer peer = peer_open_anneal();

    begin(&peer, job);
    peer_say(&peer, "{'id':4,'op':'step','n':" FOR_EVER "}\n"
                    "{\"id\":5,\"op\":\"quit\"}\n{\"id\":6,\"op\":\"hash\"}\n"
                    "{\"id\":7,\"op\":\"stop\"}");
    end(&peer, job);
    expect_stopped(&peer, 4);
    peer_refused(&peer, 6, "usage", "\"quit\" came before");
    peer_good(&peer, 7, NULL);
    peer_good(&peer, 5, NULL);
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* At the end of input, too, "stop" ends what would go on for ever. */
START_TEST(end_of_input)
{
    const struct job *job = &jobs[_i];
    struct peer peer = peer_open_anneal();

    begin(&peer, job);
    peer_say(&peer, "{'id':4,'op':'step','n':" FOR_EVER "}\n{\"id\":5,\"op\":\"stop\"}\n"
                    "{\"id\":6,\"op\":\"hash\"}");
    close(peer.to);
    peer.to = -1;
    end(&peer, job);
    expect_stopped(&peer, 4);
    peer_good(&peer, 5, NULL);
    peer_good(&peer, 6, NULL);
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A state of which rows are still to come is none that could step; "stop" has its reply. */
START_TEST(stop_between_rows_that_come)
{
    struct peer peer = peer_open_anneal();
    uint8_t *bytes = NULL;
    json_t *json;
    char digest[32];

    peer_say(&peer, "{'id':2,'op':'give','rows':8}");
    json = peer_answer_bytes(&peer, 2, &bytes);
    snprintf(digest, sizeof digest, "%s", json_text(json, "digest"));
    peer_say(&peer,
             "{'id':3,'op':'take','rows':8,'generation':5,'digest':'%s',"
             "'bytes':%d}",
             digest, 8 * 96 / 8);
    peer_send(&peer, bytes, 8 * 96 / 8);
    ck_assert_int_eq(peer_good(&peer, 3, "rows"), 8);
    peer_say(&peer, "{'id':4,'op':'step'}\n{'id':5,'op':'stop'}");
    peer_refused(&peer, 4, "usage", "only 8 of the 64 rows");
    peer_good(&peer, 5, NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

#define MANY 3000

/* However many requests wait, "ping" and "stop" are heard, and each has a reply, in order. */
START_TEST(many_wait)
{
    const struct job *job = &jobs[_i];
    struct peer peer = peer_open_anneal();

    begin(&peer, job);
    for (int i = 0; i < MANY; i++)
        peer_say(&peer, "{'id':%d,'op':'%s'}", 100 + i, i % 2 ? "step" : "cell");
    peer_say(&peer, "{'op':'ack'}\n{'id':4,'op':'ping'}");
    peer_good(&peer, 4, NULL);
    peer_say(&peer, "{'id':5,'op':'stop'}");
    end(&peer, job);
    for (int i = 0; i < MANY; i++)
        expect(&peer, 100 + i, i % 2 ? STOPPED : DONE);
    peer_good(&peer, 5, NULL);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* While requests that waited are carried out, others are heard: here each of them takes long. */
START_TEST(heard_between_those_that_waited)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_gets(&peer, NULL,
              "{'id':1,'op':'open','model':'anneal','size':[2048,2048],"
              "'backend':'reference'}");
    begin(&peer, &jobs[3]);
    for (int i = 0; i < 2000; i++)
        peer_say(&peer, "{'id':%d,'op':'hash'}", 100 + i);
    peer_say(&peer, "{'id':4,'op':'stop'}");
    expect_stopped(&peer, 2);
    peer_good(&peer, 100, NULL);
    peer_say(&peer, "{'id':5,'op':'ping'}");
    for (int id = 101; id; id++) {
        json_t *json = peer_next(&peer, NULL);
        json_int_t got = json_whole(json, "id");

        if (got == 5)
            break;
        ck_assert_int_eq(got, id);
        ck_assert_int_lt(id, 2000);
    }
    kill(peer.pid, SIGKILL);
    waitpid(peer.pid, NULL, 0);
    close(peer.to);
    close(peer.from);
    free(peer.text);
}
END_TEST

/* A request with a list of so many objects, each of which takes some 260 bytes of memory. */
static void say_large(struct peer *peer, int id, int objects)
{
    char *line = malloc(3 * (size_t)objects + 64);
    int length = sprintf(line, "{\"id\":%d,\"op\":\"hash\"%s", id, objects ? ",\"list\":[0" : "");

    for (int i = 0; i < objects; i++)
        length += sprintf(line + length, ",{}");
    length += sprintf(line + length, objects ? "]}\n" : "}\n");
    peer_send(peer, line, (size_t)length);
    free(line);
}

/* Whether it waits: otherwise it is refused, before "ping" is answered. */
static bool large_waits(struct peer *peer, int id, int objects)
{
    bool waits = true;

    say_large(peer, id, objects);
    peer_say(peer, "{'id':4,'op':'ping'}");
    for (bool pong = false; !pong;) {
        json_t *json = peer_next(peer, NULL);
        const json_t *error = json_object_get(json, "error");

        pong = json_whole(json, "id") == 4;
        if (error) {
            waits = false;
            ck_assert_int_eq(json_whole(json, "id"), id);
            ck_assert_str_eq(json_text(error, "code"), "no-memory");
            ck_assert_contains(json_text(error, "message"),
                               "hash: this request would have to wait");
        }
    }
    return waits;
}

/* Those that wait take no more memory than is allowed: others are refused at once, but for "stop",
 * and the end of input is heard behind them. */
START_TEST(too_many_wait)
{
    struct peer peer = peer_open_anneal();
    int id = 100, large = 0;

    begin(&peer, &jobs[3]);
    for (int objects = 32768; objects > 0; objects /= 2)
        while (large_waits(&peer, id, objects))
            large += objects == 32768, id++;
    while (large_waits(&peer, id, 0)) /* each takes as much as "stop" */
        id++;
    ck_assert_int_ge(large, 4);
    ck_assert_int_le(large, 16);
    peer_say(&peer, "{'id':5,'op':'stop'}");
    close(peer.to);
    peer.to = -1;
    expect_stopped(&peer, 2);
    for (int i = 100; i < id; i++)
        peer_good(&peer, i, NULL);
    peer_good(&peer, 5, NULL);
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* What has been carried out makes place for others. */
START_TEST(memory_of_those_that_wait)
{
    struct ca_waiting waiting_ones = {0};
    json_t *json = json_pack("{s:s, s:[i, i]}", "op", "hash", "list", 1, 2);
    size_t bytes;

    ck_assert_ptr_null(ca_waiting_take(&waiting_ones));
    ck_assert(ca_waiting_add(&waiting_ones, json, 10000));
    bytes = waiting_ones.bytes;
    ck_assert_uint_ge(bytes, 500);
    ck_assert(ca_waiting_add(&waiting_ones, json, 2 * bytes));
    ck_assert(!ca_waiting_add(&waiting_ones, json, 3 * bytes - 1));
    ck_assert_ptr_eq(ca_waiting_take(&waiting_ones), json);
    ck_assert_uint_eq(waiting_ones.bytes, bytes);
    json_decref(json);
    ck_assert(ca_waiting_add(&waiting_ones, json, 2 * bytes));
    ca_waiting_free(&waiting_ones);
    ck_assert_uint_eq(waiting_ones.bytes, 0);
    ck_assert_ptr_null(waiting_ones.first);
    ck_assert_ptr_null(waiting_ones.last);
    json_decref(json);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {stop_between_rows_that_come, heard_between_those_that_waited,
                              too_many_wait, memory_of_those_that_wait},
                     .table = {{stop_ends_all_before_it, COUNT(jobs)},
                               {what_comes_later_steps, COUNT(jobs)},
                               {quit_is_last, COUNT(jobs)},
                               {end_of_input, COUNT(jobs)},
                               {many_wait, COUNT(jobs), .first = 3}});
}
