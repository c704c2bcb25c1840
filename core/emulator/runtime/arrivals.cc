/* SPDX-License-Identifier: MIT */
/* Counts arrivals, and lets those go on that wait for the last one. */
#include "core/emulator/runtime/arrivals.h"

#include "core/emulator/runtime/async.h"
#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/watch.h"

#define INITIALIZED 0x61727269 /* differs from poisoned memory */

void emulated_arrivals_set(struct emulated_arrivals *barrier, int expected)
{
    *barrier = {INITIALIZED, expected, expected, 0};
}

static void check_set(const struct emulated_arrivals *barrier)
{
    if (barrier->magic != INITIALIZED)
        emulated_stop("a cuda::barrier that was not initialized");
}

uint32_t emulated_arrive(struct emulated_arrivals *barrier, int count, bool drop)
{
    uint32_t phase = barrier->phase;

    check_set(barrier);
    emulated_async_commit();
    emulated_async_wait(0);
    watch_release(barrier);
    barrier->expected -= drop;
    barrier->missing -= count;
    if (barrier->missing < 0)
        emulated_stop("more arrivals at a cuda::barrier than its %d", barrier->expected);
    if (barrier->missing == 0) {
        barrier->phase++;
        barrier->missing = barrier->expected;
        emulated_go_on(EMULATED_ARRIVALS, barrier);
    }
    return phase;
}

bool emulated_arrivals_complete(const struct emulated_arrivals *barrier, uint32_t phase)
{
    bool complete = barrier->phase != phase;

    check_set(barrier);
    if (complete)
        watch_acquire(barrier);
    return complete;
}

void emulated_arrivals_wait(struct emulated_arrivals *barrier, uint32_t phase, const char *file,
                            int line)
{
    check_set(barrier);
    if (barrier->phase == phase)
        emulated_wait_for(EMULATED_ARRIVALS, barrier, file, line);
    watch_acquire(barrier);
}
