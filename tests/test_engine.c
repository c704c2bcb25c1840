/* SPDX-License-Identifier: MIT */
/* The engine's protocol, spoken to a child process over two pipes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/engine.h"
#include "core/engine_state.h"
#include "tests/support.h"

#define PATIENCE_MS 30000
#define OPEN                                                                                       \
    "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"reference\"}"

struct peer {
    pid_t pid;
    int to, from;
    char *text; /* what has come */
    size_t count;
};

static struct peer start(void)
{
    struct peer peer = {0};
    int to[2], from[2];

    ck_assert_int_eq(pipe(to), 0);
    ck_assert_int_eq(pipe(from), 0);
    fflush(NULL);
    peer.pid = fork();
    if (peer.pid == 0) {
        struct ca_error error;

        close(to[1]);
        close(from[0]);
        exit((int)ca_engine_serve(to[0], from[1], &error)); /* not _exit: leaks are looked for */
    }
    signal(SIGPIPE, SIG_IGN);
    close(to[0]);
    close(from[1]);
    peer.to = to[1];
    peer.from = from[0];
    return peer;
}

/* Waits for more output; false at its end. */
static bool more(struct peer *peer)
{
    struct pollfd out = {.fd = peer->from, .events = POLLIN};
    ssize_t got;

    ck_assert_msg(poll(&out, 1, PATIENCE_MS) > 0, "the engine says nothing");
    peer->text = realloc(peer->text, peer->count + 65536);
    got = read(peer->from, peer->text + peer->count, 65536);
    ck_assert_int_ge(got, 0);
    peer->count += (size_t)got;
    return got > 0;
}

static void take(struct peer *peer, size_t count)
{
    peer->count -= count;
    memmove(peer->text, peer->text + count, peer->count);
}

/* The next message; its payload is malloc'd. NULL at the end of output. */
static json_t *next(struct peer *peer, uint8_t **payload)
{
    char *end = NULL;
    json_t *json;
    size_t bytes, length, skip;

    while (!peer->count || !(end = memchr(peer->text, '\n', peer->count)))
        if (!more(peer))
            return NULL;
    length = (size_t)(end - peer->text);
    skip = length > 7 && memcmp(peer->text, "CALAB1 ", 7) == 0 ? 7 : 0;
    json = json_loadb(peer->text + skip, length - skip, 0, NULL);
    ck_assert_msg(json != NULL, "not JSON: %.*s", (int)length, peer->text);
    take(peer, length + 1);
    bytes = (size_t)json_integer_value(json_object_get(json, "bytes"));
    while (peer->count < bytes)
        ck_assert(more(peer));
    if (payload && bytes) {
        *payload = malloc(bytes);
        memcpy(*payload, peer->text, bytes);
    }
    if (bytes)
        take(peer, bytes);
    return json;
}

static void say(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct peer *peer, const char *format, ...)
{
    char line[8192];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    line[length] = '\n';
    ck_assert_int_eq(write(peer->to, line, (size_t)length + 1), length + 1);
}

/* The answer with this id; events before it are passed over. */
static json_t *answer(struct peer *peer, int id)
{
    for (;;) {
        json_t *json = next(peer, NULL);

        ck_assert_msg(json != NULL, "output ends before answer %d", id);
        if (json_object_get(json, "id")) {
            ck_assert_int_eq(json_integer_value(json_object_get(json, "id")), id);
            return json;
        }
        json_decref(json);
    }
}

/* The answer must be a good one; its whole number by name. */
static int64_t good(struct peer *peer, int id, const char *name)
{
    json_t *json = answer(peer, id);
    int64_t value = json_integer_value(json_object_get(json, name ? name : "generation"));

    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    if (name)
        ck_assert(json_is_integer(json_object_get(json, name)));
    json_decref(json);
    return value;
}

static void refused(struct peer *peer, int id, const char *code, const char *text)
{
    json_t *json = answer(peer, id), *error = json_object_get(json, "error");

    ck_assert_msg(json_is_false(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    ck_assert_str_eq(json_string_value(json_object_get(error, "code")), code);
    ck_assert_contains(json_string_value(json_object_get(error, "message")), text);
    json_decref(json);
}

static void hash(struct peer *peer, char text[17])
{
    json_t *json;

    say(peer, "{\"id\":900,\"op\":\"hash\"}");
    json = answer(peer, 900);
    snprintf(text, 17, "%s", json_string_value(json_object_get(json, "hash")));
    ck_assert_uint_eq(strlen(text), 16);
    json_decref(json);
}

/* The next frame and what it shows; the caller's. */
static json_t *frame(struct peer *peer, uint8_t **payload)
{
    for (;;) {
        uint8_t *bytes = NULL;
        json_t *json = next(peer, &bytes);
        const char *event;

        ck_assert(json != NULL);
        event = json_string_value(json_object_get(json, "event"));
        if (event && strcmp(event, "frame") == 0) {
            ck_assert_ptr_nonnull(bytes);
            if (payload)
                *payload = bytes;
            else
                free(bytes);
            return json;
        }
        free(bytes);
        json_decref(json);
    }
}

static int64_t frame_generation(struct peer *peer)
{
    json_t *json = frame(peer, NULL);
    int64_t generation = json_integer_value(json_object_get(json, "generation"));

    json_decref(json);
    return generation;
}

/* End of input: the engine must end by itself, with this status. */
static void finish(struct peer *peer, int status)
{
    int got;

    close(peer->to);
    if (peer->from >= 0) {
        while (more(peer))
            ;
        close(peer->from);
    }
    free(peer->text);
    ck_assert_int_eq(waitpid(peer->pid, &got, 0), peer->pid);
    ck_assert_msg(WIFEXITED(got) && WEXITSTATUS(got) == status, "wait status %d", got);
}

static struct peer open_anneal(void)
{
    struct peer peer = start();

    json_decref(next(&peer, NULL));
    say(&peer, OPEN);
    ck_assert_int_eq(good(&peer, 1, "generation"), 0);
    return peer;
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
    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
    ck_assert_int_eq(ca_simulation_step(simulation, generations, &error), CA_OK);
    ck_assert_int_eq(ca_simulation_store(simulation, &lattice, &error), CA_OK);
    snprintf(text, 17, "%016" PRIx64, ca_lattice_hash(&lattice));
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
}

/* --- requests --------------------------------------------------------------------------------- */

START_TEST(greeting)
{
    struct peer peer = start();
    bool step = false;
    json_t *json, *name;
    size_t i;

    while (peer.count < 7)
        ck_assert(more(&peer));
    ck_assert_mem_eq(peer.text, "CALAB1 ", 7);
    json = next(&peer, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json, "version")), CALAB_VERSION);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "pid")), peer.pid);
    ck_assert(json_is_string(json_object_get(json, "host")));
    json_array_foreach(json_object_get(json, "capabilities"), i, name) step |=
        strcmp(json_string_value(name), "step") == 0;
    ck_assert(step);
    json_decref(json);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(steps_and_seeks)
{
    struct peer peer = open_anneal();
    char wanted[17], got[17];

    straight(20, wanted);
    say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":20}");
    ck_assert_int_eq(good(&peer, 2, "generation"), 20);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    say(&peer, "{\"id\":3,\"op\":\"step\"}");
    ck_assert_int_eq(good(&peer, 3, "generation"), 21);
    say(&peer, "{\"id\":3,\"op\":\"step\",\"n\":0}");
    ck_assert_int_eq(good(&peer, 3, "generation"), 21);
    say(&peer, "{\"id\":4,\"op\":\"seek\",\"generation\":57}");
    ck_assert_int_eq(good(&peer, 4, "generation"), 57);
    say(&peer, "{\"id\":5,\"op\":\"seek\",\"generation\":20}");
    ck_assert_int_eq(good(&peer, 5, "generation"), 20);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    say(&peer, "{\"id\":6,\"op\":\"reset\"}");
    ck_assert_int_eq(good(&peer, 6, "generation"), 0);
    straight(0, wanted);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(change_keeps_the_state)
{
    struct peer peer = open_anneal();
    char wanted[17], got[17];
    json_t *json, *experiment;

    straight(30, wanted);
    say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":11}");
    ck_assert_int_eq(good(&peer, 2, "generation"), 11);
    say(&peer, "{\"id\":3,\"op\":\"change\",\"backend\":\"threads\",\"options\":{\"threads\":2}}");
    json = answer(&peer, 3);
    ck_assert(json_is_true(json_object_get(json, "ok")));
    experiment = json_object_get(json, "experiment");
    ck_assert_str_eq(json_string_value(json_object_get(experiment, "backend")), "threads");
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_object_get(experiment, "options"), "threads")), 2);
    json_decref(json);
    say(&peer, "{\"id\":4,\"op\":\"change\",\"backend\":\"thread\"}");
    refused(&peer, 4, "usage", "did you mean 'threads'");
    say(&peer, "{\"id\":5,\"op\":\"change\",\"parameters\":{\"density\":2}}");
    refused(&peer, 5, "usage", "density");
    say(&peer, "{\"id\":6,\"op\":\"change\",\"parameters\":[1]}");
    refused(&peer, 6, "usage", "\"parameters\" is [1]: an object");
    say(&peer, "{\"id\":7,\"op\":\"step\",\"n\":19}");
    ck_assert_int_eq(good(&peer, 7, "generation"), 30);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    finish(&peer, CA_OK);
}
END_TEST

/* What is sent behind step waits for it; ping does not; a pipe may end behind it all. */
START_TEST(order)
{
    struct peer peer = open_anneal();
    char wanted[17];
    json_t *json;

    straight(3000, wanted);
    say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":3000}\n{\"id\":3,\"op\":\"hash\"}\n"
               "{\"id\":4,\"op\":\"step\",\"n\":7}\n{\"id\":5,\"op\":\"observe\"}\n"
               "{\"id\":6,\"op\":\"quit\"}\n{\"id\":7,\"op\":\"ping\"}");
    close(peer.to);
    peer.to = -1;
    ck_assert_int_eq(good(&peer, 7, NULL), 0);
    ck_assert_int_eq(good(&peer, 2, "generation"), 3000);
    json = answer(&peer, 3);
    ck_assert_str_eq(json_string_value(json_object_get(json, "hash")), wanted);
    json_decref(json);
    ck_assert_int_eq(good(&peer, 4, "generation"), 3007);
    ck_assert_int_eq(good(&peer, 5, "generation"), 3007);
    good(&peer, 6, NULL);
    ck_assert_ptr_null(next(&peer, NULL));
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(stop_ends_step)
{
    struct peer peer = open_anneal();
    int64_t generation;
    json_t *json;

    say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":1000000000000000}");
    say(&peer, "{\"id\":3,\"op\":\"seek\",\"generation\":5000000000000000}");
    say(&peer, "{\"id\":4,\"op\":\"ping\"}");
    good(&peer, 4, NULL);
    say(&peer, "{\"id\":5,\"op\":\"run\"}");
    say(&peer, "{\"id\":6,\"op\":\"stop\"}");
    json = answer(&peer, 2);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    generation = json_integer_value(json_object_get(json, "generation"));
    json_decref(json);
    json = answer(&peer, 3);
    ck_assert(json_is_true(json_object_get(json, "stopped")));
    ck_assert_int_eq(json_integer_value(json_object_get(json, "generation")), generation);
    json_decref(json);
    ck_assert_int_eq(good(&peer, 5, "generation"), generation);
    ck_assert_int_eq(good(&peer, 6, "generation"), generation);
    say(&peer, "{\"id\":7,\"op\":\"observe\"}");
    ck_assert_int_eq(good(&peer, 7, "generation"), generation);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(cells_and_observables)
{
    struct peer peer = start();
    json_t *json, *planes;

    json_decref(next(&peer, NULL));
    say(&peer, "{\"id\":1,\"op\":\"open\",\"model\":\"water\",\"size\":[16,8],\"init\":\"dam\"}");
    good(&peer, 1, "generation");
    say(&peer, "{\"id\":2,\"op\":\"cell\",\"x\":3,\"y\":7}");
    json = answer(&peer, 2);
    planes = json_object_get(json, "planes");
    ck_assert(json_number_value(json_object_get(planes, "level")) == 10);
    ck_assert(json_number_value(json_object_get(planes, "terrain")) == 0);
    ck_assert(json_is_string(json_object_get(json, "state")));
    json_decref(json);
    say(&peer, "{\"id\":3,\"op\":\"cell\",\"x\":16}");
    refused(&peer, 3, "usage", "cell: \"x\" is 16: a whole number from 0 to 15 is allowed");
    say(&peer, "{\"id\":4,\"op\":\"cell\",\"z\":1}");
    refused(&peer, 4, "usage", "\"z\" is 1");
    say(&peer, "{\"id\":5,\"op\":\"observe\"}");
    json = answer(&peer, 5);
    ck_assert_int_gt(json_object_size(json_object_get(json, "observables")), 0);
    json_decref(json);
    say(&peer, "{\"id\":6,\"op\":\"list\"}");
    json = answer(&peer, 6);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "models")), 5);
    json_decref(json);
    say(&peer, "{\"id\":7,\"op\":\"device\"}");
    ck_assert_int_ge(good(&peer, 7, "cores"), 1);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(saved_state_opens_again)
{
    const char *path = test_path("state.npy"), *bad = test_path("bad.npy");
    struct peer peer = open_anneal();
    char wanted[17], got[17];

    straight(25, wanted);
    test_write(bad, "\x93NUMPY", 6);
    say(&peer, "{\"id\":2,\"op\":\"step\",\"n\":9}\n{\"id\":3,\"op\":\"save\",\"file\":\"%s\"}",
        path);
    good(&peer, 2, NULL);
    ck_assert_int_eq(good(&peer, 3, "generation"), 9);
    say(&peer,
        "{\"id\":4,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"generation\":9,"
        "\"backend\":\"threads\",\"state\":\"%s\"}",
        path);
    ck_assert_int_eq(good(&peer, 4, "generation"), 9);
    say(&peer, "{\"id\":5,\"op\":\"step\",\"n\":16}");
    ck_assert_int_eq(good(&peer, 5, "generation"), 25);
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    say(&peer, "{\"id\":6,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,65],\"state\":\"%s\"}",
        path);
    refused(&peer, 6, "usage", "size is 96x65, but the state in");
    say(&peer, "{\"id\":7,\"op\":\"open\",\"model\":\"anneal\",\"state\":\"%s\"}", bad);
    refused(&peer, 7, "io", "bad.npy");
    say(&peer, "{\"id\":8,\"op\":\"open\",\"model\":\"anneal\",\"state\":\"/nonexistent/x.npy\"}");
    refused(&peer, 8, "io", "/nonexistent/x.npy");
    say(&peer, "{\"id\":9,\"op\":\"open\",\"model\":\"anneal\",\"generation\":9}");
    refused(&peer, 9, "usage", "\"generation\" goes with \"state\"");
    say(&peer, "{\"id\":10,\"op\":\"save\",\"file\":\"/nonexistent/x.npy\"}");
    refused(&peer, 10, "io", "/nonexistent/x.npy");
    say(&peer, "{\"id\":11,\"op\":\"save\",\"file\":\"/tmp/x.xyz\"}");
    refused(&peer, 11, "usage", ".npy");
    /* what was open before is open still */
    hash(&peer, got);
    ck_assert_str_eq(got, wanted);
    finish(&peer, CA_OK);
}
END_TEST

static const struct {
    const char *line, *text;
} wrong[] = {
    {"nonsense", "not JSON"},
    {"{\"id\":1,\"op\":\"ping\"", "not JSON"},
    {"\x80\xff\xfe", "not JSON"},
    {"{} {}", "not JSON"},
    {"[1,2,3]", "no JSON object"},
    {"7", "no JSON object"},
    {"null", "no JSON object"},
    {"{}", "needs an \"op\""},
    {"{\"op\":7}", "needs an \"op\""},
    {"{\"op\":\"stepp\"}", "'stepp' is no op; did you mean 'step'?"},
    {"{\"op\":\"xyzzyxyzzy\"}", "'xyzzyxyzzy' is no op"},
    {"{\"op\":\"step\",\"n\":-1}", "step: \"n\" is -1: a whole number from 0"},
    {"{\"op\":\"step\",\"n\":1.5}", "\"n\" is 1.5"},
    {"{\"op\":\"step\",\"n\":\"7\"}", "\"n\" is \"7\""},
    {"{\"op\":\"step\",\"n\":99999999999999999999}", "not JSON"},
    {"{\"op\":\"run\",\"rate\":-5}", "run: \"rate\" is -5: a number from 0"},
    {"{\"op\":\"run\",\"rate\":null}", "\"rate\" is null"},
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
    {"{\"op\":\"view\",\"drawn\":\"colour\"}", "state, density, change, difference"},
};

START_TEST(wrong_requests)
{
    struct peer peer = open_anneal();
    char before[17], after[17];
    json_t *json, *error;

    hash(&peer, before);
    say(&peer, "%s", wrong[_i].line);
    json = next(&peer, NULL);
    ck_assert(json_is_null(json_object_get(json, "id")));
    ck_assert(json_is_false(json_object_get(json, "ok")));
    error = json_object_get(json, "error");
    ck_assert_str_eq(json_string_value(json_object_get(error, "code")), "usage");
    ck_assert_contains(json_string_value(json_object_get(error, "message")), wrong[_i].text);
    json_decref(json);
    hash(&peer, after);
    ck_assert_str_eq(before, after);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(nothing_is_open)
{
    static const char *const names[] = {"step", "run",  "change",  "reset", "seek",
                                        "view", "cell", "observe", "hash",  "save"};
    struct peer peer = start();

    json_decref(next(&peer, NULL));
    for (int i = 0; i < 10; i++) {
        say(&peer, "{\"id\":%d,\"op\":\"%s\"}", i, names[i]);
        refused(&peer, i, "usage", "no simulation is open");
    }
    say(&peer, "{\"id\":50,\"op\":\"ack\"}\n{\"id\":51,\"op\":\"stop\"}\n\n "
               "\t\r\n{\"id\":52,\"op\":\"quit\"}");
    ck_assert_int_eq(good(&peer, 51, "generation"), 0);
    good(&peer, 52, NULL);
    ck_assert_ptr_null(next(&peer, NULL));
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(unknown_keys_and_any_id)
{
    struct peer peer = start();
    json_t *json;

    json_decref(next(&peer, NULL));
    say(&peer, "{\"colour\":\"blue\",\"id\":{\"a\":[1]},\"op\":\"ping\",\"n\":null}");
    json = next(&peer, NULL);
    ck_assert(json_is_true(json_object_get(json, "ok")));
    ck_assert(json_is_array(json_object_get(json_object_get(json, "id"), "a")));
    json_decref(json);
    finish(&peer, CA_OK);
}
END_TEST

/* Writes `count` bytes, taking in what comes meanwhile. */
static void pour(struct peer *peer, const char *bytes, size_t count)
{
    fcntl(peer->to, F_SETFL, O_NONBLOCK);
    while (count > 0) {
        struct pollfd fds[2] = {{.fd = peer->from, .events = POLLIN},
                                {.fd = peer->to, .events = POLLOUT}};
        ssize_t put;

        ck_assert_int_gt(poll(fds, 2, PATIENCE_MS), 0);
        if (fds[0].revents)
            ck_assert(more(peer));
        put = fds[1].revents ? write(peer->to, bytes, count) : 0;
        ck_assert(put >= 0 || errno == EAGAIN);
        bytes += put > 0 ? put : 0;
        count -= (size_t)(put > 0 ? put : 0);
    }
    fcntl(peer->to, F_SETFL, 0);
}

START_TEST(huge_lines)
{
    size_t size = CA_REQUEST_MAX;
    char *line = malloc(3 * size);
    struct peer peer = start();
    json_t *json;

    json_decref(next(&peer, NULL));
    /* just allowed */
    memset(line, ' ', 3 * size);
    memcpy(line, "{\"id\":5,\"op\":\"ping\"}", 20);
    line[size] = '\n';
    pour(&peer, line, size + 1);
    good(&peer, 5, NULL);
    /* a byte more, and much more */
    for (size_t i = 1; i < 3; i++) {
        memset(line, i == 1 ? ' ' : 'x', 3 * size);
        line[i * size + 1] = '\n';
        pour(&peer, line, i * size + 2);
        json = next(&peer, NULL);
        ck_assert_contains(
            json_string_value(json_object_get(json_object_get(json, "error"), "message")),
            "too long: at most 1048576 bytes");
        json_decref(json);
        say(&peer, "{\"id\":6,\"op\":\"ping\"}");
        good(&peer, 6, NULL);
    }
    free(line);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(bytes_that_are_zero)
{
    static const char line[] =
        "{\"id\":5,\"op\":\"ping\"}\0\n\0\0\0\n{\"id\":6,\"op\":\"pi\0ng\"}\n";
    struct peer peer = start();

    json_decref(next(&peer, NULL));
    ck_assert_int_gt(write(peer.to, line, sizeof line - 1), 0);
    for (int i = 0; i < 3; i++) {
        json_t *json = next(&peer, NULL);

        ck_assert(json_is_false(json_object_get(json, "ok")));
        json_decref(json);
    }
    say(&peer, "{\"id\":6,\"op\":\"ping\"}");
    good(&peer, 6, NULL);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(half_line_at_the_end)
{
    struct peer peer = start();

    json_decref(next(&peer, NULL));
    ck_assert_int_eq(write(peer.to, "{\"id\":1,\"op\":\"ping\"}", 20), 20);
    close(peer.to);
    peer.to = -1;
    ck_assert_ptr_null(next(&peer, NULL));
    finish(&peer, CA_OK);
}
END_TEST

/* --- frames ----------------------------------------------------------------------------------- */

START_TEST(frame_shows_the_state)
{
    struct peer peer = open_anneal();
    json_t *json, *view, *timing, *observables;
    uint8_t *bytes;
    int live = 0;

    say(&peer, "{\"id\":2,\"op\":\"view\",\"columns\":100,\"lines\":64,\"x\":-2,\"fps\":1000}");
    json = frame(&peer, &bytes);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "bytes")), 2 * 100 * 64);
    ck_assert(json_is_false(json_object_get(json, "running")));
    ck_assert(json_is_false(json_object_get(json, "sampled")));
    view = json_object_get(json, "view");
    ck_assert_int_eq(json_integer_value(json_object_get(view, "x")), -2);
    ck_assert_str_eq(json_string_value(json_object_get(view, "reduce")), "any");
    timing = json_object_get(json, "timing");
    ck_assert_int_eq(json_integer_value(json_object_get(timing, "count")), 0);
    observables = json_object_get(json, "observables");
    ck_assert_int_eq(json_integer_value(json_object_get(observables, "broken")), -1);
    for (int i = 0; i < 100 * 64; i++) {
        bool outside = i % 100 < 2 || i % 100 >= 98;

        ck_assert(outside ? bytes[i] == CA_VIEW_OUTSIDE : bytes[i] <= 1);
        live += !outside && bytes[i];
    }
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(observables, "values"), 0)),
                     live);
    free(bytes);
    json_decref(json);
    /* a step makes a new one, with figures */
    say(&peer, "{\"op\":\"ack\"}\n{\"id\":3,\"op\":\"step\",\"n\":4}");
    json = frame(&peer, NULL);
    while (json_integer_value(json_object_get(json, "generation")) < 4) {
        json_decref(json);
        say(&peer, "{\"op\":\"ack\"}");
        json = frame(&peer, NULL);
    }
    timing = json_object_get(json, "timing");
    ck_assert_int_eq(json_integer_value(json_object_get(timing, "generations")), 4);
    ck_assert(json_number_value(json_object_get(timing, "step_p50_s")) > 0);
    ck_assert(json_number_value(json_object_get(timing, "cells_per_s")) > 0);
    json_decref(json);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(one_frame_outstanding_and_the_newest_wins)
{
    struct peer peer = open_anneal();
    json_t *json;
    int frames = 0;

    say(&peer, "{\"id\":2,\"op\":\"view\",\"columns\":4,\"lines\":2,\"fps\":1000}");
    good(&peer, 2, NULL);
    json_decref(frame(&peer, NULL));
    for (int x = 1; x <= 20; x++)
        say(&peer, "{\"id\":%d,\"op\":\"view\",\"x\":%d}\n{\"id\":%d,\"op\":\"step\"}", 2 * x, x,
            2 * x + 1);
    for (int id = 2; id <= 41;) {
        json = next(&peer, NULL);
        frames += json_object_get(json, "event") != NULL;
        id += json_object_get(json, "id") != NULL;
        json_decref(json);
    }
    ck_assert_int_eq(frames, 0);
    say(&peer, "{\"op\":\"ack\"}");
    json = frame(&peer, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "generation")), 20);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "view"), "x")), 20);
    json_decref(json);
    /* nothing new: no frame, acknowledged or not; nor after fps 0 */
    say(&peer, "{\"op\":\"ack\"}\n{\"id\":50,\"op\":\"ping\"}");
    json = next(&peer, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "id")), 50);
    json_decref(json);
    say(&peer, "{\"id\":51,\"op\":\"view\",\"fps\":0}\n{\"id\":52,\"op\":\"step\"}\n"
               "{\"id\":53,\"op\":\"observe\"}");
    for (int id = 51; id <= 53; id++) {
        json = next(&peer, NULL);
        ck_assert_int_eq(json_integer_value(json_object_get(json, "id")), id);
        json_decref(json);
    }
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(run_and_stop)
{
    struct peer peer = open_anneal();
    int64_t generation = 0, stopped;

    say(&peer, "{\"id\":2,\"op\":\"view\",\"columns\":10,\"lines\":5,\"fps\":200}");
    good(&peer, 2, NULL);
    say(&peer, "{\"id\":3,\"op\":\"run\"}");
    for (int frames = 0; frames < 3 || generation < 100; frames++) {
        int64_t shown = frame_generation(&peer);

        ck_assert_int_ge(shown, generation);
        generation = shown;
        say(&peer, "{\"op\":\"ack\"}");
    }
    say(&peer, "{\"id\":4,\"op\":\"stop\"}");
    stopped = good(&peer, 4, "generation");
    ck_assert_int_ge(stopped, generation);
    say(&peer, "{\"op\":\"ack\"}\n{\"id\":5,\"op\":\"observe\"}");
    ck_assert_int_eq(good(&peer, 5, "generation"), stopped);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(throttled_run)
{
    struct peer peer = open_anneal();
    double began = ca_now(), rate = 200;
    int64_t generation;

    say(&peer,
        "{\"id\":2,\"op\":\"view\",\"columns\":1,\"lines\":1,\"fps\":1000}\n"
        "{\"id\":3,\"op\":\"run\",\"rate\":%g}",
        rate);
    do {
        generation = frame_generation(&peer);
        ck_assert_int_le(generation, (int64_t)((ca_now() - began) * rate) + 1);
        say(&peer, "{\"op\":\"ack\"}");
    } while (generation < 40);
    /* a slow one still answers at once */
    say(&peer, "{\"id\":4,\"op\":\"run\",\"rate\":0.001}\n{\"id\":5,\"op\":\"ping\"}\n"
               "{\"id\":6,\"op\":\"stop\"}");
    finish(&peer, CA_OK);
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
    struct peer peer = open_anneal();
    int64_t shown, stopped;
    double began;

    /* the frame is larger than the pipe: the engine cannot get rid of it */
    say(&peer, "{\"id\":2,\"op\":\"view\",\"columns\":1000,\"lines\":1000,\"fps\":1000}\n"
               "{\"id\":3,\"op\":\"run\"}");
    began = cpu_seconds(&peer);
    while (cpu_seconds(&peer) < began + 0.2)
        nanosleep(&nap, NULL);
    say(&peer, "{\"id\":4,\"op\":\"stop\"}");
    shown = frame_generation(&peer);
    stopped = good(&peer, 4, "generation");
    ck_assert_int_gt(stopped, shown + 10);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(paused_is_idle)
{
    struct timespec nap = {.tv_nsec = 200000000};
    struct peer peer = open_anneal();
    struct pollfd out = {.fd = peer.from, .events = POLLIN};
    double before;

    say(&peer, "{\"id\":2,\"op\":\"view\",\"columns\":80,\"lines\":24,\"fps\":1000}");
    json_decref(frame(&peer, NULL));
    say(&peer, "{\"op\":\"ack\"}\n{\"id\":3,\"op\":\"ping\"}");
    good(&peer, 3, NULL);
    before = cpu_seconds(&peer);
    nanosleep(&nap, NULL);
    ck_assert_msg(cpu_seconds(&peer) - before < 0.01, "a paused engine works");
    ck_assert_int_eq(poll(&out, 1, 0), 0);
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(difference_to_the_reference)
{
    struct peer peer = open_anneal();
    uint8_t *bytes;

    say(&peer,
        "{\"id\":2,\"op\":\"step\",\"n\":5}\n{\"id\":3,\"op\":\"change\",\"backend\":\"threads\"}\n"
        "{\"id\":4,\"op\":\"view\",\"columns\":96,\"lines\":64,\"drawn\":\"difference\"}\n"
        "{\"id\":5,\"op\":\"step\",\"n\":50}\n{\"id\":6,\"op\":\"reset\"}\n"
        "{\"id\":7,\"op\":\"step\",\"n\":3}\n{\"id\":8,\"op\":\"open\",\"model\":\"anneal\","
        "\"size\":[96,64]}\n{\"id\":9,\"op\":\"step\",\"n\":3}");
    for (int id = 2, frames = 0; id <= 9 || frames == 0;) {
        json_t *json;

        bytes = NULL;
        json = next(&peer, &bytes);
        ck_assert(json != NULL);
        if (json_object_get(json, "id")) {
            ck_assert(json_is_true(json_object_get(json, "ok")));
            id++;
        } else if (bytes) {
            frames++;
            ck_assert_str_eq(
                json_string_value(json_object_get(json_object_get(json, "view"), "drawn")),
                "difference");
            for (int i = 0; i < 96 * 64; i++)
                ck_assert_uint_eq(bytes[i], 0);
            say(&peer, "{\"op\":\"ack\"}");
        }
        free(bytes);
        json_decref(json);
    }
    finish(&peer, CA_OK);
}
END_TEST

START_TEST(view_survives_another_lattice)
{
    struct peer peer = start();
    json_t *json;

    json_decref(next(&peer, NULL));
    say(&peer, "{\"id\":1,\"op\":\"open\",\"model\":\"life3d\",\"size\":[9,9,9]}\n"
               "{\"id\":2,\"op\":\"view\",\"slice\":8,\"columns\":9,\"lines\":9,\"fps\":1000}");
    good(&peer, 1, NULL);
    good(&peer, 2, NULL);
    json_decref(frame(&peer, NULL));
    say(&peer, "{\"op\":\"ack\"}\n{\"id\":3,\"op\":\"open\",\"model\":\"water\",\"size\":[9,9]}");
    good(&peer, 3, NULL);
    json = frame(&peer, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "view"), "slice")),
                     0);
    json_decref(json);
    finish(&peer, CA_OK);
}
END_TEST

/* --- ends ------------------------------------------------------------------------------------- */

START_TEST(dead_peer)
{
    struct peer peer = open_anneal();

    if (_i) {
        say(&peer, "{\"id\":2,\"op\":\"run\"}");
        good(&peer, 2, NULL);
    }
    close(peer.from);
    peer.from = -1;
    if (_i == 2) /* input ends as well */
        close(peer.to);
    peer.to = _i == 2 ? -1 : peer.to;
    {
        int status;

        ck_assert_int_eq(waitpid(peer.pid, &status, 0), peer.pid);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), _i == 2 ? WEXITSTATUS(status) : CA_IO);
    }
    if (peer.to >= 0)
        close(peer.to);
    free(peer.text);
}
END_TEST

START_TEST(streams_that_are_no_use)
{
    int null_in = open("/dev/null", O_RDONLY), null_out = open("/dev/null", O_WRONLY);
    int full = open("/dev/full", O_WRONLY);
    struct ca_error error;

    ck_assert_int_eq(ca_engine_serve(-1, null_out, &error), CA_IO);
    ck_assert_contains(error.text, "standard input is closed");
    ck_assert_int_eq(ca_engine_serve(null_in, -1, &error), CA_IO);
    ck_assert_contains(error.text, "standard output is closed");
    ck_assert_int_eq(ca_engine_serve(null_out, null_out, &error), CA_IO);
    ck_assert_contains(error.text, "not open for reading");
    ck_assert_int_eq(ca_engine_serve(null_in, null_in, &error), CA_IO);
    ck_assert_contains(error.text, "not open for writing");
    ck_assert_int_eq(ca_engine_serve(null_in, full, &error), CA_IO);
    ck_assert_contains(error.text, "No space left");
    ck_assert_int_eq(ca_engine_serve(null_in, null_out, &error), CA_OK);
    ck_assert_int_eq(fcntl(null_out, F_GETFL) & O_NONBLOCK, 0);
    close(null_in);
    close(null_out);
    close(full);
}
END_TEST

/* A failure in the middle of a step: told as an event, answered, and the simulation is gone. */
START_TEST(lost_state)
{
    struct ca_engine engine = {.chunk = 1};
    struct ca_experiment experiment;
    struct ca_error error;
    struct peer peer = {0};
    json_t *json, *id = json_integer(77);
    int out[2], in = open("/dev/null", O_RDONLY);

    ck_assert_int_eq(pipe(out), 0);
    peer.from = out[0];
    ck_assert_int_eq(ca_channel_open(&engine.channel, in, out[1], &error), CA_OK);
    ca_experiment_default(&experiment, ca_models[0]);
    experiment.size = (struct ca_size){32, 32, 1};
    ck_assert_int_eq(ca_simulation_open(&engine.simulation, &experiment, &error), CA_OK);
    engine.waiting = json_array();
    ca_engine_begin(&engine, id, 100);
    ca_error_set(&error, CA_NO_DEVICE, "the device is lost \xff");
    ca_engine_lose(&engine, &error);
    ck_assert_ptr_null(engine.simulation);
    ck_assert(!ca_engine_stepping(&engine));
    json = next(&peer, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json, "event")), "stopped");
    ck_assert_int_eq(json_integer_value(json_object_get(json, "generation")), 0);
    json_decref(json);
    refused(&peer, 77, "no-device", "the device is lost ?");
    ca_channel_close(&engine.channel);
    json_decref(engine.waiting);
    json_decref(id);
    free(peer.text);
    close(in);
    close(out[0]);
    close(out[1]);
}
END_TEST

/* --- anything --------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

START_TEST(fuzz)
{
    static const char *const seeds[] = {
        OPEN "\n",
        "{\"id\":2,\"op\":\"open\",\"model\":\"life3d\",\"size\":[7,5,3],\"seed\":9}\n",
        "{\"id\":3,\"op\":\"open\",\"model\":\"fhp\",\"size\":[12,8],\"parameters\":{\"p_force\":1}"
        "}\n",
        "{\"id\":3,\"op\":\"open\",\"model\":\"cloud\",\"size\":\"9x8x7\",\"backend\":\"threads\"}"
        "\n",
        "{\"id\":4,\"op\":\"step\",\"n\":3}\n",
        "{\"id\":5,\"op\":\"run\",\"rate\":20}\n",
        "{\"id\":6,\"op\":\"stop\"}\n",
        "{\"id\":7,\"op\":\"change\",\"backend\":\"threads\",\"options\":{\"threads\":2}}\n",
        "{\"id\":8,\"op\":\"seek\",\"generation\":4}\n",
        "{\"id\":9,\"op\":\"view\",\"axis\":\"yz\",\"slice\":2,\"x\":-3,\"zoom\":2,\"columns\":9}"
        "\n",
        "{\"id\":9,\"op\":\"view\",\"drawn\":\"difference\",\"reduce\":\"mean\",\"fps\":1000}\n",
        "{\"id\":9,\"op\":\"view\",\"drawn\":\"change\",\"reduce\":\"sample\",\"fps\":1000}\n",
        "{\"op\":\"ack\"}\n",
        "{\"id\":10,\"op\":\"cell\",\"x\":3,\"y\":2,\"z\":1}\n",
        "{\"id\":11,\"op\":\"observe\"}\n{\"id\":12,\"op\":\"hash\"}\n{\"op\":\"reset\"}\n",
    };
    static const char end[] =
        "\n{\"op\":\"stop\"}\n{\"op\":\"stop\"}\n{\"id\":4242,\"op\":\"ping\"}\n";
    struct peer peer = start();
    char text[600];

    state = test_seed() * 2 + 1 + (uint64_t)_i;
    for (int round = 0; round < 400; round++) {
        size_t length;

        snprintf(text, sizeof text, "%s", seeds[draw(sizeof seeds / sizeof seeds[0])]);
        length = strlen(text);
        if (round % 8 == 7) /* no request at all */
            for (length = 0; length < 40; length++)
                text[length] = (char)draw(256);
        else if (round % 2)
            for (uint64_t i = 0, n = 1 + draw(3); i < n; i++)
                text[draw(length)] = (char)(draw(4) ? ' ' + (int)draw(95) : (int)draw(256));
        pour(&peer, text, length);
    }
    pour(&peer, end, sizeof end - 1);
    for (bool found = false; !found;) {
        json_t *json = next(&peer, NULL);

        ck_assert_msg(json != NULL, "the engine has ended");
        found = json_integer_value(json_object_get(json, "id")) == 4242;
        json_decref(json);
    }
    finish(&peer, CA_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("engine");
    TCase *requests = tcase_create("requests"), *frames = tcase_create("frames");
    TCase *ends = tcase_create("ends");

    tcase_set_timeout(requests, 60);
    tcase_set_timeout(frames, 60);
    tcase_set_timeout(ends, 120);
    tcase_add_test(requests, greeting);
    tcase_add_test(requests, steps_and_seeks);
    tcase_add_test(requests, change_keeps_the_state);
    tcase_add_test(requests, order);
    tcase_add_test(requests, stop_ends_step);
    tcase_add_test(requests, cells_and_observables);
    tcase_add_test(requests, saved_state_opens_again);
    tcase_add_loop_test(requests, wrong_requests, 0, sizeof wrong / sizeof wrong[0]);
    tcase_add_test(requests, nothing_is_open);
    tcase_add_test(requests, unknown_keys_and_any_id);
    tcase_add_test(requests, huge_lines);
    tcase_add_test(requests, bytes_that_are_zero);
    tcase_add_test(requests, half_line_at_the_end);
    tcase_add_test(frames, frame_shows_the_state);
    tcase_add_test(frames, one_frame_outstanding_and_the_newest_wins);
    tcase_add_test(frames, run_and_stop);
    tcase_add_test(frames, throttled_run);
    tcase_add_test(frames, slow_reader_does_not_hold_it_up);
    tcase_add_test(frames, paused_is_idle);
    tcase_add_test(frames, difference_to_the_reference);
    tcase_add_test(frames, view_survives_another_lattice);
    tcase_add_loop_test(ends, dead_peer, 0, 3);
    tcase_add_test(ends, streams_that_are_no_use);
    tcase_add_test(ends, lost_state);
    tcase_add_loop_test(ends, fuzz, 0, 4);
    suite_add_tcase(suite, requests);
    suite_add_tcase(suite, frames);
    suite_add_tcase(suite, ends);
    return run_suite(suite);
}
