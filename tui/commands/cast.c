/* SPDX-License-Identifier: MIT */
/* Owns the lines of a recording. */
#include "tui/commands/cast.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NO_CHARACTER "\357\277\275" /* U+FFFD */
#define DIGITS 15                   /* of a time, whose last one is a microsecond */

bool cast_path(const char *path)
{
    static const char ending[] = ".cast";
    size_t length = strlen(path), end = sizeof ending - 1;

    return length > end && strcmp(path + length - end, ending) == 0;
}

enum ca_status cast_open(struct cast *cast, const char *path, bool replace, struct ca_error *error)
{
    *cast = (struct cast){.path = path};
    cast->fd =
        open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (replace ? O_TRUNC : O_EXCL), 0666);
    if (cast->fd < 0 && errno == EEXIST)
        return ca_fail(error, CA_USAGE, "%s exists; --force replaces it", path);
    if (cast->fd < 0)
        return ca_fail(error, CA_IO, "cannot write %s: %s", path, strerror(errno));
    return CA_OK;
}

/* --- UTF-8 ------------------------------------------------------------------------------------ */

/* The length of the character that a text begins with; 0 if its rest is missing, and if it is none,
 * the number of bytes that are to be left out, negative. */
static int character(const char *text, size_t count)
{
    const unsigned char *c = (const unsigned char *)text;
    int length = c[0] < 0x80                    ? 1
                 : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
                 : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                 : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                : -1;

    for (int i = 1; i < length; i++) {
        unsigned char low = 0x80, high = 0xbf;

        if ((size_t)i == count)
            return 0;
        if (i == 1) { /* no longer form than needed, no surrogates, none above U+10FFFF */
            low = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
            high = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
        }
        if (c[i] < low || c[i] > high)
            return -i;
    }
    return length;
}

/* Copies a text as UTF-8 into `out`, three times as large, and stores its length. Returns how many
 * bytes at its end begin a character without ending it, which are left out. */
static size_t copy_characters(char *out, size_t *length, const char *text, size_t count)
{
    char *to = out;
    size_t i = 0;

    while (i < count) {
        int n = character(text + i, count - i);

        if (n == 0)
            break;
        if (n > 0)
            to = mempcpy(to, text + i, (size_t)n);
        else
            to = mempcpy(to, NO_CHARACTER, 3);
        i += (size_t)abs(n);
    }
    *length = (size_t)(to - out);
    return count - i;
}

/* A text of the user's as JSON; NULL for none. */
static json_t *json_characters(const char *text)
{
    size_t count = text ? strlen(text) : 0, length = 0;
    char *out = text ? malloc(3 * count + 1) : NULL;
    json_t *json = NULL;

    if (out) {
        copy_characters(out, &length, text, count);
        json = json_stringn(out, length);
    }
    free(out);
    return json;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Writes a line; of one that is not written whole nothing stays. */
static void write_line(struct cast *cast, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_REAL_PRECISION(DIGITS)) : NULL;
    size_t length = text ? strlen(text) : 0, done = 0;

    json_decref(json);
    if (text)
        text[length++] = '\n'; /* in place of the NUL */
    else
        cast->failure = ENOMEM;
    while (!cast->failure && done < length) {
        ssize_t n = write(cast->fd, text + done, length - done);

        if (n < 0 && errno != EINTR)
            cast->failure = errno;
        done += n > 0 ? (size_t)n : 0;
    }
    if (cast->failure) {
        int cut = ftruncate(cast->fd, cast->whole); /* a device has no length */

        (void)cut;
    } else {
        cast->whole += (off_t)done;
    }
    free(text);
}

static void write_event(struct cast *cast, double time_s, const char *kind, json_t *data)
{
    double rounded_s = round(time_s * 1e6) / 1e6;

    if (!cast->failure) {
        cast->last_s = fmax(cast->last_s, rounded_s);
        write_line(cast, json_pack("[f, s, o]", cast->last_s, kind, data));
    } else {
        json_decref(data);
    }
}

void cast_begin(struct cast *cast, int columns, int rows, const char *title)
{
    json_t *env = json_object();

    json_object_set_new(env, "TERM", json_characters(getenv("TERM")));
    json_object_set_new(env, "SHELL", json_characters(getenv("SHELL")));
    write_line(cast, json_pack("{s:i, s:i, s:i, s:I, s:o, s:o}", "version", 2, "width", columns,
                               "height", rows, "timestamp", (json_int_t)time(NULL), "title",
                               json_characters(title), "env", env));
}

void cast_output(struct cast *cast, double time_s, const char *bytes, size_t count)
{
    size_t total = cast->part_count + count, length = 0;
    char *all = malloc(total + 1), *out = malloc(3 * total + 1);

    if (!all || !out) {
        cast->failure = cast->failure ? cast->failure : ENOMEM;
    } else {
        memcpy(all, cast->part, cast->part_count);
        memcpy(all + cast->part_count, bytes, count);
        cast->part_count = copy_characters(out, &length, all, total);
        memcpy(cast->part, all + total - cast->part_count, cast->part_count);
        if (length > 0)
            write_event(cast, time_s, "o", json_stringn(out, length));
    }
    free(all);
    free(out);
}

void cast_resize(struct cast *cast, double time_s, int columns, int rows)
{
    write_event(cast, time_s, "r", json_sprintf("%dx%d", columns, rows));
}

enum ca_status cast_close(struct cast *cast, struct ca_error *error)
{
    if (cast->part_count > 0) { /* its rest never came */
        cast->part_count = 0;
        write_event(cast, cast->last_s, "o", json_string(NO_CHARACTER));
    }
    if (close(cast->fd) != 0 && !cast->failure)
        cast->failure = errno;
    if (!cast->failure)
        return CA_OK;
    return ca_fail(error, CA_IO, "cannot write %s: %s; the recording ends after %.1f s", cast->path,
                   strerror(cast->failure), cast->last_s);
}
