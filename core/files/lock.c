/* SPDX-License-Identifier: MIT */
/* This file locks open files. */
#include "core/files/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

#define BESIDE ".lock"
#define WRITE_S 2.0      /* that another calab's change of a file may take */
#define PAUSE_NS 5000000 /* a lock that is waited for is held for some milliseconds */

enum ca_lock ca_lock_try(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return CA_LOCK_GOT;
    return errno == EAGAIN || errno == EACCES ? CA_LOCK_HELD : CA_LOCK_NONE;
}

enum ca_lock ca_lock_wait(int fd, double seconds)
{
    const struct timespec pause = {0, PAUSE_NS};
    double end = ca_now() + seconds;
    enum ca_lock lock;

    while ((lock = ca_lock_try(fd)) == CA_LOCK_HELD && ca_now() < end)
        nanosleep(&pause, NULL);
    return lock;
}

enum ca_status ca_lock_begin(int *lock, const char *path, struct ca_error *error)
{
    char beside[PATH_MAX + sizeof BESIDE];

    snprintf(beside, sizeof beside, "%s" BESIDE, path);
    *lock = open(beside, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*lock < 0 || ca_lock_wait(*lock, WRITE_S) != CA_LOCK_HELD)
        return CA_OK; /* without a lock where there can be none */
    ca_lock_end(*lock);
    *lock = -1;
    return ca_fail(error, CA_IO, "cannot write %s: another calab is writing it", path);
}

void ca_lock_end(int lock)
{
    if (lock >= 0)
        close(lock);
}
