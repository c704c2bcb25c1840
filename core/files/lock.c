/* SPDX-License-Identifier: MIT */
/* This file locks open files, names temporary files, and finds those that nobody writes any more.
 */
#include "core/files/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* --- temporary files -------------------------------------------------------------------------- */

int ca_temporary_open(const char *path, mode_t mode, char **name)
{
    static atomic_uint next;
    char folder[PATH_MAX], temporary[PATH_MAX + 64];
    struct stat status;
    enum ca_lock lock;
    int fd;

    if (strlen(path) >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    do {
        strcpy(folder, path);
        snprintf(temporary, sizeof temporary, "%s/.calab-%ld-%u.tmp", dirname(folder),
                 (long)getpid(), next++);
        fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        lock = fd >= 0 ? ca_lock_try(fd) : CA_LOCK_NONE;
        /* Not one that ca_temporary_clean of another process has removed before the lock. */
        if (lock == CA_LOCK_HELD ||
            (lock == CA_LOCK_GOT && fstat(fd, &status) == 0 && status.st_nlink == 0)) {
            close(fd);
            fd = -1;
            errno = EEXIST;
        }
    } while (fd < 0 && errno == EEXIST);
    if (fd >= 0) {
        *name = strdup(temporary);
        if (*name)
            return fd;
        close(fd);
        unlink(temporary);
        errno = ENOMEM;
    }
    return -1;
}

void ca_temporary_clean(const char *path)
{
    char folder[PATH_MAX];
    struct dirent *entry;
    DIR *entries;

    snprintf(folder, sizeof folder, "%s", path);
    entries = opendir(dirname(folder));
    while (entries && (entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;
        int end = 0;
        bool ours =
            sscanf(name, ".calab-%*[0-9]-%*[0-9].tmp%n", &end) == 0 && end > 0 && !name[end];
        int fd =
            ours ? openat(dirfd(entries), name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;

        if (fd >= 0 && ca_lock_try(fd) == CA_LOCK_GOT)
            unlinkat(dirfd(entries), entry->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (entries)
        closedir(entries);
}
