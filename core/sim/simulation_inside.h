/* SPDX-License-Identifier: MIT */
/* A simulation, and experiments of state files that say of which run they are, for the files of
 * core/sim alone. */
#ifndef CALAB_CORE_SIM_SIMULATION_INSIDE_H
#define CALAB_CORE_SIM_SIMULATION_INSIDE_H

#include "core/sim/simulation.h"

struct ca_simulation {
    struct ca_experiment experiment;
    struct ca_setup setup;
    const struct ca_stepper *stepper; /* the backend's, or that of its ranks */
    void *self;                       /* its instance */
    uint64_t generation;
    uint64_t first;  /* generation, at which it was opened */
    bool modified;   /* the start does not lead to the state, since parameters or cells changed */
    float low, high; /* range of an f32 plane 0 */
    struct {
        bool kept, modified;
        uint64_t generation;
        float low, high;
    } mark;
    struct ca_timing timing;
    struct ca_note note[CA_NOTES_MAX]; /* what a file says of the experiment */
    struct ca_simulation *undo;        /* before the last reset, NULL: none */
};

/* Checks and plans an experiment before anything of its simulation is there; the second adds the
 * backends of the same kind of device that hold the setup to a plan's refusal. */
enum ca_status experiment_check_and_plan(struct ca_experiment *experiment, struct ca_error *error);
enum ca_status experiment_plan_or_others(const struct ca_experiment *experiment,
                                         struct ca_error *error);
/* Reads the file with which the experiment begins; sink NULL: it is only checked. */
enum ca_status experiment_read_start(const struct ca_experiment *experiment,
                                     const struct ca_setup *setup, const struct ca_row_sink *sink,
                                     struct ca_error *error);
/* The survey of the whole state. */
enum ca_status simulation_survey(struct ca_simulation *simulation, unsigned parts,
                                 struct ca_survey *survey, struct ca_error *error);

/* ca_experiment_read for a state file that says of which run it is. */
enum ca_status experiment_read_state(struct ca_experiment *experiment, const char *path,
                                     struct ca_error *error);
/* Whether the run is the experiment's own, and its start leads to its state. */
bool experiment_is_own(const struct ca_experiment *experiment, const struct ca_state_run *run);

/* Fills the notes about the experiment that a state file holds as texts; returns their number. */
int experiment_notes(const struct ca_experiment *experiment, struct ca_note note[CA_NOTES_MAX]);

#endif
