/* SPDX-License-Identifier: MIT */
/*
 * Locks of open files (F_OFD_SETLK), which end when the file is closed, also by the end of its
 * process, on whatever host.
 */
#ifndef CALAB_CORE_FILES_LOCK_H
#define CALAB_CORE_FILES_LOCK_H

#include "core/base/error.h"

#include <sys/types.h>

enum ca_lock {
    CA_LOCK_GOT,
    CA_LOCK_HELD, /* somebody else has it */
    CA_LOCK_NONE, /* the file system has no locks */
};

/* The file must be open for writing. */
enum ca_lock ca_lock_try(int fd);
/* Waits for so many seconds at most. */
enum ca_lock ca_lock_wait(int fd, double seconds);

/*
 * Keeps other calabs from writing a file that is read, changed and replaced, until ca_lock_end. The
 * file's folder must be there. The lock is of a file beside it, PATH.lock, because the file itself
 * is replaced. *lock becomes -1 where there can be none. CA_IO: another calab has it for seconds.
 */
enum ca_status ca_lock_begin(int *lock, const char *path, struct ca_error *error);
void ca_lock_end(int lock);

/*
 * Temporary files beside those that they will replace: .calab-PID-N.tmp, locked as long as their
 * process writes them, so that those of a killed process can be told, also on a file system that
 * several hosts share.
 */
/* Opens a new file in the folder of `path` for reading and writing; *name is malloc'd. -1: errno.
 */
int ca_temporary_open(const char *path, mode_t mode, char **name);

/* Removes those in the folder of `path` that nobody writes any more. */
void ca_temporary_clean(const char *path);

#endif
