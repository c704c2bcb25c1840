/* SPDX-License-Identifier: MIT */
/*
 * A process that runs code of somebody else, or a compiler for it: behind the walls of sandbox.h,
 * with few variables of the environment, with limits of CPU time, of the size of files, of
 * processes and of memory, and ended with everything that it has started. What it prints is kept up
 * to a limit.
 */
#ifndef CALAB_CORE_LAB_PROCESS_PROCESS_H
#define CALAB_CORE_LAB_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"

#define CA_LAB_SAID_MAX (64 << 10) /* bytes of output that are kept, from its beginning */

struct ca_lab_launch {
    const char *const *argv;
    const char *folder;           /* where it runs, and alone may write */
    const char *writes;           /* where it alone may write instead; NULL: `folder` */
    const char *reads;            /* which it may read as well; NULL: that of the program, where
                                   * argv[0] is a path */
    const char *const *variables; /* NAME=VALUE, ends with NULL; may be NULL */
    const char *inherits;         /* names of calab's own; may be NULL */
    bool tool;                    /* it compiles: it may change modes of its files */
    int give[2];                  /* descriptors that become 3 and 4; -1: none */
    double cpu_s;                 /* of each process */
    int64_t memory_mb, output_mb; /* of all its processes; of standard output and error */
    int64_t shared_bytes;         /* of memory that it is given, besides its own */
};

/* Files in /dev/shm that outlive the process which made them would feed a later one, where
 * processes have no /dev/shm of their own. */
struct lab_leftovers {
    char **name; /* of those that were there before, sorted */
    size_t count;
};

/* The outcome of a wait. After all but READY the process should be ended. */
enum ca_lab_event {
    CA_LAB_READY,     /* the descriptor can be read */
    CA_LAB_ENDED,     /* it has ended by itself */
    CA_LAB_LATE,      /* the time is over, or ca_lab_process_stops said so */
    CA_LAB_MEMORY,    /* it takes more memory than it may */
    CA_LAB_TALKATIVE, /* it prints more than it may */
};

struct ca_lab_process {
    pid_t pid;         /* 0: there is none */
    int pidfd, output; /* -1: closed */
    int ended;         /* what its wait status comes from; -1: closed */
    int wait_status;   /* once it has been ended */
    int64_t printed, memory_bytes, output_bytes;
    struct lab_leftovers before; /* where it shares /dev/shm */
    uid_t user;                  /* that it runs as */
    double memory_due;           /* when its memory is looked at again */
    char *said;                  /* what it has printed, ends with NUL */
    size_t kept;
    double late_s, cpu_s; /* of the wait that was late: how long it was, and how long processors
                           * worked meanwhile */
    bool waits;           /* of that: none of its processes was ready to run then */
};

/* Asked while a process is waited for: true, and it is late at once. NULL: nobody asks. */
void ca_lab_process_stops(bool (*stops)(void));
/* Starts it. CA_IO, with the reason, also where argv[0] is none that can be started; CA_NO_MEMORY.
 */
enum ca_status ca_lab_process_start(struct ca_lab_process *process,
                                    const struct ca_lab_launch *launch, struct ca_error *error);
/* Waits at most so many seconds for something to read in `fd` (-1: only for its end). Time in which
 * it was ready to run while others had the cores is not counted, up to nine times as much. */
enum ca_lab_event ca_lab_process_wait(struct ca_lab_process *process, int fd, double seconds);
/* Kills it with all that it has started, and reads what it has printed. Takes an ended one. */
void ca_lab_process_end(struct ca_lab_process *process);
/* Closes a descriptor that is open, which is -1 then. */
void process_close_fd(int *fd);
/* Frees what it said; ends it before. */
void ca_lab_process_close(struct ca_lab_process *process);

#endif
