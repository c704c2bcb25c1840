/* SPDX-License-Identifier: MIT */
/* Barriers in memory, at which a known number of threads arrives in each phase: <cuda/barrier>. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_ARRIVALS_H
#define CALAB_CORE_EMULATOR_RUNTIME_ARRIVALS_H

#include <stdint.h>

#include "core/emulator/runtime/threads.h"

struct emulated_arrivals {
    uint32_t magic;
    int32_t expected, missing; /* arrivals of a phase, and those that are left of this one */
    uint32_t phase;
};

void emulated_arrivals_set(struct emulated_arrivals *barrier, int expected);
/* The phase that it belongs to. What the thread has copied asynchronously is there. */
uint32_t emulated_arrive(struct emulated_arrivals *barrier, int count, bool drop);
/* Waits until this phase is complete. */
void emulated_arrivals_wait(struct emulated_arrivals *barrier, uint32_t phase, const char *file,
                            int line);
bool emulated_arrivals_complete(const struct emulated_arrivals *barrier, uint32_t phase);

#endif
