/* SPDX-License-Identifier: MIT */
/* A client and its process, for their own files alone: client*.c, child.c. */
#ifndef CALAB_CORE_ENGINE_CLIENT_INSIDE_H
#define CALAB_CORE_ENGINE_CLIENT_INSIDE_H

#include "core/engine/buffer.h"
#include "core/engine/client.h"

#define COMMAND_MS 1000 /* both for a command, which may have others to end first */

/* A process with pipes on its standard input and output, in a process group of its own. */
struct ca_child {
    pid_t pid;
    bool reaped; /* it has ended, or never began; nothing can be sent to it */
    int wait_status;
};

/*
 * Starts argv (looked for in PATH; NULL: this program's engine) with its standard error on `err`,
 * and with PR_SET_PDEATHSIG. *write_fd leads to its input and *read_fd to its output, both closed
 * on exec. `name` is what messages call it. CA_IO, with *child reaped and both -1.
 */
enum ca_status ca_child_start(struct ca_child *child, const char *name, const char *const argv[],
                              int err, int *write_fd, int *read_fd, struct ca_error *error);

/* Waits at most `ms` for its end, stores the status, and kills those that it has left in its group.
 * Returns whether it has ended. */
bool ca_child_reap(struct ca_child *child, int ms);

/* Sends a signal to all of its group. */
void ca_child_signal(const struct ca_child *child, int signal);

/* Kills all of its group; where `grace_ms` is not 0, after SIGTERM and so much time to end. */
void ca_child_kill(struct ca_child *child, int grace_ms);

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
    /* An engine of this program reports the place of a crash on stderr: the caller's, if that is a
     * file, behind `report_from`; or -1. */
    int report_fd;
    off_t report_from;
};

/* The engine cannot be used any more; client->error says why. Returns -1. */
int client_lost(struct ca_client *client);

#endif
