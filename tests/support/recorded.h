/* SPDX-License-Identifier: MIT */
/*
 * What a program and those that it starts change below a folder, call by call and in order: files
 * that they create, write, cut, rename and remove, and what they have the disk keep (fsync). The
 * process that records traces them (ptrace(2)), stopped by a filter (seccomp(2)) at those calls
 * alone. tests/support/replayed.h makes of it what a power cut could leave.
 */
#ifndef CALAB_TESTS_RECORDED_H
#define CALAB_TESTS_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change_kind {
    CHANGE_OPEN,   /* the first use of a file that was there: `file` is that at `path` */
    CHANGE_CREATE, /* `file` at `path` */
    CHANGE_WRITE,  /* `count` bytes of `file` at `offset` */
    CHANGE_CUT,    /* `file` has `offset` bytes */
    CHANGE_SYNC,   /* of `file` */
    CHANGE_SYNC_FOLDER,
    CHANGE_RENAME, /* `path` to `to` */
    CHANGE_LINK,   /* `path` is also `to` */
    CHANGE_REMOVE, /* a file or folder */
    CHANGE_MAKE_FOLDER,
    CHANGE_UNKNOWN /* `path` was changed in a way that is not recorded */
};

/* Paths begin below the folder; the folder itself is "". */
struct change {
    enum change_kind kind;
    int file; /* from 1 */
    uint64_t offset, count;
    size_t size; /* of this record, the bytes included */
    char path[256], to[256];
    uint8_t bytes[];
};

/* Memory that the processes share. */
struct recording {
    size_t used, room;
    int changes, files;
    bool refused; /* this system does not let a process trace another */
    char folder[4096];
    _Alignas(16) uint8_t records[];
};

/* An empty one of the folder, which is there; recording_free gives it back. */
struct recording *recording_of(const char *folder);
void recording_free(struct recording *recording);

/* Runs `body`, which may execute a program, in a child process with this process's streams and
 * records until all have ended. Its wait status. */
int record_changes(struct recording *recording, int (*body)(const void *data), const void *data);

/* The change after that, the first after NULL; NULL at the end. */
const struct change *recording_next(const struct recording *recording, const struct change *change);
/* A change in a line, in static storage. */
const char *change_text(const struct change *change);

#endif
