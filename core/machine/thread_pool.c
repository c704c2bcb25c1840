/* SPDX-License-Identifier: MIT */
/* A pool starts threads and lets them meet at barriers. */
#include "core/machine/thread_pool.h"

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
#include "core/machine/thread_signals.h"

/* About 5 us: longer than a barrier of running threads, shorter than a sleep and a wake-up. */
#define SPINS 2000

struct worker {
    struct ca_thread_pool *pool;
    int index;
    pthread_t thread;
};

struct ca_thread_pool {
    int count, started;
    bool spin; /* only where each worker can have a core to itself */
    struct worker *worker;
    void (*job)(void *context, int worker); /* NULL: exit */
    void *context;
    _Atomic uint32_t round;   /* jobs handed out */
    _Atomic uint32_t arrived; /* workers at the barrier */
    _Atomic uint32_t phase;   /* barriers passed */
};

static void wait_while(struct ca_thread_pool *pool, _Atomic uint32_t *word, uint32_t value)
{
    for (int i = 0; pool->spin && i < SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value)
            return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (atomic_load_explicit(word, memory_order_acquire) == value)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void thread_pool_advance(_Atomic uint32_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_acq_rel);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void ca_thread_pool_barrier(struct ca_thread_pool *pool)
{
    uint32_t phase = atomic_load_explicit(&pool->phase, memory_order_acquire);

    if (pool->count == 1)
        return;
    if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) + 1 ==
        (uint32_t)pool->count) {
        atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
        thread_pool_advance(&pool->phase);
    } else {
        wait_while(pool, &pool->phase, phase);
    }
}

static void *thread_pool_work(void *argument)
{
    const struct worker *worker = argument;
    struct ca_thread_pool *pool = worker->pool;

    for (uint32_t round = 0;; round++) {
        wait_while(pool, &pool->round, round);
        if (!pool->job)
            return NULL;
        pool->job(pool->context, worker->index);
        ca_thread_pool_barrier(pool); /* the end of the job */
    }
}

int ca_threads_for(const struct ca_values *options, int64_t cells, int64_t cells_per_worker)
{
    int threads = ca_values_find(options, "threads") < 0 ? 1 : (int)ca_int(options, "threads");
    int cores = ca_cpu_cores();
    int64_t most = cells / cells_per_worker;

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

enum ca_status ca_thread_pool_create(struct ca_thread_pool **result, int count,
                                     struct ca_error *error)
{
    struct ca_thread_pool *pool = calloc(1, sizeof *pool);
    sigset_t old;

    *result = NULL;
    if (count == 0)
        count = ca_cpu_cores();
    if (pool)
        pool->worker = calloc((size_t)count, sizeof *pool->worker);
    if (!pool || !pool->worker) {
        free(pool);
        return ca_fail(error, CA_NO_MEMORY, "no memory for a pool of %d threads", count);
    }
    pool->count = count;
    pool->spin = count > 1 && count <= ca_cpu_cores(); /* which reads files */
    ca_thread_signals(&old);
    for (pool->started = 1; pool->started < count; pool->started++) {
        struct worker *worker = &pool->worker[pool->started];

        *worker = (struct worker){.pool = pool, .index = pool->started};
        if (pthread_create(&worker->thread, NULL, thread_pool_work, worker) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pool->started < count) {
        int started = pool->started;

        ca_thread_pool_destroy(pool);
        return ca_fail(error, CA_NO_DEVICE, "could start only %d of %d threads", started, count);
    }
    *result = pool;
    return CA_OK;
}

void ca_thread_pool_destroy(struct ca_thread_pool *pool)
{
    if (!pool)
        return;
    pool->job = NULL;
    thread_pool_advance(&pool->round);
    for (int i = 1; i < pool->started; i++)
        pthread_join(pool->worker[i].thread, NULL);
    free(pool->worker);
    free(pool);
}

int ca_thread_pool_size(const struct ca_thread_pool *pool) { return pool->count; }

void ca_thread_pool_run(struct ca_thread_pool *pool, void (*job)(void *context, int worker),
                        void *context)
{
    if (pool->count > 1) {
        pool->job = job;
        pool->context = context;
        thread_pool_advance(&pool->round);
    }
    job(context, 0);
    ca_thread_pool_barrier(pool);
}

void ca_thread_pool_share(const struct ca_thread_pool *pool, int worker, int64_t n, int64_t *first,
                          int64_t *last)
{
    *first = n * worker / pool->count;
    *last = n * (worker + 1) / pool->count;
}
