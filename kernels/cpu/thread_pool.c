/* SPDX-License-Identifier: MIT */
/* Owns the threads of a team and their meeting points. */
#include "kernels/cpu/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/machine/device.h"

/* About 5 us: longer than a barrier of running threads, shorter than being put to sleep and woken.
 */
#define SPINS 2000

struct team {
    int count, started;
    bool spin; /* only where every member can have a core of its own */
    pthread_t *thread;
    void (*job)(void *context, int member); /* NULL: go home */
    void *context;
    _Atomic uint32_t round;   /* jobs handed out */
    _Atomic uint32_t arrived; /* members at the barrier */
    _Atomic uint32_t phase;   /* barriers passed */
};

static void wait_while(struct team *team, _Atomic uint32_t *word, uint32_t value)
{
    for (int i = 0; team->spin && i < SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value)
            return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (atomic_load_explicit(word, memory_order_acquire) == value)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void advance(_Atomic uint32_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_acq_rel);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void team_barrier(struct team *team)
{
    uint32_t phase = atomic_load_explicit(&team->phase, memory_order_acquire);

    if (team->count == 1)
        return;
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 ==
        (uint32_t)team->count) {
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        advance(&team->phase);
    } else {
        wait_while(team, &team->phase, phase);
    }
}

struct member {
    struct team *team;
    int index;
};

static void *work(void *argument)
{
    struct member member = *(struct member *)argument;
    struct team *team = member.team;

    free(argument);
    for (uint32_t round = 0;; round++) {
        wait_while(team, &team->round, round);
        if (!team->job)
            return NULL;
        team->job(team->context, member.index);
        team_barrier(team); /* the end of the job */
    }
}

static bool start_member(struct team *team, int index)
{
    struct member *member = malloc(sizeof *member);

    if (!member)
        return false;
    *member = (struct member){team, index};
    if (pthread_create(&team->thread[index], NULL, work, member) != 0) {
        free(member);
        return false;
    }
    return true;
}

enum ca_status team_create(struct team **result, int count, struct ca_error *error)
{
    struct team *team = calloc(1, sizeof *team);
    sigset_t all, old;

    *result = NULL;
    if (count == 0)
        count = ca_cpu_cores();
    if (team)
        team->thread = calloc((size_t)count, sizeof *team->thread);
    if (!team || !team->thread) {
        free(team);
        return ca_fail(error, CA_NO_DEVICE, "no memory for a team of %d threads", count);
    }
    team->count = count;
    team->spin = count <= ca_cpu_cores();
    /* Signals belong to the caller's thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (team->started = 1; team->started < count; team->started++)
        if (!start_member(team, team->started))
            break;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (team->started < count) {
        int started = team->started;

        team_destroy(team);
        return ca_fail(error, CA_NO_DEVICE, "could start only %d of %d threads", started, count);
    }
    *result = team;
    return CA_OK;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    team->job = NULL;
    advance(&team->round);
    for (int i = 1; i < team->started; i++)
        pthread_join(team->thread[i], NULL);
    free(team->thread);
    free(team);
}

int team_count(const struct team *team) { return team->count; }

void team_run(struct team *team, void (*job)(void *context, int member), void *context)
{
    if (team->count > 1) {
        team->job = job;
        team->context = context;
        advance(&team->round);
    }
    job(context, 0);
    team_barrier(team);
}

void team_share(const struct team *team, int member, int64_t n, int64_t *first, int64_t *last)
{
    *first = n * member / team->count;
    *last = n * (member + 1) / team->count;
}
