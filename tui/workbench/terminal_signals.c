/* SPDX-License-Identifier: MIT */
/* Owns the signal handlers of the workbench and what they put back. */
#include "tui/workbench/terminal_signals.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#define SAVE_SECONDS 5 /* for the main loop to die in good order */

/* How a signal is met while the terminal is open. */
enum meeting { MEET_NOTE, MEET_KEY, MEET_DEATH, MEET_DEADLINE };

static const struct {
    int signal;
    enum meeting meeting;
    const char *crash; /* what to say of it; NULL: a person asked for it */
} signals[] = {
    {SIGTERM, MEET_NOTE, NULL},       {SIGHUP, MEET_NOTE, NULL},
    {SIGINT, MEET_KEY, NULL},         {SIGTSTP, MEET_KEY, NULL},
    {SIGQUIT, MEET_DEATH, NULL},      {SIGSEGV, MEET_DEATH, "SIGSEGV"},
    {SIGABRT, MEET_DEATH, "SIGABRT"}, {SIGBUS, MEET_DEATH, "SIGBUS"},
    {SIGFPE, MEET_DEATH, "SIGFPE"},   {SIGILL, MEET_DEATH, "SIGILL"},
    {SIGALRM, MEET_DEADLINE, NULL},
};
#define SIGNALS (sizeof signals / sizeof *signals)

/* What handlers use. */
static struct {
    volatile sig_atomic_t drawn; /* there is something to put back */
    volatile sig_atomic_t death; /* SIGTERM or SIGHUP that has come */
    volatile sig_atomic_t key_c, key_z;
    volatile sig_atomic_t mouse;
    volatile sig_atomic_t cut;
    int fd;        /* the line, a descriptor that curses does not use */
    int curses_fd; /* the one that it does */
    int nowhere;   /* /dev/null */
    int wake[2];
    struct termios modes; /* from before curses */
    char leave[256];
    size_t leave_bytes;
    char log[512];
} live;

static struct sigaction before[SIGNALS];
static _Alignas(16) char handler_stack[64 * 1024];
static stack_t stack_before;

/* --- handlers: async-signal-safe calls alone -------------------------------------------------- */

/*
 * On a signal stack AddressSanitizer calls malloc() before what does not return, and waits for ever
 * where the signal came within malloc(): it is to leave those functions as they are written.
 */
#define AS_WRITTEN __attribute__((no_sanitize("address")))

static void say(const char *text, size_t bytes)
{
    ssize_t written = write(live.fd, text, bytes);

    (void)written;
}

static void put_back(const char *crash)
{
    static const char mouse_off[] = "\033[?1000l\033[?1002l\033[?1006l";

    if (!live.drawn)
        return;
    live.drawn = 0;
    /* A line that is blocked must not hold up death; the open file is ours alone. */
    fcntl(live.fd, F_SETFL, O_RDWR | O_NONBLOCK);
    if (live.mouse)
        say(mouse_off, sizeof mouse_off - 1);
    say(live.leave, live.leave_bytes);
    tcsetattr(live.fd, TCSANOW, &live.modes);
    if (crash) {
        say("calab: ended by ", 16);
        say(crash, strlen(crash));
        if (live.log[0]) {
            say("; see ", 6);
            say(live.log, strlen(live.log));
        }
        say("\r\n", 2);
    }
}

AS_WRITTEN void terminal_signals_die(int signal_number)
{
    sigset_t just;

    signal(signal_number, SIG_DFL);
    sigemptyset(&just);
    sigaddset(&just, signal_number);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &just, NULL);
    _exit(128 + signal_number);
}

void terminal_signals_wake(void)
{
    int saved = errno;
    ssize_t written = write(live.wake[1], "", 1); /* full: it is awake already */

    (void)written;
    errno = saved;
}

AS_WRITTEN static void on_death(int signal_number)
{
    const char *crash = NULL;

    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].signal == signal_number)
            crash = signals[i].crash;
    put_back(crash);
    terminal_signals_die(signal_number);
}

/*
 * Where the line takes nothing, curses may be waiting in the middle of a write, and would wait for
 * ever: what it still has to say goes nowhere, a write that is restarted included.
 */
static void cut_blocked_line(void)
{
    struct pollfd line = {.fd = live.fd, .events = POLLOUT};
    int saved = errno;

    if (poll(&line, 1, 0) == 0 && dup2(live.nowhere, live.curses_fd) >= 0)
        live.cut = 1;
    errno = saved;
}

static void on_note(int signal_number)
{
    /* A hangup comes twice, from the line and from the shell: only the first sets the alarm. */
    if (!live.death) {
        live.death = signal_number;
        cut_blocked_line();
        alarm(SAVE_SECONDS);
    }
    terminal_signals_wake();
}

AS_WRITTEN static void on_deadline(int signal_number)
{
    on_death(live.death ? live.death : signal_number);
}

static void on_key(int signal_number)
{
    if (signal_number == SIGINT)
        live.key_c = 1;
    else
        live.key_z = 1;
    terminal_signals_wake();
}

/* Adds a capability without its padding, which is for hardware of the seventies. */
static void add_leave(const char *capability)
{
    if (!capability || capability == (const char *)-1)
        return;
    while (*capability && live.leave_bytes < sizeof live.leave) {
        if (capability[0] == '$' && capability[1] == '<' && strchr(capability, '>'))
            capability = strchr(capability, '>') + 1;
        else
            live.leave[live.leave_bytes++] = *capability++;
    }
}

static void prepare_leave(void)
{
    const char *rmcup = tigetstr("rmcup");

    live.leave_bytes = 0;
    add_leave(tigetstr("sgr0"));
    add_leave(tigetstr("op"));
    add_leave(tigetstr("rmkx"));
    add_leave(tigetstr("cnorm"));
    if (rmcup && rmcup != (const char *)-1)
        add_leave(rmcup);
    else
        add_leave(tiparm(tigetstr("cup"), LINES - 1, 0));
    add_leave("\r\n");
}

/* --- the main loop's side --------------------------------------------------------------------- */

enum ca_status terminal_signals_begin(int fd, struct ca_error *error)
{
    static void (*const handlers[])(int) = {
        [MEET_NOTE] = on_note,
        [MEET_KEY] = on_key,
        [MEET_DEATH] = on_death,
        [MEET_DEADLINE] = on_deadline,
    };
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};

    memset(&live, 0, sizeof live);
    live.curses_fd = fd;
    live.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    live.nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (live.fd < 0 || live.nowhere < 0 || pipe2(live.wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return ca_fail(error, CA_IO, "opening what signals need: %s", strerror(errno));
    sigaltstack(&stack, &stack_before);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = handlers[signals[i].meeting],
                                   .sa_flags = SA_ONSTACK | SA_RESTART};

        sigfillset(&action.sa_mask);
        sigaction(signals[i].signal, NULL, &before[i]);
        /* nohup and the like stay in force. */
        if (before[i].sa_handler != SIG_IGN || signals[i].crash)
            sigaction(signals[i].signal, &action, NULL);
    }
    return CA_OK;
}

void terminal_signals_end(void)
{
    alarm(0);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i].signal, &before[i], NULL);
    sigaltstack(&stack_before, NULL);
    close(live.fd);
    close(live.nowhere);
    close(live.wake[0]);
    close(live.wake[1]);
}

void terminal_signals_drawn(const struct termios *modes)
{
    live.modes = *modes;
    prepare_leave();
    live.drawn = 1;
}

void terminal_signals_not_drawn(void)
{
    if (live.cut) /* what curses did to that end has not arrived */
        put_back(NULL);
    live.drawn = 0;
}

void terminal_signals_mouse(bool on) { live.mouse = on; }

void terminal_signals_log(const char *path) { snprintf(live.log, sizeof live.log, "%s", path); }

int terminal_signals_fd(void) { return live.wake[0]; }

int terminal_signals_death(void) { return live.death; }

void terminal_signals_drain(void)
{
    char bytes[64];

    while (read(live.wake[0], bytes, sizeof bytes) > 0)
        continue;
}

int terminal_signals_key(void)
{
    if (live.key_c) {
        live.key_c = 0;
        return 3;
    }
    if (live.key_z) {
        live.key_z = 0;
        return 26;
    }
    return 0;
}
