/* SPDX-License-Identifier: MIT */
/*
 * GPUs that are chosen, changed, lost and missed: the engine and the workbench on GPUs that are
 * this CPU's, through the emulator.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/support/engine_peer.h"
#include "tests/support/process.h"
#include "tests/support/script.h"
#include "tests/support/emulated_nvml.h"
#include "tests/support/support.h"

/* --- a lost device in the engine -------------------------------------------------------------- */

#define OPEN                                                                                       \
    "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"cuda-naive\"}"

static struct peer open_on_gpu(void)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_gets(&peer, "generation", OPEN);
    return peer;
}

/* That it has lost its device, and nothing more. */
static void last_event(struct peer *peer)
{
    json_t *json = peer_next(peer, NULL);
    const json_t *error = json_object_get(json, "error");

    ck_assert_str_eq(json_text(json, "event"), "stopped");
    ck_assert_str_eq(json_text(error, "code"), "cuda");
    ck_assert_contains(json_text(error, "message"), "GPU 0 is lost");
    ck_assert_ptr_null(peer_next(peer, NULL));
}

/* The event first, then the answer of the step, then the end. */
START_TEST(engine_ends_with_its_device)
{
    struct peer peer;
    json_t *json;
    const char *message;

    setenv("CALAB_EMULATED_LOST", "100", 1);
    peer = open_on_gpu();
    peer_say(&peer, "{'id':2,'op':'step','n':1000}");
    json = peer_next(&peer, NULL);
    ck_assert_str_eq(json_text(json, "event"), "stopped");
    message = json_text(json, "error.message");
    ck_assert_contains(message, "GPU 0 is lost to this process");
    peer_refused(&peer, 2, "cuda", "illegal memory access");
    peer_finish(&peer, CA_CUDA_FAILED);
}
END_TEST

/* What a run does not ask for, it cannot be answered. */
START_TEST(engine_ends_in_a_run)
{
    struct peer peer;

    setenv("CALAB_EMULATED_LOST", "100", 1);
    peer = open_on_gpu();
    peer_gets(&peer, "generation", "{'id':2,'op':'run'}");
    last_event(&peer);
    peer_finish(&peer, CA_CUDA_FAILED);
}
END_TEST

/* Taking cells out, putting them in, and pictures find out too. */
static const char *const finders[] = {"hash", "reset", "observe"};

START_TEST(engine_ends_where_it_is_found_out)
{
    struct peer peer;
    bool lost = false;

    setenv("CALAB_EMULATED_LOST", "60", 1);
    peer = open_on_gpu();
    for (int id = 2; !lost && id < 200; id++) {
        json_t *json;

        json = peer_ask(&peer, "{'id':%d,'op':'%s'}", id, finders[_i]);
        lost = !json_is_true(json_object_get(json, "ok"));
        if (lost)
            ck_assert_str_eq(json_text(json, "error.code"), "cuda");
        if (lost || strcmp(finders[_i], "observe") != 0)
            continue; /* nothing is observed twice of one state */
        peer_say(&peer, "{'id':%d,'op':'reset'}", ++id);
        json = peer_answer(&peer, id);
        lost = !json_is_true(json_object_get(json, "ok"));
    }
    ck_assert(lost);
    last_event(&peer);
    peer_finish(&peer, CA_CUDA_FAILED);
}
END_TEST

START_TEST(engine_ends_when_a_picture_fails)
{
    struct peer peer;
    json_t *json;
    bool told = false;

    setenv("CALAB_EMULATED_LOST", "60", 1);
    peer = open_on_gpu();
    for (int id = 2; !told && id < 400; id++) {
        peer_say(&peer, "{'op':'ack'}\n{'id':%d,'op':'view','x':%d,'fps':1000}", id, id % 8);
        while ((json = peer_next(&peer, NULL)) != NULL) {
            const char *event = json_text(json, "event");
            bool frame = event && strcmp(event, "frame") == 0;

            told = told || (event && strcmp(event, "log") == 0);
            if (frame || told)
                break;
        }
    }
    ck_assert(told);
    last_event(&peer);
    peer_finish(&peer, CA_CUDA_FAILED);
}
END_TEST

/* A failure that leaves the device alone is only refused. */
START_TEST(engine_survives_too_little_memory)
{
    struct peer peer;

    setenv("CALAB_EMULATED_FAIL", "cudaMalloc:2", 1);
    peer = peer_start();
    peer_next(&peer, NULL);
    peer_refuses(&peer, "cuda", "out of memory", OPEN);
    peer_gets(&peer, "generation", OPEN);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':2,'op':'step','n':3}"), 3);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(engine_changes_its_gpu)
{
    struct peer peer;
    char hash[2][20];

    setenv("CALAB_EMULATED_DEVICES", "2", 1);
    peer = open_on_gpu();
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':2,'op':'step','n':7}"), 7);
    for (int i = 0; i < 2; i++) {
        json_t *json;

        json = peer_ask(&peer, "{'id':%d,'op':'hash'}", 3 + 3 * i);
        snprintf(hash[i], sizeof hash[i], "%s", json_text(json, "hash"));
        ck_assert_int_eq(peer_gets(&peer, "index", "{'id':%d,'op':'device'}", 4 + 3 * i), i);
        ck_assert_int_eq(peer_gets(&peer, "generation",
                                   "{'id':%d,'op':'change','options':{'device':1}}", 5 + 3 * i),
                         7);
    }
    ck_assert_str_eq(hash[0], hash[1]);
    peer_refuses(&peer, "no-device", "there is no GPU 2",
                 "{'id':20,'op':'change','options':{'device':2}}");
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':21,'op':'step'}"), 8);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* The fake counter gives 1.5 J between two readings. */
START_TEST(engine_counts_joules)
{
    double deadline = seconds_now() + DEADLINE_S, joules = 0;
    struct peer peer;

    emulated_nvml_load();
    peer = open_on_gpu();
    peer_gets(&peer, "generation", "{'id':2,'op':'run'}");
    for (int id = 3; joules == 0 && seconds_now() < deadline; id++) {
        json_t *json;

        json = peer_ask(&peer, "{'id':%d,'op':'device'}", id);
        joules = json_number(json, "joules_per_1e9_updates");
        ck_assert(id > 3 || joules == 0);
    }
    ck_assert(joules > 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Each of several GPUs is described, the first also where a single one would be. Energy is that of
 * all of them, so that one whose counter is unknown leaves it unknown. */
static const struct {
    const char *devices;
    int count;
    bool energy;
} several[] = {{"0,3,4", 3, true}, {"3,1", 2, false}, {"", 0, true}};

START_TEST(engine_describes_several_gpus)
{
    double joules = 0, until = seconds_now() + (several[_i].energy ? DEADLINE_S : 1.5);
    struct peer peer;
    char first = several[_i].devices[0];
    int id = 4;

    setenv("CALAB_EMULATED_DEVICES", "5", 1);
    emulated_nvml_load();
    peer = open_on_gpu();
    peer_gets(&peer, "generation", "{'id':2,'op':'change','options':{'devices':'%s'}}",
              several[_i].devices);
    peer_gets(&peer, "generation", "{'id':3,'op':'run'}");
    while (joules == 0 && seconds_now() < until) {
        const json_t *list;
        json_t *json;

        peer_say(&peer, "{'id':%d,'op':'device'}", id);
        json = peer_answer(&peer, id++);
        list = json_object_get(json, "devices");
        ck_assert_int_eq(json_array_size(list), several[_i].count);
        for (int i = 0; i < several[_i].count; i++)
            ck_assert_int_eq(json_whole(json_array_get(list, (size_t)i), "index"),
                             several[_i].devices[2 * i] - '0');
        ck_assert_int_eq(json_whole(json, "index"), first ? first - '0' : 0);
        joules = json_number(json, "joules_per_1e9_updates");
    }
    ck_assert_int_eq(joules > 0, several[_i].energy);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- the workbench ---------------------------------------------------------------------------- */

START_TEST(workbench_chooses_a_gpu)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64", "-b", "threads"},
                                           .environment = {"CALAB_EMULATED_DEVICES=2"}};
    const struct screen_options again = {.environment = {"CALAB_EMULATED_DEVICES=2"}};
    struct screen *screen = user_starts(&options);
    char *saved;

    user_does(screen,
              STEPS(STATUS("threads on cpu "), ENTER("g", "5"), GENERATION(5), PRESS("d"),
                    SHOWS("GPU 0  emulated GPU, 2.0 GiB"), SHOWS("GPU 1  emulated GPU, 2.0 GiB"),
                    PRESS("\033"), HIDES("type to filter"), CHOOSE("d", "GPU 1"),
                    STATUS("on GPU 1"), GENERATION(5), CHOOSE("b", "cuda-naive"),
                    STATUS("cuda-naive on GPU 1"), CHOOSE("d", "GPU 0"),
                    STATUS("cuda-naive on GPU 0"), PRESS("d"),
                    SHOWS(">*[ ] GPU 0") /* where the one below is a key away */, PRESS("\033OB"),
                    SHOWS("> [ ] GPU 1"), PRESS("\r"), STATUS("cuda-naive on GPU 1"),
                    CHOOSE("d", "all"), STATUS("cuda-naive on all GPUs"), PRESS("d"),
                    SHOWS(">*    all    GPUs, a slab of the lattice each"), PRESS("\033"),
                    HIDES("type to filter"), CHOOSE("d", "GPU 1"), STATUS("cuda-naive on GPU 1"),
                    PRESS("."), GENERATION(6)));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "device = 1");
    screen = user_starts(&again);
    user_does(screen, STEPS(STATUS("cuda-naive on GPU 1"), GENERATION(6), CHOOSE("d", "cpu"),
                            STATUS(" on cpu"), GENERATION(6)));
    user_quits(screen);
}
END_TEST

#define DOWN "\033OB"

/* Space marks and unmarks, Enter takes what is marked, wherever the cursor is; without marks it
 * takes the row under the cursor. */
START_TEST(workbench_marks_gpus)
{
    const struct screen_options options = {.rows = 24,
                                           .columns = 80,
                                           .arguments = {"anneal", "-s", "64x64", "-b", "threads"},
                                           .environment = {"CALAB_EMULATED_DEVICES=4"}};
    struct screen *screen = user_starts(&options);
    char *saved;

    user_does(
        screen,
        STEPS(ENTER("g", "5"), GENERATION(5), PRESS("d"), SHOWS(">*    cpu "),
              SHOWS("  [ ] GPU 3  emulated GPU"), SHOWS("      all    GPUs"), ROW(-1, "space mark"),
              PRESS(" ") /* the CPU */, SHOWS("only one of several GPUs can be marked"),
              PRESS(DOWN " "), SHOWS("> [x] GPU 0"), SHOWS("marked: GPU 0; backend: "),
              PRESS(DOWN DOWN DOWN " "), SHOWS("> [x] GPU 3"), SHOWS("marked: GPU 0,3; backend: "),
              PRESS(DOWN " ") /* all */, SHOWS("only one of several GPUs can be marked"),
              PRESS("\r"), STATUS(" on GPU 0,3 "), GENERATION(5), PRESS("."), GENERATION(6),
              PRESS("d"), SHOWS(" *[ ] GPU 0") /* nothing is marked again */, SHOWS("  [ ] GPU 1"),
              SHOWS(">*[ ] GPU 3"),
              PRESS(" GPU 1") /* in a filter it is a blank, and marks outlast that */,
              SHOWS("type to filter: GPU 1_"), SHOWS("> [ ] GPU 1"), SHOWS("marked: GPU 3; "),
              HIDES("space mark"), PRESS("\033"), HIDES("type to filter"), PRESS("d"),
              SHOWS(">*[ ] GPU 3"), PRESS("  ") /* marked, and not */, PRESS("\033OA\033OA "),
              SHOWS("> [x] GPU 1"), SHOWS("marked: GPU 1; "), PRESS("\033OH\r"),
              STATUS(" on GPU 1 "), PRESS("d\033OB\r") /* none is marked */, STATUS(" on GPU 2 "),
              PRESS("d"), SHOWS(">*[ ] GPU 2"), PRESS(" \033OB "), SHOWS("marked: GPU 2,3; "),
              PRESS("\r"), STATUS(" on GPU 2,3 "), PRESS("."), GENERATION(7)));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "devices = \"2,3\"");
}
END_TEST

static const struct {
    const char *variable, *reason;
} missing[] = {
    {"CALAB_EMULATED_DEVICES=0", "there is no NVIDIA GPU here"},
    {"CALAB_EMULATED_DRIVER=12040", "the NVIDIA driver is too old"},
    {"CALAB_EMULATED_DRIVER=0", "no NVIDIA driver is installed here"},
};

/* Remembered, but not here: the state goes on without it. */
START_TEST(workbench_goes_on_without_a_gpu)
{
    const struct screen_options with = {.arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive"}};
    const struct screen_options without = {.environment = {missing[_i].variable}};
    struct screen *screen;

    screen = user_starts(&with);
    user_does(screen, STEPS(STATUS("cuda-naive on GPU 0"), PRESS("."), GENERATION(1)));
    user_quits(screen);
    screen = user_starts(&without);
    user_does(screen, STEPS(STATUS("on cpu, no CUDA"), SHOWS(missing[_i].reason), GENERATION(1),
                            PRESS("d"), SHOWS("GPU    unavailable: "), SHOWS(missing[_i].reason),
                            PRESS("\033"), HIDES("type to filter"), PRESS("."), GENERATION(2)));
    user_quits(screen);
}
END_TEST

/* Remembered for a lattice that it does not take: the state goes on with the fastest that does. */
START_TEST(workbench_goes_on_with_a_kernel_that_fits)
{
    static const char text[] =
        "version = 1;\nmodel = \"life3d\";\nmodels : { life3d : { backend = \"cuda-persistent\"; "
        "size = \"36x36x36\"; }; };\n";
    const struct screen_options options = {.rows = 24, .columns = 240};
    struct screen *screen;

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, sizeof text - 1);
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS("cuda-persistent keeps layers of up to 32x32 cells in registers"),
                            SHOWS("continuing with the fastest"), STATUS("36x36x36"), PRESS("."),
                            GENERATION(1)));
    user_quits(screen);
    screen = user_starts(&options);
    user_does(screen, STEPS(STATUS("36x36x36"), GENERATION(1), LACKS("cannot run")));
    user_quits(screen);
}
END_TEST

START_TEST(workbench_restarts_after_a_loss)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive"},
        .environment = {"CALAB_EMULATED_LOST=400"}};
    struct screen *screen = user_starts(&options);
    pid_t engine = engine_of(screen);

    user_does(screen, STEPS(PRESS("."), GENERATION(1), ENTER("g", "100000"), SHOWS("GPU 0 is lost"),
                            SHOWS("status 5 at") /* in pieces: the message takes several lines */,
                            SHOWS("restarted at")));
    process_expect_end(engine);
    user_does(screen, STEPS(STATUS("PAUSE"), STATUS("cuda-naive on GPU 0"), PRESS("r"),
                            GENERATION(0), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* The engine lists its GPUs after the first frame. */
static void waits_for_gpus(struct screen *screen)
{
    user_does(screen, STEPS(PRESS("d"), SHOWS("GPU 0  emulated GPU"), PRESS("\033"),
                            HIDES("type to filter")));
}

/* --- comparing ----------------------------------------------------------------------------------
 */

/* Both engines in lock step; what each says of its state is the same, whatever it is asked. */
static void same_answer(struct peer pair[2], const char *request)
{
    json_t *answer[2];
    uint8_t *bytes[2] = {NULL, NULL};

    for (int i = 0; i < 2; i++) {
        peer_say(&pair[i], "%s", request);
        answer[i] = peer_next(&pair[i], &bytes[i]);
    }
    if (bytes[0]) { /* a frame, whose timing and plan are its own */
        int64_t size = json_whole(answer[0], "bytes");

        ck_assert_mem_eq(bytes[0], bytes[1], (size_t)size);
        for (int i = 0; i < 2; i++) {
            free(bytes[i]);
            answer[i] = peer_next(&pair[i], NULL);
        }
    }
    ck_assert_msg(json_equal(answer[0], answer[1]), "%s: %s, %s", request, json_dumps(answer[0], 0),
                  json_dumps(answer[1], 0));
    ck_assert_msg(json_is_true(json_object_get(answer[0], "ok")), "%s: %s", request,
                  json_dumps(answer[0], 0));
}

START_TEST(compares_with_the_reference)
{
    struct peer pair[2] = {open_on_gpu(), peer_open_anneal()};

    for (int i = 0; i < 2; i++) {
        json_t *json;

        peer_say(&pair[i], "{'id':2,'op':'step','n':9}\n{'id':3,'op':'mark'}\n"
                           "{'id':4,'op':'burst','n':3,'calls':2}");
        peer_good(&pair[i], 2, NULL);
        peer_good(&pair[i], 3, NULL);
        json = peer_answer(&pair[i], 4);
        ck_assert_uint_eq(json_array_size(json_object_get(json, "device_s")), 2);
        ck_assert_int_eq(json_whole(json, "generation"), 9);
    }
    same_answer(pair, "{\"id\":5,\"op\":\"view\",\"columns\":20,\"lines\":13,\"zoom\":5,"
                      "\"digests\":true,\"fps\":0}");
    same_answer(pair, "{\"id\":6,\"op\":\"step\",\"n\":5,\"hash\":true,\"frame\":true}");
    same_answer(pair, "{\"id\":7,\"op\":\"digest\",\"first\":3,\"rows\":50,\"parts\":7}");
    same_answer(pair, "{\"id\":8,\"op\":\"cells\",\"x\":90,\"y\":11,\"width\":6,\"height\":9}");
    same_answer(pair, "{\"id\":9,\"op\":\"back\"}");
    same_answer(pair, "{\"id\":10,\"op\":\"hash\"}");
    same_answer(pair, "{\"id\":11,\"op\":\"unmark\"}");
    peer_finish(&pair[1], CA_OK); /* which has a copy of the other's input */
    peer_finish(&pair[0], CA_OK);
}
END_TEST

/* The GPU has memory for the lattice of OPEN, and `more` bytes. */
static void limit_memory(int more)
{
    struct peer peer;
    long long needs;
    json_t *json;

    setenv("CALAB_EMULATED_MEMORY", "4096", 1);
    peer = peer_start();
    peer_next(&peer, NULL);
    json = peer_ask(&peer, OPEN);
    needs = atoll(strstr(json_text(json, "error.message"), "needs ") + 6);
    peer_finish(&peer, CA_OK);
    setenv("CALAB_EMULATED_MEMORY", test_text("%lld", needs + more), 1);
}

/* Memory for the lattice, but not for another: refused with the numbers, and it goes on. */
START_TEST(mark_without_memory)
{
    struct peer peer;

    limit_memory(1000);
    peer = open_on_gpu();
    peer_refuses(&peer, "no-memory",
                 "keeping the state needs 6656 bytes of memory on GPU 0, 1000 of its ",
                 "{'id':2,'op':'mark'}");
    peer_refuses(&peer, "no-memory", "keeping the state needs 6656 bytes", "{'id':3,'op':'burst'}");
    peer_refuses(&peer, "usage", "no state is kept", "{'id':4,'op':'back'}");
    ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':5,'op':'step','n':3}"), 3);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- changed cells, and a reset that is undone ------------------------------------------------ */

/* Each backend for the GPU goes on as the reference does. */
START_TEST(changed_cells_and_undo)
{
    static const char *const backends[] = {"reference", "cuda-naive", "cuda-bitslice",
                                           "cuda-temporal", "cuda-overlapped"};
    static const char *const requests[] = {
        "\"op\":\"step\",\"n\":3",
        "\"op\":\"put\",\"x\":63,\"y\":23,\"next\":true",
        "\"op\":\"put\",\"x\":60,\"y\":4,\"width\":8,\"planes\":{\"cell\":[1,1,1,1,0,0,1,1]}",
        "\"op\":\"step\",\"n\":5",
        "\"op\":\"reset\",\"undo\":true",
        "\"op\":\"step\",\"n\":2",
        "\"op\":\"undo\"",
        "\"op\":\"step\",\"n\":4"};
    struct peer peer = peer_start();
    char *wanted = NULL;

    peer_next(&peer, NULL);
    for (size_t b = 0; b < COUNT(backends); b++) {
        const char *hash;
        json_t *json;

        peer_gets(&peer, NULL,
                  "{'id':1,'op':'open','model':'anneal','size':[96,24],"
                  "'backend':'%s'}",
                  backends[b]);
        for (size_t i = 0; i < COUNT(requests); i++) {
            peer_gets(&peer, NULL, "{'id':2,%s}", requests[i]);
        }
        json = peer_ask(&peer, "{'id':3,'op':'hash'}");
        hash = json_text(json, "hash");
        if (!wanted)
            wanted = strdup(hash);
        ck_assert_msg(strcmp(hash, wanted) == 0, "%s: %s, %s is wanted", backends[b], hash, wanted);
    }
    free(wanted);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Without room for two nothing is reset. */
START_TEST(reset_without_memory)
{
    struct peer peer;

    limit_memory(1000);
    peer = open_on_gpu();
    peer_gets(&peer, NULL, "{'id':2,'op':'step','n':3}");
    peer_refuses(&peer, "no-memory", "needs ", "{'id':3,'op':'reset','undo':true}");
    peer_refuses(&peer, "usage", "no reset has saved a state", "{'id':4,'op':'undo'}");
    ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':5,'op':'step','n':1}"), 4);
    ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':6,'op':'reset'}"), 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* There the start leads back, and what it does not lead to is given up by a second key only. */
START_TEST(workbench_resets_without_memory)
{
    struct screen_options options = {
        .arguments = {"anneal", "-s", "96x64", "-b", "cuda-naive"}, .columns = 160, .rows = 24};
    struct screen *screen;

    limit_memory(1000);
    options.environment[0] = test_text("CALAB_EMULATED_MEMORY=%s", getenv("CALAB_EMULATED_MEMORY"));
    screen = user_starts(&options);
    user_does(screen, STEPS(PRESS("..."), GENERATION(3), PRESS("r"),
                            SHOWS("u computes generation 3 again"), GENERATION(0), PRESS("u"),
                            GENERATION(3), PRESS("E"), ROW(-1, "next state"), PRESS(" E"),
                            HIDES("next state"), PRESS("r"), SHOWS("r again gives this state up"),
                            GENERATION(3), PRESS("r"), GENERATION(0)));
    user_quits(screen);
}
END_TEST

int main(void)
{
    const struct script scripts[] = {
        /* With one there is nothing to mark. */
        {"workbench marks no single gpu",
         OPTIONS(.arguments = {"anneal", "-s", "64x64", "-b", "threads"}),
         STEPS(PRESS("d"), SHOWS(">*cpu "), SHOWS("  GPU 0  emulated GPU"), PRESS(DOWN " "),
               SHOWS("only one of several GPUs can be marked"), PRESS("\r"), STATUS(" on GPU 0 "))},
        {"panel shows what is known",
         OPTIONS(.rows = 50, .columns = 120,
                 .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive"},
                 .environment = {emulated_nvml()}),
         STEPS(PRESS("4"), SHOWS("4 device GPU 0"), SHOWS("emulated GPU"),
               SHOWS("1980 MHz 345.6 W 43 C"), SHOWS("60 of 80 GiB"),
               SHOWS("power cap, reason 0x100000"), SHOWS("limit    unknown"),
               SHOWS("busy     unknown"), SHOWS("energy   unknown"), PRESS(" "),
               SHOWS(" J per 10^9 updates"), PRESS(" "), STATUS("PAUSE"))},
        /* Whole on a small screen, where a single row is left for those that do not fit. */
        {"panel shows several",
         OPTIONS(.rows = 24, .columns = 80,
                 .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive", "--devices", "0,3"},
                 .environment = {emulated_nvml(), "CALAB_EMULATED_DEVICES=5"}),
         STEPS(PRESS("4"), SHOWS("4 device GPU 0,3"), SHOWS("0     - 346 W 43 C 1980 MHz  "),
               SHOWS("3   96% 447 W 44 C 1965 MHz  "), SHOWS("all 792 W "), CALL(waits_for_gpus),
               CHOOSE("d", "all"), SHOWS("4 device all GPUs"), SHOWS("+4 more"),
               SHOWS("all power unknown"), PRESS("3") /* with more room */,
               SHOWS("5 x emulated GPU"), SHOWS("1     -     - 43 C        -"),
               SHOWS("4   97% 548 W 45 C 1950 MHz"), CHOOSE("d", "GPU 3"),
               SHOWS("now      1965 MHz"))},
    };

    return RUN_TESTS(.test = {engine_ends_with_its_device, engine_ends_in_a_run,
                              compares_with_the_reference, mark_without_memory,
                              engine_ends_when_a_picture_fails, engine_survives_too_little_memory,
                              engine_changes_its_gpu, engine_counts_joules, workbench_chooses_a_gpu,
                              workbench_marks_gpus, workbench_goes_on_with_a_kernel_that_fits,
                              workbench_restarts_after_a_loss, changed_cells_and_undo,
                              reset_without_memory, workbench_resets_without_memory},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {engine_ends_where_it_is_found_out, 3},
                               {engine_describes_several_gpus, COUNT(several)},
                               {workbench_goes_on_without_a_gpu, 3}});
}
