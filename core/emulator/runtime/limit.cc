/* SPDX-License-Identifier: MIT */
/*
 * Limits the time that a program may take. When it is over, the place of the running thread is
 * reported, and the process ends by SIGALRM.
 *
 *     CALAB_EMULATED_LIMIT=SECONDS    from the first call of CUDA's on
 */
#include "core/emulator/runtime/limit.h"

#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/place.h"

#define FRAMES 32

/* The innermost place that is the user's. It interrupts anything; who cannot go on here is ended by
 * the process that set the limit. */
static void over(int)
{
    void *frame[FRAMES];
    int count = backtrace(frame, FRAMES);
    const struct place *where = NULL;

    for (int i = 2;
         i < count && (!where || where->line == 0 || strstr(where->file, PLACE_OWN_FOLDER)); i++)
        where = place_of((uint32_t)(uintptr_t)frame[i] + (i == 2));
    signal(SIGALRM, SIG_DFL);
    if (where && where->line > 0 && emulated_in_kernel())
        finding_report(EMULATED_ERROR, "limit", where, NULL,
                       "block (%u,%u,%u) thread (%u,%u,%u) has not ended in time, in kernel %s",
                       blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
                       where->function);
    unsetenv("CALAB_EMULATED_STATUS");
    finding_summarize();
    raise(SIGALRM);
}

void limit_start()
{
    static bool started;
    const char *text = getenv("CALAB_EMULATED_LIMIT");
    double seconds = text && !started ? atof(text) : 0;
    struct itimerval time = {};
    struct sigaction action = {};
    void *frame[1];

    started = true;
    if (seconds <= 0)
        return;
    backtrace(frame, 1); /* loads what it needs now, not in the handler */
    action.sa_handler = over;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGALRM, &action, NULL);
    time.it_value.tv_sec = (time_t)seconds;
    time.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
    setitimer(ITIMER_REAL, &time, NULL);
}
