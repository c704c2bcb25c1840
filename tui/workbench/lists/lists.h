/* SPDX-License-Identifier: MIT */
/* Lists over the panels: choices, editors, texts to read, measurements, a lab. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LISTS_H
#define CALAB_TUI_WORKBENCH_LISTS_LISTS_H

#include "tui/workbench/base/dialog.h"

extern const struct list_source backends_source, colours_source, devices_source, help_source,
    hung_source, menu_source, others_source, parameters_source, settings_source;

/* pickers.c: another backend, of A or, in a split, of B; whether one can run here, with a message
 * if not. */
void choose_backend(struct pane *pane, const struct ca_backend *backend);
void split_against(struct workbench *wb, const struct ca_backend *backend);
bool backend_is_available(struct pane *pane, const struct ca_backend *backend);
/* The request of a key: with the previous backend, else the reference, else a choice. */
void split_toggle(struct workbench *wb);

/* models.c: opens a model as it was left, or an experiment at its beginning: a file, or what ships
 * by a name. */
void choose_model(struct pane *pane, const struct ca_model *model);
void choose_file(struct pane *pane, const char *text);
/* Leaves the present run for the experiment of a lab, by an engine that has its kernel. An error
 * says why there is no engine. */
void choose_lab(struct pane *pane, const struct ca_experiment *experiment, struct ca_error *error);

/* parameters.c: experiment_set changes the size, seed or initial state and restarts at generation
 * 0; parameter_set changes a parameter or an option. False: not allowed. */
bool experiment_set(struct pane *pane, const char *name, const char *text, struct ca_error *error);
bool parameter_set(struct pane *pane, const char *key, const char *text, struct ca_error *error);
candidates start_words; /* initial states, also files */

/* help.c: what a word on the screen means, by the line that it stands in and a column of this: its
 * explanation and the word, NULL: there is none; and a message about the one at a place of the
 * screen. */
#define TERM_NAME 40
const char *term_at(const char *line, int column, char name[TERM_NAME]);
void term_explain(struct workbench *wb, int row, int column);

/* help.c: shows a command in a list that is filled by yank_fill, and copies it if allowed. */
void yank_command(struct workbench *wb, const struct list_source *source, const char *command);
void yank_fill(struct workbench *wb);

/*
 * ladder.c, too: the ceilings of the machine of the pane in focus, measured by the engine's request
 * `probe` in an engine of its own. It is shown as a list; closing the list ends it. Meanwhile the
 * panes do nothing; afterwards their shares are those of the new ceilings.
 */
void probing_open(struct workbench *wb);

/*
 * ladder.c: A's experiment timed and checked by every backend, and its model's backends against the
 * reference: the engine's requests `bench` and `verify` in an engine of their own. A kernel that
 * crashes there costs its row, and the others begin again in another engine. It is shown as a list;
 * closing the list ends it. Meanwhile the panes do nothing.
 */
void ladder_open(struct workbench *wb);
/* One of the two for a list of backends with commas; "": all. */
void ladder_open_only(struct workbench *wb, bool verify, const char *backends);
/* Times all backends, and shows their rows in the list of the lab, which is open. */
void ladder_open_in_lab(struct workbench *wb);
/* Whether its rows are in that list. */
bool ladder_is_in_lab(const struct workbench *wb);
void ladder_end(struct workbench *wb);

/* Adds its rows to a list, and chooses one of them; the keys are those of ladder_source. Their
 * items are below 1000. */
void ladder_fill(struct workbench *wb);
bool ladder_choose(struct workbench *wb, const struct list_row *row);
extern const struct list_source ladder_source;

/*
 * lab.c: a process, `calab lab watch`, compiles and checks the kernel each time that it is saved,
 * and every engine has it as backend `lab`. The list shows what it says, and, once the kernel is
 * right, the ladder with it.
 */
/* The request of the key: the list of the lab, or where none is open a prompt for its folder. */
void lab_show(struct workbench *wb);
/* Adds its backend and begins to watch it. CA_IO, CA_SETTINGS, CA_USAGE for a second one. */
enum ca_status lab_open(struct workbench *wb, const char *folder, struct ca_error *error);
bool lab_is_open(const struct workbench *wb);
/* Whether a pane runs its kernel; and then the command that opens it. */
bool lab_is_shown(const struct workbench *wb);
char *lab_command(const struct workbench *wb);

#endif
