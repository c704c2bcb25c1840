/* SPDX-License-Identifier: MIT */
/* A lock among the processes of a host, and of those that share a folder: a file that one of them
 * has locked. It goes with the process that holds it. */
#ifndef CALAB_KERNELS_COMPILE_LOCK_H
#define CALAB_KERNELS_COMPILE_LOCK_H

/* Waits for the lock, so many seconds at most. Returns what compile_unlock takes; -1: it has not
 * been had. */
int compile_lock(const char *path, double seconds);
/* Takes -1, too. */
void compile_unlock(int held, const char *path);

#endif
