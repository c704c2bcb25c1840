/* SPDX-License-Identifier: MIT */
/* An experiment is checked before it runs: its files, size, rule, memory, and what its backend
 * would run. */
#include "core/sim/simulation_inside.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/machine/device.h"
#include "core/ranks/ranks.h"

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
        .swaps = experiment->swaps,
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

/* Whether somebody has set a parameter. The protocol names all, also those that nobody has set. */
static bool param_is_set(const struct ca_values *params, int index)
{
    const struct ca_value *value = &params->value[index];

    return value->origin != CA_BUILT_IN && (value->origin != CA_FROM_EXPERIMENT ||
                                            !ca_value_is_default(&params->table[index], value));
}

/* The edges that a pattern says replace the default, and must be those of a model without others;
 * edges that were set go over them. */
static enum ca_status resolve_edges(struct ca_experiment *experiment, bool dead,
                                    struct ca_error *error)
{
    struct ca_values *params = &experiment->params;
    struct ca_setup setup = ca_setup_of(experiment);
    int index = ca_values_find(params, "boundary");

    if (ca_is_torus(&setup) == !dead || (index >= 0 && param_is_set(params, index)))
        return CA_OK;
    if (index >= 0)
        return ca_values_set(params, index, dead ? "dead" : "torus", CA_FROM_EXPERIMENT,
                             experiment->init, error);
    return ca_fail(error, CA_USAGE, "the lattice %s, but that of %.200s %s",
                   dead ? "is a torus" : "has dead edges", experiment->init,
                   dead ? "has dead edges (:P)" : "is a torus (:T)");
}

/* A rule that a state file imposes replaces the default, and must be that of a model without
 * others; a rule that was set goes over it. */
static enum ca_status resolve_rule(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    const struct ca_rule_notation *notation = ca_rule_notation_of(model);
    const struct ca_values *params = &experiment->params;
    int index = ca_values_find(params, "rule");
    struct ca_state_rule rule;
    char own[CA_TEXT_MAX];
    struct ca_setup setup = ca_setup_of(experiment);

    if (!notation || experiment->state[0] || !ca_state_is_file(experiment->init, model))
        return CA_OK;
    CA_TRY(ca_state_rule(experiment->init, model, &rule, error));
    if (rule.edges != CA_EDGES_NOT_SAID && !experiment->at.given)
        CA_TRY(resolve_edges(experiment, rule.edges == CA_EDGES_DEAD, error));
    if (!rule.text[0] || notation->matches(&setup, rule.text))
        return CA_OK;
    for (int i = 0; index >= 0 && i < params->count; i++)
        if (!params->table[i].initial && params->table[i].kind != CA_CHOICE &&
            param_is_set(params, i))
            return CA_OK;
    if (index >= 0)
        return ca_values_set(&experiment->params, index, rule.text, CA_FROM_EXPERIMENT,
                             experiment->init, error);
    notation->write(&setup, own);
    return ca_fail(error, CA_USAGE, "the rule is %.200s, but that of %.200s is %.200s", own,
                   experiment->init, rule.text);
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

enum ca_status ca_experiment_plan(const struct ca_experiment *experiment, struct ca_plan *plan,
                                  struct ca_error *error)
{
    struct ca_setup setup = ca_setup_of(experiment);
    const struct ca_stepper *stepper = ca_stepper_of(&setup);

    *plan = (struct ca_plan){.generations = 1};
    CA_TRY(ca_backend_available(experiment->backend, error));
    if (stepper->plan)
        CA_TRY(stepper->plan(&setup, plan, error));
    if (experiment->backend->device != CA_CPU)
        return CA_OK; /* a GPU's memory is checked by its plan */
    return fits_memory(experiment, "",
                       plan->memory_bytes > 0 ? (double)plan->memory_bytes
                                              : (double)ca_cells(experiment->size) *
                                                    experiment->backend->memory_bytes_per_cell,
                       error);
}

enum ca_status experiment_plan_or_others(const struct ca_experiment *experiment,
                                         struct ca_error *error)
{
    struct ca_experiment other = *experiment;
    struct ca_error refusal, ignored;
    char names[256] = "";
    struct ca_plan plan;
    enum ca_status status = ca_experiment_plan(experiment, &plan, &refusal);

    if (status == CA_OK)
        return CA_OK;
    for (const struct ca_backend *b = experiment->model->backends; b;
         b = ca_backend_next(experiment->model, b)) {
        ca_experiment_backend(&other, b, CA_BUILT_IN);
        if (status == CA_USAGE && b->device == experiment->backend->device &&
            ca_experiment_plan(&other, &plan, &ignored) == CA_OK)
            ca_text_add(names, sizeof names, "%s%s", names[0] ? ", " : "; these can: ", b->name);
    }
    return ca_fail(error, status, "%.500s%s", refusal.text, names);
}

/* Checks that a file that is put at a cell fits there. */
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

enum ca_status experiment_read_start(const struct ca_experiment *experiment,
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
    status = setup.start < 0 ? experiment_read_start(experiment, &setup, &sink, error)
                             : model->start->init(&setup, setup.start, lattice, error);
    if (status != CA_OK)
        ca_lattice_free(lattice);
    return status;
}

enum ca_status experiment_check_and_plan(struct ca_experiment *experiment, struct ca_error *error)
{
    CA_TRY(ca_experiment_check(experiment, error));
    return experiment_plan_or_others(experiment, error);
}

enum ca_status ca_simulation_check(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_values *params = &experiment->params;
    struct ca_setup setup;
    struct ca_lattice lattice;
    bool has_file = false;
    uint64_t own;

    CA_TRY(experiment_check_and_plan(experiment, error));
    setup = ca_setup_of(experiment);
    if (experiment->state[0])
        return ca_state_read(experiment->state, &setup, NULL, &own, error);
    if (setup.start < 0)
        return experiment_read_start(experiment, &setup, NULL, error);
    /* Whether a parameter names a file, which the initial state is made of. */
    for (int i = 0; i < params->count; i++)
        has_file |= params->table[i].kind == CA_FILE && params->value[i].text[0];
    if (!has_file)
        return CA_OK;
    CA_TRY(ca_initial_state(experiment, &lattice, error));
    ca_lattice_free(&lattice);
    return CA_OK;
}
