/* SPDX-License-Identifier: MIT */
/* Owns what is held against what. */
#include "tests/growth.h"

#include "tests/support.h"

#define CHILDREN 64

static void may_hold(struct growth *growth, int children)
{
    struct holdings *may = &growth->may;
    const struct holdings *now = &growth->now;

    may->own_kib = now->own_kib > may->own_kib ? now->own_kib : may->own_kib;
    may->descriptors = now->descriptors > may->descriptors ? now->descriptors : may->descriptors;
    may->threads = now->threads > may->threads ? now->threads : may->threads;
    growth->children = children > growth->children ? children : growth->children;
}

void growth_rest(struct growth *growth, pid_t pid)
{
    const struct holdings *may = &growth->may, *now = &growth->now;
    pid_t list[CHILDREN];
    const int children = process_children(pid, list, CHILDREN);
    long more_kib;

    ck_assert_msg(process_holdings(pid, &growth->now), "%s: there is no process %d", growth->name,
                  pid);
    if (pid != growth->pid) {
        growth->pid = pid;
        growth->rests = growth->children = 0;
        growth->may = (struct holdings){0};
        growth->processes++;
    }
    if (++growth->rests <= growth->warm) {
        may_hold(growth, children);
        return;
    }
    more_kib = now->own_kib - may->own_kib;
    growth->most_kib = more_kib > growth->most_kib ? more_kib : growth->most_kib;
    ck_assert_msg(SANITIZED || more_kib <= GROWTH_KIB, /* which keep what is freed */
                  "%s has grown by %ld KiB of memory, from %ld, in %d rests", growth->name,
                  more_kib, may->own_kib, growth->rests);
    ck_assert_msg(now->descriptors <= may->descriptors && now->threads <= may->threads &&
                      children <= growth->children,
                  "%s has %d descriptors, %d threads and %d children in its rest %d, where it had "
                  "%d, %d and %d at first",
                  growth->name, now->descriptors, now->threads, children, growth->rests,
                  may->descriptors, may->threads, growth->children);
}
