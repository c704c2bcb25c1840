/* SPDX-License-Identifier: MIT */
/* Owns atomic writing, so that a reader sees the old file or the new one, and reading whole
 * files. The formats are in npy.c, pbm.c and asc.c. */
#include "core/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/temporary.h"
#include "core/machine/device.h"

/* `target` is the file that `path` leads to, NULL when that is not known. */
static enum ca_status cannot_write(const char *path, const char *target, int cause,
                                   struct ca_error *error)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", PATH_MAX - 1, target ? target : path);
    if (cause == ENOENT || cause == EACCES || cause == EROFS || cause == ENOTDIR)
        return ca_fail(error, CA_IO, "cannot write %.300s: %s (in folder %.300s)", path,
                       strerror(cause), dirname(folder));
    return ca_fail(error, CA_IO, "cannot write %s: %s", path, strerror(cause));
}

/* Follows symbolic links to the file that is meant, which may not exist. Malloc'd; NULL: errno. */
static char *follow(const char *path)
{
    char *current = strdup(path);

    for (int depth = 0; current; depth++) {
        char target[PATH_MAX], folder[PATH_MAX], joined[2 * PATH_MAX];
        ssize_t length = readlink(current, target, sizeof target - 1);

        if (length < 0)
            return current; /* no link or no file: opening it reports the error */
        target[length] = '\0';
        if (depth == 40 || strlen(current) >= sizeof folder) {
            free(current);
            errno = ELOOP;
            return NULL;
        }
        strcpy(folder, current);
        if (target[0] == '/')
            strcpy(joined, target);
        else
            snprintf(joined, sizeof joined, "%s/%s", dirname(folder), target);
        free(current);
        current = strdup(joined);
    }
    return NULL;
}

/* The descriptor that /dev/stdout and the like name, -1 for other paths. */
static int own_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);

        if (strncmp(path, folders[i], length) == 0 && path[length] >= '0' && path[length] <= '9') {
            char *end;
            long fd = strtol(path + length, &end, 10); /* LONG_MAX where it is too large */

            return *end == 0 && fd <= INT_MAX ? (int)fd : -1;
        }
    }
    return -1;
}

/* Opens the target of the stream: a temporary file, or a device or pipe itself. */
static int open_target(struct ca_file_writer *writer)
{
    struct stat old;
    int fd = own_descriptor(writer->path);

    if (fd >= 0)
        return fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (stat(writer->path, &old) != 0)
        return errno == ENOENT ? ca_temporary_open(writer->path, 0666, &writer->temporary) : -1;
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(old.st_mode))
        return open(writer->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (access(writer->path, W_OK) != 0) /* a rename does not check this permission */
        return -1;
    fd = ca_temporary_open(writer->path, 0600, &writer->temporary);
    if (fd >= 0) {
        /* Only root may change the owner; otherwise the new file belongs to this user. */
        int given = fchown(fd, old.st_uid, old.st_gid);

        (void)given;
        if (fchmod(fd, old.st_mode & 07777) == 0)
            return fd;
        close(fd);
        unlink(writer->temporary);
    }
    return -1;
}

enum ca_status ca_file_begin(struct ca_file_writer *writer, const char *path,
                             struct ca_error *error)
{
    int fd;

    memset(writer, 0, sizeof *writer);
    if (!path[0])
        return ca_fail(error, CA_IO, "cannot write a file without a name");
    writer->path = own_descriptor(path) >= 0 ? strdup(path) : follow(path);
    if (!writer->path)
        return cannot_write(path, NULL, errno, error);
    fd = open_target(writer);
    if (fd >= 0) {
        writer->stream = fdopen(fd, "wb");
        if (writer->stream)
            return CA_OK;
        close(fd);
    }
    cannot_write(path, writer->path, errno, error);
    ca_file_abandon(writer);
    return error->status;
}

/* 0, or the errno with which open_target would fail. */
static int why_not(const char *target)
{
    struct stat old;
    bool there = stat(target, &old) == 0;
    char folder[PATH_MAX];

    if (!there && errno != ENOENT)
        return errno;
    if (there && S_ISDIR(old.st_mode))
        return EISDIR;
    if (there && access(target, W_OK) != 0)
        return errno;
    if (there && !S_ISREG(old.st_mode))
        return 0;
    /* The new file is created in the folder, also if there is an old one. */
    snprintf(folder, sizeof folder, "%s", target);
    return access(dirname(folder), W_OK | X_OK) == 0 ? 0 : errno;
}

enum ca_status ca_file_writable(const char *path, struct ca_error *error)
{
    int fd = own_descriptor(path), cause;
    char *target;

    if (fd >= 0)
        return fcntl(fd, F_GETFD) < 0 ? cannot_write(path, NULL, errno, error) : CA_OK;
    target = follow(path);
    cause = target ? why_not(target) : errno;
    if (cause)
        cannot_write(path, target, cause, error);
    free(target);
    return cause ? CA_IO : CA_OK;
}

void ca_file_abandon(struct ca_file_writer *writer)
{
    if (writer->stream)
        fclose(writer->stream);
    if (writer->temporary)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->path);
    memset(writer, 0, sizeof *writer);
}

/* Makes a name in a folder survive a power cut, if the file system can. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    int fd;

    snprintf(folder, sizeof folder, "%s", path);
    fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

bool ca_file_replace(const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return false;
    sync_folder(to);
    return true;
}

/* Flushes everything to the disk. 0 or errno. */
static int finish(struct ca_file_writer *writer)
{
    bool failed = ferror(writer->stream) != 0;
    int cause = 0;

    errno = 0;
    if (fflush(writer->stream) != 0 || failed)
        /* The stream does not keep the cause; writing one more byte reproduces it. */
        cause = errno ? errno : write(fileno(writer->stream), "", 1) < 0 ? errno : EIO;
    else if (writer->temporary && fsync(fileno(writer->stream)) != 0)
        cause = errno;
    if (fclose(writer->stream) != 0 && !cause)
        cause = errno;
    writer->stream = NULL;
    return cause;
}

enum ca_status ca_file_commit(struct ca_file_writer *writer, struct ca_error *error)
{
    enum ca_status status = CA_OK;
    int cause = finish(writer);

    if (!cause && writer->temporary) {
        if (ca_file_replace(writer->temporary, writer->path)) {
            free(writer->temporary);
            writer->temporary = NULL;
        } else {
            cause = errno;
        }
    }
    if (cause)
        status = cannot_write(writer->path, writer->path, cause, error);
    ca_file_abandon(writer);
    return status;
}

enum ca_status ca_file_check(FILE *stream, struct ca_error *error)
{
    return ferror(stream) ? ca_fail(error, CA_IO, "writing failed") : CA_OK;
}

enum ca_status ca_file_end(struct ca_file_writer *writer, enum ca_status written,
                           struct ca_error *error)
{
    if (written == CA_OK || ferror(writer->stream))
        return ca_file_commit(writer, error);
    ca_file_abandon(writer);
    return written;
}

char *ca_file_place(char path[PATH_MAX], const char *variable, const char *below_home,
                    const char *end)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    const struct passwd *user = !home || home[0] != '/' ? getpwuid(getuid()) : NULL;

    if (user)
        home = user->pw_dir;
    path[0] = '\0';
    if (base && base[0] == '/')
        snprintf(path, PATH_MAX, "%s%s", base, end);
    else if (home && home[0] == '/')
        snprintf(path, PATH_MAX, "%s%s%s", home, below_home, end);
    return path;
}

enum ca_status ca_file_parents(const char *path, struct ca_error *error)
{
    char folder[PATH_MAX];

    if (strlen(path) >= sizeof folder)
        return cannot_write(path, NULL, ENAMETOOLONG, error);
    strcpy(folder, path);
    for (char *slash = strchr(folder + (folder[0] == '/'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) == 0)
            sync_folder(folder);
        else if (errno != EEXIST)
            return ca_fail(error, CA_IO, "cannot make the folder %s: %s", folder, strerror(errno));
        *slash = '/';
    }
    return CA_OK;
}

static enum ca_status cannot_read(const char *path, int cause, struct ca_error *error)
{
    return ca_fail(error, CA_IO, "cannot read %s: %s", path, strerror(cause));
}

bool ca_file_is_program(const char *name)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");
        char file[PATH_MAX];
        struct stat status;

        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

enum ca_status ca_file_open(const char *path, int64_t *size, FILE **stream, struct ca_error *error)
{
    int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* does not block on a pipe */
    struct stat status;

    if (fd < 0)
        return cannot_read(path, errno, error);
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return ca_fail(error, CA_IO, "cannot read %s: it is not a regular file", path);
    }
    *size = status.st_size;
    *stream = fdopen(fd, "rb");
    if (*stream)
        return CA_OK;
    cannot_read(path, errno, error);
    close(fd);
    return CA_IO;
}

enum ca_status ca_file_read(const char *path, int64_t max, char **bytes, size_t *size,
                            struct ca_error *error)
{
    int64_t length = 0;
    uint64_t available;
    FILE *stream;
    bool fits;

    CA_TRY(ca_file_open(path, &length, &stream, error));
    if (length > max) {
        fclose(stream);
        return ca_fail(error, CA_IO, "%s: %" PRId64 " bytes, at most %" PRId64 " are allowed", path,
                       length, max);
    }
    /* At most half of it, because the parsed form takes as much again. */
    available = ca_memory_available();
    fits = available == 0 || (uint64_t)length <= available / 2;
    *bytes = fits ? malloc((size_t)length + 1) : NULL;
    if (!*bytes) {
        fclose(stream);
        return ca_fail(error, CA_NO_MEMORY, "%s: no memory for %" PRId64 " bytes", path, length);
    }
    *size = fread(*bytes, 1, (size_t)length, stream);
    (*bytes)[*size] = '\0';
    fclose(stream);
    if (*size != (size_t)length) {
        free(*bytes);
        return ca_fail(error, CA_IO,
                       "%s: offset %zu: the file ends, %" PRId64 " bytes are expected", path, *size,
                       length);
    }
    return CA_OK;
}

void ca_file_put(FILE *stream, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
}
