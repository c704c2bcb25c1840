/* SPDX-License-Identifier: MIT */
/*
 * Whether files are old or new after each power cut of a recording (tests/support/replayed.h), and
 * whether a command does on what is left what it always does.
 */
#ifndef CALAB_TESTS_POWER_CUTS_H
#define CALAB_TESTS_POWER_CUTS_H

#include "tests/support/program.h"
#include "tests/support/replayed.h"

struct story {
    const char *name;  /* of what is recorded, in messages */
    const char *again; /* the command that is repeated, with %s for the folder, or NULL */
    void (*repeat)(const char *folder, const struct left *left); /* what is done in its place */
};

/*
 * Has the power cut after each change of the recording, or with CALAB_POWER_CUT=N after the N-th
 * alone, and fails where a file is neither as it was before nor as one of the renames was to make
 * it, or at the end not as the last one was. Of the states that are left a few by the seed, or all
 * with CALAB_POWER_CUT, are what the command is repeated on, which must end with the same files.
 */
void cut_power(const struct story *story, const struct replay *before,
               const struct recording *recording);

/* Fails where a temporary file is below the folder. */
void expect_clean(const char *where_left, const char *folder);

/* A folder of its own in the test's, in static storage. */
const char *fresh_folder(void);
/* The variables HOME, XDG_CONFIG_HOME and XDG_STATE_HOME of a folder: NAME=VALUE. */
#define FOLDER_VARIABLES 3
void set_folder(char variable[FOLDER_VARIABLES][300], const char *list[FOLDER_VARIABLES + 1],
                const char *folder);
/* calab in a folder, for which the command has %s. */
struct outcome run_in(const char *folder, const char *command);

#endif
