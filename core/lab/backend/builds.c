/* SPDX-License-Identifier: MIT */
/* Moves the link to the newest program of a lab, reads the places that messages name, and notices
 * changes of the folder, by inotify or by reading it. */
#include "core/lab/backend/builds.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
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

enum ca_status ca_lab_builds_make(struct ca_lab_builds *builds, const struct ca_lab *lab,
                                  struct ca_error *error)
{
    enum ca_lab_tool tool = ca_lab_tool_of(lab);
    double start = ca_now();
    char next[PATH_MAX + 8];
    struct ca_file_writer writer;
    struct ca_error ignored;
    enum ca_status status;

    if (strcmp(builds->now.folder, builds->linked.folder) != 0)
        ca_lab_build_close(&builds->now);
    status = ca_lab_build_open(&builds->now, lab, error);
    if (status == CA_OK)
        status = ca_lab_build_with(&builds->now, lab, tool, error);
    builds->seconds = ca_now() - start;
    /* Whoever follows the link meanwhile finds the program before or this one. */
    snprintf(next, sizeof next, "%s.new", builds->link);
    if (status == CA_OK)
        unlink(next);
    if (status == CA_OK &&
        (symlink(builds->now.program[tool], next) != 0 || rename(next, builds->link) != 0))
        status = ca_fail(error, CA_IO, "the link %.400s cannot be made: %s", builds->link,
                         strerror(errno));
    if (status == CA_OK) {
        ca_lab_build_close(&builds->linked);
        builds->linked = builds->now;
    } else {
        /* Engines that follow the link read the reason from this file. If the file cannot be
         * written, the caller still has the reason in `error`. */
        reason_path(builds->link, next);
        if (ca_file_begin(&writer, next, &ignored) == CA_OK) {
            fputs(error->text, writer.stream);
            ca_file_commit(&writer, &ignored);
        }
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

/* --- changes of the folder -------------------------------------------------------------------- */

#define POLL_MS 500
#define REST_MS 30  /* an editor that writes a file in parts takes less between two of them */
#define RESTLESS 20 /* A sum over the files, since their order in the folder is none. */
static uint64_t signature_of(const char *folder)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    uint64_t sum = 0;

    while (open && (entry = readdir(open)) != NULL) {
        struct stat facts;
        char text[400];
        uint64_t hash;

        if ((!ca_lab_is_source(entry->d_name) && strcmp(entry->d_name, "lab.cfg") != 0) ||
            fstatat(dirfd(open), entry->d_name, &facts, 0) != 0)
            continue;
        snprintf(text, sizeof text, "%s %lld.%ld %lld %llu", entry->d_name,
                 (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, (long long)facts.st_size,
                 (unsigned long long)facts.st_ino);
        hash = UINT64_C(0xcbf29ce484222325);
        for (const char *c = text; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        sum += hash;
    }
    if (open)
        closedir(open);
    return sum;
}

void ca_lab_change_open(struct ca_lab_change *change, const char *folder)
{
    snprintf(change->folder, sizeof change->folder, "%s", folder);
    change->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (change->inotify >= 0 &&
        inotify_add_watch(change->inotify, folder,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB) < 0)
        ca_lab_change_close(change);
    change->signature = signature_of(folder);
}

bool ca_lab_changed(struct ca_lab_change *change, bool see)
{
    uint64_t now = signature_of(change->folder), before;

    if (now == change->signature)
        return false;
    for (int i = 0; see && i < RESTLESS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = REST_MS * 1000000L}, NULL);
        before = now;
        now = signature_of(change->folder);
        if (now == before)
            break;
    }
    if (see)
        change->signature = now;
    return true;
}

bool ca_lab_change_wait(struct ca_lab_change *change, int fd)
{
    struct pollfd polled[2] = {{.fd = change->inotify, .events = POLLIN},
                               {.fd = fd, .events = POLLIN}};
    char events[4096];

    if (poll(polled, 2, POLL_MS) <= 0)
        return false;
    while (change->inotify >= 0 && read(change->inotify, events, sizeof events) > 0)
        ;
    return polled[1].revents != 0;
}

void ca_lab_change_close(struct ca_lab_change *change)
{
    if (change->inotify >= 0)
        close(change->inotify);
    change->inotify = -1;
}
