/* SPDX-License-Identifier: MIT */
/* Who uses a device while a kernel is timed: one grader at a time, by a lock that all users of the
 * machine share, and how much others take of it meanwhile. */
#ifndef CALAB_CORE_LAB_USE_H
#define CALAB_CORE_LAB_USE_H

#include "core/lab/lab.h"

/*
 * Opens the lock of the CPU, or of a GPU, /tmp/calab-lab-NAME.lock, and waits for it as long as
 * `wait` returns true, which is asked some times a second. Close the descriptor to give it back.
 * -1: `wait` has ended it, or there are no locks there.
 */
int lab_use_lock(const char *name, bool (*wait)(void *context), void *context);

/* The CPU time of the cores that this process may use, and what of it this process and those below
 * it took. Their differences, taken at two moments, tell what others took. */
struct lab_use {
    double at_s, busy_s, own_s;
};
struct lab_use lab_use_now(void);
/* In cores; 0 where it is not known. */
double lab_use_others(const struct lab_use *before, const struct lab_use *after);
/* The share of time in which a GPU that this process leaves alone runs kernels, once it is at most
 * `allowed`, or else after some seconds; 0 where it is not known. */
double lab_use_gpu(int index, double allowed);

#endif
