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

struct thread_pool {
    int count, started;
    bool spin; /* only where every member can have a core of its own */
    pthread_t *thread;
    void (*job)(void *context, int member); /* NULL: go home */
    void *context;
    _Atomic uint32_t round;   /* jobs handed out */
    _Atomic uint32_t arrived; /* members at the barrier */
    _Atomic uint32_t phase;   /* barriers passed */
};

static void wait_while(struct thread_pool *thread_pool, _Atomic uint32_t *word, uint32_t value)
{
    for (int i = 0; thread_pool->spin && i < SPINS; i++) {
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

void thread_pool_barrier(struct thread_pool *thread_pool)
{
    uint32_t phase = atomic_load_explicit(&thread_pool->phase, memory_order_acquire);

    if (thread_pool->count == 1)
        return;
    if (atomic_fetch_add_explicit(&thread_pool->arrived, 1, memory_order_acq_rel) + 1 ==
        (uint32_t)thread_pool->count) {
        atomic_store_explicit(&thread_pool->arrived, 0, memory_order_relaxed);
        advance(&thread_pool->phase);
    } else {
        wait_while(thread_pool, &thread_pool->phase, phase);
    }
}

struct member {
    struct thread_pool *thread_pool;
    int index;
};

static void *work(void *argument)
{
    struct member member = *(struct member *)argument;
    struct thread_pool *thread_pool = member.thread_pool;

    free(argument);
    for (uint32_t round = 0;; round++) {
        wait_while(thread_pool, &thread_pool->round, round);
        if (!thread_pool->job)
            return NULL;
        thread_pool->job(thread_pool->context, member.index);
        thread_pool_barrier(thread_pool); /* the end of the job */
    }
}

static bool start_member(struct thread_pool *thread_pool, int index)
{
    struct member *member = malloc(sizeof *member);

    if (!member)
        return false;
    *member = (struct member){thread_pool, index};
    if (pthread_create(&thread_pool->thread[index], NULL, work, member) != 0) {
        free(member);
        return false;
    }
    return true;
}

int threads_wanted(const struct ca_values *options)
{
    return ca_values_find(options, "threads") < 0 ? 1 : (int)ca_int(options, "threads");
}

enum ca_status thread_pool_create(struct thread_pool **result, int count, struct ca_error *error)
{
    struct thread_pool *thread_pool = calloc(1, sizeof *thread_pool);
    sigset_t all, old;

    *result = NULL;
    if (count == 0)
        count = ca_cpu_cores();
    if (thread_pool)
        thread_pool->thread = calloc((size_t)count, sizeof *thread_pool->thread);
    if (!thread_pool || !thread_pool->thread) {
        free(thread_pool);
        return ca_fail(error, CA_NO_MEMORY, "no memory for a team of %d threads", count);
    }
    thread_pool->count = count;
    thread_pool->spin = count <= ca_cpu_cores();
    /* Signals belong to the caller's thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (thread_pool->started = 1; thread_pool->started < count; thread_pool->started++)
        if (!start_member(thread_pool, thread_pool->started))
            break;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (thread_pool->started < count) {
        int started = thread_pool->started;

        thread_pool_destroy(thread_pool);
        return ca_fail(error, CA_NO_DEVICE, "could start only %d of %d threads", started, count);
    }
    *result = thread_pool;
    return CA_OK;
}

void thread_pool_destroy(struct thread_pool *thread_pool)
{
    if (!thread_pool)
        return;
    thread_pool->job = NULL;
    advance(&thread_pool->round);
    for (int i = 1; i < thread_pool->started; i++)
        pthread_join(thread_pool->thread[i], NULL);
    free(thread_pool->thread);
    free(thread_pool);
}

int thread_pool_size(const struct thread_pool *thread_pool) { return thread_pool->count; }

void thread_pool_run(struct thread_pool *thread_pool, void (*job)(void *context, int member),
                     void *context)
{
    if (thread_pool->count > 1) {
        thread_pool->job = job;
        thread_pool->context = context;
        advance(&thread_pool->round);
    }
    job(context, 0);
    thread_pool_barrier(thread_pool);
}

void thread_pool_share(const struct thread_pool *thread_pool, int member, int64_t n, int64_t *first,
                       int64_t *last)
{
    *first = n * member / thread_pool->count;
    *last = n * (member + 1) / thread_pool->count;
}
