/* SPDX-License-Identifier: MIT */
/* What a user does in the workbench: starts it, presses keys, reads line 1, quits. */
#ifndef CALAB_TESTS_USER_H
#define CALAB_TESTS_USER_H

#include "tests/support/screen.h"

/* Starts the workbench and waits until its engine has opened what line 1 says. */
struct screen *user_starts(const struct screen_options *options);
/* The same with the defaults: 24x80, xterm-256color, C.UTF-8. */
struct screen *user_starts_default(void);
/* Presses q and expects exit status 0. */
void user_quits(struct screen *screen);

/* The generation in line 1, -1 if there is none. */
long long shown_generation(struct screen *screen);
void expect_generation(struct screen *screen, long long generation);
void expect_generation_from(struct screen *screen, long long least);
/* Waits until line 1 shows a word. */
void expect_status(struct screen *screen, const char *word);

/* Opens a picker by its key, filters by a name and chooses the first match. */
void user_chooses(struct screen *screen, const char *key, const char *name);
/* Opens a prompt by its key and enters a line. */
void user_types(struct screen *screen, const char *key, const char *line);

/* The present text of calab.cfg (kept), and its path. */
char *saved_settings(void);
const char *settings_file(void);
pid_t engine_of(struct screen *screen);

pid_t user_newest_engine(struct screen *screen); /* the program's last one */

#endif
