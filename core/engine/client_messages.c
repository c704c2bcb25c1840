/* SPDX-License-Identifier: MIT */
/* The messages of an engine: its greeting, replies and events, and how it ended, in words. */
#include "core/engine/client_inside.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/crash.h"
#include "core/engine/wire.h"
#include "core/files/json.h"

#define MAGIC "CALAB1 "
#define GREETING MAGIC "{" /* of which the greeting is made, whatever a login printed before it */
#define NOISE_MAX_BYTES ((size_t)64 << 10)
#define LINE_MAX_BYTES ((size_t)4 << 20)
#define READ_BYTES ((size_t)256 << 10)
#define READS 16         /* in one call of ca_client_next */
#define LAST_WORD_MS 100 /* between the end of its output and of its process */

#define QUOTE_BYTES CA_CLIENT_PLACE

/* The bytes as text of a message: what cannot be printed is a question mark. */
static void quote(char text[QUOTE_BYTES], const char *bytes, size_t length)
{
    size_t n = length < QUOTE_BYTES - 1 ? length : QUOTE_BYTES - 1;

    for (size_t i = 0; i < n; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    text[n] = 0;
}

/* The last line of the bytes in which there is a word; "" for none. */
static void quote_last_line(char text[QUOTE_BYTES], const char *bytes, size_t length)
{
    text[0] = 0;
    while (length > 0) {
        const char *end = memrchr(bytes, '\n', length);
        const char *begin = end ? end + 1 : bytes;
        size_t count = (size_t)(bytes + length - begin);

        for (size_t i = 0; i < count; i++)
            if (isalnum((unsigned char)begin[i])) {
                while ((unsigned char)begin[count - 1] <= ' ')
                    count--;
                quote(text, begin, count);
                return;
            }
        length -= count + (end != NULL);
    }
}

/* The last line of its report, which other engines may write to as well. */
char *ca_client_place(const struct ca_client *client, char text[CA_CLIENT_PLACE])
{
    char tail[4096 + 1], mine[64], *line, *at;
    off_t end = client->report_fd >= 0 ? lseek(client->report_fd, 0, SEEK_END) : 0, begin;
    ssize_t got;

    text[0] = 0;
    begin = end - client->report_from > 4096 ? end - 4096 : client->report_from;
    got = end > begin ? pread(client->report_fd, tail, sizeof tail - 1, begin) : 0;
    if (got <= 0)
        return text;
    tail[got] = 0;
    snprintf(mine, sizeof mine, "process %ld ended by ", (long)client->child.pid);
    line = strstr(tail, mine);
    if (line)
        line[strcspn(line, "\n")] = 0;
    at = line ? strstr(line, " in ") : NULL;
    if (at)
        quote(text, at, strlen(at));
    return text;
}

/* The output has ended: stores how the process ended. */
static int conclude(struct ca_client *client)
{
    char how[128 + CA_CLIENT_PLACE], place[CA_CLIENT_PLACE], words[QUOTE_BYTES];
    int status;
    char tail[4096];
    off_t end, from, begin;
    ssize_t got;

    ca_client_end_input(client);
    if (!ca_child_reap(&client->child, client->by_command ? COMMAND_MS : LAST_WORD_MS)) {
        ca_error_set(&client->error, CA_IO, "%s closed its output", client->name);
        return client_lost(client);
    }
    status = client->child.wait_status;
    if (WIFSIGNALED(status) && ca_crash_name(WTERMSIG(status)))
        snprintf(how, sizeof how, "ended by %s%s", ca_crash_name(WTERMSIG(status)),
                 ca_client_place(client, place));
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "died by signal %d (%.80s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (client->host[0] && WEXITSTATUS(status) == 255) /* ssh's own status */
        snprintf(how, sizeof how, "%s",
                 client->greeted ? "is gone: the connection ended" : "cannot be reached");
    else if (client->host[0] && WEXITSTATUS(status) == 127) /* a shell's, of either side */
        snprintf(how, sizeof how, "cannot be started: there is no such program");
    else {
        int code = WEXITSTATUS(client->child.wait_status);

        /* "ended with status 3", and of a command what a shell means by it. */
        snprintf(how, sizeof how, "ended with status %d%s", code,
                 !client->by_command ? ""
                 : code == 127       ? " (there is no such program)"
                 : code == 126       ? " (it cannot be executed)"
                                     : "");
    }
    /* The last line follows that another host, or whatever was started in the engine's place, has
     * printed. */
    end = client->said_fd >= 0 ? lseek(client->said_fd, 0, SEEK_END) : 0;
    from = client->said_from;
    begin = end - from > (off_t)sizeof tail ? end - (off_t)sizeof tail : from;
    got = end > from ? pread(client->said_fd, tail, sizeof tail, begin) : 0;
    words[0] = 0;
    if (got > 0)
        quote_last_line(words, tail, (size_t)got);
    if (!words[0] && !client->greeted)
        quote_last_line(words, ca_buffer_head(&client->in), ca_buffer_count(&client->in));
    ca_error_set(&client->error, CA_IO, "%s %s%s%s%s", client->name, how, words[0] ? ": '" : "",
                 words, words[0] ? "'" : "");
    return client_lost(client);
}

/* Quotes in a message what was received instead of the protocol. */
static int garbage(struct ca_client *client, const char *what, const char *line, size_t length)
{
    char text[QUOTE_BYTES];

    quote(text, line, length);
    ca_error_set(&client->error, CA_IO, "%s does not keep to the protocol: expected %s, got '%s'%s",
                 client->name, what, text, length >= QUOTE_BYTES ? " ..." : "");
    return client_lost(client);
}

/* Drops what stands before the greeting. 1: the queue begins with it, 0: it has not come, -1: it
 * does not come. */
static int find_greeting(struct ca_client *client)
{
    struct ca_buffer *in = &client->in;
    size_t count = ca_buffer_count(in);
    char *head, *found;

    if (count == 0)
        return 0;
    head = ca_buffer_head(in);
    found = memmem(head, count, GREETING, strlen(GREETING));
    if ((found ? (size_t)(found - head) : count) > NOISE_MAX_BYTES)
        return garbage(client, "'" MAGIC "{...}' in the first 64 KiB", head, count);
    if (!found)
        return 0;
    ca_buffer_drop(in, (size_t)(found - head));
    return 1;
}

/* 1: the engine is of this version, whose protocol is the only one that is spoken here; -1. */
static int check_version(struct ca_client *client, const json_t *greeting)
{
    const char *given = ca_json_member(greeting, "version");
    char version[QUOTE_BYTES];

    if (strcmp(given, CALAB_VERSION) == 0)
        return 1;
    quote(version, given, strlen(given));
    ca_error_set(&client->error, CA_IO,
                 "%s is calab %.40s, and this is calab " CALAB_VERSION
                 ": both must be of the same version",
                 client->name, version[0] ? version : "of an unknown version");
    return client_lost(client);
}

/* One line: 1 and *json, or -1. */
static int parse_line(struct ca_client *client, const char *line, size_t length, json_t **json)
{
    size_t magic = client->greeted ? 0 : strlen(MAGIC);
    json_error_t cause;

    if (ca_json_parse(json, line + magic, length - magic, 0, &cause) == CA_NO_MEMORY) {
        ca_error_set(&client->error, CA_NO_MEMORY, "no memory for what %s says", client->name);
        return client_lost(client);
    }
    if (!json_is_object(*json)) {
        json_decref(*json);
        *json = NULL;
        return garbage(client, "a JSON object a line", line, length);
    }
    if (client->greeted)
        return 1;
    json_object_set_new(*json, "event", json_string(ca_event_names[CA_EVENT_HELLO]));
    client->greeted = true;
    if (check_version(client, *json) > 0)
        return 1;
    json_decref(*json);
    *json = NULL;
    return -1;
}

/* Takes a message from the queue. 1: taken, 0: it is not complete, -1: it is no message. */
static int client_parse(struct ca_client *client, struct ca_message *message)
{
    struct ca_buffer *in = &client->in;
    int found = client->greeted || client->searched > 0 ? 1 : find_greeting(client);

    if (found <= 0)
        return found;
    if (!client->partial) {
        size_t count = ca_buffer_count(in), length;
        char *head = ca_buffer_head(in), *end = NULL;
        const json_t *bytes;
        json_int_t wanted = 0;

        if (count > client->searched)
            end = memchr(head + client->searched, '\n', count - client->searched);
        client->searched = count;
        if (!end)
            return count > LINE_MAX_BYTES ? garbage(client, "a line below 4 MiB", head, count) : 0;
        length = (size_t)(end - head);
        if (parse_line(client, head, length, &client->partial) < 0)
            return -1;
        client->searched = 0;
        bytes = json_object_get(client->partial, "bytes");
        if (bytes)
            wanted = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
        if (wanted < 0 || wanted > CA_WIRE_PAYLOAD_MAX)
            return garbage(client, "0 ... 16777216 bytes", head, length);
        client->bytes = (size_t)wanted;
        ca_buffer_drop(in, length + 1);
    }
    if (ca_buffer_count(in) < client->bytes)
        return 0;
    message->json = client->partial;
    message->data = client->bytes ? (const uint8_t *)ca_buffer_head(in) : NULL;
    message->bytes = client->bytes;
    client->partial = NULL;
    client->taken = client->bytes;
    return 1;
}

int ca_client_next(struct ca_client *client, struct ca_message *message, struct ca_error *error)
{
    int result = client->gone ? -1 : 0;

    ca_buffer_drop(&client->in, client->taken);
    client->taken = 0;
    for (int i = 0; result == 0; i++) {
        enum ca_transfer transfer;

        result = client_parse(client, message);
        if (result != 0 || i == READS)
            break;
        transfer = ca_buffer_read(&client->in, client->read_fd, READ_BYTES);
        if (transfer == CA_WOULD_WAIT)
            break;
        if (transfer == CA_BROKEN) {
            ca_error_set(&client->error, CA_IO, "%s: reading fails: %s", client->name,
                         strerror(errno));
            result = client_lost(client);
        } else if (transfer == CA_ENDED) {
            result = conclude(client);
        }
    }
    if (result < 0)
        *error = client->error;
    return result;
}
