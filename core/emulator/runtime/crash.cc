/* SPDX-License-Identifier: MIT */
/*
 * Reports the line where the program crashes at what is not watched, such as an access of the
 * host's through a null pointer or the end of a stack. The process ends by the same signal.
 */
#include "core/emulator/runtime/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/place.h"

#define STACK_BYTES ((size_t)256 << 10)   /* the program's own may be what is at its end */
#define NULL_BYTES 4096                   /* of the members of an object that is not there */
#define FRAME_BYTES ((uintptr_t)64 << 10) /* of a function, about the end of the stack */
#define REPORT_S 5 /* for a report that waits for a lock, which the code that crashed may hold */

static int crashed_by;

static void end(int)
{
    signal(crashed_by, SIG_DFL);
    raise(crashed_by);
}

static uintptr_t stack_pointer(const void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;

#ifdef __x86_64__
    return (uintptr_t)machine->gregs[REG_RSP];
#else
    return (uintptr_t)machine->sp;
#endif
}

static const char *reason(const siginfo_t *info, const void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;

    if (info->si_signo == SIGFPE)
        return "divides by zero";
    if (at < NULL_BYTES)
        return "uses memory through a null pointer";
    return stack_pointer(context) - at + FRAME_BYTES < 2 * FRAME_BYTES
               ? "uses more stack than it has: calls within calls, or large arrays"
               : "uses memory that is not there";
}

static void crashed(int number, siginfo_t *info, void *context)
{
    const struct place *where;

    crashed_by = number;
    signal(SIGALRM, end);
    alarm(REPORT_S);
    where = place_interrupted();
    if (where && emulated_in_kernel())
        finding_report(EMULATED_ERROR, "crash", where, NULL,
                       "block (%u,%u,%u) thread (%u,%u,%u) %s, in kernel %s", blockIdx.x,
                       blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
                       reason(info, context), where->function);
    else if (where)
        finding_report(EMULATED_ERROR, "crash", where, NULL, "the host %s", reason(info, context));
    unsetenv("CALAB_EMULATED_STATUS");
    finding_summarize();
    end(number);
}

void crash_begin()
{
    static char stack[STACK_BYTES];
    const stack_t other = {stack, 0, STACK_BYTES};

    place_ready();
    sigaltstack(&other, NULL);
    for (int number : {SIGSEGV, SIGBUS, SIGFPE}) {
        struct sigaction former, action = {};

        action.sa_sigaction = crashed;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND;
        if (sigaction(number, NULL, &former) == 0 && former.sa_handler == SIG_DFL)
            sigaction(number, &action, NULL);
    }
}
