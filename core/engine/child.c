/* SPDX-License-Identifier: MIT */
/* This file starts an engine's process, waits for it and kills it. */
#include "core/engine/client_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILLED_MS 1000 /* for a process that SIGKILL has been sent to */

static void child_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Runs in the child between fork and exec, where only async-signal-safe calls are allowed. */
static void child_become(const char *const argv[], const int in[2], const int out[2], int stderr_fd,
                         int report, pid_t parent)
{
    const char *path = argv ? argv[0] : "/proc/self/exe";
    const char *const self[] = {"calab", "engine", NULL};
    sigset_t none;
    int code;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* ^C and ^Z are meant for the program in the foreground only. */
    setpgid(0, 0);
    if (getppid() == parent && dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
        dup2(stderr_fd, STDERR_FILENO) >= 0)
        execvp(path, (char *const *)(argv ? argv : self));
    code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Forks and waits until exec has succeeded or reported why not. */
static enum ca_status child_launch(struct ca_child *child, const char *name,
                                   const char *const argv[], const int in[2], const int out[2],
                                   int err, struct ca_error *error)
{
    const char *path = argv ? argv[0] : "/proc/self/exe";
    pid_t parent = getpid();
    int report[2], code = 0;
    ssize_t got;

    if (pipe2(report, O_CLOEXEC) != 0)
        return ca_fail(error, CA_IO, "%s: no pipe: %s", name, strerror(errno));
    child->pid = fork();
    if (child->pid == 0)
        child_become(argv, in, out, err, report[1], parent);
    code = errno;
    close(report[1]);
    if (child->pid < 0) {
        close(report[0]);
        return ca_fail(error, CA_IO, "%s: no process: %s", name, strerror(code));
    }
    do
        got = read(report[0], &code, sizeof code);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got != (ssize_t)sizeof code)
        return CA_OK;
    waitpid(child->pid, NULL, 0);
    child->reaped = true;
    return ca_fail(error, CA_IO, "%s: '%s' does not start: %s", name, path, strerror(code));
}

/* Makes a pipe whose ends are above 2, so that the child's dup2 calls cannot collide. */
static bool safe_pipe(int fd[2])
{
    int low[2];

    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fd[i] = low[i] > 2 ? low[i] : fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        if (low[i] <= 2)
            close(low[i]);
    }
    return fd[0] >= 0 && fd[1] >= 0;
}

enum ca_status ca_child_start(struct ca_child *child, const char *name, const char *const argv[],
                              int err, int *write_fd, int *read_fd, struct ca_error *error)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    enum ca_status status;

    child->reaped = false;
    if (safe_pipe(in) && safe_pipe(out))
        status = child_launch(child, name, argv, in, out, err, error);
    else
        status = ca_fail(error, CA_IO, "%s: no pipe: %s", name, strerror(errno));
    child_close_fd(&in[0]);
    child_close_fd(&out[1]);
    if (status != CA_OK) {
        child->reaped = true;
        child_close_fd(&in[1]);
        child_close_fd(&out[0]);
    }
    *write_fd = in[1];
    *read_fd = out[0];
    return status;
}

bool ca_child_reap(struct ca_child *child, int ms)
{
    for (int i = 0; !child->reaped; i++) {
        siginfo_t info = {.si_pid = 0};

        /* One that has ended keeps its number until it is reaped, and its group with it. */
        if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
                ? info.si_pid != 0
                : errno != EINTR) {
            kill(-child->pid, SIGKILL);
            waitpid(child->pid, &child->wait_status, 0);
            child->reaped = true;
        } else if (i >= ms) {
            return false;
        } else {
            struct timespec time = {.tv_nsec = 1000000L};

            nanosleep(&time, NULL);
        }
    }
    return true;
}

void ca_child_signal(const struct ca_child *child, int signal)
{
    if (!child->reaped)
        kill(-child->pid, signal);
}

void ca_child_kill(struct ca_child *child, int grace_ms)
{
    if (grace_ms > 0) {
        ca_child_signal(child, SIGTERM);
        ca_child_signal(child, SIGCONT); /* a process that is stopped takes no other signal */
        ca_child_reap(child, grace_ms);
    }
    ca_child_signal(child, SIGKILL);
    ca_child_reap(child, KILLED_MS);
}
