/* SPDX-License-Identifier: MIT */
/* A film is written by ffmpeg, which reads raw pixels from a socket and writes a temporary file. */
#include "core/files/film.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 32

struct ca_film {
    struct ca_file_writer file;
    struct ca_film_shape shape;
    pid_t ffmpeg; /* 0: it has ended */
    int to;       /* its standard input */
    int said;     /* a file in memory with what it has said */
    bool cut;     /* it took no more */
    bool any;     /* pictures have been added */
};

enum ca_status ca_film_check(const char *path, int rate, struct ca_error *error)
{
    const struct ca_format *format = ca_format_of(path);
    int stem = (int)(strlen(path) - strlen(format->ending));
    char coding[160] = "";

    CA_TRY(ca_file_seekable(path, error));
    CA_TRY(ca_file_writable(path, error));
    if (ca_file_is_program("ffmpeg"))
        return CA_OK;
    for (int i = 0; format->film->arguments[i]; i++)
        snprintf(coding + strlen(coding), sizeof coding - strlen(coding), "%s ",
                 format->film->arguments[i]);
    return ca_fail(error, CA_NO_DEVICE,
                   "%.300s: ffmpeg is not installed (Debian: apt-get install ffmpeg); write "
                   "pictures, -o '%.*s-%%06d.png', and where it is: ffmpeg -framerate %d "
                   "-pattern_type glob -i '%.*s-*.png' -vf '%s' %s'%.300s'",
                   path, stem < 200 ? stem : 200, path, rate, stem < 200 ? stem : 200, path,
                   format->film->filter, coding, path);
}

/* --- ffmpeg ----------------------------------------------------------------------------------- */

/* Starts it with `input` as its standard input, in a process group of its own, so that Ctrl-C does
 * not end it in the middle of a picture. 0 or errno. */
static int film_start(struct ca_film *film, int input)
{
    const struct ca_format *format = ca_format_of(film->file.path);
    char size[48], rate[16], filter[256];
    const char *const common[] = {"ffmpeg",      "-nostdin", "-hide_banner", "-loglevel", "error",
                                  "-y",          "-f",       "rawvideo",     "-pix_fmt",  "rgb24",
                                  "-video_size", size,       "-framerate",   rate,        "-i",
                                  "pipe:0",      "-vf",      filter,         NULL};
    const char *arguments[ARGUMENTS_MAX];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int cause, count = 0;

    snprintf(size, sizeof size, "%" PRId64 "x%" PRId64, film->shape.w, film->shape.h);
    snprintf(rate, sizeof rate, "%d", film->shape.rate);
    snprintf(filter, sizeof filter, "scale=iw*%d:ih*%d:flags=neighbor,%s", (int)film->shape.scale,
             (int)film->shape.scale, format->film->filter);
    for (int i = 0; common[i]; i++)
        arguments[count++] = common[i];
    for (int i = 0; format->film->arguments[i]; i++)
        arguments[count++] = format->film->arguments[i];
    arguments[count++] = film->file.temporary;
    arguments[count] = NULL;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, film->said, STDERR_FILENO);
    cause = posix_spawnp(&film->ffmpeg, "ffmpeg", &actions, &attributes, (char *const *)arguments,
                         environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (cause)
        film->ffmpeg = 0;
    return cause;
}

/* Closes its input and waits for its end. CA_IO where it has failed. */
static enum ca_status film_finish(struct ca_film *film, struct ca_error *error)
{
    char line[200];
    ssize_t length;
    int status = 0;

    if (film->to >= 0)
        close(film->to);
    film->to = -1;
    while (film->ffmpeg && waitpid(film->ffmpeg, &status, 0) < 0 && errno == EINTR)
        continue;
    film->ffmpeg = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !film->cut)
        return CA_OK;
    /* The first line that it has said. */
    length = pread(film->said, line, sizeof line - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    if (WIFSIGNALED(status))
        snprintf(line, sizeof line, "it was ended by signal %d", WTERMSIG(status));
    return ca_fail(error, CA_IO, "cannot write %.300s: ffmpeg: %s", film->file.path,
                   line[0] ? ca_plain(line) : "it has ended early");
}

/* --- films ------------------------------------------------------------------------------------ */

enum ca_status ca_film_check_shape(const char *path, const struct ca_film_shape *shape,
                                   struct ca_error *error)
{
    int64_t w = shape->w * shape->scale, h = shape->h * shape->scale;

    if (w > CA_FILM_SIDE_MAX || h > CA_FILM_SIDE_MAX)
        return ca_fail(error, CA_USAGE,
                       "%.300s: a film has at most %d pixels along a side, but this one has "
                       "%" PRId64 "x%" PRId64,
                       path, CA_FILM_SIDE_MAX, w, h);
    return CA_OK;
}

static enum ca_status open_film(struct ca_film *film, const char *path, struct ca_error *error)
{
    int ends[2], cause;

    CA_TRY(ca_file_seekable(path, error));
    CA_TRY(ca_file_begin(&film->file, path, error));
    film->said = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (film->said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return ca_fail(error, CA_IO, "cannot write %.300s: %s", path, strerror(errno));
    film->to = ends[0];
    cause = film_start(film, ends[1]);
    close(ends[1]);
    return cause
               ? ca_fail(error, CA_IO, "cannot start ffmpeg for %.300s: %s", path, strerror(cause))
               : CA_OK;
}

enum ca_status ca_film_begin(struct ca_film **film, const char *path,
                             const struct ca_film_shape *shape, struct ca_error *error)
{
    struct ca_film *made;

    CA_TRY(ca_film_check_shape(path, shape, error));
    made = malloc(sizeof *made);
    if (!made)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a film");
    *made = (struct ca_film){.shape = *shape, .to = -1, .said = -1};
    *film = made;
    if (open_film(made, path, error) == CA_OK)
        return CA_OK;
    ca_film_abandon(made);
    *film = NULL;
    return error->status;
}

enum ca_status ca_film_add(struct ca_film *film, const uint8_t *pixels, struct ca_error *error)
{
    size_t left = (size_t)(film->shape.w * film->shape.h * 3);

    while (left > 0) {
        ssize_t sent = send(film->to, pixels, left, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR) {
            film->cut = true;
            return film_finish(film, error);
        }
        pixels += sent > 0 ? sent : 0;
        left -= sent > 0 ? (size_t)sent : 0;
    }
    film->any = true;
    return CA_OK;
}

static void free_film(struct ca_film *film)
{
    if (film->said >= 0)
        close(film->said);
    free(film);
}

enum ca_status ca_film_end(struct ca_film *film, struct ca_error *error)
{
    enum ca_status status = film_finish(film, error);

    if (!film->any && !film->cut)
        status = ca_fail(error, CA_IO,
                         "cannot write %.300s: the film has no picture, since no "
                         "generation of the run was to have one",
                         film->file.path);
    status = ca_file_end(&film->file, status, error);
    free_film(film);
    return status;
}

void ca_film_abandon(struct ca_film *film)
{
    struct ca_error ignored;

    if (!film)
        return;
    if (film->ffmpeg)
        kill(film->ffmpeg, SIGKILL);
    film_finish(film, &ignored);
    if (film->file.stream)
        ca_file_abandon(&film->file);
    free_film(film);
}
