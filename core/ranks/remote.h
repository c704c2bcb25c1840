/* SPDX-License-Identifier: MIT */
/*
 * The ranks of other processes, as process 0 asks them and as they serve it. A call is a message
 * with its arguments and an answer; calls are made one after the other, by one thread at a time.
 */
#ifndef CALAB_CORE_RANKS_REMOTE_H
#define CALAB_CORE_RANKS_REMOTE_H

#include <stdint.h>

#include "core/model/field.h"
#include "core/ranks/slabs.h"

/* A process is asked to do what all ranks do, works, and answers. `lattice` is the number
 * that process 0 gives to the lattice when it makes its slabs. */
void ca_remote_ask_create(int process, uint64_t lattice, const struct ca_setup *setup,
                          const struct ca_cut *cut);
/* job NULL: it frees the slabs. */
void ca_remote_ask(int process, uint64_t lattice, const struct ca_ranks_job *job);
void ca_remote_answer(int process, struct ca_ranks_reply *reply);

/* The stepper's calls, of one rank of another process. */
struct ca_remote_rank {
    int process, rank;
    uint64_t lattice;
    const struct ca_setup *setup;
};
enum ca_status ca_remote_call(const struct ca_remote_rank *rank, const struct ca_rank_call *call,
                              struct ca_error *error);

/* A process other than 0 serves until it is dismissed. */
void ca_remote_serve(void);
/* Process 0 ends the others' service. */
void ca_remote_dismiss(void);

#endif
