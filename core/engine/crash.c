/* SPDX-License-Identifier: MIT */
/* This file reports the cause of a crash. Handlers use async-signal-safe calls alone. */
#include "core/engine/crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "core/base/source_line.h"

#define NOTES 16
#define NOTE_BYTES 240
#define FRAMES 64
#define REPORT_SECONDS 5 /* a report that hangs, as in a lock, ends after so many */

static const struct {
    int signal;
    const char *name;
} crashes[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"},
};
#define CRASHES (sizeof crashes / sizeof *crashes)

static struct {
    char text[NOTES][NOTE_BYTES];
    size_t length[NOTES]; /* as received: more than NOTE_BYTES are cut */
    uint64_t count;
} notes;

static const char *crashing; /* the command */
static atomic_flag reported = ATOMIC_FLAG_INIT;
static _Alignas(16) char handler_stack[64 * 1024]; /* after an overflow there is no other */

const char *ca_crash_name(int signal)
{
    for (size_t i = 0; i < CRASHES; i++)
        if (crashes[i].signal == signal)
            return crashes[i].name;
    return NULL;
}

void ca_crash_note(const char *request, size_t length)
{
    const uint64_t at = notes.count % NOTES;

    notes.length[at] = length;
    memcpy(notes.text[at], request, length < NOTE_BYTES ? length : NOTE_BYTES);
    notes.count++;
}

/* --- handlers --------------------------------------------------------------------------------- */

static void put_bytes(const char *text, size_t count)
{
    ssize_t written = write(STDERR_FILENO, text, count);

    (void)written;
}

static void crash_put(const char *text) { put_bytes(text, strlen(text)); }

static void put_number(uint64_t value, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;

    do
        digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    put_bytes(digits + at, sizeof digits - at);
}

struct frames {
    void *at[FRAMES];
    bool returns[FRAMES]; /* it is behind a call, not the instruction that failed */
    int count;
};

static _Unwind_Reason_Code crash_take_frame(struct _Unwind_Context *context, void *user)
{
    struct frames *frames = user;
    int before = 0;

    if (frames->count == FRAMES || _Unwind_GetIPInfo(context, &before) == 0)
        return _URC_END_OF_STACK;
    frames->returns[frames->count] = !before;
    frames->at[frames->count++] = (void *)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

/* --- a line of a model's file ----------------------------------------------------------------- */

#define OBJECTS "/calab/models/" /* where objects of models lie (kernels/file) */
#define HEADER "calab_model"     /* with what their headers begin, whose lines say nothing */

/* " in FILE:LINE" of the first frame in the code of a model's file. */
static void put_place(const struct frames *frames)
{
    char text[1024];

    for (int i = 0; i < frames->count; i++) {
        uintptr_t address = (uintptr_t)frames->at[i] - frames->returns[i];
        size_t bytes, begin = 0, end;
        Dl_info info;

        if (!dladdr(frames->at[i], &info) || !info.dli_fname || !strstr(info.dli_fname, OBJECTS))
            continue;
        bytes =
            ca_source_lines(info.dli_fname, address - (uintptr_t)info.dli_fbase, text, sizeof text);
        for (; begin < bytes; begin = end + 1) {
            for (end = begin; end < bytes && text[end] != '\n' && text[end] != ' ';)
                end++;
            if (end > begin && end < bytes && text[begin] != '?' &&
                memcmp(text + begin, HEADER, sizeof HEADER - 1) != 0) {
                crash_put(" in ");
                put_bytes(text + begin, end - begin);
                return;
            }
            while (end < bytes && text[end] != '\n')
                end++;
        }
    }
}

static void put_head(const char *text)
{
    crash_put("calab ");
    crash_put(crashing);
    crash_put(": ");
    crash_put(text);
}

static void put_requests(void)
{
    uint64_t first = notes.count > NOTES ? notes.count - NOTES : 0;

    put_head("the last of its ");
    put_number(notes.count, 10);
    crash_put(" requests, without ack:\n");
    for (uint64_t i = first; i < notes.count; i++) {
        const size_t length = notes.length[i % NOTES];

        crash_put("  ");
        put_bytes(notes.text[i % NOTES], length < NOTE_BYTES ? length : NOTE_BYTES);
        crash_put(length > NOTE_BYTES ? " ...\n" : "\n");
    }
}

/* The last line says it all, for where only that is seen. */
static void on_crash(int signal_number, siginfo_t *info, void *context)
{
    sigset_t just;
    struct frames frames = {.count = 0};

    (void)context;
    while (atomic_flag_test_and_set(&reported)) /* by another thread, which ends them all */
        pause();
    signal(SIGALRM, SIG_DFL);
    alarm(REPORT_SECONDS);
    /* backtrace() would load libgcc_s, of which a portable calab has its part built in. */
    _Unwind_Backtrace(crash_take_frame, &frames);
    if (strcmp(crashing, "engine") == 0) {
        put_requests();
        put_head("backtrace:\n");
        backtrace_symbols_fd(frames.at, frames.count, STDERR_FILENO);
    }
    put_head("process ");
    put_number((uint64_t)getpid(), 10);
    crash_put(" ended by ");
    crash_put(ca_crash_name(signal_number));
    if (info->si_code > 0) {
        crash_put(" at address 0x");
        put_number((uintptr_t)info->si_addr, 16);
    } else if (info->si_pid != getpid()) {
        crash_put(" from process ");
        put_number((uint64_t)info->si_pid, 10);
    }
    put_place(&frames);
    crash_put("\n");

    signal(signal_number, SIG_DFL);
    sigemptyset(&just);
    sigaddset(&just, signal_number);
    sigprocmask(SIG_UNBLOCK, &just, NULL);
    raise(signal_number);
    _exit(128 + signal_number);
}

void ca_crash_begin(const char *command)
{
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_SIGINFO};

    crashing = command;
    sigaltstack(&stack, NULL);
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGALRM);
    for (size_t i = 0; i < CRASHES; i++) {
        struct sigaction before;

        if (sigaction(crashes[i].signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(crashes[i].signal, &action, NULL);
    }
}
