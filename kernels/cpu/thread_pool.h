/* SPDX-License-Identifier: MIT */
/*
 * A team of POSIX threads that lives as long as its simulation: the caller is member 0, the others
 * wait between jobs. Within a job members meet at barriers. Waiting spins for a few microseconds,
 * since a generation of a small lattice is shorter than a system call, then sleeps on a futex.
 */
#ifndef CALAB_KERNELS_CPU_THREAD_POOL_H
#define CALAB_KERNELS_CPU_THREAD_POOL_H

#include <stdint.h>

#include "core/base/error.h"
#include "core/model/param.h"

/* The row of every CPU backend's options table that takes threads. */
#define THREADS_OPTION                                                                             \
    {                                                                                              \
        .name = "threads", .kind = CA_INT, .number = 0, .min = 0, .max = 1024,                     \
        .help = "POSIX threads that share the lattice; 0 takes every core that it gives work to"   \
    }

/* The same of those that take several generations in one pass over the lattice. */
#define GENERATIONS_OPTION                                                                         \
    {                                                                                              \
        .name = "generations", .kind = CA_INT, .number = 0, .min = 0, .max = 64,                   \
        .tune = "1 2 3 4 6 8 12 16 24 32",                                                         \
        .help = "generations in one pass over the lattice; 1: off, 0: chosen by its size"          \
    }

struct thread_pool;

/* Threads that the options ask for: the option `threads`, where 0 leaves the number open; 1 for a
 * backend without it. */
int threads_wanted(const struct ca_values *options);

/* count = 0: one for each core. CA_NO_DEVICE when threads or memory cannot be had. */
enum ca_status thread_pool_create(struct thread_pool **thread_pool, int count,
                                  struct ca_error *error);
void thread_pool_destroy(struct thread_pool *thread_pool); /* takes NULL */
int thread_pool_size(const struct thread_pool *thread_pool);

/* Runs job(context, member) on all members, member = 0 ... count - 1; returns when all are done. */
void thread_pool_run(struct thread_pool *thread_pool, void (*job)(void *context, int member),
                     void *context);
/* For jobs: returns when every member has called it. */
void thread_pool_barrier(struct thread_pool *thread_pool);

/* Member's share of n items: [*first, *last), contiguous, sizes that differ by one at most. */
void thread_pool_share(const struct thread_pool *thread_pool, int member, int64_t n, int64_t *first,
                       int64_t *last);

#endif
