/* SPDX-License-Identifier: MIT */
/*
 * The other end of the protocol: starts an engine process, sends it requests and matches its
 * replies, without ever blocking.
 */
#ifndef CALAB_CORE_ENGINE_CLIENT_H
#define CALAB_CORE_ENGINE_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/engine/ops.h"

struct ca_client;
struct ca_model;

#define CA_CLIENT_PLACE 160

/*
 * Starts argv (argv[0] a path, e.g. {"/proc/self/exe", "engine", NULL}; NULL for just that) with
 * pipes on its stdin and stdout, in a process group of its own and with PR_SET_PDEATHSIG; its
 * stderr goes to `stderr_fd`. Ignores SIGPIPE in this process from now on. CA_IO.
 */
enum ca_status ca_client_start(struct ca_client **client, const char *const argv[], int stderr_fd,
                               struct ca_error *error);
/*
 * The same on another host, by `command` (core/engine/host.h; argv[0] is looked for in PATH). What
 * it writes to stderr comes to `stderr_fd` when it has ended, and its last line into the error that
 * says how. CA_USAGE, CA_IO.
 */
enum ca_status ca_client_start_on(struct ca_client **client, const char *host, const char *command,
                                  int stderr_fd, struct ca_error *error);
/*
 * The same by a command line that `/bin/sh -c` runs, such as "mpirun -n 4 calab engine", in place
 * of argv. The engine need not be a process of this host. Errors name the command, and how it ended
 * with the last line that has come to `stderr_fd` since, if that is a file. CA_IO.
 */
enum ca_status ca_client_start_by(struct ca_client **client, const char *command, int stderr_fd,
                                  struct ca_error *error);
/* Whether a command line has started it. */
bool ca_client_is_command(const struct ca_client *client);
/* Whether the engine has sent its greeting. Before it, nothing is known of a host. */
bool ca_client_greeted(const struct ca_client *client);
/* Whether an engine that is gone has left more on its standard error than how it ended. */
bool ca_client_reported(const struct ca_client *client);
/* Ends the engine (quit, end of input, ca_client_kill if it is not gone in 200 ms, a command in 1
 * s) and what is left of its process group. Takes NULL. */
void ca_client_close(struct ca_client *client);
/* Ends its input: nothing can be sent any more, and what has a part in a command ends by it. */
void ca_client_end_input(struct ca_client *client);
/* Kills all of its process group; a command gets SIGTERM first and 1 s to end what it has started
 * elsewhere. */
void ca_client_kill(struct ca_client *client);
/* Has an engine of this program report on its standard error where it is, and end. */
void ca_client_abort(struct ca_client *client);
/* Writes the line of a model's file at which an engine of this program crashed, as " in FILE:LINE",
 * or "" where it is not known. Returns text. */
char *ca_client_place(const struct ca_client *client, char text[CA_CLIENT_PLACE]);
/* Sends a signal to all of its process group, for example SIGSTOP. */
void ca_client_signal(struct ca_client *client, int signal);

int ca_client_fd(const struct ca_client *client); /* to poll for reading */
/* Whether requests are queued: then poll write_fd for writing and flush. */
bool ca_client_wants_write(const struct ca_client *client);
int ca_client_write_fd(const struct ca_client *client);
pid_t ca_client_pid(const struct ca_client *client);

struct ca_message {
    json_t *json;        /* reply (has "id") or event; the caller's: json_decref */
    const uint8_t *data; /* "bytes" of them, until the next call; NULL without */
    size_t bytes;
};

struct ca_request;

/* Takes the reply to a request, or an event. `refusal`: why the engine has not carried the request
 * out; NULL: it has. */
typedef void ca_take_reply(struct ca_request *request, const struct ca_message *reply,
                           const struct ca_error *refusal);
typedef void ca_take_event(void *to, const struct ca_message *event);

/* A request that waits for its reply. It lies in memory of whoever asks, which stays until the
 * reply is taken or the client is closed. Where it is asked again before, the first reply is
 * dropped. */
struct ca_request {
    struct ca_request *next;
    int64_t id;
    const struct ca_op *op;
    ca_take_reply *take; /* NULL: it does not wait */
    void *to;            /* for whoever asks */
};

/* Sends a request of the table in core/engine/ops.c, with the members of `body`, which is stolen
 * (NULL: none), and writes without blocking. Its reply goes to `take`, by ca_client_serve. If the
 * engine is gone, or given up, since a request that may lack members for lack of memory would ask
 * for something else, that comes to light there. */
void ca_client_ask(struct ca_client *client, struct ca_request *request, const char *op,
                   json_t *body, ca_take_reply *take, void *to);
/* The same with bytes behind it, at most CA_WIRE_PAYLOAD_MAX, which are copied. */
void ca_client_ask_bytes(struct ca_client *client, struct ca_request *request, const char *op,
                         json_t *body, const void *bytes, size_t count, ca_take_reply *take,
                         void *to);
/* The same with the text of the model's file behind it, if it is a file's, so that an engine needs
 * no file of its own. */
void ca_client_ask_of(struct ca_client *client, struct ca_request *request, const char *op,
                      json_t *body, const struct ca_model *model, ca_take_reply *take, void *to);
/* Sends a request to whose reply nobody listens. */
void ca_client_notify(struct ca_client *client, const char *op);
/* The first of those that wait, in the order in which they were sent; NULL: none. */
struct ca_request *ca_client_waiting(const struct ca_client *client);
/* Hands each message that has come to its taker, and writes what is queued. A taker may close the
 * client and set *client to NULL. False: the engine is gone; *error says how. */
bool ca_client_serve(struct ca_client **client, ca_take_event *take, void *to,
                     struct ca_error *error);

/* Queues an object that is stolen, under a new id and writes without blocking. Returns the id; 0:
 * the engine is gone, or given up. */
int64_t ca_client_send(struct ca_client *client, json_t *request);
void ca_client_flush(struct ca_client *client);

/*
 * The next message that has come, 1 (the first is the greeting, given "event":"hello"); 0: none
 * yet; -1: the engine is gone (*error says how: exit status, signal by name, end of output, bytes
 * that are not the protocol, or a version other than this program's). Never blocks. What a login
 * prints before the greeting is passed over, up to 64 KiB of it.
 */
int ca_client_next(struct ca_client *client, struct ca_message *message, struct ca_error *error);

#endif
