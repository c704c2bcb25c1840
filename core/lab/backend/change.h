/* SPDX-License-Identifier: MIT */
/*
 * Whether somebody has saved a file of a lab's folder: by name, time, size and number of the file,
 * so that editors count that write a new file and rename it. inotify tells at once where it works;
 * on a network file system, where another host may write, the folder is read twice a second.
 */
#ifndef CALAB_CORE_LAB_BACKEND_CHANGE_H
#define CALAB_CORE_LAB_BACKEND_CHANGE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

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
