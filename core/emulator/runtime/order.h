/* SPDX-License-Identifier: MIT */
/* Which of two accesses came before the other by CUDA's rules, and not only by chance here. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_ORDER_H
#define CALAB_CORE_EMULATOR_RUNTIME_ORDER_H

#include "core/emulator/runtime/queue.h"
#include "core/emulator/runtime/shadow.h"

/* The running thread and what is ordered before all that it does. */
struct now {
    bool alone;      /* the group is one block */
    bool plain;      /* the lane has no warp operations in the interval, and nothing is counted */
    bool fenced;     /* a thread of this launch has called a fence */
    bool fresh;      /* the running thread has, and has accessed nothing since */
    uint16_t thread; /* of its block */
    uint16_t stamp;  /* of its lane */
    uint32_t reads;  /* of the running thread, since it has written */
    uint32_t interval;
    uint32_t before;       /* all intervals below are ordered before the launch */
    uint32_t launch;       /* intervals below are of earlier launches, */
    uint32_t group;        /* of other groups of blocks, */
    uint32_t own;          /* all from here on are of this block: `group`, if it is alone */
    uint32_t floor;        /* or before the last barrier of the group */
    uint32_t synchronized; /* the host has waited for all below */
    int rank, device;
    const char *stack;
    size_t stack_bytes;
};

extern struct now now;
/* Whether this thread of the process runs a kernel's threads; others are the host's meanwhile. */
extern __thread bool order_in_kernel;

bool order_in_interval(const struct access *access);
bool order_in_launch(const struct access *access);
/* Whether an access of this launch was made by the block that runs. */
bool order_in_block(const struct access *access);

/* Whether an access is ordered before what the running thread does. */
static inline bool order_before(const struct access *access)
{
    if (access->interval < now.launch)
        return access->interval < now.before || !queue_is_beside(access->interval);
    if (access->interval == now.interval)
        return (access->thread & ACCESS_THREAD) == now.thread || order_in_interval(access);
    return (now.alone && access->interval >= now.group) || order_in_launch(access);
}

/* A number of its own for what the host lets a device do without a kernel. */
uint32_t order_next_interval();
/* How an atomic operation orders memory, but for fences before it. */
struct order_how {
    bool acquires, releases;
    bool compares; /* as locks do: it acquires with the fence behind it, not before */
    bool of_block; /* for threads of its block alone */
};
void order_atomic(const void *what, struct order_how how);
/* A load that acquires, but releases nothing. */
void order_load(const void *what, bool acquires);
/* A store that publishes by the fence before it. */
void order_store(const void *what);
/* A volatile store right behind a fence publishes what came before, unless a lock is held: then it
 * is a store as others are. */
bool order_publishes();

/* Whether a place can be in the parameters of the kernel that runs. */
bool order_is_argument(const void *memory);

/* "block (0,0,0) thread (5,0,0)", of an access of the launch that runs. */
struct who {
    char text[96];
};
struct who who_made(const struct access *access);
/* The same of the running thread. */
struct who who_runs();

#endif
