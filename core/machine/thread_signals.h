/* SPDX-License-Identifier: MIT */
/* Says which signals a thread of calab's own takes. It includes signal.h, whose names (access(), as
 * it includes unistd.h for C++) are kept out of the files of kernels so. */
#ifndef CALAB_CORE_MACHINE_THREAD_SIGNALS_H
#define CALAB_CORE_MACHINE_THREAD_SIGNALS_H

#include <signal.h>

/* Blocks signals for threads that the caller starts now, since they are for those that were there
 * before; `before`: the caller's mask, to be set again. What a thread's own instructions raise
 * (SIGSEGV, SIGFPE and the like) stays with it, for the handler that reports a crash: where that is
 * blocked, the process ends without a word. */
void ca_thread_signals(sigset_t *before);

#endif
