/* SPDX-License-Identifier: MIT */
/* Owns the locks of open files. */
#include "core/files/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

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
