/* SPDX-License-Identifier: MIT */
/*
 * The client starts an engine and ends it, writes requests to it and hands each reply to whoever
 * has asked.
 */
#include "core/engine/client_inside.h"

#include <assert.h>
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

#include "core/engine/crash.h"
#include "core/engine/host.h"
#include "core/engine/wire.h"
#include "core/files/json.h"
#include "core/model/model.h"

#define GRACE_MS 200   /* for an engine that has been asked to quit */
#define ABORT_MS 2000  /* for the report of one that is to end by SIGABRT */
#define SHOWN_BYTES 80 /* of a command, in messages */

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

    c->write_fd = c->read_fd = c->said_fd = c->report_fd = -1;
    if (c->host[0])
        c->said_fd = memfd_create("stderr", MFD_CLOEXEC);
    else if (c->by_command)
        c->said_fd = open_file_of(c->stderr_fd, &c->said_from);
    else
        c->report_fd = open_file_of(c->stderr_fd, &c->report_from);
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

void ca_client_abort(struct ca_client *client)
{
    ca_client_signal(client, SIGABRT);
    ca_client_signal(client, SIGCONT);
    ca_child_reap(&client->child, ABORT_MS);
}

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
    client_close_fd(&client->report_fd);
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

int client_lost(struct ca_client *client)
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
        client_lost(client);
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

void ca_client_ask_of(struct ca_client *client, struct ca_request *request, const char *op,
                      json_t *body, const struct ca_model *model, ca_take_reply *take, void *to)
{
    const struct ca_model_source *source = model->source;

    ca_client_ask_bytes(client, request, op, body, source ? source->text : NULL,
                        source ? source->size : 0, take, to);
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
