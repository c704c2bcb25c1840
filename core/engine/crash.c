/* SPDX-License-Identifier: MIT */
/* Owns the last requests of an engine and what its handlers of fatal signals write. */
#include "core/engine/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define KEPT 8
#define KEPT_BYTES 256
#define FRAMES_MAX 64

static struct {
    char text[KEPT][KEPT_BYTES];
    size_t length[KEPT];
    int next;
} requests;

static int log_fd = -1;
static _Alignas(16) char handler_stack[64 * 1024];

static const struct {
    int signal;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"},
               {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}};
#define SIGNALS ((int)(sizeof signals / sizeof *signals))

void ca_crash_note(const char *request, size_t length)
{
    int i = requests.next;

    requests.length[i] = length < KEPT_BYTES ? length : KEPT_BYTES;
    memcpy(requests.text[i], request, requests.length[i]);
    requests.next = (i + 1) % KEPT;
}

/* --- the handler: only async-signal-safe calls ------------------------------------------------ */

static void put(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(log_fd, text, length);

        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

static void put_text(const char *text) { put(text, strlen(text)); }

static void on_crash(int signal_number)
{
    void *frames[FRAMES_MAX];
    sigset_t just;

    put_text("calab engine: ended by ");
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].signal == signal_number)
            put_text(signals[i].name);
    put_text("\nthe last requests:\n");
    for (int i = 0; i < KEPT; i++) {
        int at = (requests.next + i) % KEPT;

        if (requests.length[at] == 0)
            continue;
        put_text("    ");
        put(requests.text[at], requests.length[at]);
        put_text(requests.length[at] == KEPT_BYTES ? " ...\n" : "\n");
    }
    put_text("backtrace:\n");
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), log_fd);
    put_text("end of the backtrace\n");
    signal(signal_number, SIG_DFL);
    sigemptyset(&just);
    sigaddset(&just, signal_number);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &just, NULL);
    _exit(128 + signal_number);
}

void ca_crash_log(int fd)
{
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK}, before;
    void *frame;

    log_fd = fd;
    backtrace(&frame, 1); /* loads what it needs now, which is not safe in a handler */
    sigaltstack(&stack, NULL);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i].signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i].signal, &action, NULL);
}
