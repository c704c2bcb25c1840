/* SPDX-License-Identifier: MIT */
/* Starts the processes of a pool, as many as may run at once, and ends them. */
#include "core/lab/process/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/isolated.h"

#define LOOK_NS 5000000
#define SLOTS_MAX 16
#define STOP_LOOKS 1000 /* between asking a process to end and ending it */

static void look_pause(void)
{
    const struct timespec pause = {0, LOOK_NS};

    nanosleep(&pause, NULL);
}

/* Whether the process for thing i has ended, which is told where it is not as it should be. */
static bool worker_ended(const struct lab_pool *pool, pid_t *pid, int i)
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
        pool->died(pool->context, i, how);
    return true;
}

/* They are asked to end, so that they remove what they made, and killed if they do not. */
static void stop_workers(const struct lab_pool *pool, pid_t *pid)
{
    bool any = true;

    for (int look = 0; any && look <= STOP_LOOKS; look++) {
        any = false;
        for (int i = 0; i < pool->count; i++) {
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

enum ca_status lab_pool_run(const struct lab_pool *pool, struct ca_error *error)
{
    pid_t *pid = calloc((size_t)pool->count + 1, sizeof *pid), self = getpid();
    int next = 0, running = 0, done = 0;
    enum ca_status status = CA_OK;

    if (!pid)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    while (status == CA_OK && (next < pool->count || running > 0)) {
        for (; next < pool->count && running < pool->most && status == CA_OK; next++) {
            if (pool->due && !pool->due(pool->context, next)) {
                done++;
                continue;
            }
            pid[next] = fork();
            if (pid[next] == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (getppid() == self)
                    pool->work(pool->context, next);
                _exit(0);
            }
            if (pid[next] < 0)
                status = ca_fail(error, CA_IO, "a process for grading cannot be started: %s",
                                 strerror(errno));
            running += pid[next] > 0;
        }
        for (int i = 0; i < next; i++)
            if (worker_ended(pool, &pid[i], i)) {
                running--;
                done++;
            }
        if (status == CA_OK && pool->goes_on && !pool->goes_on(pool->context, done))
            status = ca_fail(error, CA_TIMEOUT, "stopped");
        if (running > 0)
            look_pause();
    }
    if (status != CA_OK)
        stop_workers(pool, pid);
    free(pid);
    return status;
}

/* --- a lock of several slots ------------------------------------------------------------------ */

/* The slots are robust mutexes, so that the end of a process gives its slot back. */
struct lab_device_lock {
    int count;
    pthread_mutex_t slot[SLOTS_MAX];
};

struct lab_device_lock *lab_device_lock_make(int count)
{
    struct lab_device_lock *lock = ca_shared_memory(sizeof *lock);
    pthread_mutexattr_t kind;

    if (!lock)
        return NULL;
    lock->count = count < SLOTS_MAX ? count : SLOTS_MAX;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < lock->count; i++)
        pthread_mutex_init(&lock->slot[i], &kind);
    pthread_mutexattr_destroy(&kind);
    return lock;
}

void lab_device_lock_free(struct lab_device_lock *lock) { ca_shared_free(lock, sizeof *lock); }

int lab_device_lock_take(struct lab_device_lock *lock)
{
    while (lock) {
        for (int i = 0; i < lock->count; i++) {
            int got = pthread_mutex_trylock(&lock->slot[i]);

            if (got == EOWNERDEAD)
                pthread_mutex_consistent(&lock->slot[i]);
            if (got == 0 || got == EOWNERDEAD)
                return i;
        }
        look_pause();
    }
    return 0;
}

void lab_device_lock_give(struct lab_device_lock *lock, int slot)
{
    if (lock)
        pthread_mutex_unlock(&lock->slot[slot]);
}
