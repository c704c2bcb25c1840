/* SPDX-License-Identifier: MIT */
/*
 * A pool of POSIX threads that lives as long as its simulation: the caller is worker 0, the others
 * wait between jobs. Within a job the workers synchronise at barriers. A worker that waits spins
 * for a few microseconds, because a generation of a small lattice is shorter than a system call,
 * and then sleeps on a futex.
 */
#ifndef CALAB_CORE_MACHINE_THREAD_POOL_H
#define CALAB_CORE_MACHINE_THREAD_POOL_H

#include <stdint.h>

#include "core/base/error.h"
#include "core/model/param.h"

/* The row of every CPU backend's options table that takes threads. */
#define THREADS_OPTION                                                                             \
    {                                                                                              \
        .name = "threads", .kind = CA_INT, .number = 0, .min = 0, .max = 1024,                     \
        .help = "POSIX threads that share the lattice; 0 takes every core that it gives work to"   \
    }

struct ca_thread_pool;

/*
 * The number of workers for a lattice: the option `threads`, or where it is 0 as many as the cores
 * and the lattice allow, with at least `cells_per_worker` cells for each. A backend without the
 * option has one.
 */
int ca_threads_for(const struct ca_values *options, int64_t cells, int64_t cells_per_worker);

/* count = 0: one worker for each core. CA_NO_DEVICE where threads cannot be started, CA_NO_MEMORY.
 */
enum ca_status ca_thread_pool_create(struct ca_thread_pool **pool, int count,
                                     struct ca_error *error);
void ca_thread_pool_destroy(struct ca_thread_pool *pool); /* takes NULL */
int ca_thread_pool_size(const struct ca_thread_pool *pool);

/* Runs job(context, worker) on all workers 0 ... count - 1; returns when all are done. */
void ca_thread_pool_run(struct ca_thread_pool *pool, void (*job)(void *context, int worker),
                        void *context);
/* For jobs: returns when every worker has called it. */
void ca_thread_pool_barrier(struct ca_thread_pool *pool);

/* The worker's share of n items: [*first, *last), contiguous, sizes that differ by one at most. */
void ca_thread_pool_share(const struct ca_thread_pool *pool, int worker, int64_t n, int64_t *first,
                          int64_t *last);

#endif
