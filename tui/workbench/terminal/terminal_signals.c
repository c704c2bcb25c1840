/* SPDX-License-Identifier: MIT */
/* The signal handlers of the workbench restore the terminal. */
#include "tui/workbench/terminal/terminal_signals.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#define SAVE_SECONDS 5 /* for the main loop to save and end */

/* A signal causes one of these while the terminal is open. */
enum reaction { REACT_SAVE, REACT_KEY, REACT_END, REACT_DEADLINE };

static const struct {
    int signal;
    enum reaction reaction;
    const char *crash; /* its name for the message; NULL: not a crash */
} signals[] = {
    {SIGTERM, REACT_SAVE, NULL},     {SIGHUP, REACT_SAVE, NULL},
    {SIGINT, REACT_KEY, NULL},       {SIGTSTP, REACT_KEY, NULL},
    {SIGQUIT, REACT_END, NULL},      {SIGSEGV, REACT_END, "SIGSEGV"},
    {SIGABRT, REACT_END, "SIGABRT"}, {SIGBUS, REACT_END, "SIGBUS"},
    {SIGFPE, REACT_END, "SIGFPE"},   {SIGILL, REACT_END, "SIGILL"},
    {SIGALRM, REACT_DEADLINE, NULL},
};
#define SIGNALS (sizeof signals / sizeof *signals)

/* The state that the handlers use. */
static struct {
    volatile sig_atomic_t drawn; /* the terminal must be restored */
    volatile sig_atomic_t death; /* SIGTERM or SIGHUP that has arrived */
    volatile sig_atomic_t key_c, key_z;
    volatile sig_atomic_t mouse, paste;
    volatile sig_atomic_t discarded; /* output is redirected to /dev/null */
    int fd;                          /* the terminal, a descriptor that curses does not use */
    int curses_fd;                   /* the descriptor that curses uses */
    int null_fd;                     /* /dev/null */
    int wake[2];
    struct termios modes; /* before curses changed them */
    char pixels[512];     /* takes pictures back */
    char leave[256];
    size_t leave_bytes;
    char log[512];
} live;

static struct sigaction before[SIGNALS];
static _Alignas(16) char handler_stack[64 * 1024];
static stack_t stack_before;

/* --- handlers: only async-signal-safe calls --------------------------------------------------- */

/*
 * AddressSanitizer calls malloc() before a function that does not return. On a signal stack this
 * deadlocks if the signal has interrupted malloc(), so these functions are not instrumented.
 */
#define NOT_INSTRUMENTED __attribute__((no_sanitize("address")))

static void write_terminal(const char *text, size_t bytes)
{
    ssize_t written = write(live.fd, text, bytes);

    (void)written;
}

static void restore_terminal(const char *crash)
{
    static const char mouse_off[] = "\033[?1000l\033[?1002l\033[?1006l";
    static const char paste_off[] = "\033[?2004l";

    if (!live.drawn)
        return;
    live.drawn = 0;
    /* A blocked terminal must not delay the end. No other process shares this open file. */
    fcntl(live.fd, F_SETFL, O_RDWR | O_NONBLOCK);
    write_terminal(live.pixels, strlen(live.pixels));
    if (live.mouse)
        write_terminal(mouse_off, sizeof mouse_off - 1);
    if (live.paste)
        write_terminal(paste_off, sizeof paste_off - 1);
    write_terminal(live.leave, live.leave_bytes);
    tcsetattr(live.fd, TCSANOW, &live.modes);
    if (crash) {
        write_terminal("calab: ended by ", 16);
        write_terminal(crash, strlen(crash));
        if (live.log[0]) {
            write_terminal("; see ", 6);
            write_terminal(live.log, strlen(live.log));
        }
        write_terminal("\r\n", 2);
    }
}

NOT_INSTRUMENTED void terminal_signals_die(int signal_number)
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
    ssize_t written = write(live.wake[1], "", 1); /* a full pipe wakes it too */

    (void)written;
    errno = saved;
}

NOT_INSTRUMENTED static void on_end(int signal_number)
{
    const char *crash = NULL;

    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].signal == signal_number)
            crash = signals[i].crash;
    restore_terminal(crash);
    terminal_signals_die(signal_number);
}

static void on_save(int signal_number)
{
    struct pollfd line = {.fd = live.fd, .events = POLLOUT};
    int saved = errno;

    /* A hangup arrives twice, from the terminal and from the shell; only the first sets the alarm.
     * If the terminal accepts no output, curses may be blocked in a write. Its descriptor is then
     * redirected to /dev/null, so that the write, once restarted, and all later ones succeed. */
    if (!live.death) {
        live.death = signal_number;
        if (poll(&line, 1, 0) == 0 && dup2(live.null_fd, live.curses_fd) >= 0)
            live.discarded = 1;
        errno = saved;
        alarm(SAVE_SECONDS);
    }
    terminal_signals_wake();
}

NOT_INSTRUMENTED static void on_deadline(int signal_number)
{
    on_end(live.death ? live.death : signal_number);
}

static void on_key(int signal_number)
{
    if (signal_number == SIGINT)
        live.key_c = 1;
    else
        live.key_z = 1;
    terminal_signals_wake();
}

/* Adds a capability without its padding, which only hardware terminals need. */
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

/* --- for the main loop ------------------------------------------------------------------------ */

enum ca_status terminal_signals_begin(int fd, struct ca_error *error)
{
    static void (*const handlers[])(int) = {
        [REACT_SAVE] = on_save,
        [REACT_KEY] = on_key,
        [REACT_END] = on_end,
        [REACT_DEADLINE] = on_deadline,
    };
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};

    memset(&live, 0, sizeof live);
    live.curses_fd = fd;
    live.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    live.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (live.fd < 0 || live.null_fd < 0 || pipe2(live.wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return ca_fail(error, CA_IO, "signal handling cannot be set up: %s", strerror(errno));
    sigaltstack(&stack, &stack_before);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = handlers[signals[i].reaction],
                                   .sa_flags = SA_ONSTACK | SA_RESTART};

        sigfillset(&action.sa_mask);
        sigaction(signals[i].signal, NULL, &before[i]);
        /* A signal that is ignored, as under nohup, stays ignored. */
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
    close(live.null_fd);
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
    if (live.discarded) /* the output of endwin went to /dev/null */
        restore_terminal(NULL);
    live.drawn = 0;
}

void terminal_signals_mouse(bool on) { live.mouse = on; }
void terminal_signals_paste(bool on) { live.paste = on; }
void terminal_signals_pixels(const char *text)
{
    snprintf(live.pixels, sizeof live.pixels, "%s", text);
}
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
