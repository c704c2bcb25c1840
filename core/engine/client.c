/* SPDX-License-Identifier: MIT */
/*
 * The client writes requests to an engine, reads its messages, hands each reply to whoever has
 * asked, and says in words how an engine ended.
 */
#include "core/engine/client.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/buffer.h"
#include "core/engine/child.h"
#include "core/engine/crash.h"
#include "core/engine/host.h"
#include "core/engine/wire.h"
#include "core/files/json.h"

#define MAGIC "CALAB1 "
#define GREETING MAGIC "{" /* of which the greeting is made, whatever a login printed before it */
#define NOISE_MAX_BYTES ((size_t)64 << 10)
#define LINE_MAX_BYTES ((size_t)4 << 20)
#define READ_BYTES ((size_t)256 << 10)
#define READS 16         /* in one call of ca_client_next */
#define GRACE_MS 200     /* for an engine that has been asked to quit */
#define LAST_WORD_MS 100 /* between the end of its output and of its process */
#define SHOWN_BYTES 80   /* of a command, in messages */
#define COMMAND_MS 1000  /* both for a command, which may have others to end first */

struct ca_client {
    struct ca_child child;
    int write_fd, read_fd;
    struct ca_buffer out, in;
    size_t taken;    /* bytes of `in` that the last ca_client_next returned */
    size_t searched; /* leading bytes of `in` without an end of line */
    json_t *partial; /* a message whose payload is not complete */
    size_t bytes;    /* of that payload */
    int64_t last_id;
    struct ca_request *waiting; /* for replies, the oldest first */
    bool greeted, gone;
    unsigned shortages;    /* of memory for JSON at the start: later, a request may lack members */
    struct ca_error error; /* how the engine ended, if it is gone */
    char host[256];        /* "": this one, or not known */
    bool by_command;       /* its process is a shell's, which has run a command line */
    char name[300];        /* "engine", and where, or by which command */
    int stderr_fd;         /* the caller's */
    /* The file that holds its stderr, behind `said_from`: of another host one in memory, of a
     * command the caller's, if that is a file; or -1. */
    int said_fd;
    off_t said_from;
};

static void client_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The file that a descriptor writes to, to be read from its present end on; -1: it is none. */
static int open_file_of(int fd, off_t *end)
{
    struct stat facts;
    char path[64];

    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return -1;
    *end = facts.st_size;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Starts a process for *c, which has its names. It is freed where that fails. */
static enum ca_status client_start_process(struct ca_client *c, struct ca_client **client,
                                           const char *const argv[], struct ca_error *error)
{
    enum ca_status status;

    c->write_fd = c->read_fd = c->said_fd = -1;
    if (c->host[0])
        c->said_fd = memfd_create("stderr", MFD_CLOEXEC);
    else if (c->by_command)
        c->said_fd = open_file_of(c->stderr_fd, &c->said_from);
    if (c->host[0] && c->said_fd < 0)
        status = ca_fail(error, CA_IO, "%s: no file for its standard error: %s", c->name,
                         strerror(errno));
    else
        status = ca_child_start(&c->child, c->name, argv, c->host[0] ? c->said_fd : c->stderr_fd,
                                &c->write_fd, &c->read_fd, error);
    if (status != CA_OK) {
        ca_client_close(c);
        return status;
    }
    /* Writing to a dead engine must return an error instead of ending this process. */
    signal(SIGPIPE, SIG_IGN);
    fcntl(c->write_fd, F_SETFL, O_NONBLOCK);
    fcntl(c->read_fd, F_SETFL, O_NONBLOCK);
    *client = c;
    return CA_OK;
}

static enum ca_status client_create(struct ca_client **client, int stderr_fd,
                                    struct ca_error *error)
{
    *client = calloc(1, sizeof **client);
    if (!*client)
        return ca_fail(error, CA_NO_MEMORY, "engine: no memory");
    (*client)->stderr_fd = stderr_fd;
    (*client)->shortages = ca_json_shortages();
    (*client)->child.reaped = true; /* until it exists */
    return CA_OK;
}

enum ca_status ca_client_start(struct ca_client **client, const char *const argv[], int stderr_fd,
                               struct ca_error *error)
{
    struct ca_client *c;

    CA_TRY(client_create(&c, stderr_fd, error));
    snprintf(c->name, sizeof c->name, "engine");
    return client_start_process(c, client, argv, error);
}

enum ca_status ca_client_start_on(struct ca_client **client, const char *host, const char *command,
                                  int stderr_fd, struct ca_error *error)
{
    struct ca_host_command built;
    struct ca_client *c;

    CA_TRY(ca_host_command(&built, command, host, error));
    CA_TRY(client_create(&c, stderr_fd, error));
    snprintf(c->host, sizeof c->host, "%s", host);
    snprintf(c->name, sizeof c->name, "engine on %s", c->host);
    return client_start_process(c, client, built.argv, error);
}

enum ca_status ca_client_start_by(struct ca_client **client, const char *command, int stderr_fd,
                                  struct ca_error *error)
{
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    struct ca_client *c;

    CA_TRY(client_create(&c, stderr_fd, error));
    c->by_command = true;
    snprintf(c->name, sizeof c->name, "engine command '%.*s%s'", SHOWN_BYTES, command,
             strlen(command) > SHOWN_BYTES ? " ..." : "");
    return client_start_process(c, client, argv, error);
}

bool ca_client_is_command(const struct ca_client *client) { return client->by_command; }

bool ca_client_greeted(const struct ca_client *client) { return client->greeted; }

void ca_client_signal(struct ca_client *client, int signal)
{
    ca_child_signal(&client->child, signal);
}

void ca_client_end_input(struct ca_client *client) { client_close_fd(&client->write_fd); }

void ca_client_kill(struct ca_client *client)
{
    ca_child_kill(&client->child, client->by_command ? COMMAND_MS : 0);
}

/* Copies what another host's stderr has held so far to this one's. */
static void pass_on(struct ca_client *client)
{
    char bytes[4096];
    ssize_t got;

    if (!client->host[0] || client->said_fd < 0 || lseek(client->said_fd, 0, SEEK_SET) != 0)
        return;
    while ((got = read(client->said_fd, bytes, sizeof bytes)) > 0)
        if (write(client->stderr_fd, bytes, (size_t)got) != got)
            break;
}

void ca_client_close(struct ca_client *client)
{
    char rest[4096];
    int grace_ms;

    if (!client)
        return;
    grace_ms = client->by_command ? COMMAND_MS : GRACE_MS;
    if (!client->child.reaped) {
        ca_client_notify(client, "stop");
        ca_client_notify(client, "quit");
        client_close_fd(&client->write_fd);
        for (int i = 0; i < grace_ms && !ca_child_reap(&client->child, 0); i++) {
            while (read(client->read_fd, rest, sizeof rest) > 0)
                ; /* discarded, so that the engine is not blocked by a full pipe */
            ca_child_reap(&client->child, 1);
        }
        ca_client_kill(client);
    }
    client_close_fd(&client->write_fd);
    client_close_fd(&client->read_fd);
    pass_on(client);
    client_close_fd(&client->said_fd);
    ca_buffer_free(&client->in);
    ca_buffer_free(&client->out);
    json_decref(client->partial);
    free(client);
}

bool ca_client_reported(const struct ca_client *client)
{
    if (client->said_fd >= 0)
        return lseek(client->said_fd, 0, SEEK_END) > client->said_from;
    return client->gone && client->child.reaped && WIFSIGNALED(client->child.wait_status) &&
           ca_crash_name(WTERMSIG(client->child.wait_status));
}

int ca_client_fd(const struct ca_client *client) { return client->read_fd; }

bool ca_client_wants_write(const struct ca_client *client)
{
    return client->write_fd >= 0 && ca_buffer_count(&client->out) > 0;
}

int ca_client_write_fd(const struct ca_client *client) { return client->write_fd; }

pid_t ca_client_pid(const struct ca_client *client) { return client->child.pid; }

void ca_client_flush(struct ca_client *client)
{
    if (client->write_fd < 0)
        return;
    switch (ca_buffer_write(&client->out, client->write_fd)) {
    case CA_ENDED:
    case CA_BROKEN:
        /* The other pipe may still hold messages: ca_client_next finds out how it ended. */
        client_close_fd(&client->write_fd);
        break;
    default:
        break;
    }
}

/* The engine cannot be used any more; client->error says why. */
static int lost(struct ca_client *client)
{
    client->gone = true;
    client_close_fd(&client->write_fd);
    return -1;
}

/* The same as ca_client_send, with bytes behind the object. */
static int64_t send_bytes(struct ca_client *client, json_t *request, const void *bytes,
                          size_t count)
{
    int64_t id = client->last_id + 1;
    char *text = NULL;
    size_t length;
    bool queued;

    if (count > 0)
        json_object_set_new(request, "bytes", json_integer((json_int_t)count));
    if (request && !client->gone && client->write_fd >= 0 &&
        json_object_set_new(request, "id", json_integer(id)) == 0)
        text = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    if (ca_json_shortages() != client->shortages && !client->gone) {
        ca_error_set(&client->error, CA_NO_MEMORY, "no memory for a request to %s", client->name);
        lost(client);
    }
    if (!text || client->gone) {
        free(text);
        return 0;
    }
    length = strlen(text);
    text[length] = '\n'; /* in place of the terminating NUL */
    queued = ca_buffer_reserve(&client->out, length + 1 + count) &&
             ca_buffer_append(&client->out, text, length + 1) &&
             ca_buffer_append(&client->out, bytes, count);
    free(text);
    if (!queued)
        return 0;
    client->last_id = id;
    ca_client_flush(client);
    return client->write_fd >= 0 ? id : 0;
}

int64_t ca_client_send(struct ca_client *client, json_t *request)
{
    return send_bytes(client, request, NULL, 0);
}

/* --- requests and their replies --------------------------------------------------------------- */

/* {"op":…} with the members of `body`, which is stolen. */
static json_t *request_json(const char *op, json_t *body)
{
    json_t *request = json_object();

    json_object_set_new(request, "op", json_string(op));
    json_object_update(request, body);
    json_decref(body);
    return request;
}

void ca_client_ask_bytes(struct ca_client *client, struct ca_request *request, const char *op,
                         json_t *body, const void *bytes, size_t count, ca_take_reply *take,
                         void *to)
{
    struct ca_request **last = &client->waiting;

    while (*last && *last != request)
        last = &(*last)->next;
    if (*last)
        *last = request->next;
    *request = (struct ca_request){.op = ca_op_find(op), .take = take, .to = to};
    assert(request->op);
    request->id = send_bytes(client, request_json(op, body), bytes, count);
    while (*last)
        last = &(*last)->next;
    *last = request;
}

void ca_client_ask(struct ca_client *client, struct ca_request *request, const char *op,
                   json_t *body, ca_take_reply *take, void *to)
{
    ca_client_ask_bytes(client, request, op, body, NULL, 0, take, to);
}

void ca_client_notify(struct ca_client *client, const char *op)
{
    ca_client_send(client, request_json(op, NULL));
}

struct ca_request *ca_client_waiting(const struct ca_client *client)
{
    return client ? client->waiting : NULL;
}

static void hand_over(struct ca_client *client, const struct ca_message *message,
                      ca_take_event *take, void *to)
{
    const json_t *id = json_object_get(message->json, "id");
    struct ca_request **at = &client->waiting, *request;
    ca_take_reply *take_reply;
    struct ca_error refusal;

    if (!json_is_integer(id)) {
        take(to, message);
        return;
    }
    /* Replies are not always in order: a stop is answered before the step that it interrupts. */
    while (*at && (*at)->id != json_integer_value(id))
        at = &(*at)->next;
    request = *at;
    if (!request)
        return;
    *at = request->next;
    take_reply = request->take;
    request->take = NULL;
    if (json_is_true(json_object_get(message->json, "ok"))) {
        take_reply(request, message, NULL);
        return;
    }
    ca_wire_error_read(&refusal, json_object_get(message->json, "error"));
    if (!refusal.text[0])
        ca_error_set(&refusal, refusal.status,
                     "the engine refused the request without giving a reason");
    take_reply(request, message, &refusal);
}

bool ca_client_serve(struct ca_client **client, ca_take_event *take, void *to,
                     struct ca_error *error)
{
    struct ca_message message;
    int got = 0;

    if (*client && ca_client_wants_write(*client))
        ca_client_flush(*client);
    while (*client && (got = ca_client_next(*client, &message, error)) > 0) {
        hand_over(*client, &message, take, to);
        json_decref(message.json);
    }
    return !*client || got >= 0;
}

/* --- what comes ------------------------------------------------------------------------------- */

#define QUOTE_BYTES 160

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

/* Returns the last line that another host, or whatever was started in the engine's place, has
 * printed; "" for none. */
static void last_words(struct ca_client *client, char text[QUOTE_BYTES])
{
    char tail[4096];
    off_t end = client->said_fd >= 0 ? lseek(client->said_fd, 0, SEEK_END) : 0;
    off_t from = client->said_from;
    off_t begin = end - from > (off_t)sizeof tail ? end - (off_t)sizeof tail : from;
    ssize_t got = end > from ? pread(client->said_fd, tail, sizeof tail, begin) : 0;

    text[0] = 0;
    if (got > 0)
        quote_last_line(text, tail, (size_t)got);
    if (!text[0] && !client->greeted)
        quote_last_line(text, ca_buffer_head(&client->in), ca_buffer_count(&client->in));
}

/* "ended with status 3", and of a command what a shell means by it. */
static void status_write(const struct ca_client *client, char *how, size_t size)
{
    int status = WEXITSTATUS(client->child.wait_status);

    snprintf(how, size, "ended with status %d%s", status,
             !client->by_command ? ""
             : status == 127     ? " (there is no such program)"
             : status == 126     ? " (it cannot be executed)"
                                 : "");
}

/* The output has ended: stores how the process ended. */
static int conclude(struct ca_client *client)
{
    char how[128], words[QUOTE_BYTES];
    int status;

    ca_client_end_input(client);
    if (!ca_child_reap(&client->child, client->by_command ? COMMAND_MS : LAST_WORD_MS)) {
        ca_error_set(&client->error, CA_IO, "%s closed its output", client->name);
        return lost(client);
    }
    status = client->child.wait_status;
    if (WIFSIGNALED(status) && ca_crash_name(WTERMSIG(status)))
        snprintf(how, sizeof how, "ended by %s", ca_crash_name(WTERMSIG(status)));
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "died by signal %d (%.80s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (client->host[0] && WEXITSTATUS(status) == 255) /* ssh's own status */
        snprintf(how, sizeof how, "%s",
                 client->greeted ? "is gone: the connection ended" : "cannot be reached");
    else if (client->host[0] && WEXITSTATUS(status) == 127) /* a shell's, of either side */
        snprintf(how, sizeof how, "cannot be started: there is no such program");
    else
        status_write(client, how, sizeof how);
    last_words(client, words);
    ca_error_set(&client->error, CA_IO, "%s %s%s%s%s", client->name, how, words[0] ? ": '" : "",
                 words, words[0] ? "'" : "");
    return lost(client);
}

/* Quotes in a message what was received instead of the protocol. */
static int garbage(struct ca_client *client, const char *what, const char *line, size_t length)
{
    char text[QUOTE_BYTES];

    quote(text, line, length);
    ca_error_set(&client->error, CA_IO, "%s does not keep to the protocol: expected %s, got '%s'%s",
                 client->name, what, text, length >= QUOTE_BYTES ? " ..." : "");
    return lost(client);
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
    const char *given = ca_wire_text(greeting, "version");
    char version[QUOTE_BYTES];

    if (strcmp(given, CALAB_VERSION) == 0)
        return 1;
    quote(version, given, strlen(given));
    ca_error_set(&client->error, CA_IO,
                 "%s is calab %.40s, and this is calab " CALAB_VERSION
                 ": both must be of the same version",
                 client->name, version[0] ? version : "of an unknown version");
    return lost(client);
}

/* One line: 1 and *json, or -1. */
static int parse_line(struct ca_client *client, const char *line, size_t length, json_t **json)
{
    size_t magic = client->greeted ? 0 : strlen(MAGIC);
    json_error_t cause;

    if (ca_json_parse(json, line + magic, length - magic, 0, &cause) == CA_NO_MEMORY) {
        ca_error_set(&client->error, CA_NO_MEMORY, "no memory for what %s says", client->name);
        return lost(client);
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
            result = lost(client);
        } else if (transfer == CA_ENDED) {
            result = conclude(client);
        }
    }
    if (result < 0)
        *error = client->error;
    return result;
}
