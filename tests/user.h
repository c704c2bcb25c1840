/* SPDX-License-Identifier: MIT */
/* What a person does at the workbench: starts it, presses keys, reads line 1, quits. */
#ifndef CALAB_TESTS_USER_H
#define CALAB_TESTS_USER_H

#include "tests/screen.h"

/* Starts the workbench and waits for the first frame: line 1 shows a generation. */
struct screen *user_starts(const struct screen_options *options);
/* The same with all defaults: 24x80, xterm-256color, C.UTF-8. */
struct screen *user_starts_default(void);
/* Presses q and expects the end in good order. */
void user_quits(struct screen *screen);

/* The generation of line 1, -1 when it shows none. */
long long shown_generation(struct screen *screen);
void expect_generation(struct screen *screen, long long generation);
void expect_generation_from(struct screen *screen, long long least);
/* Line 1 shows a word. */
void expect_status(struct screen *screen, const char *word);

/* Opens a picker by its key, types to filter, takes what is left. */
void user_chooses(struct screen *screen, const char *key, const char *name);
/* Types a line at the prompt that `key` opens. */
void user_types(struct screen *screen, const char *key, const char *line);

/* calab.cfg as it is now (malloc'd), and its path. */
char *saved_settings(void);
const char *settings_file(void);
pid_t engine_of(struct screen *screen);

#endif
