/* SPDX-License-Identifier: MIT */
/*
 * Work in a copy of this process, which code of the user may crash or never end, while this one
 * goes on. What the work finds it leaves in memory that both share.
 */
#ifndef CALAB_CORE_BASE_ISOLATED_H
#define CALAB_CORE_BASE_ISOLATED_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

/* Zeroed memory that this process shares with the copies that it makes from now on; NULL: there is
 * none. */
void *ca_shared_memory(size_t bytes);
void ca_shared_free(void *memory, size_t bytes); /* takes NULL */

struct ca_isolated_end {
    enum {
        CA_ISOLATED_DONE,
        CA_ISOLATED_CRASHED,
        CA_ISOLATED_STUCK,  /* it gave no sign of life for as long as is allowed */
        CA_ISOLATED_STOPPED /* the caller would not wait any longer */
    } how;
    int signal;     /* of a crash */
    const void *at; /* the instruction where it crashed or was stuck, NULL: unknown; this process
                     * has the same code there */
};

/*
 * Calls work(context) in a copy of this process, without its standard streams, and waits for its
 * end: as long as ca_isolated_alive is called at least once in limit_s seconds, and `go_on`, asked
 * some times a second (NULL: never), returns true. CA_NO_MEMORY, CA_IO where no copy can be made.
 * Threads that call it wait for each other. Work that calls it is in a copy already, in which
 * further work is called as it is.
 */
enum ca_status ca_isolated_run(void (*work)(void *context), void *context, double limit_s,
                               bool (*go_on)(void), struct ca_isolated_end *end,
                               struct ca_error *error);
/* Is called by the work: it goes on. */
void ca_isolated_alive(void);
/* Says what a model's code did that crashed or was stuck: CA_WRONG, with the place in its source.
 */
void ca_isolated_report(const struct ca_isolated_end *end, const char *place, double limit_s,
                        struct ca_error *error);

#endif
