/* SPDX-License-Identifier: MIT */
/* Owns the processes of a crew: their start, their number and their end. */
#include "core/lab/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 5000000
#define STOP_LOOKS 1000 /* between asking a process to end and ending it */

void *lab_crew_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void lab_crew_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

static pid_t start(const struct lab_crew *crew, int i)
{
    pid_t parent = getpid(), pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        crew->work(crew->context, i);
    _exit(0);
}

static void look_pause(void)
{
    const struct timespec pause = {0, LOOK_NS};

    nanosleep(&pause, NULL);
}

/* Whether the process for thing i has ended, which is told where it is not as it should be. */
static bool ended(const struct lab_crew *crew, pid_t *pid, int i)
{
    int status;
    char how[64];

    if (*pid <= 0 || waitpid(*pid, &status, WNOHANG) != *pid)
        return false;
    *pid = 0;
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "has ended with %d", WEXITSTATUS(status));
    if (status != 0)
        crew->died(crew->context, i, how);
    return true;
}

/* They are asked to end, so that they remove what they made, and killed if they do not. */
static void stop(const struct lab_crew *crew, pid_t *pid)
{
    bool any = true;

    for (int look = 0; any && look <= STOP_LOOKS; look++) {
        any = false;
        for (int i = 0; i < crew->count; i++) {
            if (pid[i] > 0 && (look == 0 || look == STOP_LOOKS))
                kill(pid[i], look == 0 ? SIGTERM : SIGKILL);
            if (pid[i] > 0 && waitpid(pid[i], NULL, look < STOP_LOOKS ? WNOHANG : 0) == pid[i])
                pid[i] = 0;
            any = any || pid[i] > 0;
        }
        if (any)
            look_pause();
    }
}

enum ca_status lab_crew_run(const struct lab_crew *crew, struct ca_error *error)
{
    pid_t *pid = calloc((size_t)crew->count + 1, sizeof *pid);
    int next = 0, running = 0, done = 0;
    enum ca_status status = CA_OK;

    if (!pid)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    while (status == CA_OK && (next < crew->count || running > 0)) {
        for (; next < crew->count && running < crew->most && status == CA_OK; next++) {
            if (crew->due && !crew->due(crew->context, next)) {
                done++;
                continue;
            }
            pid[next] = start(crew, next);
            if (pid[next] < 0)
                status = ca_fail(error, CA_IO, "no process to grade in: %s", strerror(errno));
            running += pid[next] > 0;
        }
        for (int i = 0; i < next; i++)
            if (ended(crew, &pid[i], i)) {
                running--;
                done++;
            }
        if (status == CA_OK && crew->goes_on && !crew->goes_on(crew->context, done))
            status = ca_fail(error, CA_TIMEOUT, "stopped");
        if (running > 0)
            look_pause();
    }
    if (status != CA_OK)
        stop(crew, pid);
    free(pid);
    return status;
}
