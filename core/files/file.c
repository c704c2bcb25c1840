/* SPDX-License-Identifier: MIT */
/* Files are written atomically, so that a reader sees the old file or the new one, and read as a
 * whole. The formats are in npy.c, pbm.c and asc.c. */
#include "core/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/files/embedded.h"
#include "core/files/lock.h"
#include "core/machine/device.h"

#define PAUSE_NS 20000000 /* between two looks for the reader of a pipe */
#define WAIT_MS 100       /* for it to take more */

/* The stream of a writer writes to this. */
struct ca_file_target {
    int fd;
    int cause;  /* errno of the first write that has failed, after which nothing is written; or 0 */
    bool waits; /* for a reader: a pipe or a device */
};

static bool (*go_on)(void);

void ca_file_wait_while(bool (*ask)(void)) { go_on = ask; }

static bool file_goes_on(void) { return !go_on || go_on(); }

/* `target` is the file that `path` leads to, NULL when that is not known. */
static enum ca_status cannot_write(const char *path, const char *target, int cause,
                                   struct ca_error *error)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", PATH_MAX - 1, target ? target : path);
    if (cause == ECANCELED)
        return ca_fail(error, CA_TIMEOUT, "cannot write %.300s: stopped while nobody read from it",
                       path);
    if (cause == ENOENT || cause == EACCES || cause == EROFS || cause == ENOTDIR)
        return ca_fail(error, CA_IO, "cannot write %.300s: %s (in folder %.300s)", path,
                       strerror(cause), dirname(folder));
    return ca_fail(error, CA_IO, "cannot write %s: %s", path, strerror(cause));
}

/* Follows symbolic links to the file that is meant, which may not exist. Malloc'd; NULL: errno. */
static char *file_follow(const char *path)
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

/* Opens a device, or a pipe once it has a reader. */
static int open_stream(const char *path, bool is_pipe)
{
    const struct timespec pause = {0, PAUSE_NS};
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY, fd;

    if (!is_pipe)
        return open(path, flags);
    while ((fd = open(path, flags | O_NONBLOCK)) < 0 && errno == ENXIO) {
        if (!file_goes_on()) {
            errno = ECANCELED;
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
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
        return open_stream(writer->path, S_ISFIFO(old.st_mode));
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

/* Fewer bytes than `size` are an error of the stream. */
static ssize_t put_bytes(void *context, const char *bytes, size_t size)
{
    struct ca_file_target *target = context;
    size_t done = 0;

    while (done < size && !target->cause) {
        size_t count = size - done;
        ssize_t put;

        if (target->waits) {
            struct pollfd out = {.fd = target->fd, .events = POLLOUT};

            /* A pipe or a device takes up to PIPE_BUF bytes at once, once its reader is there. */
            count = count < PIPE_BUF ? count : PIPE_BUF;
            while (poll(&out, 1, WAIT_MS) <= 0 && !target->cause)
                target->cause = file_goes_on() ? 0 : ECANCELED;
            if (target->cause)
                break;
        }
        put = write(target->fd, bytes + done, count);
        if (put < 0 && errno != EINTR)
            target->cause = errno;
        done += put > 0 ? (size_t)put : 0;
    }
    errno = target->cause;
    return (ssize_t)done;
}

static int seek_to(void *context, off64_t *offset, int whence)
{
    *offset = lseek64(((struct ca_file_target *)context)->fd, *offset, whence);
    return *offset < 0 ? -1 : 0;
}

static int close_target(void *context)
{
    struct ca_file_target *target = context;
    int status = close(target->fd);

    free(target);
    return status;
}

enum ca_status ca_file_begin(struct ca_file_writer *writer, const char *path,
                             struct ca_error *error)
{
    const cookie_io_functions_t functions = {
        .write = put_bytes, .seek = seek_to, .close = close_target};
    int fd, cause;

    memset(writer, 0, sizeof *writer);
    if (!path[0])
        return ca_fail(error, CA_IO, "cannot write a file without a name");
    writer->path = own_descriptor(path) >= 0 ? strdup(path) : file_follow(path);
    if (!writer->path)
        return cannot_write(path, NULL, errno, error);
    fd = open_target(writer);
    writer->target = fd >= 0 ? malloc(sizeof *writer->target) : NULL;
    if (writer->target) {
        *writer->target = (struct ca_file_target){.fd = fd, .waits = !writer->temporary};
        writer->stream = fopencookie(writer->target, "w", functions);
        writer->fd = fd;
    }
    if (writer->stream)
        return CA_OK; /* the stream owns the open file from now on */
    cause = errno;
    free(writer->target);
    if (fd >= 0)
        close(fd);
    cannot_write(path, writer->path, cause, error);
    ca_file_abandon(writer);
    return error->status;
}

enum ca_status ca_file_writable(const char *path, struct ca_error *error)
{
    int fd = own_descriptor(path), cause;
    char *target, folder[PATH_MAX];
    bool is_stream = false;
    struct stat old;

    if (fd >= 0)
        return fcntl(fd, F_GETFD) < 0 ? cannot_write(path, NULL, errno, error) : CA_OK;
    target = file_follow(path);
    cause = target ? 0 : errno;
    /* The errno with which open_target would fail. */
    if (target && stat(target, &old) != 0)
        cause = errno == ENOENT ? 0 : errno;
    else if (target && S_ISDIR(old.st_mode))
        cause = EISDIR;
    else if (target && access(target, W_OK) != 0)
        cause = errno;
    else
        is_stream = target && !S_ISREG(old.st_mode);
    /* The new file is created in the folder, also if there is an old one. */
    if (target && !cause && !is_stream) {
        snprintf(folder, sizeof folder, "%s", target);
        cause = access(dirname(folder), W_OK | X_OK) == 0 ? 0 : errno;
    }
    if (cause)
        cannot_write(path, target, cause, error);
    free(target);
    return cause ? CA_IO : CA_OK;
}

enum ca_status ca_file_seekable(const char *path, struct ca_error *error)
{
    struct stat old;

    if (own_descriptor(path) < 0 &&
        (stat(path, &old) != 0 || S_ISREG(old.st_mode) || S_ISDIR(old.st_mode)))
        return CA_OK;
    return ca_fail(error, CA_IO,
                   "cannot write %.300s: a file of this format cannot go to a pipe or a device, "
                   "since its parts are not written in their order",
                   path);
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
static int flush_all(struct ca_file_writer *writer)
{
    if (fflush(writer->stream) != 0 || ferror(writer->stream))
        return writer->target->cause ? writer->target->cause : EIO;
    return writer->temporary && fsync(writer->fd) != 0 ? errno : 0;
}

/* Closes what has been written and puts it in place. 0 or errno. */
static int put_in_place(struct ca_file_writer *writer)
{
    int status = fclose(writer->stream);

    writer->stream = NULL;
    if (status != 0)
        return errno;
    if (writer->temporary && !ca_file_replace(writer->temporary, writer->path))
        return errno;
    free(writer->temporary);
    writer->temporary = NULL;
    return 0;
}

static enum ca_status end_with(struct ca_file_writer *writer, int cause, struct ca_error *error)
{
    enum ca_status status = cause ? cannot_write(writer->path, writer->path, cause, error) : CA_OK;

    ca_file_abandon(writer);
    return status;
}

enum ca_status ca_file_commit(struct ca_file_writer *writer, struct ca_error *error)
{
    int cause = flush_all(writer);

    return end_with(writer, cause ? cause : put_in_place(writer), error);
}

enum ca_status ca_file_commit_table(struct ca_file_writer *writer, struct ca_error *error)
{
    int64_t rows = -1, at = 0, end = 0; /* without the line of names */
    int cause = flush_all(writer);
    struct ca_error first;
    char bytes[16384];
    ssize_t got;

    if (!cause || !writer->temporary)
        return end_with(writer, cause ? cause : put_in_place(writer), error);
    /* The text is cut after its last whole line. */
    while ((got = pread(writer->fd, bytes, sizeof bytes, at)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            if (bytes[i] == '\n') {
                rows++;
                end = at + i + 1;
            }
        at += got;
    }
    if (ftruncate(writer->fd, end) != 0)
        rows = -1;
    cannot_write(writer->path, writer->path, cause, &first);
    if (rows > 0 && put_in_place(writer) == 0)
        (void)ca_fail(error, first.status,
                      "%.400s; its first rows, %" PRId64 ", were written and stay", first.text,
                      rows);
    else
        *error = first;
    ca_file_abandon(writer);
    return first.status;
}

enum ca_status ca_file_check(FILE *stream, struct ca_error *error)
{
    return ferror(stream) ? ca_fail(error, CA_IO, "a file cannot be written") : CA_OK;
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

bool ca_file_exists(const char *path)
{
    return ca_embedded_is_path(path) ? ca_embedded_find(path) != NULL : access(path, F_OK) == 0;
}

enum ca_status ca_file_resolve(const char *path, char resolved[PATH_MAX], struct ca_error *error)
{
    if (ca_embedded_is_path(path) && strlen(path) < PATH_MAX)
        strcpy(resolved, path);
    else if (!realpath(path, resolved))
        return ca_fail(error, CA_IO, "%.400s: %s", path, strerror(errno));
    return CA_OK;
}

enum ca_status ca_file_open(const char *path, int64_t *size, FILE **stream, struct ca_error *error)
{
    struct stat status;
    int fd;

    if (ca_embedded_is_path(path)) {
        const struct ca_embedded *file = ca_embedded_find(path);

        if (!file)
            return ca_fail(error, CA_IO, "cannot read %.400s: there is no such file in the program",
                           path);
        *size = file->end - file->bytes;
        *stream = fmemopen((void *)(uintptr_t)file->bytes, (size_t)*size, "rb");
        return *stream ? CA_OK : cannot_read(path, errno, error);
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* does not block on a pipe */
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

static const char byte_order_mark[3] = "\xef\xbb\xbf";

#define MARK_BYTES sizeof byte_order_mark

enum ca_status ca_file_read_text(const char *path, int64_t max, char **text, size_t *size,
                                 struct ca_error *error)
{
    CA_TRY(ca_file_read(path, max, text, size, error));
    if (*size >= MARK_BYTES && memcmp(*text, byte_order_mark, MARK_BYTES) == 0) {
        *size -= MARK_BYTES;
        memmove(*text, *text + MARK_BYTES, *size + 1); /* with the NUL */
    }
    return CA_OK;
}

int ca_file_skip_mark(FILE *stream)
{
    char start[MARK_BYTES];

    if (fread(start, 1, MARK_BYTES, stream) == MARK_BYTES &&
        memcmp(start, byte_order_mark, MARK_BYTES) == 0)
        return MARK_BYTES;
    rewind(stream);
    return 0;
}

void ca_file_put(FILE *stream, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
}
