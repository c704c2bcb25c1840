/* SPDX-License-Identifier: MIT */
/*
 * Whether processes that come to the same rest again and again hold more each time: memory,
 * descriptors, threads, children. What a process holds at most in its first rests is what it may
 * hold.
 */
#ifndef CALAB_TESTS_GROWTH_H
#define CALAB_TESTS_GROWTH_H

#include "tests/support/process.h"

/* Pages that a heap keeps, of what is freed among what is not. */
#define GROWTH_KIB 2048

struct growth {
    const char *name;
    pid_t pid;
    int rests; /* of this process */
    int warm;  /* rests before which it has not done all that it does yet */
    struct holdings may, now;
    int children; /* that it may have */
    int processes;
};

/* A rest: the first `warm` of a process say what it may hold, each later one is held against that.
 */
void growth_rest(struct growth *growth, pid_t pid);

#endif
