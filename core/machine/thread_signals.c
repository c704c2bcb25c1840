/* SPDX-License-Identifier: MIT */
/* Blocks for new threads the signals that others take. */
#include "core/machine/thread_signals.h"

#include <stddef.h>

void ca_thread_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}
