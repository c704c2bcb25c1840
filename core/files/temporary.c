/* SPDX-License-Identifier: MIT */
/* Owns the names and locks of temporary files. */
#include "core/files/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A lock of the open file, which ends when the process does. False where another one has it; *known
 * is whether there is a lock at all, which some file systems do not have. */
static bool lock(int fd, bool *known)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool got = fcntl(fd, F_OFD_SETLK, &whole) == 0;

    *known = got || errno == EAGAIN || errno == EACCES;
    return got;
}

/* Whether the file is this process's: not one that ca_temporary_clean of another has just removed,
 * before the lock. */
static bool keep(int fd)
{
    struct stat status;
    bool known, got = lock(fd, &known);

    return !known || (got && fstat(fd, &status) == 0 && status.st_nlink > 0);
}

int ca_temporary_open(const char *path, mode_t mode, char **name)
{
    static unsigned next; /* a race costs one more try */
    char folder[PATH_MAX], temporary[PATH_MAX + 64];
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
        if (fd >= 0 && !keep(fd)) {
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

static bool is_temporary(const char *name)
{
    int end = 0;

    return sscanf(name, ".calab-%*[0-9]-%*[0-9].tmp%n", &end) == 0 && end > 0 && !name[end];
}

void ca_temporary_clean(const char *path)
{
    char folder[PATH_MAX];
    struct dirent *entry;
    DIR *entries;

    snprintf(folder, sizeof folder, "%s", path);
    entries = opendir(dirname(folder));
    while (entries && (entry = readdir(entries)) != NULL) {
        bool known;
        int fd = is_temporary(entry->d_name) ? openat(dirfd(entries), entry->d_name,
                                                      O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                                             : -1;

        if (fd >= 0 && lock(fd, &known))
            unlinkat(dirfd(entries), entry->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (entries)
        closedir(entries);
}
