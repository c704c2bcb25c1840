/* SPDX-License-Identifier: MIT */
/* Saved states for a restart and for the next start; resets, and how the last one is undone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_CHECKPOINT_H
#define CALAB_TUI_WORKBENCH_ENGINE_CHECKPOINT_H

#include "tui/workbench/base/part.h"

/* Whether the state is small enough to be kept without being asked for. */
bool checkpoint_is_cheap(const struct pane *pane);
void checkpoint_forget(struct pane *pane); /* a restart then begins at generation 0 */
/* The engine runs what began with a state; it is to begin with one; the last state from which it
 * can be restarted, by its file, "": generation 0, initialised again. Returns the generation. */
void checkpoint_opened(struct pane *pane, uint64_t generation, const char *path);
void checkpoint_begin_with(struct pane *pane, uint64_t generation, const char *path);
/* Writes one before whatever the engine is asked for next. */
void checkpoint_at_once(struct pane *pane);
uint64_t checkpoint_last(const struct pane *pane, char path[CA_TEXT_MAX]);
/* The state was changed other than by steps. */
void checkpoint_edited(struct pane *pane);
/* Saves the state of the model for the next start and waits for the engine up to `seconds`. CA_IO
 * if there is a state to save and that fails; then the last checkpoint, if there is one, is kept
 * for the next start. */
enum ca_status checkpoint_save_state(struct pane *pane, double seconds, struct ca_error *error);
/* The state from which the experiment's run continues, and its generation; "" and 0 where none is
 * saved, or only one of another run, which it then says. What the settings keep of a built-in model
 * the experiment of a file takes from the state: its size, seed, start and parameters. */
uint64_t checkpoint_resume(struct pane *pane, struct ca_experiment *experiment,
                           char path[CA_TEXT_MAX]);
/* Removes the saved state of an edition of a model's file in whose place another goes on. */
void checkpoint_drop_edition(const struct pane *pane, const struct ca_model *model);
/* Whether there is a saved state of the model, of whatever run. */
bool checkpoint_is_saved(const struct pane *pane, const struct ca_model *model);

/* The requests of the keys. */
void undo_reset(struct workbench *wb);
void undo_last(struct workbench *wb);
/* Another experiment is open, or the present one has changed; same_rule: not in its parameters. */
void undo_forget(struct pane *pane);
void undo_change(struct pane *pane, bool same_rule);

#endif
