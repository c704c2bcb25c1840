/* SPDX-License-Identifier: MIT */
/*
 * What a power cut could leave of a folder whose changes were recorded (tests/support/recorded.h),
 * by the model of a file system that keeps no more than it was asked to: of a file's bytes since
 * its last fsync all, some or none are there, with its size or without; of what happened in folders
 * since their last fsync the first k changes, in order, for each k.
 */
#ifndef CALAB_TESTS_REPLAYED_H
#define CALAB_TESTS_REPLAYED_H

#include "tests/support/recorded.h"

#define LEFT_FILES_MAX 64

struct left_file {
    char path[256];
    bool is_folder;
    const uint8_t *bytes;
    size_t count;
};

/* The folder after a power cut. */
struct left {
    int changes;    /* that were made before it */
    bool all;       /* so many as there were: the program had ended */
    int kept, open; /* of the changes of folders that nobody had synced, and how many there were */
    const char *data;   /* what became of bytes that nobody had synced */
    const char *change; /* the last one, as text */
    struct left_file file[LEFT_FILES_MAX];
    int files;
};

/* The folder as it is, which a recording begins with. Nothing is changed by reading it. */
struct replay *replay_begin(const char *folder);
void replay_end(struct replay *replay);

/*
 * Calls `judge` for each different state that a power cut after each of the changes could leave, or
 * after `only` of them alone where that is not negative. Those after the last are all judged, since
 * more is expected of them.
 */
void replay_each(const struct replay *replay, const struct recording *recording, int only,
                 void (*judge)(const struct left *left, void *context), void *context);

/* Without power cuts: what the folder was like at first (change NULL) and after each change. */
void replay_steps(const struct replay *replay, const struct recording *recording,
                  void (*see)(const struct left *left, const struct change *change, void *context),
                  void *context);

const struct left_file *left_find(const struct left *left, const char *path);
/* Makes the folder, which must be empty, what was left. */
void left_put(const struct left *left, const char *folder);

#endif
