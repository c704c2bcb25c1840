/* SPDX-License-Identifier: MIT */
/*
 * Asks the NVIDIA driver by another process. Its standard input is a pipe that it reads until the
 * end, its answer a byte to descriptor 3, whatever the call returned: that a library refuses is for
 * its caller to find.
 */
#include "core/machine/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

#define WAIT_S 5
#define ANSWER_FD 3
#define INHERITED_MAX 1024
#define REAP_MS 100 /* for a process that ends, unless a call of the kernel holds it */

extern char **environ;

static const struct {
    const char *name; /* in the question */
    const char *library, *variable;
    const char *function; /* which takes 0, or no argument */
    const char *title, *consequence;
} parts[CA_DRIVER_PARTS] = {
    [CA_DRIVER_CUDA] = {"cuda", "libcuda.so.1", NULL, "cuInit", "the NVIDIA driver",
                        "no GPU is used"},
    [CA_DRIVER_NVML] = {"nvml", "libnvidia-ml.so.1", "CALAB_NVML", "nvmlInit_v2",
                        "the NVIDIA management library",
                        "clocks, power and energy of GPUs are unknown"},
};

/* The known facts, and the process that asks for them, as long as it runs. */
static struct {
    bool asked;
    struct ca_error answer;
    pid_t helper; /* 0: none */
    int hold;     /* it ends when this is closed */
} known[CA_DRIVER_PARTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool program_helps;
static void (*silence_note)(const char *reason);

const char *ca_driver_library(enum ca_driver_part part)
{
    const char *given = parts[part].variable ? getenv(parts[part].variable) : NULL;

    return given && given[0] ? given : parts[part].library;
}

/* --- the process that asks -------------------------------------------------------------------- */

/* Ends with the process that wants to know, however that ends. */
static void serve_question(enum ca_driver_part part)
{
    void *library, *found;
    int (*function)(unsigned) = NULL;
    char end;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    library = dlopen(ca_driver_library(part), RTLD_NOW | RTLD_LOCAL);
    found = library ? dlsym(library, parts[part].function) : NULL;
    memcpy(&function, &found, sizeof function);
    if (function)
        function(0);
    if (write(ANSWER_FD, "", 1) == 1)
        while (read(STDIN_FILENO, &end, 1) < 0 && errno == EINTR)
            ;
}

bool ca_driver_helper(int argc, char **argv)
{
    program_helps = true;
    if (argc != 3 || strcmp(argv[1], CA_DRIVER_QUESTION) != 0)
        return false;
    for (int i = 0; i < CA_DRIVER_PARTS; i++)
        if (strcmp(argv[2], parts[i].name) == 0)
            serve_question((enum ca_driver_part)i);
    return true;
}

/* --- starting and ending it ------------------------------------------------------------------- */

static pid_t spawn_program(enum ca_driver_part part, int in, int out)
{
    const char *const argv[] = {"calab", CA_DRIVER_QUESTION, parts[part].name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = 0;

    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* ^Z does not stop it */
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, ANSWER_FD);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, (char *const *)argv, environ))
        pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return pid;
}

static pid_t fork_self(enum ca_driver_part part, int in, int out)
{
    pid_t pid = fork();
    int null;

    if (pid != 0)
        return pid < 0 ? 0 : pid;
    setpgid(0, 0);
    null = open("/dev/null", O_WRONLY);
    if (dup2(in, STDIN_FILENO) == STDIN_FILENO && dup2(out, ANSWER_FD) == ANSWER_FD &&
        dup2(null, STDOUT_FILENO) == STDOUT_FILENO && dup2(null, STDERR_FILENO) == STDERR_FILENO) {
        /* As exec would, so that nobody waits for the end of what is not the process's own. */
        for (int fd = ANSWER_FD + 1; fd < INHERITED_MAX; fd++)
            close(fd);
        serve_question(part);
    }
    _exit(0);
}

/* A pipe whose ends are above the answer's number, so that no dup2 closes another end. */
static bool open_pipe(int fd[2])
{
    int low[2];

    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fd[i] = fcntl(low[i], F_DUPFD_CLOEXEC, ANSWER_FD + 1);
        close(low[i]);
    }
    return fd[0] >= 0 && fd[1] >= 0;
}

static void close_pipe(const int fd[2])
{
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* Starts the process of a part. Returns the descriptor of its answer, -1: it cannot be started. */
static int start_helper(enum ca_driver_part part)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    pid_t pid = 0;

    if (open_pipe(in) && open_pipe(out))
        pid = program_helps ? spawn_program(part, in[0], out[1]) : fork_self(part, in[0], out[1]);
    if (pid == 0) {
        close_pipe(in);
        close_pipe(out);
        return -1;
    }
    close(in[0]);
    close(out[1]);
    known[part].helper = pid;
    known[part].hold = in[1];
    return out[0];
}

/* Ends the process, by force if it does not answer, and waits a short time for that. A call of the
 * kernel that does not return keeps it beyond SIGKILL. Returns its wait status, 0: unknown. */
static int end_helper(enum ca_driver_part part, bool force)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    int status = 0;

    if (known[part].helper == 0)
        return 0;
    if (force)
        kill(known[part].helper, SIGKILL);
    close(known[part].hold);
    for (int i = 0; i < REAP_MS && waitpid(known[part].helper, &status, WNOHANG) == 0; i++)
        nanosleep(&ms, NULL);
    known[part].helper = 0;
    return status;
}

/* --- the answer ------------------------------------------------------------------------------- */

static double wait_s(void)
{
    const char *text = getenv("CALAB_DRIVER_WAIT");
    double seconds = text ? strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : WAIT_S;
}

/* A process that could not ask, for whatever reason, says nothing against the driver. */
static enum ca_status ask_helper(enum ca_driver_part part, struct ca_error *error)
{
    struct pollfd answer = {.events = POLLIN};
    int fd = start_helper(part), status, ready;
    double until = ca_now() + wait_s();
    bool answered;
    char byte;

    if (fd < 0)
        return CA_OK;
    answer.fd = fd;
    do {
        double left = fmax(until - ca_now(), 0);

        ready = poll(&answer, 1, (int)fmin(ceil(left * 1e3), INT_MAX));
    } while (ready < 0 && errno == EINTR);
    answered = ready != 0 && read(fd, &byte, 1) == 1;
    close(fd);
    if (answered)
        return CA_OK;
    status = end_helper(part, ready == 0);
    if (ready == 0)
        return ca_fail(error, CA_NO_DEVICE,
                       "%s did not answer within %g s, so that %s; `dmesg` may show why, and "
                       "CALAB_DRIVER_WAIT=60 waits longer",
                       parts[part].title, wait_s(), parts[part].consequence);
    if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)
        return CA_OK;
    return ca_fail(error, CA_NO_DEVICE, "%s crashes when it is initialised (%s), so that %s",
                   parts[part].title, strsignal(WTERMSIG(status)), parts[part].consequence);
}

/* Loading a library calls no driver: it only shows whether there is one to ask. It stays loaded,
 * because its caller loads it next. */
enum ca_status ca_driver_answers(enum ca_driver_part part, struct ca_error *error)
{
    struct ca_error *answer = &known[part].answer;
    enum ca_status status;

    pthread_mutex_lock(&lock);
    if (!known[part].asked) {
        known[part].asked = true;
        /* Both parts talk to one driver, which is not waited for twice. */
        if (known[CA_DRIVER_CUDA].answer.status != CA_OK)
            *answer = known[CA_DRIVER_CUDA].answer;
        else if (dlopen(ca_driver_library(part), RTLD_LAZY | RTLD_LOCAL) &&
                 ask_helper(part, answer) != CA_OK && silence_note)
            silence_note(answer->text);
    }
    status = answer->status;
    if (status != CA_OK)
        *error = *answer;
    pthread_mutex_unlock(&lock);
    return status;
}

void ca_driver_release(enum ca_driver_part part)
{
    pthread_mutex_lock(&lock);
    end_helper(part, false);
    pthread_mutex_unlock(&lock);
}

void ca_driver_on_silence(void (*note)(const char *reason))
{
    pthread_mutex_lock(&lock);
    silence_note = note;
    for (int i = 0; i < CA_DRIVER_PARTS && note; i++)
        if (known[i].answer.status != CA_OK) {
            note(known[i].answer.text);
            break;
        }
    pthread_mutex_unlock(&lock);
}
