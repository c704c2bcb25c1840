/* SPDX-License-Identifier: MIT */
/*
 * Limits the time that a program may take. When it is over, the place of the running thread is
 * reported, and the process ends by SIGALRM.
 *
 *     CALAB_EMULATED_LIMIT=SECONDS    from the first call of CUDA's on
 */
#include "core/emulator/runtime/limit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/place.h"

/* It interrupts anything; who cannot go on here is ended by the process that set the limit. */
static void over(int)
{
    const struct place *where = place_interrupted();

    signal(SIGALRM, SIG_DFL);
    if (where && emulated_in_kernel())
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

    started = true;
    if (seconds <= 0)
        return;
    place_ready();
    action.sa_handler = over;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGALRM, &action, NULL);
    time.it_value.tv_sec = (time_t)seconds;
    time.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
    setitimer(ITIMER_REAL, &time, NULL);
}
