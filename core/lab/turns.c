/* SPDX-License-Identifier: MIT */
/* Owns the locks that turns are, which the end of their owner's process gives back. */
#include "core/lab/turns.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "core/lab/crew.h"

#define TURNS_MAX 16
#define LOOK_NS 5000000

struct lab_turns {
    int count;
    pthread_mutex_t turn[TURNS_MAX];
};

struct lab_turns *lab_turns_make(int count)
{
    struct lab_turns *turns = lab_crew_memory(sizeof *turns);
    pthread_mutexattr_t kind;

    if (!turns)
        return NULL;
    turns->count = count < TURNS_MAX ? count : TURNS_MAX;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < turns->count; i++)
        pthread_mutex_init(&turns->turn[i], &kind);
    pthread_mutexattr_destroy(&kind);
    return turns;
}

void lab_turns_free(struct lab_turns *turns) { lab_crew_free(turns, sizeof *turns); }

int lab_turns_take(struct lab_turns *turns)
{
    const struct timespec pause = {0, LOOK_NS};

    while (turns) {
        for (int i = 0; i < turns->count; i++) {
            int got = pthread_mutex_trylock(&turns->turn[i]);

            if (got == EOWNERDEAD)
                pthread_mutex_consistent(&turns->turn[i]);
            if (got == 0 || got == EOWNERDEAD)
                return i;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

void lab_turns_give(struct lab_turns *turns, int turn)
{
    if (turns)
        pthread_mutex_unlock(&turns->turn[turn]);
}
