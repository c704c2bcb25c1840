/* SPDX-License-Identifier: MIT */
/*
 * A simulation: an experiment that runs. It owns the backend instance, the generation and the
 * timing; everything that steps a model (run, engine, tests) goes through it.
 */
#ifndef CALAB_CORE_SIM_SIMULATION_H
#define CALAB_CORE_SIM_SIMULATION_H

#include "core/files/rows.h"
#include "core/machine/interference.h"
#include "core/model/field.h"
#include "core/model/survey.h"
#include "core/sim/experiment.h"
#include "core/sim/timing.h"

struct ca_simulation;

/*
 * Resolves file sizes, checks everything, makes the initial state, creates the backend, loads.
 * *experiment gets the size that files imposed. If it goes on from a state, that is loaded in place
 * of the initial state; ca_experiment_resume has found where. CA_USAGE (size, parameters, larger
 * than this machine's memory), CA_IO (state files), CA_NO_DEVICE, CA_NO_MEMORY.
 */
enum ca_status ca_simulation_open(struct ca_simulation **simulation,
                                  struct ca_experiment *experiment, struct ca_error *error);
void ca_simulation_close(struct ca_simulation *simulation); /* takes NULL */

const struct ca_experiment *ca_simulation_experiment(const struct ca_simulation *simulation);
const struct ca_setup *ca_simulation_setup(const struct ca_simulation *simulation);
/* The stepper that runs it: its members that are not NULL are what it can do. */
const struct ca_stepper *ca_simulation_stepper(const struct ca_simulation *simulation);
uint64_t ca_simulation_generation(const struct ca_simulation *simulation);
/* Whether the start does not lead to the state, because parameters or cells were changed. */
bool ca_simulation_modified(const struct ca_simulation *simulation);
/* The generation at which it was opened. */
uint64_t ca_simulation_first(const struct ca_simulation *simulation);
/* Opens a meter for samples of its steps. */
void ca_simulation_meter(const struct ca_simulation *simulation, struct ca_meter *meter);
struct ca_timing *ca_simulation_timing(struct ca_simulation *simulation);

/* Steps n generations, timed. After a failure the state is lost: close the simulation. */
enum ca_status ca_simulation_step(struct ca_simulation *simulation, uint64_t n,
                                  struct ca_error *error);
/* The same, timed for the caller and not for ca_simulation_timing. */
enum ca_status ca_simulation_time(struct ca_simulation *simulation, uint64_t n, double *wall_s,
                                  double *device_s, struct ca_error *error);
/* The plan of what the backend runs. */
void ca_simulation_report(const struct ca_simulation *simulation, struct ca_plan *plan);
/* The passes over memory of a call of so many generations. */
uint64_t ca_simulation_passes(const struct ca_simulation *simulation, uint64_t n);
/* Returns to the start of the same experiment: generation 0, or that of the file it begins with. */
enum ca_status ca_simulation_reset(struct ca_simulation *simulation, struct ca_error *error);
/*
 * The same in another instance of the backend: that with the present state is saved for undo, in
 * place of one saved before. CA_NO_MEMORY, CA_USAGE: there is no room for two; nothing is saved for
 * undo, and the state is as it was.
 */
enum ca_status ca_simulation_reset_undoable(struct ca_simulation *simulation,
                                            struct ca_error *error);
/* Returns to the state that was saved for undo, and its generation. CA_USAGE where there is none:
 * it is forgotten by a change of backend, options or parameters. */
enum ca_status ca_simulation_undo(struct ca_simulation *simulation, struct ca_error *error);
/*
 * Takes over backend, options and parameters of `changed` and keeps state and generation. Model,
 * size, seed and init must be the same. On failure the simulation is as it was.
 */
enum ca_status ca_simulation_change(struct ca_simulation *simulation,
                                    const struct ca_experiment *changed, struct ca_error *error);

/*
 * Keeps the present state and generation, in place of those kept before, in the layout and the
 * memory of the backend; returns to them, as often as one likes; and frees that memory. What loads
 * a state or resets does not touch what is kept, and a change of backend, options or parameters
 * frees it. CA_NO_MEMORY with the bytes that are needed and free: then no state is kept. CA_USAGE
 * where none is kept, or the backend can keep none. CA_CUDA_FAILED: the state is lost.
 */
enum ca_status ca_simulation_mark(struct ca_simulation *simulation, struct ca_error *error);
enum ca_status ca_simulation_back(struct ca_simulation *simulation, struct ca_error *error);
void ca_simulation_unmark(struct ca_simulation *simulation);
/* Whether a state is kept, and then its generation. */
bool ca_simulation_marked(const struct ca_simulation *simulation, uint64_t *generation);

/* Canonical rows out (planes point at row `first`), the whole state out, and in at a generation. */
enum ca_status ca_simulation_rows(struct ca_simulation *simulation, void *const planes[],
                                  int64_t first, int64_t rows, struct ca_error *error);
/* *lattice is allocated here. */
enum ca_status ca_simulation_store(struct ca_simulation *simulation, struct ca_lattice *lattice,
                                   struct ca_error *error);
/* The survey of rows (core/model/survey.h). The rows move to the host only if the backend has no
 * survey. */
enum ca_status ca_simulation_survey(struct ca_simulation *simulation, unsigned parts, int64_t first,
                                    int64_t rows, struct ca_survey *survey, struct ca_error *error);
/* The observables, in the model's order, of a state that has been surveyed for them as a whole. */
enum ca_status ca_simulation_observables(struct ca_simulation *simulation,
                                         const struct ca_survey *survey,
                                         double values[CA_OBSERVABLES_MAX], struct ca_error *error);
/* Adds the whole state to the sums of blocks (core/model/field.h), where it is. */
enum ca_status ca_simulation_blocks(struct ca_simulation *simulation,
                                    const struct ca_blocks *blocks, double *sums,
                                    struct ca_error *error);
/* The same to their neighbour sums, which the model must have. */
enum ca_status ca_simulation_neighbours(struct ca_simulation *simulation,
                                        const struct ca_blocks *blocks, double *neighbours,
                                        struct ca_error *error);
/* The hash of the whole state (core/model/digest.h). */
enum ca_status ca_simulation_hash(struct ca_simulation *simulation, uint64_t *hash,
                                  struct ca_error *error);
enum ca_status ca_simulation_load(struct ca_simulation *simulation,
                                  const struct ca_lattice *lattice, uint64_t generation,
                                  struct ca_error *error);

/* The same by rows, in any order, after the last of which the state is that of a generation;
 * before, there is none that could be used. */
enum ca_status ca_simulation_load_rows(struct ca_simulation *simulation, const void *const planes[],
                                       int64_t first, int64_t rows, struct ca_error *error);
enum ca_status ca_simulation_loaded(struct ca_simulation *simulation, uint64_t generation,
                                    struct ca_error *error);

/* The rows of the state as a file takes them. */
struct ca_row_source ca_simulation_source(struct ca_simulation *simulation);

/* Single cells of the state, and sums of blocks of cells. Only for backends whose stepper has the
 * function (core/model/model.h). */
enum ca_status ca_simulation_gather(struct ca_simulation *simulation,
                                    const struct ca_gather_points *points, void *const planes[],
                                    struct ca_error *error);
enum ca_status ca_simulation_reduce(struct ca_simulation *simulation,
                                    const struct ca_gather_points *points,
                                    const struct ca_view_bins *bins,
                                    const struct ca_appearances *appearances,
                                    struct ca_bin_sum *sums, struct ca_error *error);

/* The observables of the state, in the model's order. */
enum ca_status ca_simulation_observe(struct ca_simulation *simulation,
                                     double values[CA_OBSERVABLES_MAX], struct ca_error *error);
/*
 * Watches over conserved observables (struct ca_observable). Each observation is held against the
 * one before, not against the first: what rounding may add grows with the generations between the
 * two, so that a loss late in a run is seen as well as an early one. An alarm stays on, because the
 * observations after a loss agree with each other again.
 */
struct ca_invariants { /* zeroed: nothing was observed yet */
    bool known;
    uint64_t generation; /* of the last observation */
    double values[CA_OBSERVABLES_MAX];
    int alarm; /* the index of the broken one plus 1, 0: none */
};

/*
 * Takes the values that the simulation has now. The last ones must be of the same run under the
 * same setup. A value that is NaN or infinite is not conserved. Returns ca_invariants_broken.
 */
int ca_invariants_take(struct ca_invariants *invariants, const struct ca_simulation *simulation,
                       const double values[CA_OBSERVABLES_MAX]);
/* Index of the first observable that was found not to be conserved, -1: none. */
int ca_invariants_broken(const struct ca_invariants *invariants);

/* The range of an f32 plane 0 at the last open, reset or load, for appearances. */
void ca_simulation_range(const struct ca_simulation *simulation, float *low, float *high);

/*
 * Checks model, initial state, size and parameters; *experiment gets the size that files imposed.
 * CA_USAGE, CA_IO.
 */
enum ca_status ca_experiment_check(struct ca_experiment *experiment, struct ca_error *error);
/* Plans what the backend would run for an experiment that has been checked; takes no memory.
 * CA_USAGE with the reason where the backend cannot hold it, CA_NO_DEVICE where it cannot run here,
 * CA_NO_MEMORY, CA_CUDA_FAILED. */
enum ca_status ca_experiment_plan(const struct ca_experiment *experiment, struct ca_plan *plan,
                                  struct ca_error *error);

/*
 * All that ca_simulation_open can refuse of an experiment whose backend is chosen, without opening
 * it: the same checks, the plan, and the files that the state is made of, which are read. CA_USAGE,
 * CA_IO, CA_NO_DEVICE, CA_NO_MEMORY, CA_CUDA_FAILED.
 */
enum ca_status ca_simulation_check(struct ca_experiment *experiment, struct ca_error *error);

/* The setup of an experiment on the whole lattice; start is -1 if init is a file. */
struct ca_setup ca_setup_of(const struct ca_experiment *experiment);

/* Allocates the initial state and fills it from the file or start. */
enum ca_status ca_initial_state(const struct ca_experiment *experiment, struct ca_lattice *lattice,
                                struct ca_error *error);

#endif
