/* SPDX-License-Identifier: MIT */
/* This file decides when a frame is due, what it carries, and how much time it may take. While the
 * simulation steps, frames get at most FRAME_SHARE of the time and observables OBSERVE_SHARE: the
 * next one is delayed in proportion to the cost of the last. A paused simulation is always shown
 * exactly. */
#include "core/engine/state.h"
#include "core/base/clock.h"
#include "core/machine/device.h"

#include <math.h>
#include <string.h>

#define FRAME_SHARE 0.02
#define OBSERVE_SHARE 0.01

static bool has_conserved(const struct ca_simulation *simulation)
{
    const struct ca_observable *observables =
        ca_observables(ca_simulation_setup(simulation)->model);

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
    const json_t *asked = json_object_get(request, "beside");
    struct ca_view view = engine->picture[0].view, beside = engine->picture[1].view;
    int pictures = asked ? 1 + !json_is_null(asked) : engine->pictures;
    json_t *shown;

    CA_TRY(ca_wire_view_read(&view, request, error));
    CA_TRY(ca_request_real(request, "fps", 0, CA_FPS_MAX, &fps, error));
    CA_TRY(ca_view_check(&view, setup->model, setup->size, error));
    if (asked && pictures > 1) {
        /* A second view: what it does not name is as in the first. */
        if (!json_is_object(asked))
            return ca_fail(error, CA_USAGE,
                           "'beside' is not a view: allowed are an object and null");
        beside = view;
        CA_TRY(ca_wire_view_read(&beside, asked, error));
        CA_TRY(ca_view_check(&beside, setup->model, setup->size, error));
    }
    /* A higher rate takes effect at once, a lower one after the next frame. */
    if (fps > engine->fps)
        engine->next_frame_s = 0;
    engine->picture[0].view = view;
    engine->picture[1].view = beside;
    engine->pictures = pictures;
    engine->fps = fps;
    engine->dirty = true;
    shown = json_object();
    ca_wire_set_view(shown, &view);
    json_object_set_new(answer, "view", shown);
    if (pictures > 1) {
        shown = json_object();
        ca_wire_set_view(shown, &beside);
        json_object_set_new(answer, "beside", shown);
    }
    json_object_set_new(answer, "fps", ca_wire_number(fps));
    return CA_OK;
}

enum ca_status ca_engine_send_frame(struct ca_engine *engine, struct ca_error *error)
{
    struct ca_wire_frame wire = {
        .pictures = engine->pictures,
        .generation = ca_simulation_generation(engine->simulation),
        .running = ca_engine_stepping(engine),
        .timed = true,
    };
    struct iovec bytes[CA_PICTURES_MAX];
    const struct ca_timing *timing;
    const struct ca_experiment *experiment;
    const struct ca_backend *backend;
    struct ca_timing_figures figures;
    double gops;
    bool timed;
    struct ca_interference now;

    for (int i = 0; i < engine->pictures; i++) {
        const struct ca_wire_picture *first = &wire.picture[0];
        struct ca_view view = engine->picture[i].view;
        const struct ca_frame *frame;

        /* Draws picture i of a frame. One that is beside the first, and
         * shows the same, has the first one's range. */
        if (i > 0 && view.range == first->view.range && view.projection == first->view.projection &&
            first->low < first->high) {
            view.range = CA_RANGE_FIXED;
            view.low = first->low;
            view.high = first->high;
        }
        CA_TRY(ca_viewer_draw(engine->picture[i].viewer, engine->simulation, &view, &frame, error));
        wire.picture[i] = (struct ca_wire_picture){engine->picture[i].view, frame->sampled,
                                                   frame->low, frame->high};
        /* In memory, too, the levels follow the codes, and the digests the levels. */
        bytes[i] = (struct iovec){frame->code, ca_view_bytes(&view)};
    }
    ca_engine_note_able(engine);
    /* The shares of the measured ceilings are what the backend declares for a cell update. */
    timing = ca_simulation_timing(engine->simulation);
    experiment = ca_simulation_experiment(engine->simulation);
    backend = experiment->backend;
    figures = ca_engine_figures(engine, timing);
    gops = figures.cells_per_s * backend->ops_per_cell_step / 1e9;
    timed = figures.count > 0;
    ca_meter_look(&engine->meter, &now);
    wire.timing = (struct ca_wire_timing){
        .figures = figures,
        .able = engine->able,
        .mode = engine->mode,
        .emulated = ca_device_emulated(backend),
        .generations = timing->generations,
        .device_s = timing->device_s,
        .wall_s = timing->wall_s,
        .transfer_s = ca_simulation_stepper(engine->simulation)->clock ? timing->transfer_s : NAN,
        .others = now.others.known ? now.others.value : NAN,
        .cores = now.cores,
        .gpu_others = now.gpu_others.known ? now.gpu_others.value : NAN,
        .copy_share =
            timed && engine->copy_gb.known ? figures.gb_per_s / engine->copy_gb.value : NAN,
        .logic_share = timed && engine->logic_gops.known ? gops / engine->logic_gops.value : NAN,
    };
    if (engine->observed_known) {
        const struct ca_stepper_observe *observe =
            ca_simulation_stepper(engine->simulation)->observe;

        wire.observed = true;
        wire.observed_generation = engine->observed_generation;
        wire.observe_s = engine->observe_s;
        wire.in_place = observe && observe->survey;
        while (ca_observables(experiment->model)[wire.observables].name)
            wire.observables++;
        memcpy(wire.observable, engine->observed, sizeof wire.observable);
        wire.broken = ca_invariants_broken(&engine->invariants);
    }
    ca_channel_send(&engine->channel, NULL, ca_wire_frame(&wire), bytes, engine->pictures);
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
