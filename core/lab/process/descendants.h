/* SPDX-License-Identifier: MIT */
/*
 * The processes that this one has started, and those that they have: found by /proc, also after
 * they have left their group, because orphans become children of this process. Those that were
 * its children before descendants_adopt are left alone.
 */
#ifndef CALAB_CORE_LAB_PROCESS_DESCENDANTS_H
#define CALAB_CORE_LAB_PROCESS_DESCENDANTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on orphans below this process are its children (PR_SET_CHILD_SUBREAPER). False: there is
 * no memory to tell those that it has already. */
bool descendants_adopt(void);
/* The bytes of memory that all of them take. */
int64_t descendants_memory(void);
/* The processor time that they, and those of theirs that have ended, have taken. */
double descendants_cpu_s(void);
/* Whether one of them runs, or would if it had a core. */
bool descendants_run(void);
/* The threads of this user, which a limit of processes counts; as they were a second ago at most.
 * -1 without memory. */
int descendants_threads(void);
/* Sends a signal to all of them, and after SIGSTOP waits until they have stopped. */
void descendants_signal(int signal);
/* One that has been started here, which descendants_kill leaves alone with all below it, until it
 * does no more. At most 16 at a time; others are not left alone. */
void descendants_spare(pid_t pid, bool spared);
/* One that is spared is a process of calab's own (sandbox_parts.h), whose memory is not counted. */
void descendants_keeper(pid_t pid);
/* Kills all of them but those that are spared, and waits for their end. */
void descendants_kill(void);

#endif
