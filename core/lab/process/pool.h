/* SPDX-License-Identifier: MIT */
/* Work on many things, each by a process of its own that is forked from this one: what one of them
 * does, and that it dies, touches no other. Results go through memory that they share, as does the
 * lock of a device. */
#ifndef CALAB_CORE_LAB_PROCESS_POOL_H
#define CALAB_CORE_LAB_PROCESS_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

struct lab_pool {
    int count; /* of the things */
    int most;  /* that are worked on at once */
    void *context;
    bool (*due)(void *context, int i);  /* whether there is work on thing i; NULL: always */
    void (*work)(void *context, int i); /* in the process for it, which ends then */
    /* The process for thing i has not ended by itself: "killed by signal 9", "has ended with 3". */
    void (*died)(void *context, int i, const char *how);
    bool (*goes_on)(void *context, int done); /* asked some times a second; false: stop */
};

/* CA_TIMEOUT where it was stopped, CA_IO where there is no process. */
enum ca_status lab_pool_run(const struct lab_pool *pool, struct ca_error *error);

/*
 * A lock that a few processes may hold at once, on a device such as a GPU, whose memory and driver
 * they share. It lies in memory that the processes share; the slot of a process that dies becomes
 * free.
 */
struct lab_device_lock;

/* Makes a lock of `count` slots, 16 at most; returns NULL where there is no memory. */
struct lab_device_lock *lab_device_lock_make(int count);
void lab_device_lock_free(struct lab_device_lock *lock);
/* Waits for a free slot and returns its number; of NULL it returns 0 at once. */
int lab_device_lock_take(struct lab_device_lock *lock);
void lab_device_lock_give(struct lab_device_lock *lock, int slot);

#endif
