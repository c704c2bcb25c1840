/* SPDX-License-Identifier: MIT */
/* The channel reads and writes the engine's two streams. */
#include "core/engine/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/engine/crash.h"
#include "core/engine/wire.h"
#include "core/files/json.h"

#define READ_BYTES ((size_t)64 << 10)

static void broken(struct ca_channel *channel, const char *what, const char *why)
{
    if (!channel->broken)
        ca_error_set(&channel->error, CA_IO, "engine: %s: %s", what, why);
    channel->broken = true;
}

enum ca_status ca_channel_open(struct ca_channel *channel, int in, int out, struct ca_error *error)
{
    int flags;

    *channel = (struct ca_channel){.in = in, .out = out, .shortages = ca_json_shortages()};
    flags = fcntl(in, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
        return ca_fail(error, CA_IO, "engine: requests cannot be read: standard input is %s",
                       flags < 0 ? "closed" : "not open for reading");
    flags = fcntl(out, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return ca_fail(error, CA_IO, "engine: answers cannot be written: standard output is %s",
                       flags < 0 ? "closed" : "not open for writing");
    channel->out_flags = flags;
    if (fcntl(out, F_SETFL, flags | O_NONBLOCK) != 0)
        return ca_fail(error, CA_IO, "engine: standard output: %s", strerror(errno));
    return CA_OK;
}

void ca_channel_close(struct ca_channel *channel)
{
    /* The flags of a terminal are shared with the shell that continues afterwards. */
    fcntl(channel->out, F_SETFL, channel->out_flags);
    ca_buffer_free(&channel->received);
    ca_buffer_free(&channel->sent);
    json_decref(channel->waiting);
}

/* Or was one, before it was closed. */
static bool is_terminal(int fd)
{
    struct stat facts;

    return fstat(fd, &facts) == 0 && S_ISCHR(facts.st_mode);
}

void ca_channel_receive(struct ca_channel *channel)
{
    int why;

    switch (ca_buffer_read(&channel->received, channel->in, READ_BYTES)) {
    case CA_ENDED:
        channel->ended = true;
        break;
    case CA_BROKEN:
        why = errno;
        if (why != EIO || !is_terminal(channel->in)) /* a closed one reads so, which is the end */
            broken(channel, "reading requests", strerror(why));
        channel->ended = true;
        break;
    default:
        break;
    }
}

/* Finds a line below CA_REQUEST_MAX. 1: found, 0: none is complete, -1: it is too long. */
static int next_line(struct ca_channel *channel, const char **line, size_t *length)
{
    struct ca_buffer *received = &channel->received;

    ca_buffer_drop(received, channel->line);
    channel->line = 0;
    for (;;) {
        size_t count = ca_buffer_count(received);
        const char *head = ca_buffer_head(received), *end = NULL;

        if (count > channel->searched)
            end = memchr(head + channel->searched, '\n', count - channel->searched);
        *length = end ? (size_t)(end - head) : count;
        if (*length > CA_REQUEST_MAX && !channel->skipping) {
            channel->skipping = true;
            channel->searched = 0;
            return -1;
        }
        channel->searched = count;
        if (!end) {
            if (channel->skipping) {
                ca_buffer_drop(received, count);
                channel->searched = 0;
            }
            return 0;
        }
        channel->searched = 0;
        if (!channel->skipping) {
            *line = head;
            channel->line = *length + 1;
            return 1;
        }
        channel->skipping = false;
        ca_buffer_drop(received, *length + 1);
    }
}

static bool blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", line[i]) || !line[i])
            return false;
    return true;
}

/* Takes a line, which is an object. As ca_channel_request. */
static int take_line(struct ca_channel *channel, json_t **request, struct ca_error *error)
{
    json_error_t wrong;
    const char *line = NULL;
    size_t length = 0;
    int got;

    do
        got = next_line(channel, &line, &length);
    while (got > 0 && blank(line, length));
    if (got == 0)
        return 0;
    channel->requests++;
    if (got < 0) {
        ca_error_set(error, CA_USAGE,
                     "request %" PRIu64 " is too long: at most %zu bytes are allowed",
                     channel->requests, CA_REQUEST_MAX);
        return -1;
    }
    if (ca_json_parse(request, line, length, JSON_DECODE_ANY, &wrong) == CA_NO_MEMORY) {
        broken(channel, "reading requests", "no memory"); /* whose it was is not known */
        return 0;
    }
    if (strcmp(ca_json_member(*request, "op"), "ack") != 0)
        ca_crash_note(line, length); /* ack comes with every frame */
    if (json_is_object(*request))
        return 1;
    if (*request)
        ca_error_set(error, CA_USAGE, "request %" PRIu64 " is not a JSON object",
                     channel->requests);
    else
        ca_error_set(error, CA_USAGE, "request %" PRIu64 " is not JSON: column %d: %s",
                     channel->requests, wrong.column, wrong.text);
    json_decref(*request);
    *request = NULL;
    return -1;
}

/* The bytes that a request announces follow its line. 1, or -1 where that cannot be. */
static int announce(struct ca_channel *channel, const json_t *request, struct ca_error *error)
{
    const json_t *bytes = json_object_get(request, "bytes");
    json_int_t count = json_integer_value(bytes);

    channel->bytes = 0;
    if (!bytes)
        return 1;
    if (!json_is_integer(bytes) || count < 0) {
        ca_error_set(error, CA_USAGE,
                     "request %" PRIu64 ": \"bytes\" is the number of bytes that follow",
                     channel->requests);
        return -1;
    }
    if (count > CA_WIRE_PAYLOAD_MAX) {
        channel->unwanted = (uint64_t)count;
        ca_error_set(error, CA_USAGE,
                     "request %" PRIu64 " has %" PRId64 " bytes: at most %" PRId64 " are allowed",
                     channel->requests, (int64_t)count, CA_WIRE_PAYLOAD_MAX);
        return -1;
    }
    channel->bytes = (size_t)count;
    return 1;
}

/* Passes over unwanted bytes; whether all have come. */
static bool pass_over(struct ca_channel *channel)
{
    size_t count = ca_buffer_count(&channel->received);

    if (channel->unwanted == 0)
        return true;
    count = count < channel->unwanted ? count : (size_t)channel->unwanted;
    ca_buffer_drop(&channel->received, count);
    channel->unwanted -= count;
    return channel->unwanted == 0;
}

int ca_channel_request(struct ca_channel *channel, json_t **request, struct ca_error *error)
{
    struct ca_buffer *received = &channel->received;

    *request = NULL;
    if (!channel->waiting) {
        int got = pass_over(channel) ? take_line(channel, request, error) : 0;

        if (got <= 0)
            return got;
        ca_buffer_drop(received, channel->line);
        channel->line = 0;
        got = announce(channel, *request, error);
        if (got <= 0 || channel->bytes == 0)
            return got;
        channel->waiting = *request;
        *request = NULL;
    }
    if (ca_buffer_count(received) < channel->bytes)
        return 0;
    *request = channel->waiting;
    channel->waiting = NULL;
    /* Any bytes at all: jansson is not asked to read them as UTF-8. */
    json_object_set_new(*request, "bytes",
                        json_stringn_nocheck(ca_buffer_head(received), channel->bytes));
    ca_buffer_drop(received, channel->bytes);
    return 1;
}

void ca_channel_send(struct ca_channel *channel, const char *magic, json_t *message,
                     const struct iovec parts[], int count)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;

    json_decref(message);
    if (ca_json_shortages() != channel->shortages)
        broken(channel, "writing answers", "no memory");
    if (channel->broken) {
        free(text);
        return;
    }
    if (text)
        text[length] = '\n'; /* in place of the terminating NUL */
    if (!text || (magic && !ca_buffer_append(&channel->sent, magic, strlen(magic))) ||
        !ca_buffer_append(&channel->sent, text, length + 1))
        broken(channel, "writing answers", "no memory");
    for (int i = 0; i < count && !channel->broken; i++)
        if (!ca_buffer_append(&channel->sent, parts[i].iov_base, parts[i].iov_len))
            broken(channel, "writing answers", "no memory");
    free(text);
    ca_channel_flush(channel);
}

void ca_channel_flush(struct ca_channel *channel)
{
    if (channel->broken)
        return;
    switch (ca_buffer_write(&channel->sent, channel->out)) {
    case CA_ENDED:
        broken(channel, "writing answers", "the reader is gone");
        break;
    case CA_BROKEN:
        broken(channel, "writing answers", strerror(errno));
        break;
    default:
        break;
    }
}
