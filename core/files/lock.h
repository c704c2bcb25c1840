/* SPDX-License-Identifier: MIT */
/*
 * Locks of open files (F_OFD_SETLK), which end when the file is closed, also by the end of its
 * process, on whatever host.
 */
#ifndef CALAB_CORE_FILES_LOCK_H
#define CALAB_CORE_FILES_LOCK_H

enum ca_lock {
    CA_LOCK_GOT,
    CA_LOCK_HELD, /* somebody else has it */
    CA_LOCK_NONE, /* the file system has no locks */
};

/* The file must be open for writing. */
enum ca_lock ca_lock_try(int fd);
/* Waits for so many seconds at most. */
enum ca_lock ca_lock_wait(int fd, double seconds);

#endif
