/* SPDX-License-Identifier: MIT */
/* Owns the processes of labs: their start, what they print, and their end. */
#include "core/lab/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/lab/descendants.h"
#include "core/lab/landlock.h"

/* With these a process of root could read the memory of others, and raise its limits. */
static const int dropped[] = {CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_SYS_RAWIO, CAP_SYS_RESOURCE,
                              CAP_SYS_MODULE};

#define FILE_BYTES_MAX (256 << 20) /* of a file that it writes */
#define PROCESSES_MAX 512          /* more than this user has already: threads count, too */
#define LOOK_S 0.05                /* between two looks at its memory */

static void limit(int what, rlim_t value)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return;
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max)
        value = now.rlim_max;
    now.rlim_cur = now.rlim_max = value;
    setrlimit((__rlimit_resource_t)what, &now);
}

/* Descriptors as 3 and 4, which may be those of one another now. */
static bool give(const int fd[2])
{
    int high[2];

    for (int i = 0; i < 2; i++)
        high[i] = fd[i] < 0 ? -1 : fcntl(fd[i], F_DUPFD_CLOEXEC, 16);
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0 && dup2(high[i], 3 + i) < 0)
            return false;
    return true;
}

static bool set_variables(const char *const *variables)
{
    for (int i = 0; variables && variables[i]; i++)
        if (putenv((char *)variables[i]) != 0)
            return false;
    return true;
}

/* In the child. Reports errno to `report` where it cannot go on. */
static _Noreturn void become(const struct ca_lab_launch *launch, int output, int report,
                             pid_t parent, int threads)
{
    sigset_t none;
    int code, in, moved = fcntl(report, F_DUPFD_CLOEXEC, 16);

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() == parent && in >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && dup2(in, STDIN_FILENO) >= 0 &&
        give(launch->give) && set_variables(launch->variables) && chdir(launch->folder) == 0) {
        limit(RLIMIT_CPU, (rlim_t)launch->cpu_s + 1);
        limit(RLIMIT_FSIZE, FILE_BYTES_MAX);
        limit(RLIMIT_NPROC, (rlim_t)threads + PROCESSES_MAX);
        limit(RLIMIT_CORE, 0);
        for (size_t i = 0; launch->confined && i < sizeof dropped / sizeof *dropped; i++)
            prctl(PR_CAPBSET_DROP, dropped[i], 0, 0, 0);
        if (launch->confined)
            lab_landlock(launch->folder);
        execvp(launch->argv[0], (char *const *)launch->argv);
    }
    code = errno;
    if (write(moved, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

enum ca_status ca_lab_process_start(struct ca_lab_process *process,
                                    const struct ca_lab_launch *launch, struct ca_error *error)
{
    int output[2] = {-1, -1}, report[2] = {-1, -1}, code = 0, threads;
    pid_t parent = getpid();
    ssize_t got = 0;

    *process = (struct ca_lab_process){.pidfd = -1,
                                       .output = -1,
                                       .memory_bytes = launch->memory_bytes,
                                       .output_bytes = launch->output_bytes};
    process->said = calloc(1, CA_LAB_SAID_MAX + 1);
    if (!process->said)
        return ca_fail(error, CA_NO_MEMORY, "no memory for what a kernel prints");
    threads = descendants_threads();
    if (threads < 0 || !descendants_adopt())
        return ca_fail(error, CA_NO_MEMORY, "no memory for a list of processes");
    if (pipe2(output, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0 &&
        (process->pid = fork()) == 0)
        become(launch, output[1], report[1], parent, threads);
    code = errno;
    close_fd(&output[1]);
    close_fd(&report[1]);
    if (report[0] < 0 || process->pid < 0) {
        process->pid = 0;
        close_fd(&output[0]);
        close_fd(&report[0]);
        return ca_fail(error, CA_IO, "no process for %.200s: %s", launch->argv[0], strerror(code));
    }
    descendants_spare(process->pid, true);
    process->output = output[0];
    fcntl(process->output, F_SETFL, O_NONBLOCK);
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    do
        got = read(report[0], &code, sizeof code);
    while (got < 0 && errno == EINTR);
    close_fd(&report[0]);
    if (got != (ssize_t)sizeof code && process->pidfd >= 0)
        return CA_OK;
    code = got == (ssize_t)sizeof code ? code : errno;
    ca_lab_process_end(process);
    if (code == ENOMEM)
        return ca_fail(error, CA_NO_MEMORY, "no memory to start '%.200s'", launch->argv[0]);
    return ca_fail(error, CA_IO, "'%.200s' does not start: %s", launch->argv[0], strerror(code));
}

/* Reads what there is, and keeps the beginning. Whether it has printed more than it may. */
static bool listen_to(struct ca_lab_process *process)
{
    char bytes[16 << 10];
    ssize_t got;

    while (process->output >= 0 && (got = read(process->output, bytes, sizeof bytes)) != 0) {
        size_t room = CA_LAB_SAID_MAX - process->kept;

        if (got < 0)
            return false;
        process->printed += got;
        memcpy(process->said + process->kept, bytes, (size_t)got < room ? (size_t)got : room);
        process->kept += (size_t)got < room ? (size_t)got : room;
        if (process->printed > process->output_bytes)
            return true;
    }
    close_fd(&process->output);
    return false;
}

static bool is_too_large(struct ca_lab_process *process)
{
    double now = ca_now();

    if (now < process->memory_due)
        return false;
    process->memory_due = now + LOOK_S;
    return descendants_memory() > process->memory_bytes;
}

enum ca_lab_event ca_lab_process_wait(struct ca_lab_process *process, int fd, double seconds)
{
    double until = ca_now() + seconds;

    for (;;) {
        struct pollfd polled[3] = {{.fd = fd, .events = POLLIN},
                                   {.fd = process->pidfd, .events = POLLIN},
                                   {.fd = process->output, .events = POLLIN}};
        double left = until - ca_now(), wait = left < LOOK_S ? left : LOOK_S;

        if (left <= 0)
            return CA_LAB_LATE;
        poll(polled, 3, (int)(wait * 1e3) + 1);
        if (listen_to(process))
            return CA_LAB_TALKATIVE;
        if (polled[0].revents & POLLIN)
            return CA_LAB_READY;
        if (polled[1].revents)
            return CA_LAB_ENDED;
        if (is_too_large(process))
            return CA_LAB_MEMORY;
    }
}

void ca_lab_process_end(struct ca_lab_process *process)
{
    if (process->pid > 0) {
        descendants_spare(process->pid, false);
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, &process->wait_status, 0) < 0 && errno == EINTR)
            ;
        descendants_kill();
        listen_to(process);
    }
    process->pid = 0;
    close_fd(&process->pidfd);
    close_fd(&process->output);
    for (size_t i = 0; process->said && i < process->kept; i++)
        if (process->said[i] == '\0')
            process->said[i] = '?';
}

void ca_lab_process_close(struct ca_lab_process *process)
{
    ca_lab_process_end(process);
    free(process->said);
    process->said = NULL;
}
