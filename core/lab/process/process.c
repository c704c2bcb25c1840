/* SPDX-License-Identifier: MIT */
/* Starts the processes of labs, keeps what they print, and ends them. */
#include "core/lab/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/lab/process/descendants.h"
#include "core/lab/process/sandbox.h"
#include "core/lab/process/sandbox_parts.h"
#include "core/machine/interference.h"

#define LOOK_S 0.05   /* between two looks at its memory, and at how long it waited for a core */
#define LONGER_MOST 9 /* times a limit, which time without a core may add to it */
#define SHM_FOLDER "/dev/shm"

/* --- the environment -------------------------------------------------------------------------- */

static const char inherited[] = "PATH LANG TMPDIR LD_LIBRARY_PATH CUDA_ OMP_";

static bool is_named(const char *variable, const char *names)
{
    while (names && *(names += strspn(names, " "))) {
        size_t length = strcspn(names, " ");
        bool begins = names[length - 1] == '_';

        if (strncmp(variable, names, length) == 0 && (begins || variable[length] == '='))
            return true;
        names += length;
    }
    return false;
}

static bool is_set_in(const char *variable, const char *const *variables)
{
    size_t length = strcspn(variable, "=") + 1;

    for (; variables && *variables; variables++)
        if (strncmp(variable, *variables, length) == 0)
            return true;
    return false;
}

static size_t count_of(const char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

/*
 * Lists PATH, LANG, TMPDIR, LD_LIBRARY_PATH, CUDA_* and OMP_* of this process and the variables
 * that `inherits` names, then `variables` in their place: a teacher's environment has more than
 * others should know. Returns NULL without memory. The texts stay the callers'; the list is freed.
 */
static char **process_environment(const char *inherits, const char *const *variables)
{
    size_t count = 0;
    char **list =
        calloc(count_of((const char *const *)environ) + count_of(variables) + 1, sizeof *list);

    for (char **from = environ; list && from && *from; from++)
        if ((is_named(*from, inherited) || is_named(*from, inherits)) &&
            !is_set_in(*from, variables))
            list[count++] = *from;
    for (; list && variables && *variables; variables++)
        list[count++] = (char *)*variables;
    return list;
}

/* --- files in /dev/shm ------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Notes the files in /dev/shm. Returns false without memory. */
static bool leftovers_note(struct lab_leftovers *before)
{
    DIR *folder = opendir(SHM_FOLDER);
    const struct dirent *entry;
    bool good = true;

    *before = (struct lab_leftovers){.name = NULL};
    while (good && folder && (entry = readdir(folder)) != NULL) {
        char **more = realloc(before->name, (before->count + 1) * sizeof *more);

        good = more && (more[before->count] = strdup(entry->d_name)) != NULL;
        before->name = more ? more : before->name;
        before->count += good;
    }
    if (folder)
        closedir(folder);
    if (before->count > 0)
        qsort(before->name, before->count, sizeof *before->name, compare_names);
    return good;
}

/* Removes files that the user has made in /dev/shm since, and frees the notes. */
static void leftovers_remove(struct lab_leftovers *before, uid_t user)
{
    DIR *folder = before->name ? opendir(SHM_FOLDER) : NULL;
    const struct dirent *entry;
    struct stat facts;

    while (folder && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;

        if (bsearch(&name, before->name, before->count, sizeof *before->name, compare_names) ||
            fstatat(dirfd(folder), name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || facts.st_uid != user)
            continue;
        unlinkat(dirfd(folder), name, S_ISDIR(facts.st_mode) ? AT_REMOVEDIR : 0);
    }
    if (folder)
        closedir(folder);
    for (size_t i = 0; before->name && i < before->count; i++)
        free(before->name[i]);
    free(before->name);
    *before = (struct lab_leftovers){.name = NULL};
}

/* --- start and end -----------------------------------------------------------------------------
 */

static bool (*stops)(void);

void ca_lab_process_stops(bool (*asked)(void)) { stops = asked; }

void process_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

struct pipes {
    int output[2], report[2], ended[2];
};

static void close_ends(struct pipes *pipes, int end)
{
    process_close_fd(&pipes->output[end]);
    process_close_fd(&pipes->report[end]);
    process_close_fd(&pipes->ended[end]);
}

/* Reads what the processes of a launch report; errno, 0: the program runs. One that ends before the
 * walls stand has lacked memory: libseccomp crashes there, and so does a page that cannot be had.
 */
static int hear_launch(struct ca_lab_process *process, int report)
{
    struct launch_report got;
    ssize_t bytes;
    bool walled = false;
    int code = 0;

    while ((bytes = read(report, &got, sizeof got)) != 0) {
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes != (ssize_t)sizeof got)
            return EIO;
        if (got.event == LAUNCH_KEPT)
            process->pid = got.value;
        else if (got.event == LAUNCH_WALLED)
            walled = true;
        else
            code = got.value;
    }
    return code || walled ? code : ENOMEM;
}

/* errno, 0: the program runs. */
static int launch_program(struct ca_lab_process *process, struct launch *launch,
                          struct pipes *pipes)
{
    pid_t first;
    int code;

    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->output, O_CLOEXEC) != 0 || pipe2(pipes->report, O_CLOEXEC) != 0 ||
        pipe2(pipes->ended, O_CLOEXEC) != 0)
        return errno;
    launch->output = pipes->output[1];
    launch->report = pipes->report[1];
    launch->ended = pipes->ended[1];
    first = fork();
    if (first == 0) {
        close_ends(pipes, 0);
        launch_first(launch);
    }
    code = errno;
    close_ends(pipes, 1);
    if (first < 0)
        return code;
    code = hear_launch(process, pipes->report[0]);
    while (waitpid(first, NULL, 0) < 0 && errno == EINTR)
        ;
    return code;
}

enum ca_status ca_lab_process_start(struct ca_lab_process *process,
                                    const struct ca_lab_launch *what, struct ca_error *error)
{
    const char *folder = what->writes ? what->writes : what->folder;
    char of_program[PATH_MAX], *slash;
    struct launch launch = {.what = what, .reads = what->reads};
    struct pipes pipes;
    int code;

    *process = (struct ca_lab_process){.pidfd = -1,
                                       .output = -1,
                                       .ended = -1,
                                       .memory_bytes = (what->memory_mb << 20) + what->shared_bytes,
                                       .output_bytes = what->output_mb << 20};
    process->said = calloc(1, CA_LAB_SAID_MAX + 1);
    if (!process->said)
        return ca_fail(error, CA_NO_MEMORY, "no memory for what a kernel prints");
    if (!what->reads && what->argv[0][0] == '/' && realpath(what->argv[0], of_program)) {
        slash = strrchr(of_program, '/');
        slash[slash == of_program] = '\0';
        launch.reads = of_program;
    }
    launch.threads = descendants_threads();
    if (launch.threads < 0 || !descendants_adopt())
        return ca_fail(error, CA_NO_MEMORY, "no memory for a list of processes");
    CA_TRY(ca_lab_walls(&launch.walls, folder, error));
    if (!sandbox_give(launch.walls, folder))
        return ca_fail(error, CA_IO, "%.400s: it cannot be given to another user: %s", folder,
                       strerror(errno));
    process->user = sandbox_user(launch.walls);
    if (!(launch.walls & 1u << CA_LAB_MOUNTS) && !leftovers_note(&process->before))
        return ca_fail(error, CA_NO_MEMORY, "no memory for a list of files");
    launch.environment = process_environment(what->inherits, what->variables);
    if (!launch.environment)
        return ca_fail(error, CA_NO_MEMORY, "no memory for an environment");
    code = launch_program(process, &launch, &pipes);
    free(launch.environment);
    if (process->pid > 0) {
        descendants_spare(process->pid, true);
        descendants_keeper(process->pid);
        process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
        code = code == 0 && process->pidfd < 0 ? errno : code;
    }
    process_close_fd(&pipes.report[0]);
    process->output = pipes.output[0];
    process->ended = pipes.ended[0];
    if (code == 0) {
        fcntl(process->output, F_SETFL, O_NONBLOCK);
        return CA_OK;
    }
    ca_lab_process_end(process);
    if (code == ENOMEM)
        return ca_fail(error, CA_NO_MEMORY, "no memory to start '%.200s'", what->argv[0]);
    return ca_fail(error, CA_IO, "'%.200s' does not start: %s", what->argv[0], strerror(code));
}

/* Reads what there is, and keeps the beginning. Whether it has printed more than it may. */
static bool listen_to(struct ca_lab_process *process)
{
    char bytes[16 << 10];
    ssize_t got;

    while (process->output >= 0 && (got = read(process->output, bytes, sizeof bytes)) != 0) {
        size_t left = CA_LAB_SAID_MAX - process->kept;

        if (got < 0)
            return false;
        process->printed += got;
        memcpy(process->said + process->kept, bytes, (size_t)got < left ? (size_t)got : left);
        process->kept += (size_t)got < left ? (size_t)got : left;
        if (process->printed > process->output_bytes)
            return true;
    }
    process_close_fd(&process->output);
    return false;
}

/* The time in which a process was ready to run and others had the cores, since a first look. */
struct without_core {
    struct ca_reading first;
    double seconds;
};

/* What threads waited one beside the other is no longer than the time that passed. A wait is
 * counted when it ends, and may be longer than the time between two looks. */
static void without_core_look(struct without_core *without)
{
    struct ca_reading now;
    double waited, passed;

    ca_reading_take(&now, "/proc", "", false);
    if (without->first.at_s <= 0)
        without->first = now;
    waited = now.waited_s - without->first.waited_s;
    passed = now.at_s - without->first.at_s;
    if (now.waited_s >= 0 && without->first.waited_s >= 0 && waited > without->seconds)
        without->seconds = waited < passed ? waited : passed;
}

enum ca_lab_event ca_lab_process_wait(struct ca_lab_process *process, int fd, double seconds)
{
    const double begun = ca_now();
    double until = begun + seconds, longest = until + LONGER_MOST * seconds;
    double cpu_s = -1; /* that it had taken at the first look */
    struct without_core without = {.seconds = 0};

    for (;;) {
        struct pollfd polled[3] = {{.fd = fd, .events = POLLIN},
                                   {.fd = process->pidfd, .events = POLLIN},
                                   {.fd = process->output, .events = POLLIN}};
        double end = until + without.seconds < longest ? until + without.seconds : longest;
        double now, left = end - ca_now(), wait = left < LOOK_S ? left : LOOK_S;

        if (left <= 0 || (stops && stops())) {
            process->late_s = ca_now() - begun;
            process->cpu_s = cpu_s < 0 ? 0 : descendants_cpu_s() - cpu_s;
            process->waits = !descendants_run();
            /* It waits for a core now: Linux counts that once it has one. */
            if (!process->waits && process->cpu_s < seconds / 2 &&
                begun + process->late_s < longest && !(stops && stops())) {
                until += LOOK_S;
                continue;
            }
            return CA_LAB_LATE;
        }
        poll(polled, 3, (int)(wait * 1e3) + 1);
        if (listen_to(process))
            return CA_LAB_TALKATIVE;
        if (polled[0].revents & POLLIN)
            return CA_LAB_READY;
        if (polled[1].revents)
            return CA_LAB_ENDED;
        now = ca_now();
        if (now < process->memory_due)
            continue;
        process->memory_due = now + LOOK_S;
        without_core_look(&without);
        cpu_s = cpu_s < 0 ? descendants_cpu_s() : cpu_s;
        if (descendants_memory() > process->memory_bytes)
            return CA_LAB_MEMORY;
    }
}

void ca_lab_process_end(struct ca_lab_process *process)
{
    int status;

    if (process->pid > 0) {
        descendants_spare(process->pid, false);
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, &process->wait_status, 0) < 0 && errno == EINTR)
            ;
        descendants_kill();
        listen_to(process);
        /* If program and keeper were ended together, only the keeper's own status is left. */
        if (read(process->ended, &status, sizeof status) == (ssize_t)sizeof status)
            process->wait_status = status;
    }
    process->pid = 0;
    leftovers_remove(&process->before, process->user);
    process_close_fd(&process->ended);
    process_close_fd(&process->pidfd);
    process_close_fd(&process->output);
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
