/* SPDX-License-Identifier: MIT */
/* The three processes of a launch, each after the other. */
#include "core/lab/process/sandbox_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lab/process/sandbox.h"

#define FILE_BYTES_MAX (256 << 20) /* of a file that it writes */
#define PROCESSES_MAX 512          /* more than this user has already: threads count, too */
#define GIVEN_FD 3                 /* the first descriptor of those that are given */
#define HIGH_FD 64                 /* where descriptors are out of the way of those */
#define LARGE_BYTES (1 << 20)

static const char *written(const struct ca_lab_launch *what)
{
    return what->writes ? what->writes : what->folder;
}

/* --- the program's process -------------------------------------------------------------------- */

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
static bool give_descriptors(const int fd[2])
{
    int high[2];

    for (int i = 0; i < 2; i++)
        high[i] = fd[i] < 0 ? -1 : fcntl(fd[i], F_DUPFD_CLOEXEC, HIGH_FD);
    for (int i = 0; i < 2; i++) {
        close(GIVEN_FD + i);
        if (fd[i] >= 0 && dup2(high[i], GIVEN_FD + i) < 0)
            return false;
    }
    return true;
}

static bool report_event(int report, enum launch_event event, int value)
{
    const struct launch_report told = {event, value};

    return write(report, &told, sizeof told) == (ssize_t)sizeof told;
}

static _Noreturn void launch_fails(int report)
{
    _exit(report_event(report, LAUNCH_FAILED, errno ? errno : EPERM) ? 127 : 126);
}

static _Noreturn void become_program(const struct launch *launch)
{
    const struct ca_lab_launch *what = launch->what;
    /* Another user has no other threads. */
    rlim_t threads = launch->walls & 1u << CA_LAB_UID ? 0 : (rlim_t)launch->threads;
    int moved = fcntl(launch->report, F_DUPFD_CLOEXEC, HIGH_FD), in;

    setpgid(0, 0);
    syscall(SYS_close_range, GIVEN_FD, ~0U, CLOSE_RANGE_CLOEXEC);
    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in >= 0 && dup2(launch->output, STDERR_FILENO) >= 0 &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && dup2(in, STDIN_FILENO) >= 0 &&
        give_descriptors(what->give) && chdir(what->folder) == 0) {
        limit(RLIMIT_CPU, (rlim_t)what->cpu_s + 1);
        limit(RLIMIT_FSIZE, FILE_BYTES_MAX);
        limit(RLIMIT_NPROC, threads + PROCESSES_MAX);
        limit(RLIMIT_CORE, 0);
        environ = launch->environment;
        /* Programs ask for it that read settings there, and have none. */
        if (setenv("HOME", written(what), 0) == 0 &&
            sandbox_close(launch->walls, written(what), launch->reads, what->tool) &&
            report_event(moved, LAUNCH_WALLED, 0))
            execvp(what->argv[0], (char *const *)what->argv);
    }
    launch_fails(moved);
}

/* --- the keeper ------------------------------------------------------------------------------- */

/* The command line that /proc shows names the file with the secret. */
static void forget_arguments(void)
{
    char text[1024], *after;
    unsigned long start, end;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;

    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    after = strrchr(text, ')');
    for (int field = 2; after && field < 48; field++)
        after = strchr(after + 1, ' ');
    if (after && sscanf(after, " %lu %lu", &start, &end) == 2 && start < end)
        memset((void *)start, 0, end - start); /* NOLINT: its own memory */
}

/* It needs nothing of calab's memory, which would be copied page by page while calab goes on. The
 * small pieces stay, as the C library keeps what is a thread's in one of them. */
static void forget_memory(void)
{
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    static char text[64 << 10];
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got;

    while (file >= 0 && (got = read(file, text + used, sizeof text - 1 - used)) > 0) {
        char *line = text, *end;

        text[used + (size_t)got] = '\0';
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            unsigned long from, to, inode;
            char rights[5], name[2] = "";

            if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu %1s", &from, &to, rights, &inode, name) >=
                    4 &&
                strcmp(rights, "rw-p") == 0 && inode == 0 &&
                !memchr(line, '[', (size_t)(end - line)) && to - from >= LARGE_BYTES)
                madvise((void *)from, to - from, MADV_DONTNEED); /* NOLINT */
        }
        used = strlen(line);
        memmove(text, line, used);
    }
    if (file >= 0)
        close(file);
#endif
}

/* calab holds the other end as long as it lives. */
static bool is_alone(int pipe)
{
    struct pollfd polled = {.fd = pipe};

    return poll(&polled, 1, 0) > 0 && polled.revents & POLLERR;
}

static _Noreturn void keep_program(const struct launch *launch)
{
    const struct ca_lab_launch *what = launch->what;
    pid_t program, got;
    int ended, status = 0;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);
    if (!sandbox_see(launch->walls, written(what)))
        launch_fails(launch->report);
    if (is_alone(launch->report))
        _exit(0);
    forget_arguments();
    ended = fcntl(launch->ended, F_DUPFD_CLOEXEC, HIGH_FD);
    program = ended < 0 ? -1 : fork();
    if (program == 0)
        become_program(launch);
    if (program < 0)
        launch_fails(launch->report);
    syscall(SYS_close_range, 0, (unsigned)ended - 1, 0);
    syscall(SYS_close_range, (unsigned)ended + 1, ~0U, 0);
    forget_memory();
    while ((got = waitpid(-1, &status, 0)) != program)
        if (got < 0 && errno != EINTR)
            break;
    _exit(got == program && write(ended, &status, sizeof status) >= 0 ? 0 : 1);
}

/* The keeper becomes a child of calab's, which hears of its end. */
_Noreturn void launch_first(const struct launch *launch)
{
    static const int caught[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigset_t none;
    long keeper;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        signal(caught[i], SIG_DFL);
    if (!sandbox_enter(launch->walls))
        launch_fails(launch->report);
    keeper = syscall(SYS_clone, (unsigned long)CLONE_PARENT, NULL, NULL, NULL, NULL);
    if (keeper == 0)
        keep_program(launch);
    if (keeper < 0)
        launch_fails(launch->report);
    _exit(report_event(launch->report, LAUNCH_KEPT, (int)keeper) ? 0 : 126);
}
