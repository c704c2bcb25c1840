/* SPDX-License-Identifier: MIT */
/*
 * This file runs work in a copy of this process. A handler of the copy says by shared memory where
 * a signal met it; it uses no function that could need a lock.
 */
#include "core/base/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/base/clock.h"

#define LOCATING_S 1 /* what a copy that is stuck gets to say where */
#define FAILED 99    /* exit status after a signal */

static volatile struct shared {
    uint64_t beats;
    int signal;
    const void *at;
    bool located, done;
} * shared; /* with the copy that runs, and in it */
static bool is_copy;
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* one copy at a time */

void *ca_shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void ca_shared_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

void ca_isolated_alive(void)
{
    if (shared)
        shared->beats++;
}

/* --- the copy --------------------------------------------------------------------------------- */

static const void *instruction_of(const void *context)
{
    const ucontext_t *machine = context;

#if defined(__x86_64__)
    uintptr_t at = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    uintptr_t at = (uintptr_t)machine->uc_mcontext.pc;
#else
    uintptr_t at = (uintptr_t)machine & 0;
#endif
    const void *address;

    memcpy(&address, &at, sizeof address);
    return address;
}

static void isolated_signal(int signal, siginfo_t *info, void *context)
{
    (void)info;
    if (!shared->located) {
        shared->signal = signal;
        shared->at = instruction_of(context);
        shared->located = true;
    }
    _exit(FAILED);
}

/* Signals go to the handler, on a stack of its own, since the other may have overflowed. */
static void catch_crashes(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR1};
    static char handler_stack[64 * 1024];
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = isolated_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigset_t none;

    sigaltstack(&stack, NULL);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        sigaction(crashes[i], &action, NULL);
    signal(SIGINT, SIG_IGN); /* the caller ends the copy */
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_copy(void (*work)(void *context), void *context)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    is_copy = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int stream = 0; stream < 3; stream++)
        dup2(nowhere, stream);
    catch_crashes();
    work(context);
    shared->done = true;
    _exit(0);
}

/* --- the caller ------------------------------------------------------------------------------- */

static void end_copy(pid_t pid, int *status)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

/* Waits at most so long; whether the copy has ended. */
static bool await_copy(pid_t pid, int *status, double seconds)
{
    const struct timespec pause = {0, 2000000};
    double until = ca_now() + seconds;

    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);

        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (ca_now() >= until)
            return false;
        nanosleep(&pause, NULL);
    }
}

static void watch_copy(pid_t pid, double limit_s, bool (*go_on)(void), struct ca_isolated_end *end)
{
    double last = ca_now();
    uint64_t beats = 0;
    int status = 0;

    while (!await_copy(pid, &status, 0.05)) {
        if (shared->beats != beats) {
            beats = shared->beats;
            last = ca_now();
        }
        if (go_on && !go_on()) {
            end->how = CA_ISOLATED_STOPPED;
            end_copy(pid, &status);
            return;
        }
        if (ca_now() - last >= limit_s) {
            end->how = CA_ISOLATED_STUCK;
            kill(pid, SIGUSR1);
            if (!await_copy(pid, &status, LOCATING_S))
                end_copy(pid, &status);
            end->at = shared->at;
            return;
        }
    }
    if (shared->done)
        return;
    end->how = CA_ISOLATED_CRASHED;
    end->at = shared->at;
    end->signal = shared->located ? shared->signal : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static enum ca_status run_apart(void (*work)(void *context), void *context, double limit_s,
                                bool (*go_on)(void), struct ca_isolated_end *end,
                                struct ca_error *error)
{
    pid_t pid;

    shared = ca_shared_memory(sizeof *shared);
    if (!shared)
        return ca_fail(error, CA_NO_MEMORY, "no memory to share with a process");
    pid = fork();
    if (pid == 0)
        run_copy(work, context);
    if (pid > 0)
        watch_copy(pid, limit_s, go_on, end);
    ca_shared_free((void *)shared, sizeof *shared);
    shared = NULL;
    return pid > 0 ? CA_OK
                   : ca_fail(error, CA_IO, "no process can be started: %s", strerror(errno));
}

enum ca_status ca_isolated_run(void (*work)(void *context), void *context, double limit_s,
                               bool (*go_on)(void), struct ca_isolated_end *end,
                               struct ca_error *error)
{
    enum ca_status status;

    *end = (struct ca_isolated_end){.how = CA_ISOLATED_DONE};
    if (is_copy) {
        work(context);
        return CA_OK;
    }
    pthread_mutex_lock(&running);
    status = run_apart(work, context, limit_s, go_on, end, error);
    pthread_mutex_unlock(&running);
    return status;
}

static const char *crash_text(int signal)
{
    switch (signal) {
    case SIGFPE:
        return "divides by zero";
    case SIGSEGV:
    case SIGBUS:
        return "reaches memory that is not its own, or calls itself without end";
    case SIGABRT:
        return "ends the program (abort)";
    case SIGILL:
        return "does what C does not define (a trap)";
    default:
        return "ends the program";
    }
}

void ca_isolated_report(const struct ca_isolated_end *end, const char *place, double limit_s,
                        struct ca_error *error)
{
    if (end->how == CA_ISOLATED_STUCK)
        ca_error_set(error, CA_WRONG,
                     "%.500s: the model's code has not returned for %g s: a loop that does not end",
                     place, limit_s);
    else
        ca_error_set(error, CA_WRONG, "%.500s: the model's code %s", place,
                     crash_text(end->signal));
}
