/* SPDX-License-Identifier: MIT */
/* Other processes as /proc shows them: children, CPU time, sleep and end; and the clock. */
#ifndef CALAB_TESTS_PROCESS_H
#define CALAB_TESTS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* How long tests wait for an event, on a machine that may have other work to do. */
#ifdef __SANITIZE_ADDRESS__
#define DEADLINE_S 100
#else
#define DEADLINE_S 60
#endif

/* A child of a process, 0 for none. */
pid_t process_child(pid_t parent);
/* The CPU time of a process in ticks, -1 if there is no such process. */
long process_ticks(pid_t pid);
/* Seconds of CPU time of a process and of those that it started, as far as they run or were
 * awaited. */
double process_tree_s(pid_t pid);
/* Waits, up to the deadline, until a process sleeps or has ended. */
void process_expect_sleep(pid_t pid);
/* Likewise until SIGSTOP has stopped it. */
void process_expect_stop(pid_t pid);
/* Waits, up to the deadline, until a process has ended. */
void process_expect_end(pid_t pid);

/* The children of a process, oldest first, at most `size`; their number. */
int process_children(pid_t parent, pid_t children[], int size);

/* What a process holds. */
struct holdings {
    long resident_kib;
    long own_kib; /* of that heap, stacks and what else no file stands behind */
    int descriptors, threads;
};

/* False if there is no such process. */
bool process_holdings(pid_t pid, struct holdings *holdings);

double seconds_now(void);

#endif
