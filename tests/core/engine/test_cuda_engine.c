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
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/engine_peer.h"
#include "tests/support/process.h"
#include "tests/support/user.h"
#include "tests/support/emulated_nvml.h"
#include "tests/support/support.h"

/* --- a lost device in the engine -------------------------------------------------------------- */

#define OPEN                                                                                       \
    "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"cuda-naive\"}"

static struct peer open_on_gpu(void)
{
    struct peer peer = peer_start();

    json_decref(peer_next(&peer, NULL));
    peer_say(&peer, OPEN);
    peer_good(&peer, 1, "generation");
    return peer;
}

/* That it has lost its device, and nothing more. */
static void last_event(struct peer *peer)
{
    json_t *json = peer_next(peer, NULL);
    const json_t *error = json_object_get(json, "error");

    ck_assert_str_eq(json_string_value(json_object_get(json, "event")), "stopped");
    ck_assert_str_eq(json_string_value(json_object_get(error, "code")), "cuda");
    ck_assert_contains(json_string_value(json_object_get(error, "message")), "GPU 0 is lost");
    json_decref(json);
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
    peer_say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":1000}");
    json = peer_next(&peer, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json, "event")), "stopped");
    message = json_string_value(json_object_get(json_object_get(json, "error"), "message"));
    ck_assert_contains(message, "GPU 0 is lost to this process");
    json_decref(json);
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
    peer_say(&peer, "{\"id\":2,\"op\":\"run\"}");
    peer_good(&peer, 2, "generation");
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

        peer_say(&peer, "{\"id\":%d,\"op\":\"%s\"}", id, finders[_i]);
        json = peer_answer(&peer, id);
        lost = !json_is_true(json_object_get(json, "ok"));
        if (lost)
            ck_assert_str_eq(
                json_string_value(json_object_get(json_object_get(json, "error"), "code")), "cuda");
        json_decref(json);
        if (lost || strcmp(finders[_i], "observe") != 0)
            continue; /* nothing is observed twice of one state */
        peer_say(&peer, "{\"id\":%d,\"op\":\"reset\"}", ++id);
        json = peer_answer(&peer, id);
        lost = !json_is_true(json_object_get(json, "ok"));
        json_decref(json);
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
        peer_say(&peer, "{\"op\":\"ack\"}\n{\"id\":%d,\"op\":\"view\",\"x\":%d,\"fps\":1000}", id,
                 id % 8);
        while ((json = peer_next(&peer, NULL)) != NULL) {
            const char *event = json_string_value(json_object_get(json, "event"));
            bool frame = event && strcmp(event, "frame") == 0;

            told = told || (event && strcmp(event, "log") == 0);
            json_decref(json);
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
    json_decref(peer_next(&peer, NULL));
    peer_say(&peer, OPEN);
    peer_refused(&peer, 1, "cuda", "out of memory");
    peer_say(&peer, OPEN);
    peer_good(&peer, 1, "generation");
    peer_say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":3}");
    ck_assert_int_eq(peer_good(&peer, 2, "generation"), 3);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(engine_changes_its_gpu)
{
    struct peer peer;
    char hash[2][20];

    setenv("CALAB_EMULATED_DEVICES", "2", 1);
    peer = open_on_gpu();
    peer_say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":7}");
    ck_assert_int_eq(peer_good(&peer, 2, "generation"), 7);
    for (int i = 0; i < 2; i++) {
        json_t *json;

        peer_say(&peer, "{\"id\":%d,\"op\":\"hash\"}", 3 + 3 * i);
        json = peer_answer(&peer, 3 + 3 * i);
        snprintf(hash[i], sizeof hash[i], "%s", json_string_value(json_object_get(json, "hash")));
        json_decref(json);
        peer_say(&peer, "{\"id\":%d,\"op\":\"device\"}", 4 + 3 * i);
        ck_assert_int_eq(peer_good(&peer, 4 + 3 * i, "index"), i);
        peer_say(&peer, "{\"id\":%d,\"op\":\"change\",\"options\":{\"device\":1}}", 5 + 3 * i);
        ck_assert_int_eq(peer_good(&peer, 5 + 3 * i, "generation"), 7);
    }
    ck_assert_str_eq(hash[0], hash[1]);
    peer_say(&peer, "{\"id\":20,\"op\":\"change\",\"options\":{\"device\":2}}");
    peer_refused(&peer, 20, "no-device", "there is no GPU 2");
    peer_say(&peer, "{\"id\":21,\"op\":\"step\"}");
    ck_assert_int_eq(peer_good(&peer, 21, "generation"), 8);
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
    peer_say(&peer, "{\"id\":2,\"op\":\"run\"}");
    peer_good(&peer, 2, "generation");
    for (int id = 3; joules == 0 && seconds_now() < deadline; id++) {
        json_t *json;

        peer_say(&peer, "{\"id\":%d,\"op\":\"device\"}", id);
        json = peer_answer(&peer, id);
        joules = json_number_value(json_object_get(json, "joules_per_1e9_updates"));
        ck_assert(id > 3 || joules == 0);
        json_decref(json);
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
    peer_say(&peer, "{\"id\":2,\"op\":\"change\",\"options\":{\"devices\":\"%s\"}}",
             several[_i].devices);
    peer_good(&peer, 2, "generation");
    peer_say(&peer, "{\"id\":3,\"op\":\"run\"}");
    peer_good(&peer, 3, "generation");
    while (joules == 0 && seconds_now() < until) {
        const json_t *list;
        json_t *json;

        peer_say(&peer, "{\"id\":%d,\"op\":\"device\"}", id);
        json = peer_answer(&peer, id++);
        list = json_object_get(json, "devices");
        ck_assert_int_eq(json_array_size(list), several[_i].count);
        for (int i = 0; i < several[_i].count; i++)
            ck_assert_int_eq(
                json_integer_value(json_object_get(json_array_get(list, (size_t)i), "index")),
                several[_i].devices[2 * i] - '0');
        ck_assert_int_eq(json_integer_value(json_object_get(json, "index")),
                         first ? first - '0' : 0);
        joules = json_number_value(json_object_get(json, "joules_per_1e9_updates"));
        json_decref(json);
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

    expect_status(screen, "threads on cpu ");
    user_types(screen, "g", "5");
    expect_generation(screen, 5);
    screen_send(screen, "d");
    screen_expect(screen, "GPU 0  emulated GPU, 2.0 GiB");
    screen_expect(screen, "GPU 1  emulated GPU, 2.0 GiB");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    user_chooses(screen, "d", "GPU 1");
    expect_status(screen, "on GPU 1");
    expect_generation(screen, 5);
    user_chooses(screen, "b", "cuda-naive");
    expect_status(screen, "cuda-naive on GPU 1");
    user_chooses(screen, "d", "GPU 0");
    expect_status(screen, "cuda-naive on GPU 0");
    screen_send(screen, "d");
    screen_expect(screen, ">*[ ] GPU 0"); /* where the one below is a key away */
    screen_send(screen, "\033OB");
    screen_expect(screen, "> [ ] GPU 1");
    screen_send(screen, "\r");
    expect_status(screen, "cuda-naive on GPU 1");
    user_chooses(screen, "d", "all");
    expect_status(screen, "cuda-naive on all GPUs");
    screen_send(screen, "d");
    screen_expect(screen, ">*    all    GPUs, a slab of the lattice each");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    user_chooses(screen, "d", "GPU 1");
    expect_status(screen, "cuda-naive on GPU 1");
    screen_send(screen, ".");
    expect_generation(screen, 6);
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "device = 1");
    free(saved);
    screen = user_starts(&again);
    expect_status(screen, "cuda-naive on GPU 1");
    expect_generation(screen, 6);
    user_chooses(screen, "d", "cpu");
    expect_status(screen, " on cpu");
    expect_generation(screen, 6);
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

    user_types(screen, "g", "5");
    expect_generation(screen, 5);
    screen_send(screen, "d");
    screen_expect(screen, ">*    cpu ");
    screen_expect(screen, "  [ ] GPU 3  emulated GPU");
    screen_expect(screen, "      all    GPUs");
    screen_expect_row(screen, -1, "space mark");
    screen_send(screen, " "); /* the CPU */
    screen_expect(screen, "only one of several GPUs can be marked");
    screen_send(screen, DOWN " ");
    screen_expect(screen, "> [x] GPU 0");
    screen_expect(screen, "marked: GPU 0; backend: ");
    screen_send(screen, DOWN DOWN DOWN " ");
    screen_expect(screen, "> [x] GPU 3");
    screen_expect(screen, "marked: GPU 0,3; backend: ");
    screen_send(screen, DOWN " "); /* all */
    screen_expect(screen, "only one of several GPUs can be marked");
    screen_send(screen, "\r");
    expect_status(screen, " on GPU 0,3 ");
    expect_generation(screen, 5);
    screen_send(screen, ".");
    expect_generation(screen, 6);
    screen_send(screen, "d");
    screen_expect(screen, " *[ ] GPU 0"); /* nothing is marked again */
    screen_expect(screen, "  [ ] GPU 1");
    screen_expect(screen, ">*[ ] GPU 3");
    screen_send(screen, " GPU 1"); /* in a filter it is a blank, and marks outlast that */
    screen_expect(screen, "type to filter: GPU 1_");
    screen_expect(screen, "> [ ] GPU 1");
    screen_expect(screen, "marked: GPU 3; ");
    screen_expect_not(screen, "space mark");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    screen_send(screen, "d");
    screen_expect(screen, ">*[ ] GPU 3");
    screen_send(screen, "  "); /* marked, and not */
    screen_send(screen, "\033OA\033OA ");
    screen_expect(screen, "> [x] GPU 1");
    screen_expect(screen, "marked: GPU 1; ");
    screen_send(screen, "\033OH\r");
    expect_status(screen, " on GPU 1 ");
    screen_send(screen, "d\033OB\r"); /* none is marked */
    expect_status(screen, " on GPU 2 ");
    screen_send(screen, "d");
    screen_expect(screen, ">*[ ] GPU 2");
    screen_send(screen, " \033OB ");
    screen_expect(screen, "marked: GPU 2,3; ");
    screen_send(screen, "\r");
    expect_status(screen, " on GPU 2,3 ");
    screen_send(screen, ".");
    expect_generation(screen, 7);
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "devices = \"2,3\"");
    free(saved);
}
END_TEST

/* With one there is nothing to mark. */
START_TEST(workbench_marks_no_single_gpu)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64", "-b", "threads"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "d");
    screen_expect(screen, ">*cpu ");
    screen_expect(screen, "  GPU 0  emulated GPU");
    screen_send(screen, DOWN " ");
    screen_expect(screen, "only one of several GPUs can be marked");
    screen_send(screen, "\r");
    expect_status(screen, " on GPU 0 ");
    user_quits(screen);
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
    expect_status(screen, "cuda-naive on GPU 0");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
    screen = user_starts(&without);
    expect_status(screen, "on cpu, no CUDA");
    screen_expect(screen, missing[_i].reason);
    expect_generation(screen, 1);
    screen_send(screen, "d");
    screen_expect(screen, "GPU    unavailable: ");
    screen_expect(screen, missing[_i].reason);
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    screen_send(screen, ".");
    expect_generation(screen, 2);
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
    screen_expect(screen, "cuda-persistent keeps layers of up to 32x32 cells in registers");
    screen_expect(screen, "continuing with the fastest");
    expect_status(screen, "36x36x36");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
    screen = user_starts(&options);
    expect_status(screen, "36x36x36");
    expect_generation(screen, 1);
    ck_assert(!screen_shows(screen, "cannot run"));
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

    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_types(screen, "g", "100000");
    screen_expect(screen, "GPU 0 is lost");
    screen_expect(screen, "status 5 at"); /* in pieces: the message takes several lines */
    screen_expect(screen, "restarted at");
    process_expect_end(engine);
    expect_status(screen, "PAUSE");
    expect_status(screen, "cuda-naive on GPU 0");
    screen_send(screen, "r");
    expect_generation(screen, 0);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

START_TEST(panel_shows_what_is_known)
{
    const struct screen_options options = {
        .rows = 50,
        .columns = 120,
        .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive"},
        .environment = {emulated_nvml()}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "4");
    screen_expect(screen, "4 device GPU 0");
    screen_expect(screen, "emulated GPU");
    screen_expect(screen, "1980 MHz 345.6 W 43 C");
    screen_expect(screen, "60 of 80 GiB");
    screen_expect(screen, "power cap, reason 0x100000");
    screen_expect(screen, "limit    unknown");
    screen_expect(screen, "busy     unknown");
    screen_expect(screen, "energy   unknown");
    screen_send(screen, " ");
    screen_expect(screen, " J per 10^9 updates");
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* The engine lists its GPUs after the first frame. */
static void waits_for_gpus(struct screen *screen)
{
    screen_send(screen, "d");
    screen_expect(screen, "GPU 0  emulated GPU");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
}

/* Whole on a small screen, where a single row is left for those that do not fit. */
START_TEST(panel_shows_several)
{
    const struct screen_options options = {
        .rows = 24,
        .columns = 80,
        .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive", "--devices", "0,3"},
        .environment = {emulated_nvml(), "CALAB_EMULATED_DEVICES=5"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "4");
    screen_expect(screen, "4 device GPU 0,3");
    screen_expect(screen, "0     - 346 W 43 C 1980 MHz  ");
    screen_expect(screen, "3   96% 447 W 44 C 1965 MHz  ");
    screen_expect(screen, "all 792 W ");
    waits_for_gpus(screen);
    user_chooses(screen, "d", "all");
    screen_expect(screen, "4 device all GPUs");
    screen_expect(screen, "+4 more");
    screen_expect(screen, "all power unknown");
    screen_send(screen, "3"); /* with more room */
    screen_expect(screen, "5 x emulated GPU");
    screen_expect(screen, "1     -     - 43 C        -");
    screen_expect(screen, "4   97% 548 W 45 C 1950 MHz");
    user_chooses(screen, "d", "GPU 3");
    screen_expect(screen, "now      1965 MHz");
    user_quits(screen);
}
END_TEST

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
        int64_t size = json_integer_value(json_object_get(answer[0], "bytes"));

        ck_assert_mem_eq(bytes[0], bytes[1], (size_t)size);
        for (int i = 0; i < 2; i++) {
            json_decref(answer[i]);
            free(bytes[i]);
            answer[i] = peer_next(&pair[i], NULL);
        }
    }
    ck_assert_msg(json_equal(answer[0], answer[1]), "%s: %s, %s", request, json_dumps(answer[0], 0),
                  json_dumps(answer[1], 0));
    ck_assert_msg(json_is_true(json_object_get(answer[0], "ok")), "%s: %s", request,
                  json_dumps(answer[0], 0));
    json_decref(answer[0]);
    json_decref(answer[1]);
}

START_TEST(compares_with_the_reference)
{
    struct peer pair[2] = {open_on_gpu(), peer_open_anneal()};

    for (int i = 0; i < 2; i++) {
        json_t *json;

        peer_say(&pair[i], "{\"id\":2,\"op\":\"step\",\"n\":9}\n{\"id\":3,\"op\":\"mark\"}\n"
                           "{\"id\":4,\"op\":\"burst\",\"n\":3,\"calls\":2}");
        peer_good(&pair[i], 2, NULL);
        peer_good(&pair[i], 3, NULL);
        json = peer_answer(&pair[i], 4);
        ck_assert_uint_eq(json_array_size(json_object_get(json, "device_s")), 2);
        ck_assert_int_eq(json_integer_value(json_object_get(json, "generation")), 9);
        json_decref(json);
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
    char memory[32];
    long long needs;
    json_t *json;

    setenv("CALAB_EMULATED_MEMORY", "4096", 1);
    peer = peer_start();
    json_decref(peer_next(&peer, NULL));
    peer_say(&peer, OPEN);
    json = peer_answer(&peer, 1);
    needs =
        atoll(strstr(json_string_value(json_object_get(json_object_get(json, "error"), "message")),
                     "needs ") +
              6);
    json_decref(json);
    peer_finish(&peer, CA_OK);
    snprintf(memory, sizeof memory, "%lld", needs + more);
    setenv("CALAB_EMULATED_MEMORY", memory, 1);
}

/* Memory for the lattice, but not for another: refused with the numbers, and it goes on. */
START_TEST(mark_without_memory)
{
    struct peer peer;

    limit_memory(1000);
    peer = open_on_gpu();
    peer_say(&peer, "{\"id\":2,\"op\":\"mark\"}");
    peer_refused(&peer, 2, "no-memory",
                 "keeping the state needs 6656 bytes of memory on GPU 0, 1000 of its ");
    peer_say(&peer, "{\"id\":3,\"op\":\"burst\"}");
    peer_refused(&peer, 3, "no-memory", "keeping the state needs 6656 bytes");
    peer_say(&peer, "{\"id\":4,\"op\":\"back\"}");
    peer_refused(&peer, 4, "usage", "no state is kept");
    peer_say(&peer, "{\"id\":5,\"op\":\"step\",\"n\":3}");
    ck_assert_int_eq(peer_good(&peer, 5, NULL), 3);
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

    json_decref(peer_next(&peer, NULL));
    for (size_t b = 0; b < COUNT(backends); b++) {
        const char *hash;
        json_t *json;

        peer_say(&peer,
                 "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,24],"
                 "\"backend\":\"%s\"}",
                 backends[b]);
        peer_good(&peer, 1, NULL);
        for (size_t i = 0; i < COUNT(requests); i++) {
            peer_say(&peer, "{\"id\":2,%s}", requests[i]);
            peer_good(&peer, 2, NULL);
        }
        peer_say(&peer, "{\"id\":3,\"op\":\"hash\"}");
        json = peer_answer(&peer, 3);
        hash = json_string_value(json_object_get(json, "hash"));
        if (!wanted)
            wanted = strdup(hash);
        ck_assert_msg(strcmp(hash, wanted) == 0, "%s: %s, %s is wanted", backends[b], hash, wanted);
        json_decref(json);
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
    peer_say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":3}");
    peer_good(&peer, 2, NULL);
    peer_say(&peer, "{\"id\":3,\"op\":\"reset\",\"undo\":true}");
    peer_refused(&peer, 3, "no-memory", "needs ");
    peer_say(&peer, "{\"id\":4,\"op\":\"undo\"}");
    peer_refused(&peer, 4, "usage", "no reset has saved a state");
    peer_say(&peer, "{\"id\":5,\"op\":\"step\",\"n\":1}");
    ck_assert_int_eq(peer_good(&peer, 5, NULL), 4);
    peer_say(&peer, "{\"id\":6,\"op\":\"reset\"}");
    ck_assert_int_eq(peer_good(&peer, 6, NULL), 0);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* There the start leads back, and what it does not lead to is given up by a second key only. */
START_TEST(workbench_resets_without_memory)
{
    struct screen_options options = {
        .arguments = {"anneal", "-s", "96x64", "-b", "cuda-naive"}, .columns = 160, .rows = 24};
    char memory[64];
    struct screen *screen;

    limit_memory(1000);
    snprintf(memory, sizeof memory, "CALAB_EMULATED_MEMORY=%s", getenv("CALAB_EMULATED_MEMORY"));
    options.environment[0] = memory;
    screen = user_starts(&options);
    screen_send(screen, "...");
    expect_generation(screen, 3);
    screen_send(screen, "r");
    screen_expect(screen, "u computes generation 3 again");
    expect_generation(screen, 0);
    screen_send(screen, "u");
    expect_generation(screen, 3);
    screen_send(screen, "E");
    screen_expect_row(screen, -1, "next state");
    screen_send(screen, " E");
    screen_expect_not(screen, "next state");
    screen_send(screen, "r");
    screen_expect(screen, "r again gives this state up");
    expect_generation(screen, 3);
    screen_send(screen, "r");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda engine");
    TCase *tests = tcase_create("engine");

    tcase_add_test(tests, engine_ends_with_its_device);
    tcase_add_test(tests, engine_ends_in_a_run);
    tcase_add_test(tests, compares_with_the_reference);
    tcase_add_test(tests, mark_without_memory);
    tcase_add_loop_test(tests, engine_ends_where_it_is_found_out, 0, 3);
    tcase_add_test(tests, engine_ends_when_a_picture_fails);
    tcase_add_test(tests, engine_survives_too_little_memory);
    tcase_add_test(tests, engine_changes_its_gpu);
    tcase_add_test(tests, engine_counts_joules);
    tcase_add_loop_test(tests, engine_describes_several_gpus, 0,
                        (int)(sizeof several / sizeof several[0]));
    tcase_add_test(tests, workbench_chooses_a_gpu);
    tcase_add_test(tests, workbench_marks_gpus);
    tcase_add_test(tests, workbench_marks_no_single_gpu);
    tcase_add_loop_test(tests, workbench_goes_on_without_a_gpu, 0, 3);
    tcase_add_test(tests, workbench_goes_on_with_a_kernel_that_fits);
    tcase_add_test(tests, workbench_restarts_after_a_loss);
    tcase_add_test(tests, changed_cells_and_undo);
    tcase_add_test(tests, reset_without_memory);
    tcase_add_test(tests, workbench_resets_without_memory);
    tcase_add_test(tests, panel_shows_what_is_known);
    tcase_add_test(tests, panel_shows_several);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
