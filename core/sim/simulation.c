/* SPDX-License-Identifier: MIT */
/* A running experiment is opened, stepped, loaded, kept and changed here, whatever its model
 * computes.
 */
#include "core/sim/simulation_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/files/file.h"
#include "core/ranks/ranks.h"

/* --- cells in -------------------------------------------------------------------------------- */

enum ca_status ca_simulation_load_rows(struct ca_simulation *simulation, const void *const planes[],
                                       int64_t first, int64_t rows, struct ca_error *error)
{
    return simulation->stepper->load(simulation->self, planes, first, rows, error);
}

/* The state that has just been made or loaded is that of a generation. */
static enum ca_status loaded(struct ca_simulation *simulation, uint64_t generation,
                             struct ca_error *error)
{
    struct ca_survey survey;

    simulation->generation = generation;
    if (simulation->setup.model->type != CA_F32)
        return CA_OK;
    CA_TRY(simulation_survey(simulation, CA_SURVEY_RANGE, &survey, error));
    simulation->low = survey.low;
    simulation->high = survey.high;
    return CA_OK;
}

enum ca_status ca_simulation_loaded(struct ca_simulation *simulation, uint64_t generation,
                                    struct ca_error *error)
{
    simulation->modified = true;
    return loaded(simulation, generation, error);
}

enum ca_status ca_simulation_load(struct ca_simulation *simulation,
                                  const struct ca_lattice *lattice, uint64_t generation,
                                  struct ca_error *error)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(lattice, 0, planes);
    CA_TRY(ca_simulation_load_rows(simulation, (const void *const *)planes, 0,
                                   ca_rows(lattice->size), error));
    return ca_simulation_loaded(simulation, generation, error);
}

static enum ca_status simulation_load_rows(void *context, void *const planes[], int64_t first,
                                           int64_t rows, struct ca_error *error)
{
    return ca_simulation_load_rows(context, (const void *const *)planes, first, rows, error);
}

/* Loads the state from which the run goes on. */
static enum ca_status go_on(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    struct ca_row_sink sink = {simulation_load_rows, simulation};
    uint64_t generation = experiment->state_generation;
    struct ca_state_run run = {.modified = true};

    if (ca_state_has_run(experiment->state))
        CA_TRY(ca_state_run(experiment->state, &run, error));
    CA_TRY(ca_state_read(experiment->state, &simulation->setup, &sink, &generation, error));
    if (generation != experiment->state_generation)
        return ca_fail(error, CA_IO, "%.300s has been replaced while it was read",
                       experiment->state);
    simulation->modified = !experiment_is_own(experiment, &run);
    simulation->setup.map = run.map;
    return loaded(simulation, generation, error);
}

/* Makes the initial state where the cells are, or on the host where it has to. */
static enum ca_status start(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    const struct ca_stepper *stepper = simulation->stepper;
    struct ca_setup *setup = &simulation->setup;
    struct ca_state_run run;
    struct ca_lattice lattice;
    void *planes[CA_PLANES_MAX];
    enum ca_status status;
    bool made = false;

    simulation->modified = false;
    /* The lattice lies on a map as the files of its start say, or as the run's did whose state a
     * file holds. */
    setup->map = (struct ca_map){0};
    if (setup->start >= 0 && setup->model->start->file_map)
        CA_TRY(setup->model->start->file_map(setup, setup->start, &setup->map, error));
    if (setup->start < 0 && ca_state_has_run(experiment->init)) {
        CA_TRY(ca_state_run(experiment->init, &run, error));
        setup->map = run.map;
    }
    if (simulation->setup.start < 0) {
        struct ca_row_sink sink = {simulation_load_rows, simulation};

        CA_TRY(experiment_read_start(experiment, &simulation->setup, &sink, error));
        return loaded(simulation, experiment->generation, error);
    }
    if (stepper->init)
        CA_TRY(stepper->init(simulation->self, &made, error));
    if (made)
        return loaded(simulation, 0, error);
    CA_TRY(ca_initial_state(experiment, &lattice, error));
    ca_lattice_at(&lattice, 0, planes);
    status = ca_simulation_load_rows(simulation, (const void *const *)planes, 0,
                                     ca_rows(lattice.size), error);
    ca_lattice_free(&lattice);
    return status == CA_OK ? loaded(simulation, 0, error) : status;
}

enum ca_status ca_simulation_reset(struct ca_simulation *simulation, struct ca_error *error)
{
    enum ca_status status;

    if (simulation->setup.start < 0) /* a file that is wrong now must not cost the state */
        CA_TRY(experiment_read_start(&simulation->experiment, &simulation->setup, NULL, error));
    status = start(simulation, error);
    ca_timing_clear(&simulation->timing);
    return status;
}

static void forget_undo(struct ca_simulation *simulation)
{
    ca_simulation_close(simulation->undo);
    simulation->undo = NULL;
}

enum ca_status ca_simulation_reset_undoable(struct ca_simulation *simulation,
                                            struct ca_error *error)
{
    struct ca_simulation fresh, *undo;
    struct ca_plan plan;
    enum ca_status status;

    forget_undo(simulation);
    CA_TRY(ca_experiment_plan(&simulation->experiment, &plan, error));
    undo = malloc(sizeof *undo);
    if (!undo)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    fresh = *simulation;
    fresh.self = NULL;
    fresh.mark.kept = false;
    ca_timing_clear(&fresh.timing);
    status = fresh.stepper->create(&fresh.self, &fresh.setup, error);
    if (status == CA_OK)
        status = start(&fresh, error);
    if (status != CA_OK) {
        fresh.stepper->destroy(fresh.self);
        free(undo);
        return status;
    }
    *undo = *simulation;
    *simulation = fresh;
    simulation->undo = undo;
    return CA_OK;
}

enum ca_status ca_simulation_undo(struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_simulation *undo = simulation->undo;

    if (!undo)
        return ca_fail(error, CA_USAGE, "no reset has saved a state for undo");
    simulation->stepper->destroy(simulation->self);
    *simulation = *undo;
    free(undo);
    return CA_OK;
}

enum ca_status ca_simulation_open(struct ca_simulation **result, struct ca_experiment *experiment,
                                  struct ca_error *error)
{
    struct ca_simulation *simulation;
    enum ca_status status;

    *result = NULL;
    CA_TRY(experiment_check_and_plan(experiment, error));
    simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    simulation->experiment = *experiment;
    simulation->setup = ca_setup_of(experiment);
    simulation->stepper = ca_stepper_of(&simulation->setup);
    status = simulation->stepper->create(&simulation->self, &simulation->setup, error);
    if (status == CA_OK)
        status = experiment->state[0] ? go_on(simulation, error) : start(simulation, error);
    if (status != CA_OK) {
        ca_simulation_close(simulation);
        return status;
    }
    simulation->first = simulation->generation;
    *result = simulation;
    return CA_OK;
}

void ca_simulation_close(struct ca_simulation *simulation)
{
    if (!simulation)
        return;
    forget_undo(simulation);
    simulation->stepper->destroy(simulation->self);
    free(simulation);
}

const struct ca_experiment *ca_simulation_experiment(const struct ca_simulation *simulation)
{
    return &simulation->experiment;
}

const struct ca_setup *ca_simulation_setup(const struct ca_simulation *simulation)
{
    return &simulation->setup;
}

const struct ca_stepper *ca_simulation_stepper(const struct ca_simulation *simulation)
{
    return simulation->stepper;
}

uint64_t ca_simulation_generation(const struct ca_simulation *simulation)
{
    return simulation->generation;
}

bool ca_simulation_modified(const struct ca_simulation *simulation) { return simulation->modified; }

uint64_t ca_simulation_first(const struct ca_simulation *simulation) { return simulation->first; }

struct ca_timing *ca_simulation_timing(struct ca_simulation *simulation)
{
    return &simulation->timing;
}

void ca_simulation_report(const struct ca_simulation *simulation, struct ca_plan *plan)
{
    simulation->stepper->report(simulation->self, plan);
}

void ca_simulation_meter(const struct ca_simulation *simulation, struct ca_meter *meter)
{
    struct ca_plan plan;

    ca_simulation_report(simulation, &plan);
    ca_meter_open(meter, simulation->experiment.backend, &simulation->experiment.options,
                  plan.threads);
}

uint64_t ca_simulation_passes(const struct ca_simulation *simulation, uint64_t n)
{
    struct ca_plan plan;
    uint64_t most;

    ca_simulation_report(simulation, &plan);
    most = (uint64_t)plan.generations;
    return n / most + (n % most > 0);
}

struct call {
    double wall_s, device_s, transfer_s;
};

static enum ca_status timed_call(struct ca_simulation *simulation, uint64_t n, struct call *call,
                                 struct ca_error *error)
{
    const struct ca_stepper *stepper = simulation->stepper;
    struct ca_clock before = {0}, after = {0};
    double start = ca_now();

    if (stepper->clock)
        stepper->clock(simulation->self, &before);
    CA_TRY(stepper->step(simulation->self, simulation->generation, n, error));
    call->wall_s = call->device_s = ca_now() - start;
    if (stepper->clock) {
        stepper->clock(simulation->self, &after);
        call->device_s = after.device_s - before.device_s;
    }
    call->transfer_s = after.transfer_s - before.transfer_s;
    simulation->generation += n;
    return CA_OK;
}

enum ca_status ca_simulation_step(struct ca_simulation *simulation, uint64_t n,
                                  struct ca_error *error)
{
    struct call call;

    if (n == 0)
        return CA_OK;
    CA_TRY(timed_call(simulation, n, &call, error));
    ca_timing_add(&simulation->timing, n, ca_simulation_passes(simulation, n), call.device_s,
                  call.wall_s);
    simulation->timing.transfer_s += call.transfer_s;
    return CA_OK;
}

enum ca_status ca_simulation_time(struct ca_simulation *simulation, uint64_t n, double *wall_s,
                                  double *device_s, struct ca_error *error)
{
    struct call call = {0};

    if (n > 0)
        CA_TRY(timed_call(simulation, n, &call, error));
    *wall_s = call.wall_s;
    *device_s = call.device_s;
    return CA_OK;
}

enum ca_status ca_simulation_rows(struct ca_simulation *simulation, void *const planes[],
                                  int64_t first, int64_t rows, struct ca_error *error)
{
    return simulation->stepper->store(simulation->self, planes, first, rows, error);
}

enum ca_status ca_simulation_gather(struct ca_simulation *simulation,
                                    const struct ca_gather_points *points, void *const planes[],
                                    struct ca_error *error)
{
    return simulation->stepper->draw->gather(simulation->self, points, planes, error);
}

enum ca_status ca_simulation_reduce(struct ca_simulation *simulation,
                                    const struct ca_gather_points *points,
                                    const struct ca_view_bins *bins,
                                    const struct ca_appearances *appearances,
                                    struct ca_bin_sum *sums, struct ca_error *error)
{
    return simulation->stepper->draw->reduce(simulation->self, points, bins, appearances, sums,
                                             error);
}

enum ca_status ca_simulation_store(struct ca_simulation *simulation, struct ca_lattice *lattice,
                                   struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    const struct ca_model *model = experiment->model;
    void *planes[CA_PLANES_MAX];
    enum ca_status status;

    CA_TRY(ca_lattice_alloc(lattice, experiment->size, model->type, model->planes, error));
    ca_lattice_at(lattice, 0, planes);
    status = ca_simulation_rows(simulation, planes, 0, ca_rows(lattice->size), error);
    if (status != CA_OK)
        ca_lattice_free(lattice);
    return status;
}

/* --- a kept state ---------------------------------------------------------------------------- */

enum ca_status ca_simulation_mark(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_backend *backend = simulation->experiment.backend;

    if (!simulation->stepper->mark)
        return ca_fail(error, CA_USAGE, "%s cannot keep a state", backend->name);
    simulation->mark.kept = false;
    CA_TRY(simulation->stepper->mark(simulation->self, CA_MARK_KEEP, error));
    simulation->mark.kept = true;
    simulation->mark.generation = simulation->generation;
    simulation->mark.modified = simulation->modified;
    simulation->mark.low = simulation->low;
    simulation->mark.high = simulation->high;
    return CA_OK;
}

enum ca_status ca_simulation_back(struct ca_simulation *simulation, struct ca_error *error)
{
    if (!simulation->mark.kept)
        return ca_fail(error, CA_USAGE, "no state is kept to go back to");
    CA_TRY(simulation->stepper->mark(simulation->self, CA_MARK_BACK, error));
    simulation->generation = simulation->mark.generation;
    simulation->modified = simulation->mark.modified;
    simulation->low = simulation->mark.low;
    simulation->high = simulation->mark.high;
    return CA_OK;
}

void ca_simulation_unmark(struct ca_simulation *simulation)
{
    struct ca_error ignored; /* a device that is lost says so at the next call */

    if (simulation->mark.kept)
        simulation->stepper->mark(simulation->self, CA_MARK_DROP, &ignored);
    simulation->mark.kept = false;
}

bool ca_simulation_marked(const struct ca_simulation *simulation, uint64_t *generation)
{
    *generation = simulation->mark.generation;
    return simulation->mark.kept;
}

/* --- cells out ------------------------------------------------------------------------------- */

static enum ca_status simulation_store_rows(void *context, void *const planes[], int64_t first,
                                            int64_t rows, struct ca_error *error)
{
    return ca_simulation_rows(context, planes, first, rows, error);
}

struct ca_row_source ca_simulation_source(struct ca_simulation *simulation)
{
    const struct ca_setup *setup = &simulation->setup;
    int notes = experiment_notes(&simulation->experiment, simulation->note);

    return (struct ca_row_source){setup->size,
                                  setup->model->type,
                                  setup->model->planes,
                                  simulation_store_rows,
                                  simulation,
                                  setup,
                                  simulation->generation,
                                  simulation->experiment.init,
                                  simulation->experiment.generation,
                                  simulation->note,
                                  notes,
                                  simulation->modified};
}

enum ca_status ca_simulation_change(struct ca_simulation *simulation,
                                    const struct ca_experiment *changed, struct ca_error *error)
{
    const struct ca_values *before = &simulation->experiment.params;
    bool begun = simulation->generation != simulation->experiment.generation;
    struct ca_experiment next = simulation->experiment;
    struct ca_simulation fresh = *simulation;
    struct ca_row_source source = ca_simulation_source(simulation);
    struct ca_row_sink sink = {simulation_load_rows, &fresh};
    struct ca_error cause;
    enum ca_status status;

    next.backend = changed->backend;
    next.choice = changed->choice;
    memcpy(next.why, changed->why, sizeof next.why);
    next.params = changed->params;
    next.options = changed->options;
    fresh.experiment = next;
    fresh.mark.kept = false;
    fresh.setup = ca_setup_of(&next);
    fresh.setup.map = simulation->setup.map;
    fresh.stepper = ca_stepper_of(&fresh.setup);
    if (next.model->check)
        CA_TRY(next.model->check(&fresh.setup, error));
    status = experiment_plan_or_others(&next, &cause);
    if (status == CA_OK)
        status = fresh.stepper->create(&fresh.self, &fresh.setup, &cause);
    if (status != CA_OK)
        return ca_fail(error, status, "%.600s%s", cause.text,
                       status == CA_NO_MEMORY ? "; the present backend keeps its memory until the "
                                                "state has moved"
                                              : "");
    status = ca_rows_pass(&source, &sink, error);
    if (status != CA_OK) {
        fresh.stepper->destroy(fresh.self);
        return status;
    }
    forget_undo(simulation);
    /* Other parameters do not lead to the state where one has changed that it comes from. */
    for (int i = 0; i < next.params.count; i++)
        fresh.modified |= (begun || next.params.table[i].initial) &&
                          !ca_value_equal(&before->value[i], &next.params.value[i]);
    fresh.undo = NULL;
    simulation->stepper->destroy(simulation->self);
    *simulation = fresh;
    ca_timing_clear(&simulation->timing);
    return CA_OK;
}

void ca_simulation_range(const struct ca_simulation *simulation, float *low, float *high)
{
    *low = simulation->low;
    *high = simulation->high;
}
