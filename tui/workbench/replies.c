/* SPDX-License-Identifier: MIT */
/* Owns how the engine's replies and events change the state of the workbench. */
#include "tui/workbench/app.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

static void take_generation(struct workbench *wb, const json_t *json)
{
    uint64_t generation = wb->session.generation;

    ca_wire_generation(json, &generation);
    if (wb->session.generation != generation)
        wb->dirty = true;
    wb->session.generation = generation;
}

static void run_begins(struct workbench *wb)
{
    memset(&wb->observed, 0, sizeof wb->observed);
    wb->observed.broken = -1;
    memset(&wb->figures, 0, sizeof wb->figures);
}

/* --- replies ---------------------------------------------------------------------------------- */

/* What the engine made of the experiment: the backend that was chosen, tuned options, the plan. */
static void take_experiment(struct workbench *wb, const json_t *json)
{
    const char *report = ca_wire_text(json_object_get(json, "report"), "text");

    ca_experiment_take_reply(&wb->experiment, json_object_get(json, "experiment"));
    snprintf(wb->report, sizeof wb->report, "%s", report ? report : "");
}

static void opened(struct workbench *wb, const struct pending *pending, const json_t *json)
{
    struct session *s = &wb->session;

    if (pending->wanted)
        wb->experiment = *pending->wanted;
    take_experiment(wb, json);
    wb->opened = s->open = true;
    s->running = false;
    s->run_requested = session_waits_for(wb, OP_RUN); /* if the user has pressed run meanwhile */
    s->generation = pending->generation;
    take_generation(wb, json);
    s->good.generation = s->generation;
    if (s->good.path != pending->path)
        snprintf(s->good.path, sizeof s->good.path, "%s", pending->path);
    s->checkpoint_last = ca_now();
    s->device_due = true;
    run_begins(wb);
    say_note(wb, &wb->experiment);
    if (s->crash_reason[0]) {
        alarm_say(wb, "%s; restarted at generation %llu", s->crash_reason,
                  (unsigned long long)s->generation);
        s->crash_reason[0] = 0;
    }
    view_changed(wb);
    settings_save_soon(wb);
    if (!wb->list && !session_waits_for(wb, OP_LIST))
        session_send(wb, OP_LIST, NULL);
}

/* Whether an error says that the device is absent or lost, or has too little memory. */
static bool is_device_error(const struct ca_error *error)
{
    return error->status == CA_NO_DEVICE || error->status == CA_NO_MEMORY ||
           error->status == CA_CUDA_FAILED;
}

/*
 * If the GPU of a saved or restarted run cannot be used, the run continues on the CPU; if a saved
 * backend cannot hold the lattice or needs another CPU, with the fastest one that can run.
 */
static bool open_elsewhere(struct workbench *wb, const struct pending *pending,
                           const struct ca_error *error)
{
    struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *any, *other;

    if (wb->session.open || !wanted)
        return false;
    any = ca_backend_auto(wanted->model);
    if (is_device_error(error) && wanted->backend->device == CA_CUDA)
        other = any + 1; /* cpu */
    else if ((error->status == CA_USAGE || error->status == CA_NO_DEVICE) &&
             wanted->backend_origin == CA_FROM_SETTINGS)
        other = any;
    else
        return false;
    if (other == wanted->backend)
        return false;
    say_note(wb, wanted);
    alarm_say(wb, "backend %s cannot run: %.300s; continuing with the fastest %s",
              wanted->backend->name, error->text, other == any ? "here" : "on the CPU");
    ca_experiment_backend(wanted, other, CA_BUILT_IN);
    wb->experiment = *wanted; /* an engine that is restarted now opens this one */
    session_open(wb, wanted, pending->generation, pending->path);
    return true;
}

/* If a saved state cannot be opened, the experiment starts at generation 0; if that fails too, no
 * simulation is left. */
static void open_failed(struct workbench *wb, const struct pending *pending,
                        const struct ca_error *error)
{
    if (open_elsewhere(wb, pending, error))
        return;
    alarm_say(wb, "%s", error->text);
    if (pending->path[0] && pending->wanted) {
        checkpoint_forget(wb);
        session_open(wb, pending->wanted, 0, NULL);
    } else if (!wb->session.open && pending->wanted) {
        wb->experiment = *pending->wanted;
        wb->opened = false;
    }
}

/* The first parameter whose value differs, NULL for none. */
static const struct ca_param *difference(const struct ca_values *a, const struct ca_values *b)
{
    for (int i = 0; i < a->count && i < b->count; i++)
        if (!ca_value_equal(&a->value[i], &b->value[i]))
            return &a->table[i];
    return NULL;
}

static void changed(struct workbench *wb, const struct pending *pending, const json_t *json)
{
    const struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *before = wb->experiment.backend;
    int device = ca_device_index(&wb->experiment.options);
    const struct ca_param *param;

    if (!wanted)
        return;
    param = difference(&wb->experiment.params, &wanted->params);
    if (!param)
        param = difference(&wb->experiment.options, &wanted->options);
    if (before != wanted->backend) {
        say(wb, "backend %s", wanted->backend->name);
        wb->previous_backend = before;
    } else if (device != ca_device_index(&wanted->options)) {
        say(wb, "GPU %d", ca_device_index(&wanted->options));
    } else {
        say(wb, "%s changed%s", param ? param->name : "nothing",
            param && param->initial ? "; it affects the initial state after the next reset" : "");
    }
    if (before != wanted->backend || device != ca_device_index(&wanted->options)) {
        memset(&wb->figures, 0, sizeof wb->figures);
        wb->session.device_due = true;
    }
    wb->experiment = *wanted;
    take_experiment(wb, json);
    say_note(wb, &wb->experiment);
    wb->observed.start_known = false;
    take_generation(wb, json);
    settings_save_soon(wb);
}

static void take_cell(struct workbench *wb, const json_t *json)
{
    const json_t *planes = json_object_get(json, "planes"), *value;
    const char *name, *state = ca_wire_text(json, "state");
    int64_t cell[3];
    int n;

    cursor_cell(wb, cell);
    n = snprintf(wb->cursor.text, sizeof wb->cursor.text, "%lld,%lld", (long long)cell[0],
                 (long long)cell[1]);
    if (wb->experiment.model->dimensions == 3)
        n += snprintf(wb->cursor.text + n, sizeof wb->cursor.text - (size_t)n, ",%lld",
                      (long long)cell[2]);
    json_object_foreach((json_t *)planes, name, value)
    {
        if (n > 0 && n < (int)sizeof wb->cursor.text)
            n += snprintf(wb->cursor.text + n, sizeof wb->cursor.text - (size_t)n, " %s=%g", name,
                          json_number_value(value));
    }
    if (state[0] && n > 0 && n < (int)sizeof wb->cursor.text)
        snprintf(wb->cursor.text + n, sizeof wb->cursor.text - (size_t)n, " (%s)", state);
    wb->dirty = true;
}

static void take_device(struct workbench *wb, const json_t *json)
{
    wb->device.known = true;
    wb->device.joules = ca_wire_fact(json, CA_WIRE_JOULES);
    ca_wire_device_read(&wb->device.facts, json);
    wb->dirty = true;
}

static void take_list(struct workbench *wb, const json_t *json)
{
    json_decref(wb->list);
    json_decref(wb->devices);
    wb->list = json_incref(json_object_get(json, "models"));
    wb->devices = json_incref(json_object_get(json, "devices"));
    snprintf(wb->no_cuda, sizeof wb->no_cuda, "%s",
             ca_wire_text(json_object_get(json, "cuda"), "reason"));
}

static void done(struct workbench *wb, const struct pending *pending, const json_t *json)
{
    uint64_t generation = wb->session.generation;

    switch (pending->op) {
    case OP_OPEN:
        opened(wb, pending, json);
        break;
    case OP_CHANGE:
        changed(wb, pending, json);
        break;
    case OP_RUN:
        wb->session.running = wb->session.run_requested;
        break;
    case OP_STOP:
        take_generation(wb, json);
        wb->session.running = false;
        break;
    case OP_STEP:
        take_generation(wb, json);
        break;
    case OP_SEEK:
        take_generation(wb, json);
        wb->observed.start_known = false;
        break;
    case OP_RESET:
        take_generation(wb, json);
        run_begins(wb);
        checkpoint_forget(wb);
        break;
    case OP_CELL:
        take_cell(wb, json);
        break;
    case OP_DEVICE:
        take_device(wb, json);
        break;
    case OP_SAVE:
        ca_wire_generation(json, &generation);
        say(wb, "wrote %s, generation %llu", pending->path, (unsigned long long)generation);
        break;
    case OP_CHECKPOINT:
    case OP_SAVE_STATE:
        checkpoint_done(wb, pending, json);
        break;
    case OP_LIST:
        take_list(wb, json);
        break;
    case OP_VIEW:
    case OP_PING:
        break;
    }
    wb->dirty = true;
}

/* A CUDA error ends the engine soon; its text then explains the crash. */
static void take_fault_text(struct workbench *wb, const struct ca_error *error)
{
    if (error->status == CA_CUDA_FAILED)
        snprintf(wb->session.fault_text, sizeof wb->session.fault_text, "%.500s", error->text);
}

void reply_take(struct workbench *wb, struct pending *pending, const json_t *json)
{
    struct ca_error error;

    if (json_is_true(json_object_get(json, "ok"))) {
        done(wb, pending, json);
        return;
    }
    wb->dirty = true;
    ca_wire_error_read(&error, json_object_get(json, "error"));
    take_fault_text(wb, &error);
    if (!error.text[0])
        ca_error_set(&error, error.status,
                     "the engine refused the request without giving a reason");
    switch (pending->op) {
    case OP_OPEN:
        open_failed(wb, pending, &error);
        break;
    case OP_CHECKPOINT:
        wb->session.checkpoint_last = ca_now() + 60;
        break; /* for example a full disk: try again in a minute */
    case OP_SAVE_STATE:
        snprintf(wb->session.save_error, sizeof wb->session.save_error, "%.500s", error.text);
        break;
    case OP_CELL:
        snprintf(wb->cursor.text, sizeof wb->cursor.text, "outside");
        break;
    case OP_RUN:
        wb->session.running = wb->session.run_requested = false; /* fall through */
    default:
        alarm_say(wb, "%s", error.text);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static bool keep_bytes(struct frame *frame, const struct ca_message *message)
{
    if (message->bytes > frame->capacity) {
        uint8_t *bytes = realloc(frame->bytes, message->bytes);

        if (!bytes)
            return false;
        frame->bytes = bytes;
        frame->capacity = message->bytes;
    }
    memcpy(frame->bytes, message->data, message->bytes);
    return true;
}

static void take_timing(struct workbench *wb, const struct ca_wire_timing *timing)
{
    const struct ca_wire_timing *last = &wb->figures.timing;
    bool again = timing->generations < last->generations; /* the engine has opened another one */
    uint64_t generations = timing->generations - (again ? 0 : last->generations);
    double device_s = timing->device_s - (again ? 0 : last->device_s);

    if (generations > 0)
        history_add(&wb->figures.step_s, device_s / (double)generations);
    wb->figures.timing = *timing;
}

static void take_observables(struct workbench *wb, const struct ca_wire_frame *wire)
{
    struct observed *o = &wb->observed;
    bool fresh = !o->known || o->generation != wire->observed_generation;
    int broken = wire->broken;

    if (wire->observables == 0)
        return;
    o->known = true;
    o->generation = wire->observed_generation;
    o->seconds = wire->observe_s;
    o->in_place = wire->in_place;
    for (int i = 0; i < wire->observables; i++) {
        o->value[i] = wire->observable[i];
        if (!o->start_known)
            o->start[i] = o->value[i];
        if (fresh)
            history_add(&o->history[i], o->value[i]);
    }
    o->start_known = true;
    if (broken >= 0 && o->broken != broken)
        alarm_say(wb, "invariant violated at generation %llu: %s is %.9g, initially %.9g",
                  (unsigned long long)o->generation, wb->experiment.model->observables[broken].name,
                  o->value[broken], o->start[broken]);
    o->broken = broken;
}

static void take_frame(struct workbench *wb, const struct ca_message *message)
{
    struct frame *frame = &wb->frame;
    struct ca_wire_frame wire;
    bool drawable = ca_wire_frame_read(&wire, message->json);
    size_t size = (size_t)wire.view.columns * (size_t)wire.view.lines;

    if (drawable && message->bytes == 2 * size && keep_bytes(frame, message)) {
        frame->known = true;
        frame->picture = (struct ca_frame){.view = wire.view,
                                           .generation = wire.generation,
                                           .sampled = wire.sampled,
                                           .code = frame->bytes,
                                           .level = frame->bytes + size};
    }
    take_generation(wb, message->json);
    wb->session.running = wire.running && wb->session.run_requested;
    if (wire.timed)
        take_timing(wb, &wire.timing);
    if (wire.observed)
        take_observables(wb, &wire);
    if (wb->cursor.on)
        session_cell(wb);
    wb->ack_due = true;
    wb->dirty = true;
}

static void stopped(struct workbench *wb, const json_t *json)
{
    struct ca_error error;

    ca_wire_error_read(&error, json_object_get(json, "error"));
    take_generation(wb, json);
    wb->session.running = wb->session.run_requested = false;
    take_fault_text(wb, &error);
    wb->dirty = true;
    if (error.text[0])
        alarm_say(wb, "stopped at generation %llu: %s", (unsigned long long)wb->session.generation,
                  error.text);
}

void event_take(struct workbench *wb, const struct ca_message *message)
{
    switch (ca_wire_event(message->json)) {
    case CA_EVENT_FRAME:
        take_frame(wb, message);
        break;
    case CA_EVENT_STOPPED:
        stopped(wb, message->json);
        break;
    case CA_EVENT_LOG:
        if (strcmp(ca_wire_text(message->json, "level"), "info") == 0)
            say(wb, "%s", ca_wire_text(message->json, "message"));
        else
            alarm_say(wb, "%s", ca_wire_text(message->json, "message"));
        break;
    case CA_EVENT_HELLO:
    case CA_EVENT_UNKNOWN:
        break;
    }
}
