/* SPDX-License-Identifier: MIT */
/* Owns how the engine's replies and events change the state of the workbench. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/experiment_json.h"

static const char *text_of(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "";
}

static double real_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t int_of(const json_t *json, const char *key, int64_t other)
{
    const json_t *value = json_object_get(json, key);

    return json_is_integer(value) ? json_integer_value(value) : other;
}

static void take_generation(struct workbench *wb, const json_t *json)
{
    int64_t generation = int_of(json, "generation", -1);

    if (generation < 0)
        return;
    if (wb->session.generation != (uint64_t)generation)
        wb->dirty = true;
    wb->session.generation = (uint64_t)generation;
}

static void run_begins(struct workbench *wb)
{
    memset(&wb->observed, 0, sizeof wb->observed);
    wb->observed.broken = -1;
    memset(&wb->figures, 0, sizeof wb->figures);
}

/* --- replies ---------------------------------------------------------------------------------- */

static void opened(struct workbench *wb, const struct pending *pending, const json_t *json)
{
    struct session *s = &wb->session;
    const json_t *opened = json_object_get(json, "experiment");
    const json_t *size = json_object_get(opened, "size");

    if (pending->wanted)
        wb->experiment = *pending->wanted;
    ca_experiment_take_tuned(&wb->experiment, opened);
    if (json_array_size(size) >= 2) { /* a state file determines the size */
        wb->experiment.size.w = json_integer_value(json_array_get(size, 0));
        wb->experiment.size.h = json_integer_value(json_array_get(size, 1));
        wb->experiment.size.d =
            json_array_size(size) > 2 ? json_integer_value(json_array_get(size, 2)) : 1;
    }
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
    if (s->crash_reason[0]) {
        alarm_say(wb, "%s; restarted at generation %llu", s->crash_reason,
                  (unsigned long long)s->generation);
        s->crash_reason[0] = 0;
    }
    view_changed(wb);
    settings_save_soon(wb);
    if (!wb->list && !session_waits_for(wb, OP_LIST))
        session_send(wb, OP_LIST, json_pack("{s:s}", "op", "list"));
}

/* Whether an error says that the device is absent or lost, or has too little memory. */
static bool is_device_error(const json_t *error)
{
    static const enum ca_status statuses[] = {CA_NO_DEVICE, CA_NO_MEMORY, CA_CUDA_FAILED};
    const char *code = text_of(error, "code");

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (strcmp(code, ca_status_name(statuses[i])) == 0)
            return true;
    return false;
}

/* If the GPU of a saved or restarted run cannot be used, the run continues on the CPU. */
static bool open_on_cpu(struct workbench *wb, const struct pending *pending, const json_t *error)
{
    const struct ca_backend *fastest = NULL;
    struct ca_experiment *wanted = pending->wanted;
    struct ca_error ignored;

    if (wb->session.open || !wanted || wanted->backend->device == CA_CPU || !is_device_error(error))
        return false;
    for (const struct ca_backend *b = wanted->model->backends; b->name; b++)
        if (b->device == CA_CPU && ca_backend_available(b, &ignored) == CA_OK)
            fastest = b;
    if (!fastest)
        return false;
    alarm_say(wb, "backend %s cannot run: %.300s; continuing with %s on the CPU",
              wanted->backend->name, text_of(error, "message"), fastest->name);
    ca_experiment_backend(wanted, fastest, CA_BUILT_IN);
    wb->experiment = *wanted; /* an engine that is restarted now opens this one */
    session_open(wb, wanted, pending->generation, pending->path);
    return true;
}

/* If a saved state cannot be opened, the experiment starts at generation 0; if that fails too, no
 * simulation is left. */
static void open_failed(struct workbench *wb, const struct pending *pending, const json_t *error,
                        const char *message)
{
    if (open_on_cpu(wb, pending, error))
        return;
    alarm_say(wb, "%s", message);
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
    ca_experiment_take_tuned(&wb->experiment, json_object_get(json, "experiment"));
    wb->observed.start_known = false;
    take_generation(wb, json);
    settings_save_soon(wb);
}

static void take_cell(struct workbench *wb, const json_t *json)
{
    const json_t *planes = json_object_get(json, "planes"), *value;
    const char *name, *state = text_of(json, "state");
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

static struct ca_fact fact_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return (struct ca_fact){json_is_number(value), json_number_value(value)};
}

static void take_device(struct workbench *wb, const json_t *json)
{
    const json_t *inner = json_object_get(json, "device");
    const json_t *from = json_is_object(inner) ? inner : json;
    struct ca_device *d = &wb->device.facts;

    wb->device.known = true;
    wb->device.joules = fact_of(from, "joules_per_1e9_updates");
    d->kind = strcmp(text_of(from, "kind"), "cuda") == 0 ? CA_CUDA : CA_CPU;
    snprintf(d->held_by, sizeof d->held_by, "%s", text_of(from, "held_by"));
    snprintf(d->name, sizeof d->name, "%s", text_of(from, "name"));
    snprintf(d->governor, sizeof d->governor, "%s", text_of(from, "governor"));
    d->cores = (int)int_of(from, "cores", 0);
    d->clock_mhz = fact_of(from, "clock_mhz");
    d->temperature_c = fact_of(from, "temperature_c");
    d->power_w = fact_of(from, "power_w");
    d->memory_bytes = fact_of(from, "memory_bytes");
    d->memory_free_bytes = fact_of(from, "memory_free_bytes");
    d->memory_clock_mhz = fact_of(from, "memory_clock_mhz");
    d->power_limit_w = fact_of(from, "power_limit_w");
    d->utilisation = fact_of(from, "utilisation");
    wb->dirty = true;
}

static void take_list(struct workbench *wb, const json_t *json)
{
    json_decref(wb->list);
    json_decref(wb->devices);
    wb->list = json_incref(json_object_get(json, "models"));
    wb->devices = json_incref(json_object_get(json, "devices"));
    snprintf(wb->no_cuda, sizeof wb->no_cuda, "%s",
             text_of(json_object_get(json, "cuda"), "reason"));
}

static void done(struct workbench *wb, const struct pending *pending, const json_t *json)
{
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
        say(wb, "wrote %s, generation %llu", pending->path,
            (unsigned long long)int_of(json, "generation", (int64_t)wb->session.generation));
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
static void take_fault_text(struct workbench *wb, const json_t *error)
{
    if (strcmp(text_of(error, "code"), ca_status_name(CA_CUDA_FAILED)) == 0)
        snprintf(wb->session.fault_text, sizeof wb->session.fault_text, "%s",
                 text_of(error, "message"));
}

void reply_take(struct workbench *wb, struct pending *pending, const json_t *json)
{
    const json_t *error = json_object_get(json, "error");
    const char *message = text_of(error, "message");

    if (json_is_true(json_object_get(json, "ok"))) {
        done(wb, pending, json);
        return;
    }
    wb->dirty = true;
    take_fault_text(wb, error);
    if (!message[0])
        message = "the engine refused the request without giving a reason";
    switch (pending->op) {
    case OP_OPEN:
        open_failed(wb, pending, error, message);
        break;
    case OP_CHECKPOINT:
        wb->session.checkpoint_last = ca_now() + 60;
        break; /* for example a full disk: try again in a minute */
    case OP_SAVE_STATE:
        snprintf(wb->session.save_error, sizeof wb->session.save_error, "%s", message);
        break;
    case OP_CELL:
        snprintf(wb->cursor.text, sizeof wb->cursor.text, "outside");
        break;
    case OP_RUN:
        wb->session.running = wb->session.run_requested = false; /* fall through */
    default:
        alarm_say(wb, "%s", message);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static int name_in(const char *const names[], const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

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

static void take_view(struct frame *frame, const json_t *json)
{
    const json_t *inner = json_object_get(json, "view");
    const json_t *from = json_is_object(inner) ? inner : json;
    struct ca_view *v = &frame->view;

    v->axis = (enum ca_axis)name_in(ca_axis_names, text_of(from, "axis"));
    v->reduce = (enum ca_reduce)name_in(ca_reduce_names, text_of(from, "reduce"));
    v->drawn = (enum ca_drawn)name_in(ca_drawn_names, text_of(from, "drawn"));
    v->slice = int_of(from, "slice", 0);
    v->x = int_of(from, "x", 0);
    v->y = int_of(from, "y", 0);
    v->zoom = int_of(from, "zoom", 1);
    v->columns = (int)int_of(from, "columns", 0);
    v->lines = (int)int_of(from, "lines", 0);
}

static void take_timing(struct workbench *wb, const json_t *timing)
{
    struct figures *f = &wb->figures;
    int64_t generations = int_of(timing, "generations", 0);

    if (!json_is_object(timing))
        return;
    f->count = (int)int_of(timing, "count", 0);
    f->p50_s = real_of(timing, "step_p50_s");
    f->p99_s = real_of(timing, "step_p99_s");
    f->min_s = real_of(timing, "step_min_s");
    f->cells_per_s = real_of(timing, "cells_per_s");
    f->gb_per_s = real_of(timing, "gb_per_s");
    f->device_s = real_of(timing, "device_s");
    f->wall_s = real_of(timing, "wall_s");
    f->transfer_s = real_of(timing, "transfer_s");
    f->copy_share = real_of(timing, "copy_share");
    f->logic_share = real_of(timing, "logic_share");
    f->generations = generations < 0 ? 0 : (uint64_t)generations;
    if (f->generations < f->last_generations)
        f->last_generations = 0, f->last_device_s = 0;
    if (f->generations > f->last_generations)
        history_add(&f->step_s, (f->device_s - f->last_device_s) /
                                    (double)(f->generations - f->last_generations));
    f->last_generations = f->generations;
    f->last_device_s = f->device_s;
}

static void take_observables(struct workbench *wb, const json_t *json)
{
    struct observed *o = &wb->observed;
    const json_t *values = json_object_get(json, "values");
    uint64_t generation = (uint64_t)int_of(json, "generation", 0);
    int broken = (int)int_of(json, "broken", -1);
    int count = (int)json_array_size(values);
    bool fresh = !o->known || o->generation != generation;

    if (!json_is_object(json) || count == 0)
        return;
    o->known = true;
    o->generation = generation;
    for (int i = 0; i < count && i < CA_OBSERVABLES_MAX; i++) {
        const json_t *value = json_array_get(values, (size_t)i);

        o->value[i] = json_is_number(value) ? json_number_value(value) : NAN;
        if (!o->start_known)
            o->start[i] = o->value[i];
        if (fresh)
            history_add(&o->history[i], o->value[i]);
    }
    o->start_known = true;
    if (broken >= 0 && broken < CA_OBSERVABLES_MAX && o->broken != broken)
        alarm_say(wb, "invariant violated at generation %llu: %s is %.9g, initially %.9g",
                  (unsigned long long)generation, wb->experiment.model->observables[broken].name,
                  o->value[broken], o->start[broken]);
    o->broken = broken;
}

static void take_frame(struct workbench *wb, const struct ca_message *message)
{
    struct frame *frame = &wb->frame;
    struct frame next = {0};

    take_view(&next, message->json);
    if (next.view.columns > 0 && next.view.lines > 0 &&
        message->bytes == 2 * (size_t)next.view.columns * (size_t)next.view.lines &&
        keep_bytes(frame, message)) {
        frame->known = true;
        frame->view = next.view;
        frame->generation = (uint64_t)int_of(message->json, "generation", 0);
        frame->sampled = json_is_true(json_object_get(message->json, "sampled"));
    }
    take_generation(wb, message->json);
    wb->session.running =
        json_is_true(json_object_get(message->json, "running")) && wb->session.run_requested;
    take_timing(wb, json_object_get(message->json, "timing"));
    take_observables(wb, json_object_get(message->json, "observables"));
    if (wb->cursor.on)
        session_cell(wb);
    wb->ack_due = true;
    wb->dirty = true;
}

static void stopped(struct workbench *wb, const json_t *json)
{
    const char *message = text_of(json_object_get(json, "error"), "message");

    take_generation(wb, json);
    wb->session.running = wb->session.run_requested = false;
    take_fault_text(wb, json_object_get(json, "error"));
    wb->dirty = true;
    if (message[0])
        alarm_say(wb, "stopped at generation %llu: %s", (unsigned long long)wb->session.generation,
                  message);
}

void event_take(struct workbench *wb, const struct ca_message *message)
{
    const char *event = text_of(message->json, "event");

    if (strcmp(event, "frame") == 0)
        take_frame(wb, message);
    else if (strcmp(event, "stopped") == 0)
        stopped(wb, message->json);
    else if (strcmp(event, "log") == 0 && strcmp(text_of(message->json, "level"), "info") != 0)
        alarm_say(wb, "%s", text_of(message->json, "message"));
    else if (strcmp(event, "log") == 0)
        say(wb, "%s", text_of(message->json, "message"));
}
