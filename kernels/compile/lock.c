/* SPDX-License-Identifier: MIT */
/* This file locks files by flock(2), which ends with the process whatever ends that. */
#include "kernels/compile/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

/* Whoever had the lock before has removed the file, so that another may have made one since. */
static bool lock_is_at(int fd, const char *path)
{
    struct stat held, there;

    return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

int compile_lock(const char *path, double seconds)
{
    const struct timespec pause = {0, 5000000};
    const double end = ca_now() + seconds;

    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

        if (fd < 0)
            return -1;
        while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            if ((errno != EWOULDBLOCK && errno != EINTR) || ca_now() >= end) {
                close(fd);
                return -1;
            }
            nanosleep(&pause, NULL);
        }
        if (lock_is_at(fd, path))
            return fd;
        close(fd);
    }
}

void compile_unlock(int held, const char *path)
{
    if (held < 0)
        return;
    unlink(path);
    close(held);
}
