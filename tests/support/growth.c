/* SPDX-License-Identifier: MIT */
/* Owns what is held against what. */
#include "tests/support/growth.h"

#include <unistd.h>

#include "tests/support/support.h"

#define CHILDREN 64
#define SETTLE_S 5 /* for a file that is being written */

static void may_hold(struct growth *growth, int children)
{
    struct holdings *may = &growth->may;
    const struct holdings *now = &growth->now;

    may->own_kib = now->own_kib > may->own_kib ? now->own_kib : may->own_kib;
    may->descriptors = now->descriptors > may->descriptors ? now->descriptors : may->descriptors;
    may->threads = now->threads > may->threads ? now->threads : may->threads;
    growth->children = children > growth->children ? children : growth->children;
}

/* What it holds now; false if that is more than it may. */
static bool look(struct growth *growth, pid_t pid, int *children)
{
    const struct holdings *may = &growth->may, *now = &growth->now;
    pid_t list[CHILDREN];

    *children = process_children(pid, list, CHILDREN);
    ck_assert_msg(process_holdings(pid, &growth->now), "%s: there is no process %d", growth->name,
                  pid);
    return (SANITIZED ||
            now->own_kib <= may->own_kib + GROWTH_KIB) && /* which keep what is freed */
           now->descriptors <= may->descriptors &&
           now->threads <= may->threads && *children <= growth->children;
}

void growth_rest(struct growth *growth, pid_t pid)
{
    const double deadline = seconds_now() + SETTLE_S;
    const struct holdings *may = &growth->may, *now = &growth->now;
    int children;

    if (pid != growth->pid) {
        growth->pid = pid;
        growth->rests = growth->children = 0;
        growth->may = (struct holdings){0};
        growth->processes++;
    }
    if (++growth->rests <= growth->warm) {
        look(growth, pid, &children);
        may_hold(growth, children);
        return;
    }
    while (!look(growth, pid, &children)) {
        ck_assert_msg(seconds_now() < deadline,
                      "%s holds %ld KiB of memory, %d descriptors, %d threads and %d children in "
                      "its rest %d, where it had %ld, %d, %d and %d at first",
                      growth->name, now->own_kib, now->descriptors, now->threads, children,
                      growth->rests, may->own_kib, may->descriptors, may->threads,
                      growth->children);
        usleep(50000);
    }
}
