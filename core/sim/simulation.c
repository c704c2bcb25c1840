/* SPDX-License-Identifier: MIT */
/*
 * Owns a running experiment: the backend instance, the generation, the timing. Must not know what
 * any model computes.
 */
#include "core/sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/device.h"
#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/files/pattern.h"
#include "core/ranks/ranks.h"
#include "core/sim/experiment_state.h"
#include "core/base/clock.h"

#define PIECE_BYTES (256 * 1024) /* of rows that are surveyed, which the caches hold */

struct ca_simulation {
    struct ca_experiment experiment;
    struct ca_setup setup;
    const struct ca_stepper *stepper; /* the backend's, or that of its ranks */
    void *self;                       /* its instance */
    uint64_t generation;
    uint64_t first;  /* generation, at which it was opened */
    bool steered;    /* the start does not lead to the state, since parameters or cells changed */
    float low, high; /* range of an f32 plane 0 */
    struct {
        bool kept, steered;
        uint64_t generation;
        float low, high;
    } mark;
    struct ca_timing timing;
    struct ca_note note[CA_NOTES_MAX]; /* what a file says of the experiment */
    struct ca_simulation *aside;       /* before the last reset, NULL: none */
};

struct ca_setup ca_setup_of(const struct ca_experiment *experiment)
{
    const struct ca_model *model = experiment->model;

    return (struct ca_setup){
        .model = model,
        .backend = experiment->backend,
        .size = experiment->size,
        .slab = {0, ca_layers(model, experiment->size), 0, 0},
        .seed = experiment->seed,
        .start =
            ca_state_is_file(experiment->init, model) ? -1 : ca_start_find(model, experiment->init),
        .params = experiment->params,
        .options = experiment->options,
    };
}

/* The file that imposes a size: the state file, or the first file that a parameter names. */
static const char *size_file(const struct ca_experiment *experiment)
{
    const struct ca_values *params = &experiment->params;
    int i = 0;

    if (experiment->state[0])
        return experiment->state;
    if (ca_state_is_file(experiment->init, experiment->model))
        return experiment->init;
    while (i < params->count - 1 && (params->table[i].kind != CA_FILE || !params->value[i].text[0]))
        i++;
    return params->value[i].text;
}

/* A size that files impose replaces the default, and must equal a size that was set. */
static enum ca_status resolve_size(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    struct ca_setup setup = ca_setup_of(experiment);
    struct ca_size size = experiment->size;
    char given[64], wanted[64];

    if (experiment->state[0])
        CA_TRY(ca_state_size(experiment->state, model, &size, error));
    else if (experiment->at.given)
        return ca_size_check(size, model->dimensions, "size", error);
    else if (ca_state_is_file(experiment->init, model))
        CA_TRY(ca_state_size(experiment->init, model, &size, error));
    else if (model->start->file_size)
        CA_TRY(model->start->file_size(&setup, setup.start, &size, error));
    if (!ca_size_equal(size, experiment->size)) {
        if (experiment->origin[CA_KEY_SIZE] != CA_BUILT_IN)
            return ca_fail(error, CA_USAGE, "size is %s, but %.300s is %s",
                           ca_size_format(given, experiment->size, model->dimensions),
                           size_file(experiment), ca_size_format(wanted, size, model->dimensions));
        experiment->size = size;
    }
    return ca_size_check(experiment->size, model->dimensions, "size", error);
}

/* Whether somebody has set a value. The protocol names all, also those that nobody has set. */
static bool is_chosen(const struct ca_param *param, const struct ca_value *value)
{
    return value->origin != CA_BUILT_IN &&
           (value->origin != CA_FROM_EXPERIMENT || !ca_value_is_default(param, value));
}

/* A rule that a state file imposes replaces the default, and must be the one that was set, or that
 * of the model. */
static enum ca_status resolve_rule(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    const struct ca_rule_notation *notation = ca_rule_notation_of(model);
    int index = ca_values_find(&experiment->params, "rule");
    char rule[CA_TEXT_MAX] = "", own[CA_TEXT_MAX];
    struct ca_setup setup = ca_setup_of(experiment);
    bool set = index < 0;

    if (!notation || experiment->state[0] || !ca_state_is_file(experiment->init, model))
        return CA_OK;
    CA_TRY(ca_state_rule(experiment->init, model, rule, error));
    if (!rule[0] || notation->matches(&setup, rule))
        return CA_OK;
    for (int i = 0; i < experiment->params.count; i++)
        set |= !experiment->params.table[i].initial &&
               experiment->params.table[i].kind != CA_CHOICE &&
               is_chosen(&experiment->params.table[i], &experiment->params.value[i]);
    if (!set)
        return ca_values_set(&experiment->params, index, rule, CA_FROM_EXPERIMENT, experiment->init,
                             error);
    notation->write(&setup, own);
    return ca_fail(error, CA_USAGE, "the rule is %.200s, but that of %.200s is %.200s", own,
                   experiment->init, rule);
}

/* CA_USAGE where the machine has less memory than `needed` bytes. */
static enum ca_status fits_memory(const struct ca_experiment *experiment, const char *what,
                                  double needed, struct ca_error *error)
{
    double free_bytes = (double)ca_memory_available(), gib = 1024.0 * 1024.0 * 1024.0;
    char size[64];

    if (free_bytes > 0 && needed > free_bytes)
        return ca_fail(error, CA_USAGE,
                       "size %s of %s on %s needs %.1f GiB of memory%s, %.1f GiB are available",
                       ca_size_format(size, experiment->size, experiment->model->dimensions),
                       experiment->model->name, experiment->backend->name, needed / gib, what,
                       free_bytes / gib);
    return CA_OK;
}

/* A GPU's memory is checked by its plan. */
static enum ca_status check_memory(const struct ca_experiment *experiment,
                                   const struct ca_plan *plan, struct ca_error *error)
{
    double cells = (double)ca_cells(experiment->size);

    if (experiment->backend->device != CA_CPU)
        return CA_OK;
    return fits_memory(experiment, "",
                       plan->memory_bytes > 0 ? (double)plan->memory_bytes
                                              : cells * experiment->backend->memory_bytes_per_cell,
                       error);
}

enum ca_status ca_experiment_plan(const struct ca_experiment *experiment, struct ca_plan *plan,
                                  struct ca_error *error)
{
    struct ca_setup setup = ca_setup_of(experiment);
    const struct ca_stepper *stepper = ca_stepper_of(&setup);

    *plan = (struct ca_plan){.generations = 1};
    CA_TRY(ca_backend_available(experiment->backend, error));
    if (stepper->plan)
        CA_TRY(stepper->plan(&setup, plan, error));
    return check_memory(experiment, plan, error);
}

/* The plan's refusal, followed by the backends of the same kind of device that hold the setup. */
static enum ca_status plan_or_name_others(const struct ca_experiment *experiment,
                                          struct ca_error *error)
{
    struct ca_experiment other = *experiment;
    struct ca_error refusal, ignored;
    char names[256] = "";
    struct ca_plan plan;
    size_t used = 0;
    enum ca_status status = ca_experiment_plan(experiment, &plan, &refusal);

    if (status == CA_OK)
        return CA_OK;
    for (const struct ca_backend *b = experiment->model->backends; b;
         b = ca_backend_next(experiment->model, b)) {
        ca_experiment_backend(&other, b, CA_BUILT_IN);
        if (status == CA_USAGE && b->device == experiment->backend->device && used < sizeof names &&
            ca_experiment_plan(&other, &plan, &ignored) == CA_OK)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used ? ", " : "; these can: ", b->name);
    }
    return ca_fail(error, status, "%.500s%s", refusal.text, names);
}

/* What is put at a cell is a file that fits there. */
static enum ca_status check_at(const struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    struct ca_setup setup = ca_setup_of(experiment);
    char text[64], endings[CA_TEXT_MAX];
    struct ca_error cause;

    if (!experiment->at.given || experiment->state[0])
        return CA_OK;
    ca_at_format(text, experiment->at, model->dimensions);
    if (setup.start >= 0)
        return ca_fail(error, CA_USAGE,
                       "at %s: the start '%.80s' fills the lattice: what is put at a cell is a "
                       "state of %s in a file that ends in %s",
                       text, experiment->init, model->name,
                       ca_format_endings(endings, model, ca_format_places));
    if (ca_pattern_fits(experiment->init, &setup, experiment->at, &cause) == CA_OK)
        return CA_OK;
    return cause.status == CA_USAGE ? ca_fail(error, CA_USAGE, "at %s: %s", text, cause.text)
                                    : ca_fail(error, cause.status, "%s", cause.text);
}

enum ca_status ca_experiment_check(struct ca_experiment *experiment, struct ca_error *error)
{
    struct ca_size chosen = experiment->size;
    struct ca_error cause;
    struct ca_setup setup;

    CA_TRY(ca_init_check(experiment->model, experiment->init, error));
    CA_TRY(resolve_size(experiment, error));
    CA_TRY(resolve_rule(experiment, error));
    CA_TRY(check_at(experiment, error));
    setup = ca_setup_of(experiment);
    if (experiment->model->check && experiment->model->check(&setup, &cause) != CA_OK)
        return ca_size_equal(chosen, setup.size)
                   ? ca_fail(error, cause.status, "%s", cause.text)
                   : ca_fail(error, cause.status, "%.300s: %s", size_file(experiment), cause.text);
    return CA_OK;
}

/* Reads the file with which the experiment begins; sink NULL: it is checked alone. */
static enum ca_status read_start(const struct ca_experiment *experiment,
                                 const struct ca_setup *setup, const struct ca_row_sink *sink,
                                 struct ca_error *error)
{
    uint64_t own; /* generation, which need not be the one that is wanted */

    return experiment->at.given
               ? ca_pattern_place(experiment->init, setup, experiment->at, sink, error)
               : ca_state_read(experiment->init, setup, sink, &own, error);
}

enum ca_status ca_initial_state(const struct ca_experiment *experiment, struct ca_lattice *lattice,
                                struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    struct ca_setup setup = ca_setup_of(experiment);
    double bytes =
        (double)ca_cells(setup.size) * model->planes * (double)ca_type_bytes(model->type);
    struct ca_row_sink sink = ca_lattice_sink(lattice);
    enum ca_status status;

    CA_TRY(fits_memory(experiment, " on the host for its initial state", bytes, error));
    CA_TRY(ca_lattice_alloc(lattice, setup.size, model->type, model->planes, error));
    status = setup.start < 0 ? read_start(experiment, &setup, &sink, error)
                             : model->start->init(&setup, setup.start, lattice, error);
    if (status != CA_OK)
        ca_lattice_free(lattice);
    return status;
}

/* Whether a parameter names a file, which the initial state is made of. */
static bool has_file(const struct ca_values *params)
{
    for (int i = 0; i < params->count; i++)
        if (params->table[i].kind == CA_FILE && params->value[i].text[0])
            return true;
    return false;
}

/* What a simulation can be refused for before anything of it is there. */
static enum ca_status check_and_plan(struct ca_experiment *experiment, struct ca_error *error)
{
    CA_TRY(ca_experiment_check(experiment, error));
    return plan_or_name_others(experiment, error);
}

enum ca_status ca_simulation_check(struct ca_experiment *experiment, struct ca_error *error)
{
    struct ca_setup setup;
    struct ca_lattice lattice;
    uint64_t own;

    CA_TRY(check_and_plan(experiment, error));
    setup = ca_setup_of(experiment);
    if (experiment->state[0])
        return ca_state_read(experiment->state, &setup, NULL, &own, error);
    if (setup.start < 0)
        return read_start(experiment, &setup, NULL, error);
    if (!has_file(&experiment->params))
        return CA_OK;
    CA_TRY(ca_initial_state(experiment, &lattice, error));
    ca_lattice_free(&lattice);
    return CA_OK;
}

/* --- surveys --------------------------------------------------------------------------------- */

/* Rows of all planes in about so many bytes, at least one. */
static int64_t rows_in(const struct ca_setup *setup, int64_t bytes)
{
    const struct ca_model *model = setup->model;
    int64_t row = setup->size.w * (int64_t)ca_type_bytes(model->type) * model->planes;
    int64_t all = ca_rows(setup->size), rows = bytes / row;

    return rows < 1 ? 1 : rows > all ? all : rows;
}

/* For backends that survey nothing where their state is. */
static enum ca_status survey_stored(struct ca_simulation *simulation, unsigned parts, int64_t first,
                                    int64_t rows, struct ca_survey *survey, struct ca_error *error)
{
    const struct ca_setup *setup = &simulation->setup;
    const struct ca_model *model = setup->model;
    int64_t piece = rows_in(setup, PIECE_BYTES), end = first + rows;
    struct ca_lattice lattice;
    enum ca_status status = CA_OK;

    CA_TRY(ca_lattice_alloc(&lattice, (struct ca_size){setup->size.w, piece, 1}, model->type,
                            model->planes, error));
    for (; first < end && status == CA_OK; first += piece) {
        int64_t count = end - first < piece ? end - first : piece;

        status = ca_simulation_rows(simulation, lattice.plane, first, count, error);
        if (status == CA_OK)
            ca_survey_rows(setup, parts, (const void *const *)lattice.plane, first, count, survey);
    }
    ca_lattice_free(&lattice);
    return status;
}

/* The near sums of rows, as those of a single block. */
static enum ca_status survey_near(struct ca_simulation *simulation, int64_t first, int64_t rows,
                                  struct ca_survey *survey, struct ca_error *error)
{
    struct ca_blocks whole;

    CA_TRY(ca_blocks_make(&whole, simulation->setup.size, simulation->setup.size, error));
    return simulation->stepper->observe->neighbours(simulation->self, &whole, first, rows,
                                                    survey->near, error);
}

enum ca_status ca_simulation_survey(struct ca_simulation *simulation, unsigned parts, int64_t first,
                                    int64_t rows, struct ca_survey *survey, struct ca_error *error)
{
    const struct ca_neighbour_sums *neighbours = ca_neighbours_of(simulation->setup.model);
    const struct ca_stepper_observe *observe = simulation->stepper->observe;

    *survey = ca_survey_none();
    CA_TRY(observe && observe->survey
               ? observe->survey(simulation->self, parts, first, rows, survey, error)
               : survey_stored(simulation, parts, first, rows, survey, error));
    return parts & CA_SURVEY_OBSERVABLES && neighbours && neighbours->observe
               ? survey_near(simulation, first, rows, survey, error)
               : CA_OK;
}

enum ca_status ca_simulation_blocks(struct ca_simulation *simulation,
                                    const struct ca_blocks *blocks, double *sums,
                                    struct ca_error *error)
{
    return simulation->stepper->observe->blocks(simulation->self, blocks, 0,
                                                ca_rows(simulation->setup.size), sums, error);
}

enum ca_status ca_simulation_near(struct ca_simulation *simulation, const struct ca_blocks *blocks,
                                  double *near, struct ca_error *error)
{
    return simulation->stepper->observe->neighbours(simulation->self, blocks, 0,
                                                    ca_rows(simulation->setup.size), near, error);
}

static enum ca_status survey_all(struct ca_simulation *simulation, unsigned parts,
                                 struct ca_survey *survey, struct ca_error *error)
{
    return ca_simulation_survey(simulation, parts, 0, ca_rows(simulation->setup.size), survey,
                                error);
}

enum ca_status ca_simulation_hash(struct ca_simulation *simulation, uint64_t *hash,
                                  struct ca_error *error)
{
    struct ca_survey survey;

    CA_TRY(survey_all(simulation, CA_SURVEY_DIGEST, &survey, error));
    *hash = survey.digest;
    return CA_OK;
}

enum ca_status ca_simulation_observe(struct ca_simulation *simulation,
                                     double values[CA_OBSERVABLES_MAX], struct ca_error *error)
{
    struct ca_survey survey;

    CA_TRY(survey_all(simulation, CA_SURVEY_OBSERVABLES, &survey, error));
    ca_survey_observables(&survey, simulation->setup.model, values);
    return CA_OK;
}

/* --- cells in -------------------------------------------------------------------------------- */

/* What is kept of a state that has just been made or loaded. */
static enum ca_status take_range(struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_survey survey;

    if (simulation->setup.model->type != CA_F32)
        return CA_OK;
    CA_TRY(survey_all(simulation, CA_SURVEY_RANGE, &survey, error));
    simulation->low = survey.low;
    simulation->high = survey.high;
    return CA_OK;
}

enum ca_status ca_simulation_load_rows(struct ca_simulation *simulation, const void *const planes[],
                                       int64_t first, int64_t rows, struct ca_error *error)
{
    return simulation->stepper->load(simulation->self, planes, first, rows, error);
}

/* The state is that of a generation. */
static enum ca_status loaded(struct ca_simulation *simulation, uint64_t generation,
                             struct ca_error *error)
{
    simulation->generation = generation;
    return take_range(simulation, error);
}

enum ca_status ca_simulation_loaded(struct ca_simulation *simulation, uint64_t generation,
                                    struct ca_error *error)
{
    simulation->steered = true;
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

static enum ca_status load_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                struct ca_error *error)
{
    return ca_simulation_load_rows(context, (const void *const *)planes, first, rows, error);
}

/* Loads the state of the file with which the run begins, at its generation. */
static enum ca_status begin_with_file(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    struct ca_row_sink sink = {load_rows, simulation};

    CA_TRY(read_start(experiment, &simulation->setup, &sink, error));
    return loaded(simulation, experiment->generation, error);
}

/* Loads the state from which the run goes on. */
static enum ca_status go_on(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    struct ca_row_sink sink = {load_rows, simulation};
    uint64_t generation = experiment->state_generation;
    struct ca_state_run run = {.steered = true};

    if (ca_state_has_run(experiment->state))
        CA_TRY(ca_state_run(experiment->state, &run, error));
    CA_TRY(ca_state_read(experiment->state, &simulation->setup, &sink, &generation, error));
    if (generation != experiment->state_generation)
        return ca_fail(error, CA_IO, "%.300s has been replaced while it was read",
                       experiment->state);
    simulation->steered = !experiment_is_own(experiment, &run);
    simulation->setup.map = run.map;
    return loaded(simulation, generation, error);
}

/* Where on a map the lattice lies: as the files of its start say, or as the run did whose state a
 * file holds. */
static enum ca_status find_map(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_experiment *experiment = &simulation->experiment;
    struct ca_setup *setup = &simulation->setup;
    struct ca_state_run run;

    setup->map = (struct ca_map){0};
    if (setup->start >= 0)
        return setup->model->start->file_map
                   ? setup->model->start->file_map(setup, setup->start, &setup->map, error)
                   : CA_OK;
    if (!ca_state_has_run(experiment->init))
        return CA_OK;
    CA_TRY(ca_state_run(experiment->init, &run, error));
    setup->map = run.map;
    return CA_OK;
}

/* Makes the initial state where the cells are, or on the host where it has to. */
static enum ca_status start(struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_stepper *stepper = simulation->stepper;
    struct ca_lattice lattice;
    void *planes[CA_PLANES_MAX];
    enum ca_status status;
    bool made = false;

    simulation->steered = false;
    CA_TRY(find_map(simulation, error));
    if (simulation->setup.start < 0)
        return begin_with_file(simulation, error);
    if (stepper->init)
        CA_TRY(stepper->init(simulation->self, &made, error));
    if (made) {
        simulation->generation = 0;
        return take_range(simulation, error);
    }
    CA_TRY(ca_initial_state(&simulation->experiment, &lattice, error));
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
        CA_TRY(read_start(&simulation->experiment, &simulation->setup, NULL, error));
    status = start(simulation, error);
    ca_timing_clear(&simulation->timing);
    return status;
}

static void forget_aside(struct ca_simulation *simulation)
{
    ca_simulation_close(simulation->aside);
    simulation->aside = NULL;
}

enum ca_status ca_simulation_reset_aside(struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_simulation fresh, *aside;
    struct ca_plan plan;
    enum ca_status status;

    forget_aside(simulation);
    CA_TRY(ca_experiment_plan(&simulation->experiment, &plan, error));
    aside = malloc(sizeof *aside);
    if (!aside)
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
        free(aside);
        return status;
    }
    *aside = *simulation;
    *simulation = fresh;
    simulation->aside = aside;
    return CA_OK;
}

enum ca_status ca_simulation_undo(struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_simulation *aside = simulation->aside;

    if (!aside)
        return ca_fail(error, CA_USAGE, "no reset has saved a state for undo");
    simulation->stepper->destroy(simulation->self);
    *simulation = *aside;
    free(aside);
    return CA_OK;
}

enum ca_status ca_simulation_open(struct ca_simulation **result, struct ca_experiment *experiment,
                                  struct ca_error *error)
{
    struct ca_simulation *simulation;
    enum ca_status status;

    *result = NULL;
    CA_TRY(check_and_plan(experiment, error));
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
    forget_aside(simulation);
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

bool ca_simulation_steered(const struct ca_simulation *simulation) { return simulation->steered; }

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
    simulation->mark.steered = simulation->steered;
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
    simulation->steered = simulation->mark.steered;
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

static enum ca_status store_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
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
                                  store_rows,
                                  simulation,
                                  setup,
                                  simulation->generation,
                                  simulation->experiment.init,
                                  simulation->experiment.generation,
                                  simulation->note,
                                  notes,
                                  simulation->steered};
}

/* Moves all rows from one instance to another, in chunks through the host. */
static enum ca_status move_rows(struct ca_simulation *from, struct ca_simulation *to,
                                struct ca_error *error)
{
    struct ca_row_source source = ca_simulation_source(from);
    struct ca_row_sink sink = {load_rows, to};

    return ca_rows_pass(&source, &sink, error);
}

enum ca_status ca_simulation_copy(struct ca_simulation *to, struct ca_simulation *from,
                                  struct ca_error *error)
{
    CA_TRY(move_rows(from, to, error));
    to->generation = from->generation;
    to->steered = from->steered || !ca_values_equal(&to->setup.params, &from->setup.params) ||
                  to->setup.seed != from->setup.seed;
    to->low = from->low;
    to->high = from->high;
    return CA_OK;
}

/* Whether other parameters do not lead to the state: one has changed that the state comes from. */
static bool is_steered_by(const struct ca_simulation *simulation, const struct ca_values *params)
{
    const struct ca_values *before = &simulation->experiment.params;
    bool begun = simulation->generation != simulation->experiment.generation, steered = false;

    for (int i = 0; i < params->count; i++)
        steered |= (begun || params->table[i].initial) &&
                   !ca_value_equal(&before->value[i], &params->value[i]);
    return steered;
}

enum ca_status ca_simulation_change(struct ca_simulation *simulation,
                                    const struct ca_experiment *changed, struct ca_error *error)
{
    struct ca_experiment next = simulation->experiment;
    struct ca_simulation fresh = *simulation;
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
    status = plan_or_name_others(&next, &cause);
    if (status == CA_OK)
        status = fresh.stepper->create(&fresh.self, &fresh.setup, &cause);
    if (status != CA_OK)
        return ca_fail(error, status, "%.600s%s", cause.text,
                       status == CA_NO_MEMORY ? "; the present backend keeps its memory until the "
                                                "state has moved"
                                              : "");
    status = move_rows(simulation, &fresh, error);
    if (status != CA_OK) {
        fresh.stepper->destroy(fresh.self);
        return status;
    }
    forget_aside(simulation);
    fresh.steered |= is_steered_by(simulation, &next.params);
    fresh.aside = NULL;
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
