/* SPDX-License-Identifier: MIT */
/* Other processes as /proc shows them: children, CPU time, sleep and end; and the clock. */
#ifndef CALAB_TESTS_PROCESS_H
#define CALAB_TESTS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* How long tests wait for an event, on a machine that may have other work to do. */
#ifdef __SANITIZE_ADDRESS__
#define DEADLINE_S 50
#else
#define DEADLINE_S 30
#endif

/* A child of a process, 0 for none. */
pid_t process_child(pid_t parent);
/* The CPU time of a process in ticks, -1 if there is no such process. */
long process_ticks(pid_t pid);
/* Waits, up to the deadline, until a process sleeps or has ended. */
void process_expect_sleep(pid_t pid);
/* Waits, up to the deadline, until a process has ended. */
void process_expect_end(pid_t pid);

double seconds_now(void);

#endif
