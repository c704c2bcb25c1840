/* SPDX-License-Identifier: MIT */
/* This file answers the requests that create or change a simulation: open and change. */
#include "core/engine/state.h"

#include <string.h>

#include "core/engine/experiment_json.h"
#include "core/files/file.h"
#include "core/bench/choose.h"
#include "core/bench/tune.h"

static void set_experiment(const struct ca_engine *engine, json_t *answer)
{
    struct ca_plan plan;

    json_object_set_new(answer, "experiment",
                        ca_experiment_to_json(ca_simulation_experiment(engine->simulation)));
    ca_simulation_report(engine->simulation, &plan);
    json_object_set_new(answer, "report", ca_plan_to_json(&plan));
    if (engine->ceilings_others[0])
        json_object_set_new(answer, "ceilings_others", ca_json_text(engine->ceilings_others));
    json_object_set_new(answer, "steered",
                        json_boolean(ca_simulation_modified(engine->simulation)));
}

/* The run goes on from the planes of a state file, of a generation that the file or the request
 * tells. */
static enum ca_status take_state(struct ca_experiment *experiment, const char *path,
                                 int64_t generation, struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    struct ca_size size = experiment->size;
    char given[64], wanted[64];
    struct ca_state_run run;

    if (strlen(path) >= sizeof experiment->state)
        return ca_fail(error, CA_USAGE, "open: the path of a state has at most %zu bytes",
                       sizeof experiment->state - 1);
    CA_TRY(ca_state_size(path, model, &size, error));
    if (!ca_size_equal(size, experiment->size) && experiment->origin[CA_KEY_SIZE] != CA_BUILT_IN)
        return ca_fail(error, CA_USAGE, "open: size is %s, but the state in '%.300s' is %s",
                       ca_size_format(wanted, experiment->size, model->dimensions), path,
                       ca_size_format(given, size, model->dimensions));
    memcpy(experiment->state, path, strlen(path) + 1);
    experiment->state_generation = (uint64_t)generation;
    if (!ca_state_has_run(path))
        return CA_OK;
    CA_TRY(ca_state_run(path, &run, error));
    experiment->state_generation = run.generation;
    return CA_OK;
}

/* --- the state that is there ------------------------------------------------------------------ */

static enum ca_status open_check_cells(const struct ca_model *model,
                                       const struct ca_lattice *lattice, struct ca_error *error)
{
    const int64_t cells = ca_cells(lattice->size);

    for (int p = 0; p < model->planes && model->type == CA_U8; p++)
        for (int64_t i = 0; i < cells; i++)
            if (((const uint8_t *)lattice->plane[p])[i] > model->max_value)
                return ca_fail(error, CA_USAGE,
                               "cell %lld has the state %d, and the model's go to %d", (long long)i,
                               ((const uint8_t *)lattice->plane[p])[i], model->max_value);
    return CA_OK;
}

/* Gives the cells and the generation of one simulation to another. CA_USAGE with the reason where
 * they do not fit; then it is as it was. */
static enum ca_status open_with_cells(struct ca_simulation *simulation, struct ca_simulation *from,
                                      struct ca_error *error)
{
    const struct ca_setup *to = ca_simulation_setup(simulation), *is = ca_simulation_setup(from);
    const struct ca_model *model = to->model;
    struct ca_lattice lattice;
    char size[64], before[64];
    enum ca_status status;

    if (model->planes != is->model->planes || model->type != is->model->type)
        return ca_fail(error, CA_USAGE, "its cells are %d plane%s of %s, and were %d of %s",
                       model->planes, model->planes == 1 ? "" : "s",
                       model->type == CA_U8 ? "bytes" : "floats", is->model->planes,
                       is->model->type == CA_U8 ? "bytes" : "floats");
    if (model->dimensions != is->model->dimensions || !ca_size_equal(to->size, is->size))
        return ca_fail(error, CA_USAGE, "its size is %s, and was %s",
                       ca_size_format(size, to->size, model->dimensions),
                       ca_size_format(before, is->size, is->model->dimensions));
    CA_TRY(ca_simulation_store(from, &lattice, error));
    status = open_check_cells(model, &lattice, error);
    if (status == CA_OK && model->check_state)
        status = model->check_state(to, lattice.plane, 0, ca_rows(to->size), error);
    if (status == CA_OK)
        status = ca_simulation_load(simulation, &lattice, ca_simulation_generation(from), error);
    ca_lattice_free(&lattice);
    return status;
}

/* As a request that keeps the state asks for it; the reply says whether it is kept. */
static void keep_state(struct ca_engine *engine, struct ca_simulation *simulation, json_t *answer)
{
    struct ca_error why;
    bool kept;

    if (!engine->simulation)
        ca_error_set(&why, CA_USAGE, "there was none");
    kept = engine->simulation && ca_engine_whole(engine, "open", &why) == CA_OK &&
           open_with_cells(simulation, engine->simulation, &why) == CA_OK;
    json_object_set_new(answer, "kept", json_boolean(kept));
    if (!kept)
        json_object_set_new(answer, "not_kept", ca_json_text(why.text));
}

enum ca_status ca_engine_compile(struct ca_engine *engine, const json_t *request, json_t *answer,
                                 struct ca_error *error)
{
    const struct ca_model *model;

    (void)engine;
    CA_TRY(ca_request_required(request, "model", error));
    CA_TRY(ca_model_from_json(&model, request, error));
    ca_model_to_json(answer, model);
    return CA_OK;
}

/* A wrong file of tuned options costs only speed: it is reported in the log. */
static void tune(struct ca_engine *engine, struct ca_experiment *experiment)
{
    struct ca_error error;

    if (ca_tuned_use(experiment, &error) != CA_OK)
        ca_engine_log(engine, "warning", error.text);
}

enum ca_status ca_engine_open(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    struct ca_experiment experiment = {0};
    struct ca_simulation *simulation;
    const char *state = NULL;
    int64_t generation = 0;
    const struct ca_setup *setup;
    struct ca_view *view;
    const struct ca_field *field;
    int64_t width, height, slices;
    struct ca_error ignored;
    bool keep = false;

    CA_TRY(ca_request_text(request, "state", &state, error));
    CA_TRY(ca_request_bool(request, "keep", &keep, error));
    CA_TRY(ca_request_int(request, "generation", 0, CA_GENERATION_MAX, &generation, error));
    if (generation > 0 && !state)
        return ca_fail(error, CA_USAGE, "open: \"generation\" goes with \"state\" only");
    CA_TRY(ca_request_required(request, "model", error));
    CA_TRY(ca_experiment_from_json(&experiment, request, error));
    CA_TRY(state ? take_state(&experiment, state, generation, error)
                 : ca_experiment_begin(&experiment, error));
    CA_TRY(ca_choose_backend(&experiment, error));
    tune(engine, &experiment);
    experiment.swaps = true;
    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    if (keep)
        keep_state(engine, simulation, answer);
    ca_engine_take(engine, simulation);
    /* The view may lie outside the new lattice, or be of a field that the new model has not. One
     * beside it belongs to the lattice before. */
    setup = ca_simulation_setup(engine->simulation);
    view = &engine->picture[0].view;
    engine->pictures = 1;
    ca_view_extent(setup->size, view->axis, &width, &height, &slices);
    if (view->slice >= slices)
        view->slice = slices - 1;
    if (setup->model->dimensions == 2)
        view->projection = CA_VIEW_SLICE;
    if (view->drawn == CA_FIELD &&
        ca_field_find(&field, setup->model, view->field, &ignored) != CA_OK)
        view->drawn = CA_STATE;
    ca_engine_ceilings(engine);
    ca_engine_state_changed(engine, true);
    set_experiment(engine, answer);
    return CA_OK;
}

enum ca_status ca_engine_change(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error)
{
    const struct ca_experiment *present = ca_simulation_experiment(engine->simulation);
    struct ca_experiment changed = *present;
    bool same;
    const struct ca_backend *backend;
    const char *name = NULL;

    for (int i = 0; i < 2; i++) {
        const char *key = i ? "options" : "parameters";

        if (json_object_get(request, key) && !json_is_object(json_object_get(request, key)))
            return ca_request_wrong(request, key, "an object of names and values", error);
    }
    CA_TRY(ca_request_text(request, "backend", &name, error));
    if (name) {
        CA_TRY(ca_backend_find(&backend, present->model, name, error));
        ca_experiment_backend(&changed, backend, CA_FROM_EXPERIMENT);
    }
    CA_TRY(ca_experiment_values(&changed, request, error));
    /* A change made in a run takes precedence over what the file of its start says. */
    for (int i = 0; i < changed.params.count; i++)
        if (!ca_value_equal(&present->params.value[i], &changed.params.value[i]))
            changed.params.value[i].origin = CA_FROM_WORKBENCH;
        else
            changed.params.value[i].origin = present->params.value[i].origin;
    CA_TRY(ca_choose_backend(&changed, error));
    tune(engine, &changed);
    same = ca_values_equal(&present->params, &changed.params);
    CA_TRY(ca_simulation_change(engine->simulation, &changed, error));
    ca_engine_forget_pace(engine);
    ca_engine_ceilings(engine);
    /* Conservation laws hold across backends; other parameters start a new run. */
    ca_engine_state_changed(engine, !same);
    set_experiment(engine, answer);
    return CA_OK;
}
