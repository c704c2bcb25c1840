/* SPDX-License-Identifier: MIT */
/* A device is used by one grader at a time while a kernel is timed, by a lock that all users of the
 * machine share, and how much others take of a GPU. */
#ifndef CALAB_CORE_LAB_TIME_USE_H
#define CALAB_CORE_LAB_TIME_USE_H

#include <stdbool.h>

/*
 * Opens the lock of the CPU, or of a GPU, /tmp/calab-lab-NAME.lock, and waits for it as long as
 * `wait` returns true, which is asked some times a second. Close the descriptor to give it back.
 * -1: `wait` has ended it, or there are no locks there.
 */
int lab_use_lock(const char *name, bool (*wait)(void *context), void *context);

/* The share of time in which a GPU that this process leaves alone runs kernels, once it is at most
 * `allowed`, or else after some seconds; 0 where it is not known. */
double lab_use_gpu(int index, double allowed);

#endif
