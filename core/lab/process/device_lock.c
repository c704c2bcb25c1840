/* SPDX-License-Identifier: MIT */
/* The slots of a device lock are robust mutexes, so that the end of a process gives its slot back.
 */
#include "core/lab/process/device_lock.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "core/lab/process/pool.h"

#define SLOTS_MAX 16
#define LOOK_NS 5000000

struct lab_device_lock {
    int count;
    pthread_mutex_t slot[SLOTS_MAX];
};

struct lab_device_lock *lab_device_lock_make(int count)
{
    struct lab_device_lock *lock = lab_pool_memory(sizeof *lock);
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

void lab_device_lock_free(struct lab_device_lock *lock) { lab_pool_free(lock, sizeof *lock); }

int lab_device_lock_take(struct lab_device_lock *lock)
{
    const struct timespec pause = {0, LOOK_NS};

    while (lock) {
        for (int i = 0; i < lock->count; i++) {
            int got = pthread_mutex_trylock(&lock->slot[i]);

            if (got == EOWNERDEAD)
                pthread_mutex_consistent(&lock->slot[i]);
            if (got == 0 || got == EOWNERDEAD)
                return i;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

void lab_device_lock_give(struct lab_device_lock *lock, int slot)
{
    if (lock)
        pthread_mutex_unlock(&lock->slot[slot]);
}
