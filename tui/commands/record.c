/* SPDX-License-Identifier: MIT */
/* Owns the pseudo-terminal of a recording, the processes behind it, and the user's terminal while
 * they run. */
#include "tui/commands/record.h"
#include "tui/size.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tui/commands/cast.h"

#define PATIENCE_MS 1000 /* for a terminal that takes nothing */

/* Bytes on their way. */
struct flow {
    char bytes[4096]; /* more would only wait for a slow line */
    size_t from, end;
};

struct recorder {
    int line;   /* the user's terminal, opened once more, so that nobody else is not blocking */
    int master; /* the program's */
    int signals;
    sigset_t mask_before;
    pid_t leader;
    int status;           /* as of waitpid, once the leader has ended */
    bool ended, gone;     /* the user's terminal */
    struct termios modes; /* of it, before */
    struct winsize size;
    struct flow keys, output;
    double began;
    struct cast cast;
};

/* --- the command line ------------------------------------------------------------------------- */

enum ca_status record_options(struct recording *recording, struct options *options, int argc,
                              char **argv, struct ca_error *error)
{
    size_t used;

    if (options->operands == 0)
        return ca_fail(error, CA_USAGE, "a file is needed, as in calab record FILE.cast");
    *recording = (struct recording){.path = options->operand[0],
                                    .replace = options_has(options, OPTION_REPLACE)};
    if (!cast_path(recording->path))
        return ca_fail(error, CA_USAGE, "'%.300s': the name of a recording ends in .cast",
                       recording->path);
    memmove(options->operand, options->operand + 1,
            (size_t)--options->operands * sizeof *options->operand);
    used = (size_t)snprintf(recording->title, sizeof recording->title, "calab");
    for (int i = 1; i < argc && used < sizeof recording->title; i++)
        if (argv[i] != recording->path && strcmp(argv[i], "--force") != 0)
            used += (size_t)snprintf(recording->title + used, sizeof recording->title - used, " %s",
                                     argv[i]);
    return CA_OK;
}

/* --- the program's side ----------------------------------------------------------------------- */

/*
 * The leader of the pseudo-terminal's session waits for the program, which has a group of its own:
 * ^Z stops no group that nobody in its session can continue. When the program stops, the leader
 * does, which the recorder sees; continued, it continues the program.
 */
static void lead(pid_t program)
{
    int status = 0;

    signal(SIGTTOU, SIG_IGN);
    setpgid(program, program);
    tcsetpgrp(STDIN_FILENO, program);
    while (waitpid(program, &status, WUNTRACED) == program && WIFSTOPPED(status)) {
        raise(SIGSTOP);
        tcsetpgrp(STDIN_FILENO, program);
        kill(-program, SIGCONT);
    }
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* In the child of forkpty; returns in the program's process alone. */
static void begin_program(const struct recorder *r)
{
    sigset_t output;
    pid_t program = fork();

    if (program < 0)
        _exit(CA_NO_MEMORY);
    if (program > 0)
        lead(program);
    close(r->cast.fd);
    close(r->line);
    close(r->signals);
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    sigprocmask(SIG_BLOCK, &output, NULL);
    setpgid(0, 0);
    tcsetpgrp(STDIN_FILENO, getpid());
    sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
}

/* The program, not the leader of its session. */
static void send_signal(const struct recorder *r, int signal)
{
    pid_t group = tcgetpgrp(r->master);

    if (group > 0)
        kill(-group, signal);
}

/* --- the user's side -------------------------------------------------------------------------- */

/* What a crash restores. */
static struct {
    int line;
    struct termios modes;
} crash;

static void on_crash(int signal_number)
{
    tcsetattr(crash.line, TCSANOW, &crash.modes);
    raise(signal_number); /* has its default action again */
}

static void catch_crashes(const struct recorder *r)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};

    crash.line = r->line;
    crash.modes = r->modes;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
}

static void make_raw(const struct recorder *r)
{
    struct termios raw = r->modes;

    cfmakeraw(&raw);
    tcsetattr(r->line, TCSANOW, &raw);
}

static struct winsize winsize_of(int line)
{
    const struct size size = size_of(line);

    return (struct winsize){.ws_row = (unsigned short)size.height,
                            .ws_col = (unsigned short)size.width};
}

static enum ca_status open_terminal(struct recorder *r, struct ca_error *error)
{
    static const char *const names[] = {"standard input", "standard output"};

    for (int fd = 0; fd <= 1; fd++)
        if (!isatty(fd))
            return ca_fail(error, CA_USAGE,
                           "%s is not a terminal, and what the workbench shows there is recorded",
                           names[fd]);
    r->line = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (r->line < 0 && ttyname(STDOUT_FILENO)) /* no controlling terminal, as after setsid */
        r->line = open(ttyname(STDOUT_FILENO), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (r->line < 0 || tcgetattr(r->line, &r->modes) != 0)
        return ca_fail(error, CA_USAGE, "the terminal cannot be opened: %s", strerror(errno));
    r->size = winsize_of(r->line);
    return CA_OK;
}

/* --- between them ----------------------------------------------------------------------------- */

static double elapsed_s(const struct recorder *r) { return ca_now() - r->began; }

static bool is_empty(const struct flow *flow) { return flow->from == flow->end; }

/* Fills an empty flow; false if nothing came, with errno 0 at the end of it. */
static bool fill(struct flow *flow, int fd)
{
    ssize_t n;

    errno = 0;
    n = read(fd, flow->bytes, sizeof flow->bytes);

    flow->from = 0;
    flow->end = n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* Writes what is taken now. */
static void empty(struct flow *flow, int fd)
{
    ssize_t n = is_empty(flow) ? 0 : write(fd, flow->bytes + flow->from, flow->end - flow->from);

    if (n > 0)
        flow->from += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        flow->from = flow->end; /* lost, which reading will tell */
}

static bool take_output(struct recorder *r)
{
    if (!fill(&r->output, r->master))
        return false;
    cast_output(&r->cast, elapsed_s(r), r->output.bytes, r->output.end);
    if (r->gone)
        r->output.from = r->output.end;
    empty(&r->output, r->line);
    return true;
}

/* Passes on all that the program has written. */
static void drain(struct recorder *r)
{
    do {
        struct pollfd line = {.fd = r->line, .events = POLLOUT};

        while (!r->gone && !is_empty(&r->output) && poll(&line, 1, PATIENCE_MS) == 1)
            empty(&r->output, r->line);
        r->output.from = r->output.end;
    } while (take_output(r));
}

static void follow_size(struct recorder *r)
{
    struct winsize size = winsize_of(r->line);

    if (size.ws_row == r->size.ws_row && size.ws_col == r->size.ws_col)
        return;
    r->size = size;
    ioctl(r->master, TIOCSWINSZ, &size);
    cast_resize(&r->cast, elapsed_s(r), size.ws_col, size.ws_row);
}

/* Stops the recorder's job, as the program has stopped; the time until it goes on is not in the
 * recording. */
static void suspend(struct recorder *r)
{
    double stopped = ca_now();
    sigset_t stop;

    drain(r);
    tcsetattr(r->line, TCSANOW, &r->modes);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL);
    kill(0, SIGTSTP);
    if (tcgetpgrp(r->line) != getpgrp())
        kill(0, SIGTTOU); /* continued in the background: stop again until in the foreground */
    sigprocmask(SIG_BLOCK, &stop, NULL);
    tcgetattr(r->line, &r->modes); /* the user may have called stty meanwhile */
    r->began += ca_now() - stopped;
    make_raw(r);
    follow_size(r);
    kill(r->leader, SIGCONT);
}

static void take_signal(struct recorder *r)
{
    struct signalfd_siginfo info;

    if (read(r->signals, &info, sizeof info) != sizeof info)
        return;
    switch (info.ssi_signo) {
    case SIGCHLD:
        if (waitpid(r->leader, &r->status, WNOHANG | WUNTRACED) != r->leader)
            break;
        r->ended = !WIFSTOPPED(r->status);
        if (!r->ended)
            suspend(r);
        break;
    case SIGWINCH:
        follow_size(r);
        break;
    case SIGCONT: /* after SIGSTOP: a shell has set its own modes */
        make_raw(r);
        follow_size(r);
        break;
    default:
        send_signal(r, (int)info.ssi_signo);
    }
}

/* The program loses its own, too, so that it saves and ends as it would without a recorder. */
static void lose_terminal(struct recorder *r)
{
    r->gone = true;
    r->output.from = r->output.end;
    r->keys.from = r->keys.end;
    close(r->master);
    r->master = -1;
}

static void pass_on(struct recorder *r)
{
    struct pollfd fds[] = {
        {.fd = r->signals, .events = POLLIN},
        {.fd = r->master,
         .events =
             (short)((is_empty(&r->output) ? POLLIN : 0) | (is_empty(&r->keys) ? 0 : POLLOUT))},
        {.fd = r->gone ? -1 : r->line,
         .events =
             (short)((is_empty(&r->keys) ? POLLIN : 0) | (is_empty(&r->output) ? 0 : POLLOUT))},
    };

    poll(fds, 3, -1);
    if (fds[1].revents & POLLIN)
        take_output(r);
    if (fds[1].revents & POLLOUT)
        empty(&r->keys, r->master);
    if (fds[2].revents & POLLOUT)
        empty(&r->output, r->line);
    if (fds[2].revents & (POLLHUP | POLLERR | POLLNVAL))
        lose_terminal(r);
    else if (fds[2].revents & POLLIN && fill(&r->keys, r->line))
        empty(&r->keys, r->master);
    else if (fds[2].revents & POLLIN && errno != EAGAIN && errno != EINTR)
        lose_terminal(r);
    if (fds[0].revents & POLLIN)
        take_signal(r);
}

/* Blocked from before the program is there on, and read one by one. */
static void take_signals(struct recorder *r)
{
    static const int taken[] = {SIGCHLD, SIGWINCH, SIGCONT, SIGTERM,
                                SIGHUP,  SIGINT,   SIGQUIT, SIGTSTP};
    sigset_t all;

    sigemptyset(&all);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(&all, taken[i]);
    sigprocmask(SIG_BLOCK, &all, &r->mask_before);
    r->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int finish(struct recorder *r, struct ca_error *error)
{
    int status = WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);

    drain(r);
    tcsetattr(r->line, TCSADRAIN, &r->modes);
    if (r->master >= 0)
        close(r->master);
    close(r->signals);
    sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
    if (cast_close(&r->cast, error) != CA_OK)
        return status ? status : CA_IO;
    printf("wrote %s, %.1f s\n", r->cast.path, r->cast.last_s);
    return status;
}

int record(const struct recording *recording, int (*body)(void *data, struct ca_error *error),
           void *data, struct ca_error *error)
{
    static struct recorder r;
    enum ca_status status = open_terminal(&r, error);

    if (status != CA_OK)
        return status;
    CA_TRY(cast_open(&r.cast, recording->path, recording->replace, error));
    cast_begin(&r.cast, r.size.ws_col, r.size.ws_row, recording->title);
    take_signals(&r);
    r.began = ca_now();
    r.leader = forkpty(&r.master, NULL, &r.modes, &r.size);
    if (r.leader < 0)
        return ca_fail(error, CA_IO, "there is no pseudo-terminal: %s", strerror(errno));
    if (r.leader == 0) {
        begin_program(&r);
        return body(data, error);
    }
    signal(SIGPIPE, SIG_IGN);
    fcntl(r.master, F_SETFD, FD_CLOEXEC);
    fcntl(r.master, F_SETFL, O_NONBLOCK);
    catch_crashes(&r);
    make_raw(&r);
    while (!r.ended)
        pass_on(&r);
    return finish(&r, error);
}
