/* SPDX-License-Identifier: MIT */
/* This file keeps the threads that run the fixed loop, and takes the slowest of them. */
#include "core/machine/fixed_loop.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/machine/device.h"
#include "core/machine/thread_pool.h"

#define PASSES 4000
#define TRIES 10
#define CORES_MOST 1024

static struct {
    pthread_mutex_t lock;
    struct ca_thread_pool *pool; /* NULL: none, or none could be had */
    int threads;                 /* that it was made for */
    pid_t process;
    double speed[CORES_MOST];
} loops = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Eight chains that do not wait for each other fill a core's units, which a neighbour on the same
 * core would share. */
static uint64_t loop_passes(uint64_t x)
{
    uint64_t v[8];

    for (int i = 0; i < 8; i++)
        v[i] = x + (uint64_t)i;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < 8; i++) {
            v[i] = (v[i] << 7 | v[i] >> 57) + 0x9e3779b97f4a7c15u;
            __asm__("" : "+r"(v[i]));
        }
    return v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5] ^ v[6] ^ v[7];
}

static double speed_of_core(void)
{
    uint64_t result = 1;
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        double start = ca_now(), seconds;

        result = loop_passes(result);
        __asm__ volatile("" : : "r"(result));
        seconds = ca_now() - start;
        if (seconds > 0)
            best = fmax(best, PASSES / seconds);
    }
    return best;
}

static void speed_of_worker(void *context, int worker)
{
    (void)context;
    ca_thread_pool_barrier(loops.pool); /* all at once */
    loops.speed[worker] = speed_of_core();
}

/* Threads do not live on in a process that was forked: its pool is another. */
static void make_pool(int threads)
{
    struct ca_error ignored;

    if (loops.process == getpid() && loops.threads == threads)
        return;
    if (loops.process == getpid())
        ca_thread_pool_destroy(loops.pool);
    loops.process = getpid();
    loops.threads = threads;
    if (ca_thread_pool_create(&loops.pool, threads, &ignored) != CA_OK)
        loops.pool = NULL;
}

double ca_fixed_loop(int threads)
{
    int cores = ca_cpu_cores();
    double slowest = INFINITY;

    threads = threads < cores ? threads : cores;
    threads = threads < CORES_MOST ? threads : CORES_MOST;
    if (threads < 2)
        return speed_of_core();
    pthread_mutex_lock(&loops.lock);
    make_pool(threads);
    if (loops.pool) {
        ca_thread_pool_run(loops.pool, speed_of_worker, NULL);
        for (int i = 0; i < threads; i++)
            slowest = fmin(slowest, loops.speed[i]);
    } else {
        slowest = speed_of_core();
    }
    pthread_mutex_unlock(&loops.lock);
    return slowest;
}
