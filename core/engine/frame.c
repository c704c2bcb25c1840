/* SPDX-License-Identifier: MIT */
/*
 * Owns frames: when one is due, what it carries, and how much time watching may take. While the
 * simulation steps, frames get at most FRAME_SHARE of the time and observables OBSERVE_SHARE;
 * whatever they cost is waited for before the next. A paused simulation is always shown exactly.
 */
#include "core/engine/state.h"
#include "core/base/clock.h"

#include <math.h>
#include <string.h>

#define FPS_DEFAULT 10
#define FPS_MAX 1000
#define FRAME_SHARE 0.02
#define OBSERVE_SHARE 0.01

json_t *ca_engine_number(double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return json_integer((json_int_t)value);
    return isfinite(value) ? json_real(value) : json_null();
}

static bool has_conserved(const struct ca_simulation *simulation)
{
    const struct ca_observable *observables = ca_simulation_setup(simulation)->model->observables;

    for (; observables->name; observables++)
        if (observables->conserved)
            return true;
    return false;
}

enum ca_status ca_engine_observe(struct ca_engine *engine, struct ca_error *error)
{
    uint64_t generation = ca_simulation_generation(engine->simulation);
    double began = ca_now(), ended;

    if (engine->observed_known && engine->observed_generation == generation)
        return CA_OK;
    CA_TRY(ca_simulation_observe(engine->simulation, engine->observed, error));
    ended = ca_now();
    engine->observed_known = true;
    engine->observed_generation = generation;
    engine->next_observe_s = ended + (ended - began) * (1 / OBSERVE_SHARE - 1);
    return CA_OK;
}

void ca_engine_state_changed(struct ca_engine *engine, bool begin)
{
    struct ca_error error;

    engine->dirty = true;
    engine->observed_known = false;
    engine->window.begun = false;
    engine->joules.known = false;
    if (!begin)
        return;
    engine->start_known = false;
    if (!has_conserved(engine->simulation))
        return;
    if (ca_engine_observe(engine, &error) != CA_OK) {
        ca_engine_log(engine, "warning", error.text);
        ca_engine_suspect(engine, &error);
        return;
    }
    memcpy(engine->start, engine->observed, sizeof engine->start);
    engine->start_known = true;
}

enum ca_status ca_engine_twin(struct ca_engine *engine, bool wanted, struct ca_error *error)
{
    struct ca_experiment experiment;
    struct ca_simulation *twin;
    struct ca_lattice lattice;
    enum ca_status status;

    if (!wanted) {
        ca_simulation_close(engine->twin);
        engine->twin = NULL;
        return CA_OK;
    }
    if (engine->twin)
        return CA_OK;
    experiment = *ca_simulation_experiment(engine->simulation);
    ca_experiment_backend(&experiment, experiment.model->backends, CA_FROM_WORKBENCH);
    CA_TRY(ca_simulation_open(&twin, &experiment, error));
    status = ca_simulation_store(engine->simulation, &lattice, error);
    if (status == CA_OK) {
        status =
            ca_simulation_load(twin, &lattice, ca_simulation_generation(engine->simulation), error);
        ca_lattice_free(&lattice);
    }
    if (status == CA_OK)
        engine->twin = twin;
    else
        ca_simulation_close(twin);
    return status;
}

static json_t *view_json(const struct ca_view *view)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:i, s:i, s:s, s:s}", "axis",
                     ca_axis_names[view->axis], "slice", (json_int_t)view->slice, "x",
                     (json_int_t)view->x, "y", (json_int_t)view->y, "zoom", (json_int_t)view->zoom,
                     "columns", view->columns, "lines", view->lines, "reduce",
                     ca_reduce_names[view->reduce], "drawn", ca_drawn_names[view->drawn]);
}

/* The keys of a view that a request has, over those of *view. */
static enum ca_status read_view(const json_t *request, struct ca_view *view, struct ca_error *error)
{
    int64_t columns = view->columns, lines = view->lines;
    int axis = (int)view->axis, reduce = (int)view->reduce, drawn = (int)view->drawn;

    CA_TRY(ca_request_choice(request, "axis", ca_axis_names, &axis, error));
    CA_TRY(ca_request_choice(request, "reduce", ca_reduce_names, &reduce, error));
    CA_TRY(ca_request_choice(request, "drawn", ca_drawn_names, &drawn, error));
    CA_TRY(ca_request_int(request, "slice", INT64_MIN, INT64_MAX, &view->slice, error));
    CA_TRY(ca_request_int(request, "x", INT64_MIN, INT64_MAX, &view->x, error));
    CA_TRY(ca_request_int(request, "y", INT64_MIN, INT64_MAX, &view->y, error));
    CA_TRY(ca_request_int(request, "zoom", INT64_MIN, INT64_MAX, &view->zoom, error));
    CA_TRY(ca_request_int(request, "columns", 1, CA_VIEW_SIDE_MAX, &columns, error));
    CA_TRY(ca_request_int(request, "lines", 1, CA_VIEW_SIDE_MAX, &lines, error));
    view->axis = (enum ca_axis)axis;
    view->reduce = (enum ca_reduce)reduce;
    view->drawn = (enum ca_drawn)drawn;
    view->columns = (int)columns;
    view->lines = (int)lines;
    return CA_OK;
}

enum ca_status ca_engine_view(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    double fps = engine->fps > 0 ? engine->fps : FPS_DEFAULT;
    struct ca_view view = engine->view;

    CA_TRY(read_view(request, &view, error));
    CA_TRY(ca_request_real(request, "fps", 0, FPS_MAX, &fps, error));
    CA_TRY(ca_view_check(&view, ca_simulation_setup(engine->simulation)->size, error));
    CA_TRY(ca_engine_twin(engine, fps > 0 && view.drawn == CA_DIFFERENCE, error));
    /* A faster rate holds at once, a slower one from the next frame on. */
    if (fps > engine->fps)
        engine->next_frame_s = 0;
    engine->view = view;
    engine->fps = fps;
    engine->dirty = true;
    json_object_set_new(answer, "view", view_json(&view));
    json_object_set_new(answer, "fps", ca_engine_number(fps));
    return CA_OK;
}

/* Parts of the ceilings: what the backend declares for a cell step, by what could be had. */
static void set_shares(json_t *json, const struct ca_engine *engine,
                       const struct ca_timing_figures *figures)
{
    const struct ca_backend *backend = ca_simulation_experiment(engine->simulation)->backend;
    double gops = figures->cells_per_s * backend->ops_per_cell_step / 1e9;

    if (figures->count == 0)
        return;
    if (engine->copy_gb.known)
        json_object_set_new(json, "copy_share",
                            ca_engine_number(figures->gb_per_s / engine->copy_gb.value));
    if (engine->logic_gops.known)
        json_object_set_new(json, "logic_share", ca_engine_number(gops / engine->logic_gops.value));
}

static json_t *timing_json(const struct ca_engine *engine)
{
    const struct ca_timing *timing = ca_simulation_timing(engine->simulation);
    const struct ca_experiment *experiment = ca_simulation_experiment(engine->simulation);
    struct ca_timing_figures figures = ca_timing_figures(timing, (double)ca_cells(experiment->size),
                                                         experiment->backend->bytes_per_cell_step);
    json_t *json = json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "count", figures.count, "step_p50_s",
        ca_engine_number(figures.step_p50_s), "step_p99_s", ca_engine_number(figures.step_p99_s),
        "step_min_s", ca_engine_number(figures.step_min_s), "cells_per_s",
        ca_engine_number(figures.cells_per_s), "gb_per_s", ca_engine_number(figures.gb_per_s),
        "generations", (json_int_t)timing->generations, "device_s",
        ca_engine_number(timing->device_s), "wall_s", ca_engine_number(timing->wall_s));

    if (experiment->backend->stepper->clock)
        json_object_set_new(json, "transfer_s", ca_engine_number(timing->transfer_s));
    set_shares(json, engine, &figures);
    return json;
}

static json_t *observables_json(const struct ca_engine *engine)
{
    const struct ca_observable *observables =
        ca_simulation_setup(engine->simulation)->model->observables;
    int broken = engine->start_known
                     ? ca_simulation_broken(engine->simulation, engine->start, engine->observed)
                     : -1;
    json_t *values = json_array();

    for (int i = 0; observables[i].name; i++)
        json_array_append_new(values, ca_engine_number(engine->observed[i]));
    return json_pack("{s:I, s:o, s:i}", "generation", (json_int_t)engine->observed_generation,
                     "values", values, "broken", broken);
}

static enum ca_status send_frame(struct ca_engine *engine, struct ca_error *error)
{
    const struct ca_frame *frame;
    size_t size;
    json_t *event;

    CA_TRY(ca_viewer_draw(engine->viewer, engine->simulation, engine->twin, &engine->view, &frame,
                          error));
    size = (size_t)frame->view.columns * (size_t)frame->view.lines;
    event = json_pack("{s:s, s:I, s:I, s:b, s:b, s:o, s:o}", "event", "frame", "bytes",
                      2 * (json_int_t)size, "generation", (json_int_t)frame->generation, "running",
                      ca_engine_stepping(engine), "sampled", frame->sampled, "view",
                      view_json(&frame->view), "timing", timing_json(engine));
    if (engine->observed_known)
        json_object_set_new(event, "observables", observables_json(engine));
    /* The levels follow the codes in memory, too. */
    ca_channel_send(&engine->channel, NULL, event, frame->code, 2 * size);
    engine->outstanding = true;
    engine->dirty = false;
    return CA_OK;
}

double ca_engine_frame(struct ca_engine *engine, double now)
{
    bool stepping = ca_engine_stepping(engine);
    enum ca_status status = CA_OK;
    struct ca_error error;
    double period, began, cost;

    if (!engine->simulation || engine->fps <= 0 || engine->outstanding || !engine->dirty)
        return INFINITY;
    if (now < engine->next_frame_s)
        return engine->next_frame_s;
    if (!stepping || now >= engine->next_observe_s)
        status = ca_engine_observe(engine, &error);
    began = ca_now();
    if (status == CA_OK)
        status = send_frame(engine, &error);
    if (status != CA_OK) {
        engine->fps = 0;
        ca_engine_log(engine, "error", error.text);
        ca_engine_suspect(engine, &error);
        return INFINITY;
    }
    cost = stepping ? (ca_now() - began) / FRAME_SHARE : 0;
    period = 1 / engine->fps;
    /* From when it was due, not from when it went: else each frame would be a chunk late. */
    if (engine->next_frame_s + period > now)
        engine->next_frame_s += period;
    else
        engine->next_frame_s = now + period;
    if (engine->next_frame_s < now + cost)
        engine->next_frame_s = now + cost;
    return INFINITY;
}
