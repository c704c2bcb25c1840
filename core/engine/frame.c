/* SPDX-License-Identifier: MIT */
/*
 * Owns frames: when one is due, what it carries, and how much time it may take. While the
 * simulation steps, frames get at most FRAME_SHARE of the time and observables OBSERVE_SHARE: the
 * next one is delayed in proportion to the cost of the last. A paused simulation is always shown
 * exactly.
 */
#include "core/engine/state.h"
#include "core/base/clock.h"

#include <math.h>

#define FRAME_SHARE 0.02
#define OBSERVE_SHARE 0.01

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
    ca_invariants_take(&engine->invariants, engine->simulation, engine->observed);
    engine->observe_s = ended - began;
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
    engine->invariants = (struct ca_invariants){.known = false};
    if (!has_conserved(engine->simulation))
        return;
    if (ca_engine_observe(engine, &error) != CA_OK) {
        ca_engine_log(engine, "warning", error.text);
        ca_engine_suspect(engine, &error);
    }
}

enum ca_status ca_engine_view(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    double fps = engine->fps > 0 ? engine->fps : CA_FPS_DEFAULT;
    const struct ca_setup *setup = ca_simulation_setup(engine->simulation);
    struct ca_view view = engine->view;
    json_t *shown;

    CA_TRY(ca_wire_view_read(&view, request, error));
    CA_TRY(ca_request_real(request, "fps", 0, CA_FPS_MAX, &fps, error));
    CA_TRY(ca_view_check(&view, setup->model, setup->size, error));
    /* A higher rate takes effect at once, a lower one after the next frame. */
    if (fps > engine->fps)
        engine->next_frame_s = 0;
    engine->view = view;
    engine->fps = fps;
    engine->dirty = true;
    shown = json_object();
    ca_wire_set_view(shown, &view);
    json_object_set_new(answer, "view", shown);
    json_object_set_new(answer, "fps", ca_wire_number(fps));
    return CA_OK;
}

/* The shares of the measured ceilings are what the backend declares for a cell update. */
static void take_timing(struct ca_wire_timing *wire, const struct ca_engine *engine)
{
    const struct ca_timing *timing = ca_simulation_timing(engine->simulation);
    const struct ca_experiment *experiment = ca_simulation_experiment(engine->simulation);
    const struct ca_backend *backend = experiment->backend;
    struct ca_timing_figures figures = ca_engine_figures(engine, timing);
    double gops = figures.cells_per_s * backend->ops_per_cell_step / 1e9;
    bool timed = figures.count > 0;

    *wire = (struct ca_wire_timing){
        .figures = figures,
        .able = engine->able,
        .mode = engine->mode,
        .generations = timing->generations,
        .device_s = timing->device_s,
        .wall_s = timing->wall_s,
        .transfer_s = backend->stepper->clock ? timing->transfer_s : NAN,
        .copy_share =
            timed && engine->copy_gb.known ? figures.gb_per_s / engine->copy_gb.value : NAN,
        .logic_share = timed && engine->logic_gops.known ? gops / engine->logic_gops.value : NAN,
    };
}

static void take_observables(struct ca_wire_frame *wire, const struct ca_engine *engine)
{
    const struct ca_observable *observables =
        ca_simulation_setup(engine->simulation)->model->observables;

    wire->observed = engine->observed_known;
    if (!wire->observed)
        return;
    wire->observed_generation = engine->observed_generation;
    wire->observe_s = engine->observe_s;
    wire->in_place = ca_simulation_experiment(engine->simulation)->backend->stepper->survey != NULL;
    for (; observables[wire->observables].name; wire->observables++)
        wire->observable[wire->observables] = engine->observed[wire->observables];
    wire->broken = ca_invariants_broken(&engine->invariants);
}

enum ca_status ca_engine_send_frame(struct ca_engine *engine, struct ca_error *error)
{
    const struct ca_frame *frame;
    struct ca_wire_frame wire;

    CA_TRY(ca_viewer_draw(engine->viewer, engine->simulation, &engine->view, &frame, error));
    wire = (struct ca_wire_frame){
        .view = frame->view,
        .generation = frame->generation,
        .running = ca_engine_stepping(engine),
        .sampled = frame->sampled,
        .low = frame->low,
        .high = frame->high,
        .timed = true,
    };
    ca_engine_note_able(engine);
    take_timing(&wire.timing, engine);
    take_observables(&wire, engine);
    /* In memory, too, the levels follow the codes, and the digests the levels. */
    ca_channel_send(&engine->channel, NULL, ca_wire_frame(&wire), frame->code,
                    ca_view_bytes(&frame->view));
    engine->outstanding = true;
    engine->dirty = false;
    return CA_OK;
}

double ca_engine_frame(struct ca_engine *engine, double now)
{
    bool stepping = ca_engine_stepping(engine);
    /* A paced run that keeps its deadlines has time to spare. */
    bool hurried = stepping && (engine->job || engine->mode != CA_MODE_PACED || engine->late);
    enum ca_status status = CA_OK;
    struct ca_error error;
    double period, began, cost;

    if (!engine->simulation || engine->fps <= 0 || engine->outstanding || !engine->dirty ||
        engine->job_frame || engine->burst.active || engine->taken.begun)
        return INFINITY;
    if (now < engine->next_frame_s)
        return engine->next_frame_s;
    if (!stepping || now >= engine->next_observe_s)
        status = ca_engine_observe(engine, &error);
    began = ca_now();
    if (status == CA_OK)
        status = ca_engine_send_frame(engine, &error);
    if (status != CA_OK) {
        engine->fps = 0;
        ca_engine_log(engine, "error", error.text);
        ca_engine_suspect(engine, &error);
        return INFINITY;
    }
    cost = hurried ? (ca_now() - began) / FRAME_SHARE : 0;
    period = 1 / engine->fps;
    /* Counted from the time when it was due: otherwise each frame would be a call late. */
    if (engine->next_frame_s + period > now)
        engine->next_frame_s += period;
    else
        engine->next_frame_s = now + period;
    if (engine->next_frame_s < now + cost)
        engine->next_frame_s = now + cost;
    return INFINITY;
}
