/* SPDX-License-Identifier: MIT */
/* Moves the link to the newest program of a lab, and reads the places that messages name. */
#include "core/lab/backend/builds.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/file.h"
#include "core/lab/backend/backend.h"

#define LINE_MAX_DIGITS 7

static void reason_path(const char *link, char path[PATH_MAX + 8])
{
    snprintf(path, PATH_MAX + 8, "%s.why", link);
}

void ca_lab_builds_refusal(const char *link, char *text, size_t size)
{
    char path[PATH_MAX + 8], *read = NULL;
    struct ca_error ignored;
    size_t count = 0;

    text[0] = '\0';
    reason_path(link, path);
    if (ca_file_read(path, 4096, &read, &count, &ignored) != CA_OK)
        return;
    snprintf(text, size, "%.*s", (int)count, read);
    free(read);
}

static void write_reason(const char *link, const char *text)
{
    char path[PATH_MAX + 8];
    struct ca_file_writer writer;
    struct ca_error ignored;

    reason_path(link, path);
    if (ca_file_begin(&writer, path, &ignored) != CA_OK)
        return; /* the reason is told to whoever asked for the build, too */
    fputs(text, writer.stream);
    ca_file_commit(&writer, &ignored);
}

/* Whoever follows the link meanwhile finds the program before or this one. */
static enum ca_status lead(const char *link, const char *program, struct ca_error *error)
{
    char next[PATH_MAX + 8];

    snprintf(next, sizeof next, "%s.new", link);
    unlink(next);
    if (symlink(program, next) != 0 || rename(next, link) != 0)
        return ca_fail(error, CA_IO, "the link %.400s cannot be made: %s", link, strerror(errno));
    return CA_OK;
}

enum ca_status ca_lab_builds_make(struct ca_lab_builds *builds, const struct ca_lab *lab,
                                  struct ca_error *error)
{
    enum ca_lab_tool tool = ca_lab_tool_of(lab);
    double start = ca_now();
    enum ca_status status;

    if (strcmp(builds->now.folder, builds->linked.folder) != 0)
        ca_lab_build_close(&builds->now);
    status = ca_lab_build_open(&builds->now, lab, error);
    if (status == CA_OK)
        status = ca_lab_build_with(&builds->now, lab, tool, error);
    builds->seconds = ca_now() - start;
    if (status == CA_OK)
        status = lead(builds->link, builds->now.program[tool], error);
    if (status == CA_OK) {
        ca_lab_build_close(&builds->linked);
        builds->linked = builds->now;
    } else {
        write_reason(builds->link, error->text);
    }
    return status;
}

enum ca_status ca_lab_builds_check(struct ca_lab_builds *builds, const struct ca_lab *lab,
                                   struct ca_lab_report *report, ca_lab_progress *progress,
                                   void *context, struct ca_error *error)
{
    enum ca_status status =
        ca_lab_check_built(lab, &builds->now, true, report, progress, context, error);

    builds->linked = builds->now; /* with what the check has made in that folder */
    return status;
}

void ca_lab_builds_close(struct ca_lab_builds *builds)
{
    if (strcmp(builds->now.folder, builds->linked.folder) != 0)
        ca_lab_build_close(&builds->now);
    ca_lab_build_close(&builds->linked);
    builds->now.folder[0] = '\0';
    unlink(builds->link);
}

/* --- places ----------------------------------------------------------------------------------- */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* The line in text that begins with ':' or '(', 0: none. */
static int line_at(const char *text)
{
    const char *digits = text + 1;
    size_t n = strspn(digits, "0123456789");

    if (n == 0 || n > LINE_MAX_DIGITS || (*text == '(' ? digits[n] != ')' : digits[n] != ':'))
        return 0;
    return atoi(digits);
}

int ca_lab_place(const char *folder, const char *text, char *file, size_t size)
{
    char path[PATH_MAX + 300];

    for (const char *at = text; (at = strpbrk(at, ":(")) != NULL; at++) {
        const char *name = at;
        int line = line_at(at);

        while (name > text && in_name(name[-1]))
            name--;
        if (line == 0 || name == at || at - name > 255)
            continue;
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(at - name), name);
        if (access(path, R_OK) != 0)
            continue;
        snprintf(file, size, "%.*s", (int)(at - name), name);
        return line;
    }
    return 0;
}
