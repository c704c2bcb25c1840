/* SPDX-License-Identifier: MIT */
/* Experiments and the state files that say of which run they are. Inside core/sim only. */
#ifndef CALAB_CORE_SIM_EXPERIMENT_STATE_H
#define CALAB_CORE_SIM_EXPERIMENT_STATE_H

#include "core/files/file.h"
#include "core/sim/experiment.h"

/* ca_experiment_read for such a file. */
enum ca_status experiment_read_state(struct ca_experiment *experiment, const char *path,
                                     struct ca_error *error);
/* Whether the run is the experiment's own, and its start leads to its state. */
bool experiment_is_own(const struct ca_experiment *experiment, const struct ca_state_run *run);

/* Fills the notes about the experiment that a state file holds as texts; returns their number. */
int experiment_notes(const struct ca_experiment *experiment, struct ca_note note[CA_NOTES_MAX]);

#endif
