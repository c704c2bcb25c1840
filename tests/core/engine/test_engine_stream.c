/* SPDX-License-Identifier: MIT */
/* The engine's two streams: lines that are none, peers that are gone, and anything at all. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/channel.h"
#include "core/engine/engine.h"
#include "core/engine/state.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

/* Writes `count` bytes, taking in what comes meanwhile. */
static void pour(struct peer *peer, const char *bytes, size_t count)
{
    fcntl(peer->to, F_SETFL, O_NONBLOCK);
    while (count > 0) {
        struct pollfd fds[2] = {{.fd = peer->from, .events = POLLIN},
                                {.fd = peer->to, .events = POLLOUT}};
        ssize_t put;

        ck_assert_int_gt(poll(fds, 2, PEER_PATIENCE_MS), 0);
        if (fds[0].revents)
            ck_assert(peer_more(peer));
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
    struct peer peer = peer_start();
    json_t *json;

    peer_next(&peer, NULL);
    /* just allowed */
    memset(line, ' ', 3 * size);
    memcpy(line, "{\"id\":5,\"op\":\"ping\"}", 20);
    line[size] = '\n';
    pour(&peer, line, size + 1);
    peer_good(&peer, 5, NULL);
    /* a byte more, and much more */
    for (size_t i = 1; i < 3; i++) {
        memset(line, i == 1 ? ' ' : 'x', 3 * size);
        line[i * size + 1] = '\n';
        pour(&peer, line, i * size + 2);
        json = peer_next(&peer, NULL);
        ck_assert_contains(json_text(json, "error.message"), "too long: at most 1048576 bytes");
        peer_gets(&peer, NULL, "{'id':6,'op':'ping'}");
    }
    free(line);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(bytes_that_are_zero)
{
    static const char line[] =
        "{\"id\":5,\"op\":\"ping\"}\0\n\0\0\0\n{\"id\":6,\"op\":\"pi\0ng\"}\n";
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    ck_assert_int_gt(write(peer.to, line, sizeof line - 1), 0);
    for (int i = 0; i < 3; i++) {
        json_t *json = peer_next(&peer, NULL);

        ck_assert(json_is_false(json_object_get(json, "ok")));
    }
    peer_gets(&peer, NULL, "{'id':6,'op':'ping'}");
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(half_line_at_the_end)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    ck_assert_int_eq(write(peer.to, "{\"id\":1,\"op\":\"ping\"}", 20), 20);
    close(peer.to);
    peer.to = -1;
    ck_assert_ptr_null(peer_next(&peer, NULL));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* What follows a request that is refused is no request. */
START_TEST(bytes_of_refused_requests)
{
    size_t count = (16 << 20) + 1;
    struct peer peer = peer_start();
    char *bytes = malloc(count);
    json_t *json;

    peer_next(&peer, NULL);
    memset(bytes, 'x', count);
    peer_say(&peer, "{'id':1,'op':'ping','bytes':%zu}", count);
    pour(&peer, bytes, count);
    json = peer_next(&peer, NULL);
    ck_assert_contains(json_text(json, "error.message"),
                       "request 1 has 16777217 bytes: at most 16777216 are allowed");
    peer_say(&peer, "{'id':2,'op':'ping','bytes':-1}\n{'id':3,'op':'ping'}");
    close(peer.to); /* so that an engine that waits for them ends */
    peer.to = -1;
    json = peer_next(&peer, NULL);
    ck_assert_contains(json_text(json, "error.message"),
                       "request 2: \"bytes\" is the number of bytes that follow");
    peer_good(&peer, 3, NULL);
    free(bytes);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Sends a request over and over, with blanks so that few of them fill the pipe, and reads nothing.
 * How many went out before the engine took no more. */
static int sent_until_full(struct peer *peer, const char *request, int most)
{
    char line[1024];
    int count = 0;

    memset(line, ' ', sizeof line);
    memcpy(line, request, strlen(request));
    line[sizeof line - 1] = '\n';
    fcntl(peer->to, F_SETFL, O_NONBLOCK);
    for (; count < most; count++) {
        struct pollfd out = {.fd = peer->to, .events = POLLOUT};

        if (poll(&out, 1, 1000) == 0)
            break;
        ck_assert_int_eq(write(peer->to, line, sizeof line), sizeof line);
    }
    return count;
}

/* Answers that nobody reads do not pile up without an end. */
START_TEST(an_engine_takes_what_it_can_hold)
{
    struct peer peer = peer_open_anneal();

    int sent = sent_until_full(&peer, "{\"op\":\"cells\",\"width\":64,\"height\":64}", 5000);

    ck_assert_int_lt(sent, 5000);
    for (int i = 0; i < sent; i++) /* and goes on once they are read */
        peer_next(&peer, NULL);
    kill(peer.pid, SIGKILL);
    waitpid(peer.pid, NULL, 0);
    close(peer.to);
    close(peer.from);
    free(peer.text);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* What does not fit behind the queue nor, if that is moved to the front, behind it there, takes
 * more memory. */
START_TEST(queues_grow)
{
    struct ca_buffer queue = {0};
    size_t size;
    char *bytes;

    ck_assert(ca_buffer_reserve(&queue, 1));
    size = queue.size;
    bytes = calloc(size, 1);
    ck_assert(ca_buffer_append(&queue, bytes, size));
    ca_buffer_drop(&queue, size - 10);
    ck_assert(ca_buffer_reserve(&queue, size - 10)); /* just fits */
    ck_assert_uint_eq(queue.size, size);
    ck_assert(ca_buffer_reserve(&queue, size - 9));
    ck_assert_uint_ge(queue.size - queue.end, size - 9);
    ck_assert_uint_eq(ca_buffer_count(&queue), 10);
    ca_buffer_free(&queue);
    free(bytes);
}
END_TEST

/* A queue of bytes against plain arithmetic: byte i of the stream is i mod 251. */
START_TEST(queues_keep_order)
{
    struct ca_buffer queue = {0};
    uint64_t random = test_seed();
    size_t in = 0, out = 0;
    int wrong = 0;
    uint8_t bytes[5000];

    for (int i = 0; i < 2000; i++) {
        size_t count = (size_t)next_random(&random) % (i % 100 == 0 ? 5000 : 300);

        for (size_t k = 0; k < count; k++)
            bytes[k] = (uint8_t)((in + k) % 251);
        ck_assert(ca_buffer_append(&queue, bytes, count));
        in += count;
        ck_assert_uint_eq(ca_buffer_count(&queue), in - out);
        for (size_t k = 0; k < in - out; k++)
            wrong += (uint8_t)ca_buffer_head(&queue)[k] != (out + k) % 251;
        ck_assert_int_eq(wrong, 0);
        count = (size_t)next_random(&random) % (in - out + 1);
        ca_buffer_drop(&queue, i % 97 == 0 ? in - out : count);
        out = i % 97 == 0 ? in : out + count;
    }
    ck_assert_uint_le(queue.size, 1 << 16); /* what was taken out takes no place */
    ca_buffer_free(&queue);
}
END_TEST

START_TEST(dead_peer)
{
    struct peer peer = peer_open_anneal();

    if (_i) {
        peer_gets(&peer, NULL, "{'id':2,'op':'run'}");
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
    ck_assert_ok(ca_engine_serve(null_in, null_out, &error));
    ck_assert_int_eq(fcntl(null_out, F_GETFL) & O_NONBLOCK, 0);
    close(null_in);
    close(null_out);
    close(full);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* whose allocations mallinfo2 does not know */
/* An engine that has ended has given back all that it took. */
START_TEST(memory_comes_back)
{
    int null_in = open("/dev/null", O_RDONLY), null_out = open("/dev/null", O_WRONLY);
    struct ca_error error;
    size_t before = 0;

    for (int i = 0; i < 20; i++) { /* the first fill the lists of libc and libraries */
        ck_assert_ok(ca_engine_serve(null_in, null_out, &error));
        if (i == 9)
            before = mallinfo2().uordblks;
    }
    /* Pieces of blocks that are larger than was asked for come and go; a viewer has more bytes. */
    ck_assert_uint_lt(mallinfo2().uordblks, before + 10 * 64);
    close(null_in);
    close(null_out);
}
END_TEST
#else
START_TEST(memory_comes_back) {}
END_TEST
#endif

/* A failure in the middle of a step: told as an event, answered, and the simulation is gone. */
START_TEST(lost_state)
{
    struct ca_engine engine = {0};
    struct ca_experiment experiment;
    struct ca_error error;
    struct peer peer = {0};
    json_t *json, *id = json_integer(77);
    int out[2], in = open("/dev/null", O_RDONLY);

    ck_assert_int_eq(pipe(out), 0);
    peer.from = out[0];
    ck_assert_ok(ca_channel_open(&engine.channel, in, out[1], &error));
    ca_experiment_default(&experiment, ca_models[0]);
    ca_experiment_backend(&experiment, ca_models[0]->backends, CA_FROM_COMMAND_LINE);
    experiment.size = (struct ca_size){32, 32, 1};
    ck_assert_ok(ca_simulation_open(&engine.simulation, &experiment, &error));
    ca_engine_begin(&engine, id, 100);
    ca_error_set(&error, CA_NO_DEVICE, "the device is lost \xff");
    ca_engine_lose(&engine, &error);
    ck_assert_ptr_null(engine.simulation);
    ck_assert(!ca_engine_stepping(&engine));
    json = peer_next(&peer, NULL);
    ck_assert_str_eq(json_text(json, "event"), "stopped");
    ck_assert_int_eq(json_whole(json, "generation"), 0);
    peer_refused(&peer, 77, "no-device", "the device is lost ?");
    ca_channel_close(&engine.channel);
    ca_waiting_free(&engine.waiting);
    json_decref(id);
    free(peer.text);
    close(in);
    close(out[0]);
    close(out[1]);
}
END_TEST

/* --- interrupted calls ------------------------------------------------------------------------ */

static int pipe_end[2];
static volatile sig_atomic_t interruptions, reading;

/* Most interruptions come while the call waits: those before the tenth let it wait on. */
static void interrupt_call(int number)
{
    static char bytes[1 << 16];
    const int kept = errno;

    (void)number;
    if (++interruptions < 10)
        return;
    if (reading ? write(pipe_end[1], "x", 1) != 1
                : read(pipe_end[0], bytes, sizeof bytes) <= 0 && errno != EAGAIN)
        _exit(1);
    errno = kept;
}

/* A signal that another thread's code has a handler for loses no byte and ends no stream. */
START_TEST(signals_interrupt_nothing)
{
    const struct sigaction action = {.sa_handler = interrupt_call};
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    struct ca_buffer buffer = {0};
    size_t size = 300000; /* more than a pipe holds */
    char *bytes = calloc(size, 1);

    ck_assert_int_eq(pipe(pipe_end), 0);
    if (!_i) /* the handler may find the pipe empty, before the first byte and after the last */
        ck_assert_int_eq(fcntl(pipe_end[0], F_SETFL, O_NONBLOCK), 0);
    reading = _i;
    interruptions = 0;
    sigaction(SIGALRM, &action, NULL);
    if (!reading)
        ck_assert(ca_buffer_append(&buffer, bytes, size));
    setitimer(ITIMER_REAL, &often, NULL);
    if (reading) {
        ck_assert_int_eq(ca_buffer_read(&buffer, pipe_end[0], 100), CA_MOVED);
        ck_assert_int_gt((int)ca_buffer_count(&buffer), 0);
        ck_assert_int_eq(*ca_buffer_head(&buffer), 'x');
    } else {
        ck_assert_int_eq(ca_buffer_write(&buffer, pipe_end[1]), CA_MOVED);
        ck_assert_int_eq((int)ca_buffer_count(&buffer), 0);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    ck_assert_int_ge(interruptions, 10);
    ca_buffer_free(&buffer);
    free(bytes);
    close(pipe_end[0]);
    close(pipe_end[1]);
}
END_TEST

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
        PEER_OPEN "\n",
        "{\"id\":2,\"op\":\"open\",\"model\":\"life3d\",\"size\":[7,5,3],\"seed\":9}\n",
        "{\"id\":3,\"op\":\"open\",\"model\":\"fhp\",\"size\":[12,8],\"parameters\":{\"p_force\":1}"
        "}\n",
        "{\"id\":3,\"op\":\"open\",\"model\":\"cloud\",\"size\":\"9x8x7\",\"backend\":\"threads\"}"
        "\n",
        "{\"id\":4,\"op\":\"step\",\"n\":3}\n",
        "{\"id\":5,\"op\":\"run\",\"per_frame\":2,\"fps\":20}\n",
        "{\"id\":6,\"op\":\"stop\"}\n",
        "{\"id\":7,\"op\":\"change\",\"backend\":\"threads\",\"options\":{\"threads\":2}}\n",
        "{\"id\":8,\"op\":\"seek\",\"generation\":4}\n",
        "{\"id\":9,\"op\":\"view\",\"axis\":\"yz\",\"slice\":2,\"x\":-3,\"zoom\":2,\"columns\":9}"
        "\n",
        "{\"id\":9,\"op\":\"view\",\"drawn\":\"density\",\"reduce\":\"mean\",\"fps\":1000}\n",
        "{\"id\":9,\"op\":\"view\",\"drawn\":\"change\",\"reduce\":\"sample\",\"fps\":1000}\n",
        "{\"op\":\"ack\"}\n",
        "{\"id\":10,\"op\":\"cell\",\"x\":3,\"y\":2,\"z\":1}\n",
        "{\"id\":12,\"op\":\"mark\"}\n{\"op\":\"back\"}\n{\"op\":\"unmark\"}\n",
        "{\"id\":13,\"op\":\"burst\",\"n\":2,\"calls\":3,\"seconds\":1}\n",
        "{\"id\":14,\"op\":\"digest\",\"first\":2,\"rows\":3,\"parts\":2}\n",
        "{\"id\":15,\"op\":\"cells\",\"x\":1,\"width\":4,\"height\":3,\"depth\":2}\n",
        "{\"id\":16,\"op\":\"step\",\"n\":2,\"hash\":true,\"frame\":true}\n",
        "{\"id\":11,\"op\":\"observe\"}\n{\"id\":12,\"op\":\"hash\"}\n{\"op\":\"reset\"}\n",
    };
    static const char end[] =
        "\n{\"op\":\"stop\"}\n{\"op\":\"stop\"}\n{\"id\":4242,\"op\":\"ping\"}\n";
    struct peer peer = peer_start();
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
        json_t *json = peer_next(&peer, NULL);

        ck_assert_msg(json != NULL, "the engine has ended");
        found = json_whole(json, "id") == 4242;
    }
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A channel writes without blocking, and gives its descriptor the former flags back at its end. */
START_TEST(flags_come_back)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        struct ca_channel channel;
        struct ca_error error;
        int in[2], out[2], before;

        ck_assert_int_eq(pipe(in), 0);
        ck_assert_int_eq(pipe(out), 0);
        before = fcntl(out[1], F_GETFL) | (blocks ? 0 : O_NONBLOCK);
        ck_assert_int_eq(fcntl(out[1], F_SETFL, before), 0);
        ck_assert_ok(ca_channel_open(&channel, in[0], out[1], &error));
        ck_assert_int_eq(fcntl(out[1], F_GETFL), before | O_NONBLOCK);
        ca_channel_close(&channel);
        ck_assert_int_eq(fcntl(out[1], F_GETFL), before);
        for (int i = 0; i < 2; i++) {
            close(in[i]);
            close(out[i]);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {huge_lines, bytes_that_are_zero, half_line_at_the_end,
                              bytes_of_refused_requests, queues_grow, queues_keep_order,
                              an_engine_takes_what_it_can_hold, streams_that_are_no_use, lost_state,
                              memory_comes_back, flags_come_back},
                     .table = {{dead_peer, 3}, {signals_interrupt_nothing, 2}, {fuzz, 4}});
}
