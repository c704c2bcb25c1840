/* SPDX-License-Identifier: MIT */
/* Owns an engine in a child process and the two pipes to it. */
#include "tests/support/engine_peer.h"

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/engine.h"
#include "tests/support/support.h"

struct peer peer_start(void)
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
        exit((int)ca_engine_serve(to[0], from[1],
                                  &error)); /* not _exit, so that leaks are detected */
    }
    signal(SIGPIPE, SIG_IGN);
    close(to[0]);
    close(from[1]);
    peer.to = to[1];
    peer.from = from[0];
    return peer;
}

bool peer_more(struct peer *peer)
{
    struct pollfd out = {.fd = peer->from, .events = POLLIN};
    ssize_t got;

    ck_assert_msg(poll(&out, 1, PEER_PATIENCE_MS) > 0, "the engine says nothing");
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

/* Both are the caller's. */
static json_t *take_message(struct peer *peer, uint8_t **payload)
{
    char *end = NULL;
    json_t *json;
    size_t bytes, length, skip;

    while (!peer->count || !(end = memchr(peer->text, '\n', peer->count)))
        if (!peer_more(peer))
            return NULL;
    length = (size_t)(end - peer->text);
    skip = length > 7 && memcmp(peer->text, "CALAB1 ", 7) == 0 ? 7 : 0;
    json = json_loadb(peer->text + skip, length - skip, 0, NULL);
    ck_assert_msg(json != NULL, "not JSON: %.*s", (int)length, peer->text);
    take(peer, length + 1);
    bytes = (size_t)json_integer_value(json_object_get(json, "bytes"));
    while (peer->count < bytes)
        ck_assert(peer_more(peer));
    if (payload && bytes) {
        *payload = malloc(bytes);
        memcpy(*payload, peer->text, bytes);
    }
    if (bytes)
        take(peer, bytes);
    return json;
}

json_t *peer_next(struct peer *peer, uint8_t **payload)
{
    uint8_t *bytes = NULL;
    json_t *json = take_message(peer, payload ? &bytes : NULL);

    if (bytes)
        *payload = test_keep(bytes);
    return test_keep(json);
}

/* Sends a line; the id in it, 0 for none. */
static int peer_write_request(struct peer *peer, const char *format, va_list arguments)
{
    char quoted[8192], line[8192];
    const char *id;
    int length;

    for (size_t i = 0; i <= strlen(format); i++)
        quoted[i] = (char)(format[i] == '\'' ? '"' : format[i]);
    length = vsnprintf(line, sizeof line - 1, quoted, arguments);
    line[length] = '\n';
    ck_assert_int_eq(write(peer->to, line, (size_t)length + 1), length + 1);
    id = strstr(line, "\"id\":");
    return id ? atoi(id + 5) : 0;
}

void peer_say(struct peer *peer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    peer_write_request(peer, format, arguments);
    va_end(arguments);
}

json_t *peer_ask(struct peer *peer, const char *format, ...)
{
    va_list arguments;
    int id;

    va_start(arguments, format);
    id = peer_write_request(peer, format, arguments);
    va_end(arguments);
    return peer_answer(peer, id);
}

int64_t peer_gets(struct peer *peer, const char *name, const char *format, ...)
{
    va_list arguments;
    int id;

    va_start(arguments, format);
    id = peer_write_request(peer, format, arguments);
    va_end(arguments);
    return peer_good(peer, id, name);
}

void peer_refuses(struct peer *peer, const char *code, const char *text, const char *format, ...)
{
    va_list arguments;
    int id;

    va_start(arguments, format);
    id = peer_write_request(peer, format, arguments);
    va_end(arguments);
    peer_refused(peer, id, code, text);
}

void peer_send(struct peer *peer, const void *bytes, size_t count)
{
    ck_assert_int_eq(write(peer->to, bytes, count), (ssize_t)count);
}

/* The next message that has this key, with its payload; both are kept, others are not. */
static json_t *next_with(struct peer *peer, const char *key, const char *text, uint8_t **payload)
{
    for (;;) {
        uint8_t *bytes = NULL;
        json_t *json = take_message(peer, &bytes), *value = json_object_get(json, key);

        ck_assert_msg(json != NULL, "output ends before the next '%s'", key);
        if (value && (!text || strcmp(json_string_value(value), text) == 0)) {
            test_keep(bytes);
            if (payload)
                *payload = bytes;
            return test_keep(json);
        }
        free(bytes);
        json_decref(json);
    }
}

json_t *peer_answer(struct peer *peer, int id) { return peer_answer_bytes(peer, id, NULL); }

json_t *peer_answer_bytes(struct peer *peer, int id, uint8_t **payload)
{
    json_t *json = next_with(peer, "id", NULL, payload);

    ck_assert_int_eq(json_integer_value(json_object_get(json, "id")), id);
    return json;
}

int64_t peer_good(struct peer *peer, int id, const char *name)
{
    json_t *json = peer_answer(peer, id);
    int64_t value = json_integer_value(json_object_get(json, name ? name : "generation"));

    ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    if (name)
        ck_assert(json_is_integer(json_object_get(json, name)));
    return value;
}

void peer_refused(struct peer *peer, int id, const char *code, const char *text)
{
    json_t *json = peer_answer(peer, id), *error = json_object_get(json, "error");

    ck_assert_msg(json_is_false(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
    ck_assert_str_eq(json_string_value(json_object_get(error, "code")), code);
    ck_assert_contains(json_string_value(json_object_get(error, "message")), text);
}

json_t *peer_frame(struct peer *peer, uint8_t **payload)
{
    uint8_t *bytes;
    json_t *json = next_with(peer, "event", "frame", &bytes);

    ck_assert_ptr_nonnull(bytes);
    if (payload)
        *payload = bytes;
    return json;
}

int64_t peer_frame_generation(struct peer *peer)
{
    return json_integer_value(json_object_get(peer_frame(peer, NULL), "generation"));
}

void peer_finish(struct peer *peer, int status)
{
    int got;

    close(peer->to);
    if (peer->from >= 0) {
        while (peer_more(peer))
            ;
        close(peer->from);
    }
    free(peer->text);
    ck_assert_int_eq(waitpid(peer->pid, &got, 0), peer->pid);
    ck_assert_msg(WIFEXITED(got) && WEXITSTATUS(got) == status, "wait status %d", got);
}

struct peer peer_open_anneal(void)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_say(&peer, PEER_OPEN);
    ck_assert_int_eq(peer_good(&peer, 1, "generation"), 0);
    return peer;
}
