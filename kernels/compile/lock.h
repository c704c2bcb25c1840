/* SPDX-License-Identifier: MIT */
/* A lock among the processes of a host, and of those that share a folder: a file that one of them
 * has locked. It goes with the process that holds it. */
#ifndef CALAB_KERNELS_FILE_LOCK_H
#define CALAB_KERNELS_FILE_LOCK_H

/* Waits for the lock, so many seconds at most. Returns what file_unlock takes; -1: it has not been
 * had. */
int file_lock(const char *path, double seconds);
/* Takes -1, too. */
void file_unlock(int held, const char *path);

#endif
