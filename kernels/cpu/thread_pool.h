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
#define TEAM_OPTION                                                                                \
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

struct team;

/* count = 0: one for each core. CA_NO_DEVICE when threads or memory cannot be had. */
enum ca_status team_create(struct team **team, int count, struct ca_error *error);
void team_destroy(struct team *team); /* takes NULL */
int team_count(const struct team *team);

/* Runs job(context, member) on all members, member = 0 ... count - 1; returns when all are done. */
void team_run(struct team *team, void (*job)(void *context, int member), void *context);
/* For jobs: returns when every member has called it. */
void team_barrier(struct team *team);

/* Member's share of n items: [*first, *last), contiguous, sizes that differ by one at most. */
void team_share(const struct team *team, int member, int64_t n, int64_t *first, int64_t *last);

#endif
