/* SPDX-License-Identifier: MIT */
/*
 * A process with pipes on its standard input and output, in a process group of its own: how it is
 * started, waited for, and killed with all that it has started there.
 */
#ifndef CALAB_CORE_ENGINE_CHILD_H
#define CALAB_CORE_ENGINE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/error.h"

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

#endif
