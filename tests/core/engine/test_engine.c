/* SPDX-License-Identifier: MIT */
/* The engine's requests and their answers, spoken to a child process over two pipes. */
#include <jansson.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sim/simulation.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

static void hash(struct peer *peer, char text[17])
{
    json_t *json;

    json = peer_ask(peer, "{'id':900,'op':'hash'}");
    snprintf(text, 17, "%s", json_text(json, "hash"));
    ck_assert_uint_eq(strlen(text), 16);
}

/* The same run without the engine. */
static void straight(uint64_t generations, char text[17])
{
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    struct ca_lattice lattice;
    struct ca_error error;

    ca_experiment_default(&experiment, ca_models[0]);
    ca_experiment_backend(&experiment, ca_models[0]->backends, CA_FROM_COMMAND_LINE);
    experiment.size = (struct ca_size){96, 64, 1};
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, generations, &error));
    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    snprintf(text, 17, "%016" PRIx64, test_digest(ca_simulation_setup(simulation), &lattice));
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
}

START_TEST(greeting)
{
    struct peer peer = peer_start();
    bool step = false;
    json_t *json, *name;
    size_t i;

    while (peer.count < 7)
        ck_assert(peer_more(&peer));
    ck_assert_mem_eq(peer.text, "CALAB1 ", 7);
    json = peer_next(&peer, NULL);
    ck_assert_str_eq(json_text(json, "version"), CALAB_VERSION);
    ck_assert_int_eq(json_whole(json, "pid"), peer.pid);
    ck_assert(json_is_string(json_object_get(json, "host")));
    json_array_foreach(json_object_get(json, "capabilities"), i, name) step |=
        strcmp(json_string_value(name), "step") == 0;
    ck_assert(step);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(steps_and_seeks)
{
    struct peer peer = peer_open_anneal();
    char wanted[17], got[17];

    straight(20, wanted);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':2,'op':'step','n':20}"), 20);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':3,'op':'step'}"), 21);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':3,'op':'step','n':0}"), 21);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':4,'op':'seek','generation':57}"), 57);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':5,'op':'seek','generation':20}"), 20);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':6,'op':'reset'}"), 0);
    straight(0, wanted);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(change_keeps_the_state)
{
    struct peer peer = peer_open_anneal();
    char wanted[17], got[17];
    json_t *json, *experiment;

    straight(30, wanted);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':2,'op':'step','n':11}"), 11);
    json = peer_ask(&peer, "{'id':3,'op':'change','backend':'threads','options':{'threads':2}}");
    ck_assert(json_is_true(json_object_get(json, "ok")));
    experiment = json_object_get(json, "experiment");
    ck_assert_str_eq(json_text(experiment, "backend"), "threads");
    ck_assert_int_eq(json_whole(experiment, "options.threads"), 2);
    peer_refuses(&peer, "usage", "did you mean 'threads'",
                 "{'id':4,'op':'change','backend':'thread'}");
    peer_refuses(&peer, "usage", "density", "{'id':5,'op':'change','parameters':{'density':2}}");
    peer_refuses(&peer, "usage", "\"parameters\" is [1]: an object",
                 "{'id':6,'op':'change','parameters':[1]}");
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':7,'op':'step','n':19}"), 30);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Others go over a pattern's rule and edges when a run opens, and in it. */
START_TEST(change_goes_over_a_pattern)
{
    struct peer peer = peer_open_anneal();
    json_t *experiment;

    test_put("p.rle", "x = 3, y = 3, rule = B3/S23:P40,30\nbo$2bo$3o!\n");
    experiment = json_object_get(
        peer_ask(&peer,
                 "{'id':1,'op':'open','model':'life','init':'%s','parameters':{'rule':'B36/S23'}}",
                 test_path("p.rle")),
        "experiment");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(experiment, "parameters"), "rule")),
        "B36/S23");
    peer_gets(&peer, NULL, "{'id':2,'op':'open','model':'life','backend':'bitslice','init':'%s'}",
              test_path("p.rle"));
    peer_gets(&peer, NULL, "{'id':3,'op':'step','n':3}");
    peer_gets(&peer, NULL,
              "{'id':4,'op':'change','parameters':{'rule':'B36/S23','boundary':'torus'}}");
    peer_refuses(&peer, "usage", "rule 'B9/S': a number above 8",
                 "{'id':5,'op':'change','parameters':{'rule':'B9/S'}}");
    /* Another backend takes them over, and so does a reset. */
    peer_gets(&peer, NULL, "{'id':6,'op':'change','backend':'threads'}");
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':7,'op':'reset'}"), 0);
    experiment = json_object_get(peer_ask(&peer, "{'id':8,'op':'change','backend':'bitslice'}"),
                                 "experiment");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(experiment, "parameters"), "rule")),
        "B36/S23");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(experiment, "parameters"), "boundary")),
        "torus");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* What is sent behind step waits for it; ping does not; a pipe may end behind it all. */
START_TEST(order)
{
    struct peer peer = peer_open_anneal();
    char wanted[17];
    json_t *json;

    straight(3000, wanted);
    peer_say(&peer, "{'id':2,'op':'step','n':3000}\n{'id':3,'op':'hash'}\n"
                    "{'id':4,'op':'step','n':7}\n{'id':5,'op':'observe'}\n"
                    "{'id':6,'op':'quit'}\n{'id':7,'op':'ping'}");
    close(peer.to);
    peer.to = -1;
    ck_assert_int_eq(peer_good(&peer, 7, NULL), 0);
    ck_assert_int_eq(peer_good(&peer, 2, "generation"), 3000);
    json = peer_answer(&peer, 3);
    ck_assert_str_eq(json_text(json, "hash"), wanted);
    ck_assert_int_eq(peer_good(&peer, 4, "generation"), 3007);
    ck_assert_int_eq(peer_good(&peer, 5, "generation"), 3007);
    peer_good(&peer, 6, NULL);
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(stop_ends_step)
{
    struct peer peer = peer_open_anneal();
    int64_t generation;
    json_t *json;

    peer_say(&peer, "{'id':2,'op':'step','n':1000000000000000}");
    peer_say(&peer, "{'id':3,'op':'seek','generation':5000000000000000}");
    peer_gets(&peer, NULL, "{'id':4,'op':'ping'}");
    peer_say(&peer, "{'id':5,'op':'run'}");
    peer_say(&peer, "{'id':6,'op':'stop'}");
    json = peer_answer(&peer, 2);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    generation = json_whole(json, "generation");
    json = peer_answer(&peer, 3);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    ck_assert_int_eq(json_whole(json, "generation"), generation);
    ck_assert_int_eq(peer_good(&peer, 5, "generation"), generation);
    ck_assert_int_eq(peer_good(&peer, 6, "generation"), generation);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':7,'op':'observe'}"), generation);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(cells_and_observables)
{
    struct peer peer = peer_start();
    json_t *json, *planes;

    peer_next(&peer, NULL);
    peer_gets(&peer, "generation",
              "{'id':1,'op':'open','model':'water','size':[16,8],'init':'dam'}");
    json = peer_ask(&peer, "{'id':2,'op':'cell','x':3,'y':7}");
    planes = json_object_get(json, "planes");
    ck_assert(json_number(planes, "level") == 10);
    ck_assert(json_number(planes, "terrain") == 0);
    ck_assert(json_is_string(json_object_get(json, "state")));
    peer_refuses(&peer, "usage", "cell: \"x\" is 16: a whole number from 0 to 15 is allowed",
                 "{'id':3,'op':'cell','x':16}");
    peer_refuses(&peer, "usage", "\"z\" is 1", "{'id':4,'op':'cell','z':1}");
    json = peer_ask(&peer, "{'id':5,'op':'observe'}");
    ck_assert_int_gt(json_object_size(json_object_get(json, "observables")), 0);
    json = peer_ask(&peer, "{'id':6,'op':'list'}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "models")), test_models());
    peer_say(&peer, "{'id':7,'op':'device'}");
    ck_assert_int_ge(peer_good(&peer, 7, "cores"), 1);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(saved_state_opens_again)
{
    const char *path = test_path("state.npy"), *bad = test_path("bad.npy");
    struct peer peer = peer_open_anneal();
    char wanted[17], got[17];

    straight(25, wanted);
    test_write(bad, "\x93NUMPY", 6);
    peer_say(&peer, "{'id':2,'op':'step','n':9}\n{'id':3,'op':'save','file':'%s'}", path);
    peer_good(&peer, 2, NULL);
    ck_assert_int_eq(peer_good(&peer, 3, "generation"), 9);
    ck_assert_int_eq(peer_gets(&peer, "generation",
                               "{'id':4,'op':'open','model':'anneal','size':[96,64],'generation':9,"
                               "'backend':'threads','state':'%s'}",
                               path),
                     9);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':5,'op':'step','n':16}"), 25);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    peer_refuses(&peer, "usage", "size is 96x65, but the state in",
                 "{'id':6,'op':'open','model':'anneal','size':[96,65],'state':'%s'}", path);
    peer_refuses(&peer, "io", "bad.npy", "{'id':7,'op':'open','model':'anneal','state':'%s'}", bad);
    peer_refuses(&peer, "io", "/nonexistent/x.npy",
                 "{'id':8,'op':'open','model':'anneal','state':'/nonexistent/x.npy'}");
    peer_refuses(&peer, "usage", "\"generation\" goes with \"state\"",
                 "{'id':9,'op':'open','model':'anneal','generation':9}");
    peer_refuses(&peer, "io", "/nonexistent/x.npy",
                 "{'id':10,'op':'save','file':'/nonexistent/x.npy'}");
    peer_refuses(&peer, "usage", ".npy", "{'id':11,'op':'save','file':'/tmp/x.xyz'}");
    /* what was open before is open still */
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A picture is of the slice that the first view shows. */
START_TEST(a_picture_is_saved)
{
    const char *path = test_path("view.png");
    struct peer peer = peer_start();
    char *bytes, *other;
    size_t size, other_size;

    peer_next(&peer, NULL);
    ck_assert_int_eq(peer_gets(&peer, "generation",
                               "{'id':1,'op':'open','model':'life3d','size':[12,10,8],"
                               "'backend':'reference'}"),
                     0);

    peer_say(&peer,
             "{'id':2,'op':'view','axis':'yz','slice':3}\n"
             "{'id':3,'op':'save','file':'%s'}",
             path);
    peer_good(&peer, 2, NULL);
    ck_assert_int_eq(peer_good(&peer, 3, "generation"), 0);
    bytes = test_read(path, &size);
    ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x0a\0\0\0\x08", 24); /* 10x8 */
    /* of the first view, whatever stands beside it */
    peer_say(&peer,
             "{'id':5,'op':'view','beside':{'axis':'yz','slice':5}}\n"
             "{'id':6,'op':'save','file':'%s'}",
             test_path("beside.png"));
    peer_good(&peer, 5, NULL);
    peer_good(&peer, 6, NULL);
    other = test_read(test_path("beside.png"), &other_size);
    ck_assert_uint_eq(other_size, size);
    ck_assert_mem_eq(other, bytes, size);
    peer_refuses(&peer, "io", "/nonexistent/x.png",
                 "{'id':4,'op':'save','file':'/nonexistent/x.png'}");
    peer_finish(&peer, CA_OK);
}
END_TEST

static const struct {
    const char *line, *text;
} wrong[] = {
    {"nonsense", "not JSON"},
    {"{\"id\":1,\"op\":\"ping\"", "not JSON"},
    {"\x80\xff\xfe", "not JSON"},
    {"{} {}", "not JSON"},
    {"[1,2,3]", "not a JSON object"},
    {"7", "not a JSON object"},
    {"null", "not a JSON object"},
    {"{}", "needs an \"op\""},
    {"{\"op\":7}", "needs an \"op\""},
    {"{\"op\":\"stepp\"}", "'stepp' is not an op; did you mean 'step'?"},
    {"{\"op\":\"xyzzyxyzzy\"}", "'xyzzyxyzzy' is not an op"},
    {"{\"op\":\"step\",\"n\":-1}", "step: \"n\" is -1: a whole number from 0"},
    {"{\"op\":\"step\",\"n\":1.5}", "\"n\" is 1.5"},
    {"{\"op\":\"step\",\"n\":\"7\"}", "\"n\" is \"7\""},
    {"{\"op\":\"step\",\"n\":99999999999999999999}", "not JSON"},
    {"{\"op\":\"run\",\"per_frame\":-5}", "run: \"per_frame\" is -5: a number from 1e-06"},
    {"{\"op\":\"run\",\"per_frame\":null}", "\"per_frame\" is null"},
    {"{\"op\":\"run\",\"per_frame\":2.5}", "\"per_frame\" is 2.5: a whole number, or one below 1"},
    {"{\"op\":\"run\",\"per_frame\":2,\"fps\":0}", "run: \"fps\" is 0: a number from 0.001"},
    {"{\"op\":\"seek\"}", "seek: \"generation\" is missing"},
    {"{\"op\":\"seek\",\"generation\":[]}", "\"generation\" is []"},
    {"{\"op\":\"save\"}", "save: \"file\" is missing"},
    {"{\"op\":\"save\",\"file\":\"\"}", "a text that is not empty"},
    {"{\"op\":\"save\",\"file\":\"a\\u0000b.npy\"}", "not JSON"},
    {"{\"op\":\"open\"}", "open: \"model\" is missing"},
    {"{\"op\":\"open\",\"model\":\"aneal\"}", "did you mean 'anneal'"},
    {"{\"op\":\"open\",\"model\":7}", "model"},
    {"{\"op\":\"open\",\"model\":\"anneal\",\"size\":[0,5]}", "size"},
    {"{\"op\":\"open\",\"model\":\"anneal\",\"size\":[99999999,9999999]}", "size"},
    {"{\"op\":\"open\",\"model\":\"anneal\",\"size\":[5]}", "size"},
    {"{\"op\":\"open\",\"model\":\"anneal\",\"parameters\":{\"densty\":1}}", "densty"},
    {"{\"op\":\"view\",\"axis\":\"zy\"}", "\"axis\" is \"zy\": one of xy, xz, yz"},
    {"{\"op\":\"view\",\"axis\":7}", "\"axis\" is 7"},
    {"{\"op\":\"view\",\"slice\":1}", "slice z = 1: 0 ... 0 are allowed"},
    {"{\"op\":\"view\",\"columns\":0}", "\"columns\" is 0: a whole number from 1 to 1000"},
    {"{\"op\":\"view\",\"zoom\":0}", "zoom 0"},
    {"{\"op\":\"view\",\"x\":9223372036854775807}", "too far"},
    {"{\"op\":\"view\",\"fps\":1e9}", "\"fps\" is 1000000000.0"},
    {"{\"op\":\"view\",\"reduce\":\"max\"}", "any, mean, sample"},
    {"{\"op\":\"view\",\"drawn\":\"difference\"}", "one of state, density, change, field"},
    {"{\"op\":\"view\",\"drawn\":\"field\",\"field\":\"spin\"}",
     "has no field 'spin': allowed are"},
    {"{\"op\":\"view\",\"drawn\":\"field\"}", "has no field ''"},
};

START_TEST(wrong_requests)
{
    struct peer peer = peer_open_anneal();
    char before[17], after[17];
    json_t *json, *error;

    hash(&peer, before);
    peer_say(&peer, "%s", wrong[_i].line);
    json = peer_next(&peer, NULL);
    ck_assert(json_is_null(json_object_get(json, "id")));
    ck_assert(json_is_false(json_object_get(json, "ok")));
    error = json_object_get(json, "error");
    ck_assert_str_eq(json_text(error, "code"), "usage");
    ck_assert_contains(json_text(error, "message"), wrong[_i].text);
    hash(&peer, after);
    ck_assert_str_eq(before, after);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(nothing_is_open)
{
    static const char *const names[] = {"step", "run",  "change",  "reset", "seek",
                                        "view", "cell", "observe", "hash",  "save"};
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    for (int i = 0; i < 10; i++) {
        peer_refuses(&peer, "usage", "no simulation is open", "{'id':%d,'op':'%s'}", i, names[i]);
    }
    peer_say(&peer, "{'id':50,'op':'ack'}\n{'id':51,'op':'stop'}\n\n "
                    "\t\r\n{'id':52,'op':'quit'}");
    ck_assert_int_eq(peer_good(&peer, 51, "generation"), 0);
    peer_good(&peer, 52, NULL);
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(unknown_keys_and_any_id)
{
    struct peer peer = peer_start();
    json_t *json;

    peer_next(&peer, NULL);
    peer_say(&peer, "{'colour':'blue','id':{'a':[1]},'op':'ping','n':null}");
    json = peer_next(&peer, NULL);
    ck_assert(json_is_true(json_object_get(json, "ok")));
    ck_assert(json_is_array(json_at(json, "id.a")));
    peer_finish(&peer, CA_OK);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {greeting, steps_and_seeks, change_keeps_the_state,
                              change_goes_over_a_pattern, order, stop_ends_step,
                              cells_and_observables, saved_state_opens_again, a_picture_is_saved,
                              nothing_is_open, unknown_keys_and_any_id},
                     .table = {{wrong_requests, COUNT(wrong)}});
}
