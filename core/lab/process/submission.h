/* SPDX-License-Identifier: MIT */
/*
 * A submission: the process in which the kernel of a lab runs, and the planes that calab shares
 * with it. What it says of itself counts for nothing. Its input must stay as it was, outputs are
 * filled with a pattern before, and nobody may write to the bands around them.
 */
#ifndef CALAB_CORE_LAB_PROCESS_SUBMISSION_H
#define CALAB_CORE_LAB_PROCESS_SUBMISSION_H

#include "core/lab/kernel/lab.h"
#include "core/lab/process/process.h"
#include "core/lab/process/pool.h"
#include "core/lab/kernel/wire.h"

/* The result of a call, and of a whole check. */
enum ca_lab_verdict {
    CA_LAB_RIGHT,
    CA_LAB_CELL,    /* a cell is wrong */
    CA_LAB_OUTSIDE, /* it wrote outside of the planes */
    CA_LAB_INPUT,   /* it changed what it should read */
    CA_LAB_STATIC,  /* it is right alone in its process, and wrong after other calls */
    CA_LAB_FOUND,   /* a tool that watched its accesses found a fault */
    CA_LAB_REFUSED, /* it said that it cannot go on: a CUDA call failed, no memory */
    CA_LAB_CRASHED, /* a signal ended it */
    CA_LAB_EXITED,  /* it ended itself */
    CA_LAB_SLOW,    /* it did not end in time */
    CA_LAB_LARGE,   /* it took more memory than it may */
    CA_LAB_LOUD,    /* it printed more than it may */
    CA_LAB_BROKEN,  /* it does not compile */
    CA_LAB_OUTPUT,  /* of a whole program: its file is not there, or not what it should be */
};
extern const char *const ca_lab_verdict_names[];

/* How long something took that did not end in time. */
struct ca_lab_slow {
    double limit_s; /* that it may take */
    double took_s;  /* 0: not known */
    double cpu_s;   /* of that: how long processors worked for it */
    bool waits;     /* and then it was not ready to run */
};

struct ca_lab_fault {
    enum ca_lab_verdict verdict;
    struct ca_lab_slow slow; /* with verdict SLOW */
    char text[768];          /* in words, a sentence without a full stop */
};

struct ca_lab_submission {
    struct ca_lab_process process;
    struct lab_shared layout; /* what the kernel was told: the copy that it cannot change */
    uint8_t *memory;
    uint64_t bytes;                      /* of the memory, at least layout.bytes */
    int socket, shared;                  /* -1: closed */
    struct lab_device_lock *device_lock; /* NULL: it waited for none */
    int lock_slot;
    const struct ca_lab *lab;
    struct ca_lattice input;   /* what it was given; its planes are the caller's */
    double limit_s;            /* of a call */
    uint8_t pattern;           /* of what is not written yet */
    struct ca_lab_fault fault; /* of the call that failed with CA_WRONG */
};

struct ca_lab_program {
    const char *path;             /* what runs */
    const char *folder;           /* where */
    const char *const *variables; /* NAME=VALUE, ends with NULL */
    double limit_s;               /* of a call */
    double cpu_s;                 /* of the process; 0: what a check's calls may take */
    uint64_t shared_bytes;        /* bytes to share, where it is opened again for a larger one */
    struct lab_device_lock
        *device_lock; /* of which it needs one while it runs; NULL: it needs none */
};

/*
 * Starts the kernel for an experiment. All of these return CA_WRONG with submission->fault where
 * the kernel fails; it has been ended then. CA_IO, CA_NO_MEMORY where this machine does.
 */
enum ca_status ca_lab_submission_open(struct ca_lab_submission *submission,
                                      const struct ca_lab *lab, const struct ca_setup *setup,
                                      const struct ca_lab_program *program, struct ca_error *error);
/* Has it close what it keeps for the experiment. */
enum ca_status ca_lab_submission_close(struct ca_lab_submission *submission);
/* Opens one that is closed for another experiment, whose lab and limit of a call may differ. */
enum ca_status ca_lab_submission_reopen(struct ca_lab_submission *submission,
                                        const struct ca_lab *lab, const struct ca_setup *setup,
                                        double limit_s, struct ca_error *error);
/* `state` must stay until the next load. */
enum ca_status ca_lab_submission_load(struct ca_lab_submission *submission,
                                      const struct ca_lattice *state, uint64_t t);
enum ca_status ca_lab_submission_step(struct ca_lab_submission *submission, uint64_t t, uint64_t n);
/* Planes that a step does not change are those of the input. Cells that nobody wrote hold
 * submission->pattern. */
enum ca_status ca_lab_submission_store(struct ca_lab_submission *submission,
                                       struct ca_lattice *state);
/*
 * All of that, timed by this process: from the moment at which `state` is handed over to that at
 * which `result` is taken, so that no work can be put off and none be done before.
 */
enum ca_status ca_lab_submission_time(struct ca_lab_submission *submission,
                                      const struct ca_lattice *state, uint64_t t, uint64_t n,
                                      struct ca_lattice *result, double *seconds);
/* Asks it to end, and waits. */
enum ca_status ca_lab_submission_finish(struct ca_lab_submission *submission);
/* Ends it; takes one that failed or was never opened but is zeroed. What it said stays until
 * ca_lab_submission_free. */
void ca_lab_submission_end(struct ca_lab_submission *submission);
void ca_lab_submission_free(struct ca_lab_submission *submission);

#endif
