/* SPDX-License-Identifier: MIT */
/*
 * The builds of a lab's source: each is compiled in a folder of its own, and a link leads to the
 * program of the last one that compiled. An engine that has the link runs the newest program.
 */
#ifndef CALAB_CORE_LAB_BACKEND_BUILDS_H
#define CALAB_CORE_LAB_BACKEND_BUILDS_H

#include "core/lab/check/check.h"

struct ca_lab_builds {
    const char *link;                /* in a folder that is theirs */
    struct ca_lab_build now, linked; /* the newest, also if it does not compile; the link's */
    double seconds;                  /* that the compiler took */
};

/* Compiles the source as it is. CA_COMPILE with the first error, CA_IO. */
enum ca_status ca_lab_builds_make(struct ca_lab_builds *builds, const struct ca_lab *lab,
                                  struct ca_error *error);
/* ca_lab_check of the newest build, which has been compiled. */
enum ca_status ca_lab_builds_check(struct ca_lab_builds *builds, const struct ca_lab *lab,
                                   struct ca_lab_report *report, ca_lab_progress *progress,
                                   void *context, struct ca_error *error);
void ca_lab_builds_close(struct ca_lab_builds *builds);
/* Why there is no program behind a link; "" where that is not known. */
void ca_lab_builds_refusal(const char *link, char *text, size_t size);

/*
 * The place that a message of a compiler or a tool names, as FILE:LINE: or FILE(LINE): of a file in
 * the folder: the line, and the name in `file`. 0: it names none.
 */
int ca_lab_place(const char *folder, const char *text, char *file, size_t size);

/*
 * Whether somebody has saved a file of a lab's folder: by name, time, size and number of the file,
 * so that editors count that write a new file and rename it. inotify tells at once where it works;
 * on a network file system, where another host may write, the folder is read twice a second.
 */
struct ca_lab_change {
    char folder[PATH_MAX];
    int inotify;        /* -1: there is none */
    uint64_t signature; /* of the sources as they were seen last */
};

/* Watches a folder from now on. Close it in any case. */
void ca_lab_change_open(struct ca_lab_change *change, const char *folder);
/* Whether the sources differ from those that were seen last; with `see` they count as seen, once
 * they have been at rest for a moment. */
bool ca_lab_changed(struct ca_lab_change *change, bool see);
/* Sleeps until a file may have changed, half a second at most, or `fd` (-1: none) can be read,
 * which it returns. */
bool ca_lab_change_wait(struct ca_lab_change *change, int fd);
void ca_lab_change_close(struct ca_lab_change *change);

#endif
