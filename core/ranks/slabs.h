/* SPDX-License-Identifier: MIT */
/*
 * The ranks of one process: instances of a backend, each with its slab and a host thread of its
 * own, which step side by side and exchange halos with each other and, through messages, with the
 * ranks of other processes (core/ranks/processes.h).
 */
#ifndef CALAB_CORE_RANKS_SLABS_H
#define CALAB_CORE_RANKS_SLABS_H

#include "core/model/survey.h"
#include "core/ranks/cut.h"

struct ca_slabs;

/* All ranks do this at once; a job is the same for all processes. */
enum ca_ranks_op {
    CA_RANKS_STEP,
    CA_RANKS_REFRESH, /* an exchange without a step */
    CA_RANKS_INIT,
    CA_RANKS_SURVEY, /* of the rows that a rank owns */
    CA_RANKS_MARK,
    CA_RANKS_OF_EACH,                    /* what follows is for a process as a whole */
    CA_RANKS_CONNECT = CA_RANKS_OF_EACH, /* finds how halos pass between processes */
    CA_RANKS_REPORT,
};

struct ca_ranks_job {
    enum ca_ranks_op op;
    uint64_t t, n;       /* of STEP */
    int served;          /* of STEP: generations that the halos still serve */
    int buffer;          /* of STEP, REFRESH: which set of slots is next, 0 or 1 */
    unsigned parts;      /* of SURVEY */
    int64_t first, rows; /* of SURVEY: rows of the whole lattice */
    enum ca_mark mark;   /* of MARK */
};

/* A process's ranks answer together. */
struct ca_ranks_reply {
    struct ca_error error; /* of the first rank that failed; its status is CA_OK where none has */
    int rank;              /* that failed */
    bool made;             /* INIT: by every rank */
    double device_s;       /* STEP: of the rank that stepped longest */
    struct ca_survey survey;
    struct ca_plan plan; /* REPORT: the sum of the ranks' memory, the slowest's seconds */
};

/* Fails with the reply's error, and leaves nothing behind. */
enum ca_status ca_slabs_create(struct ca_slabs **slabs, const struct ca_setup *setup,
                               const struct ca_cut *cut, int process, struct ca_ranks_reply *reply);
void ca_slabs_destroy(struct ca_slabs *slabs); /* takes NULL */
void ca_slabs_do(struct ca_slabs *slabs, const struct ca_ranks_job *job,
                 struct ca_ranks_reply *reply);

/* A stepper's call for one rank, of this process or another, with the arguments that it takes. */
struct ca_rank_call {
    enum { CA_RANK_LOAD, CA_RANK_STORE, CA_RANK_BLOCKS, CA_RANK_NEIGHBOURS, CA_RANK_GATHER } what;
    int64_t first, rows; /* of the rank's slab */
    const void *const *from;
    void *const *to;
    const struct ca_blocks *blocks;
    double *sums;
    const struct ca_gather_points *points;
};
/* Calls the stepper for a rank of this process. */
enum ca_status ca_slabs_call(const struct ca_slabs *slabs, int rank,
                             const struct ca_rank_call *call, struct ca_error *error);

#endif
