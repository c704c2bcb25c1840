/* SPDX-License-Identifier: MIT */
/*
 * Fibers: stacks that a CUDA thread runs on, taken from a pool, and switching between them in a way
 * that AddressSanitizer follows. The host's own stack is one as well. Knows nothing of CUDA.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_FIBER_H
#define CALAB_CORE_EMULATOR_RUNTIME_FIBER_H

#include <stddef.h>

struct fiber {
    void *sp;    /* where it goes on, while another runs */
    void *stack; /* lowest byte above the guard page */
    size_t bytes;
    void *fake; /* of AddressSanitizer */
    int thread; /* for its user */
    struct fiber *next;
};

/* A fiber that will call `entry`, which never returns. From the pool, or new. */
struct fiber *fiber_take(void (*entry)());
/* Back to the pool: when it is taken again, it goes on where it switched from. */
void fiber_give(struct fiber *fiber);
/* Back to the pool from the middle of what it did: it starts anew. */
void fiber_drop(struct fiber *fiber);
/* Must be called by `entry` first. */
void fiber_entered();
/* Goes on on another fiber; returns when somebody switches back. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
