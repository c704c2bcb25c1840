/* SPDX-License-Identifier: MIT */
/*
 * The file in which a long run keeps its state: written every so many seconds, at SIGUSR1, at the
 * signals that end a run, and at its end. It is the old one or the new one whole, whenever the
 * process is killed, and --resume goes on from it to the generation that the run was to end with.
 */
#ifndef CALAB_TUI_RUN_CHECKPOINT_H
#define CALAB_TUI_RUN_CHECKPOINT_H

#include "core/sim/simulation.h"
#include "tui/options.h"

struct run_checkpoint {
    const char *path; /* NULL: there is none */
    double every_s, last_s;
};

/*
 * Reads the options, and with --resume has the experiment go on from the file: its steps become
 * those that are left. CA_USAGE: options that do not go together, a file that is there without
 * --resume, is of another experiment or beyond the generation at which the run is to end, an output
 * that needs all generations. CA_IO.
 */
enum ca_status run_checkpoint_open(struct run_checkpoint *checkpoint, const struct options *options,
                                   const struct ca_outputs *outputs,
                                   struct ca_experiment *experiment, struct ca_error *error);
/* Writes it if it is due. A failure is told on stderr: the file of before stays. */
void run_checkpoint_tick(struct run_checkpoint *checkpoint, struct ca_simulation *simulation);
/* Writes it. */
enum ca_status run_checkpoint_write(struct run_checkpoint *checkpoint,
                                    struct ca_simulation *simulation, struct ca_error *error);

#endif
