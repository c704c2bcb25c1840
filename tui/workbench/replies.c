/* SPDX-License-Identifier: MIT */
/* Owns how the engine's replies and events change the state of the workbench. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"

static void take_generation(struct pane *pane, const json_t *json)
{
    uint64_t generation = pane->session.generation;

    ca_wire_generation(json, &generation);
    if (pane->session.generation != generation)
        pane->wb->dirty = true;
    pane->session.generation = generation;
}

/* What was observed is forgotten, but for the history of a run that goes on after a crash. */
static void run_begins(struct pane *pane, bool goes_on)
{
    struct observed *o = &pane->observed;

    if (goes_on)
        timeline_rewind(&o->timeline, pane->session.generation);
    else
        memset(&o->timeline, 0, sizeof o->timeline);
    o->known = false;
    o->broken = -1;
    memset(&pane->figures, 0, sizeof pane->figures);
}

/* --- replies ---------------------------------------------------------------------------------- */

/* What disturbed the measurement of the ceilings that shares are of. */
static void take_mark(struct pane *pane, const json_t *json)
{
    const char *others = ca_wire_text(json, "ceilings_others");

    snprintf(pane->device.ceilings_others, sizeof pane->device.ceilings_others, "%s",
             others ? others : "");
}

/* What the engine made of the experiment: the backend that was chosen, tuned options, the plan. */
static void take_experiment(struct pane *pane, const json_t *json)
{
    const char *report = ca_wire_text(json_object_get(json, "report"), "text");

    ca_experiment_take_reply(&pane->experiment, json_object_get(json, "experiment"));
    snprintf(pane->report, sizeof pane->report, "%s", report ? report : "");
    take_mark(pane, json);
}

/* The view of an experiment that comes is its own; in a run of another size it is of the middle. */
static void show_opened(struct pane *pane, const struct pending *pending, struct ca_size before)
{
    int64_t width, height, slices;

    if (pending->arrives) {
        opening_view(pane, &pane->experiment); /* the lattice before may have cut it */
        opening_say(pane);
    } else if (!ca_size_equal(before, pane->experiment.size)) {
        ca_view_extent(pane->experiment.size, pane->view.axis, &width, &height, &slices);
        pane->view.slice = slices / 2;
    }
    view_changed(pane);
}

static void opened(struct pane *pane, struct pending *pending, const json_t *json)
{
    struct session *s = &pane->session;
    struct ca_size before = pane->experiment.size;

    if (pending->wanted)
        pane->experiment = *pending->wanted;
    take_experiment(pane, json);
    pane->opened = s->open = true;
    pane->cursor.edits = false;
    undo_forget(pane);
    pane->from_state = pending->path[0] != 0;
    pane->steered = json_is_true(json_object_get(json, "steered"));
    s->running = false;
    s->run_requested = session_waits_for(pane, OP_RUN); /* if the user has pressed run meanwhile */
    s->generation = pending->generation;
    take_generation(pane, json);
    s->good.generation = s->generation;
    if (s->good.path != pending->path)
        snprintf(s->good.path, sizeof s->good.path, "%s", pending->path);
    s->checkpoint_last = ca_now();
    s->device_due = true;
    run_begins(pane, s->crash_reason[0] && pane->from_state);
    if (s->crash_reason[0]) {
        alarm_raise(pane->wb, "%s; restarted at generation %llu%s", s->crash_reason,
                    (unsigned long long)s->generation, s->crash_log);
        s->crash_reason[0] = 0;
    }
    show_opened(pane, pending, before);
    settings_save_soon(pane->wb);
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
static bool open_elsewhere(struct pane *pane, const struct pending *pending,
                           const struct ca_error *error)
{
    struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *any, *other;

    if (pane->session.open || !wanted)
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
    alarm_raise(pane->wb, "backend %s cannot run: %.300s; continuing with the fastest %s",
                wanted->backend->name, error->text, other == any ? "here" : "on the CPU");
    ca_experiment_backend(wanted, other, CA_BUILT_IN);
    pane->experiment = *wanted; /* an engine that is restarted now opens this one */
    pane->arriving = pending->arrives;
    session_open(pane, wanted, pending->generation, pending->path);
    return true;
}

/* If a saved state cannot be opened, the experiment starts at generation 0; if that fails too, no
 * simulation is left. */
static void open_failed(struct pane *pane, struct pending *pending, const struct ca_error *error)
{
    if (pane_index(pane) > 0 && !pane->session.open) {
        split_refused_open(pane, error->text);
        return;
    }
    if (open_elsewhere(pane, pending, error))
        return;
    alarm_say(pane->wb, "%s", error->text);
    if (pending->path[0] && pending->wanted) {
        checkpoint_forget(pane);
        pane->arriving = pending->arrives;
        session_open(pane, pending->wanted, 0, NULL);
        return;
    }
    if (pending->arrives && pane->session.open) /* the run before goes on as it was shown */
        opening_take(pane, &pane->experiment);
    if (!pane->session.open && pending->wanted) {
        pane->experiment = *pending->wanted;
        pane->opened = false;
    }
}

/* Counts the values that differ, and makes *first the first of all of them. */
static int differences(const struct ca_values *a, const struct ca_values *b,
                       const struct ca_param **first)
{
    int count = 0;

    for (int i = 0; i < a->count && i < b->count; i++)
        if (!ca_value_equal(&a->value[i], &b->value[i])) {
            *first = *first ? *first : &a->table[i];
            count++;
        }
    return count;
}

/* Figures of another backend begin; of those before a line is kept. */
static void figures_renew(struct pane *pane, const char *backend)
{
    char before[sizeof pane->figures.before];

    timing_before(&pane->figures.timing, backend, before, sizeof before);
    memset(&pane->figures, 0, sizeof pane->figures);
    memcpy(pane->figures.before, before, sizeof before);
}

static bool other_waits_for(const struct pane *pane, enum op op)
{
    return split_is_open(pane->wb) && session_waits_for(&pane->wb->panes[1 - pane_index(pane)], op);
}

static void changed(struct pane *pane, const struct pending *pending, const json_t *json)
{
    const struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *before = pane->experiment.backend;
    char device[CA_DEVICE_LABEL], label[CA_DEVICE_LABEL];
    const struct ca_param *param = NULL;
    int count;

    if (!wanted)
        return;
    ca_device_label(device, &pane->experiment.options);
    ca_device_label(label, &wanted->options);
    count = differences(&pane->experiment.params, &wanted->params, &param);
    if (before == wanted->backend)
        count += differences(&pane->experiment.options, &wanted->options, &param);
    if (before != wanted->backend) {
        say(pane->wb, "backend %s", wanted->backend->name);
        pane->previous_backend = before;
        memcpy(pane->previous_host, pane->host, sizeof pane->host);
    } else if (strcmp(device, label) != 0) {
        say(pane->wb, "%s", label);
    } else if (other_waits_for(pane, OP_CHANGE)) {
        /* In a split both are changed: the later one says it, and covers nothing that comes next.
         */
    } else if (count > 1) {
        say(pane->wb, "%d values changed", count);
    } else {
        say(pane->wb, "%s changed%s", param ? param->name : "nothing",
            param && param->initial ? "; it affects the initial state after the next reset" : "");
    }
    if (before != wanted->backend || strcmp(device, label) != 0) {
        figures_renew(pane, before->name);
        pane->session.device_due = true;
    }
    undo_change(pane, ca_values_equal(&pane->experiment.params, &wanted->params));
    pane->steered = json_is_true(json_object_get(json, "steered"));
    pane->experiment = *wanted;
    take_experiment(pane, json);
    split_restart(pane->wb);
    take_generation(pane, json);
    settings_save_soon(pane->wb);
}

static void take_cell(struct pane *pane, const json_t *json)
{
    const json_t *planes = json_object_get(json, "planes"), *value;
    const char *name, *state = ca_wire_text(json, "state");
    int64_t cell[3];
    int n;

    cursor_cell(pane, cell);
    n = snprintf(pane->cursor.text, sizeof pane->cursor.text, "%lld,%lld", (long long)cell[0],
                 (long long)cell[1]);
    if (pane->experiment.model->dimensions == 3)
        n += snprintf(pane->cursor.text + n, sizeof pane->cursor.text - (size_t)n, ",%lld",
                      (long long)cell[2]);
    json_object_foreach((json_t *)planes, name, value)
    {
        if (n > 0 && n < (int)sizeof pane->cursor.text)
            n += snprintf(pane->cursor.text + n, sizeof pane->cursor.text - (size_t)n, " %s=%g",
                          name, json_number_value(value));
    }
    if (state[0] && n > 0 && n < (int)sizeof pane->cursor.text)
        snprintf(pane->cursor.text + n, sizeof pane->cursor.text - (size_t)n, " (%s)", state);
    pane->wb->dirty = true;
}

static void take_device(struct pane *pane, const json_t *json)
{
    const json_t *several = json_object_get(json, "devices"), *one;
    struct device *device = &pane->device;
    size_t i;

    device->known = true;
    device->joules = ca_wire_fact(json, CA_WIRE_JOULES);
    take_mark(pane, json);
    device->count = 1;
    ca_wire_device_read(device->facts, json);
    json_array_foreach(several, i, one)
    {
        if (i < CA_RANKS_MAX) {
            ca_wire_device_read(&device->facts[i], one);
            device->count = (int)i + 1;
        }
    }
    pane->wb->dirty = true;
}

static void take_list(struct pane *pane, const json_t *json)
{
    json_decref(pane->list);
    json_decref(pane->devices);
    pane->list = json_incref(json_object_get(json, "models"));
    pane->devices = json_incref(json_object_get(json, "devices"));
    snprintf(pane->no_cuda, sizeof pane->no_cuda, "%s",
             ca_wire_text(json_object_get(json, "cuda"), "reason"));
}

static void done(struct pane *pane, struct pending *pending, const struct ca_message *message)
{
    const json_t *json = message->json;
    uint64_t generation = pane->session.generation;

    switch (pending->op) {
    case OP_OPEN:
        opened(pane, pending, json);
        break;
    case OP_CHANGE:
        changed(pane, pending, json);
        break;
    case OP_RUN:
        pane->session.running = pane->session.run_requested;
        break;
    case OP_STOP:
        take_generation(pane, json);
        pane->session.running = false;
        break;
    case OP_STEP:
        take_generation(pane, json);
        break;
    case OP_SEEK:
        take_generation(pane, json);
        /* An earlier generation is recomputed, by other parameters than those that led here. */
        if (pane->steered && pane->session.generation < generation)
            memset(&pane->observed.timeline, 0, sizeof pane->observed.timeline);
        timeline_rewind(&pane->observed.timeline, pane->session.generation);
        break;
    case OP_RESET:
        if (pending->undo)
            undo_ready(pane);
        take_generation(pane, json);
        run_begins(pane, false);
        pane->steered = pane->from_state = false;
        checkpoint_forget(pane);
        break;
    case OP_UNDO:
        take_generation(pane, json);
        run_begins(pane, false); /* what was observed before the reset is forgotten */
        undo_done(pane);
        break;
    case OP_PUT:
        take_generation(pane, json);
        edit_put_done(pane, pending, json);
        break;
    case OP_CELL:
        take_cell(pane, json);
        break;
    case OP_DEVICE:
        take_device(pane, json);
        break;
    case OP_SAVE:
        ca_wire_generation(json, &generation);
        say(pane->wb, "wrote %s, generation %llu", pending->path, (unsigned long long)generation);
        break;
    case OP_CHECKPOINT:
    case OP_SAVE_STATE:
        checkpoint_done(pane, pending, json);
        break;
    case OP_LIST:
        take_list(pane, json);
        break;
    case OP_SPLIT:
        take_generation(pane, json);
        split_take(pane, pending, message, NULL);
        break;
    case OP_ABLE:
        able_take(pane, json);
        break;
    case OP_VIEW:
    case OP_PING:
        break;
    }
    pane->wb->dirty = true;
}

/* A CUDA error ends the engine soon; its text then explains the crash. */
static void take_fault_text(struct pane *pane, const struct ca_error *error)
{
    if (error->status == CA_CUDA_FAILED)
        snprintf(pane->session.fault_text, sizeof pane->session.fault_text, "%.500s", error->text);
}

void reply_take(struct pane *pane, struct pending *pending, const struct ca_message *message)
{
    const json_t *json = message->json;
    struct ca_error error;

    if (json_is_true(json_object_get(json, "ok"))) {
        done(pane, pending, message);
        return;
    }
    pane->wb->dirty = true;
    ca_wire_error_read(&error, json_object_get(json, "error"));
    take_fault_text(pane, &error);
    if (!error.text[0])
        ca_error_set(&error, error.status,
                     "the engine refused the request without giving a reason");
    if (pane->host[0]) {
        struct ca_error there = error;

        ca_error_set(&error, there.status, "engine on %.100s: %.600s", pane->host, there.text);
    }
    switch (pending->op) {
    case OP_LIST:
        break;
    case OP_OPEN:
        open_failed(pane, pending, &error);
        break;
    case OP_ABLE: /* for example without memory for the kept state: it stays unknown */
        break;
    case OP_SPLIT:
        split_take(pane, pending, NULL, error.text);
        break;
    case OP_CHECKPOINT:
        pane->session.checkpoint_last = ca_now() + 60;
        break; /* for example a full disk: try again in a minute */
    case OP_SAVE_STATE:
        snprintf(pane->session.save_error, sizeof pane->session.save_error, "%.500s", error.text);
        break;
    case OP_RESET:
        if (pending->undo)
            undo_refused(pane, error.text);
        else
            alarm_say(pane->wb, "%s", error.text);
        break;
    case OP_UNDO:
        undo_forget(pane);
        alarm_say(pane->wb, "%s", error.text);
        break;
    case OP_CELL:
        snprintf(pane->cursor.text, sizeof pane->cursor.text, "outside");
        break;
    case OP_RUN:
        pane->session.running = pane->session.run_requested = false; /* fall through */
    default:
        alarm_say(pane->wb, "%s", error.text);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

void frame_show(struct pane *pane)
{
    struct frame shown = pane->frame;

    if (!pane->coming.known)
        return;
    pane->frame = pane->coming;
    pane->coming = shown;
    pane->coming.known = false;
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

static void take_timing(struct pane *pane, const struct ca_wire_timing *timing)
{
    const struct ca_wire_timing *last = &pane->figures.timing;
    bool again = timing->generations < last->generations; /* the engine has opened another one */
    uint64_t generations = timing->generations - (again ? 0 : last->generations);
    double device_s = timing->device_s - (again ? 0 : last->device_s);

    if (generations > 0)
        history_add(&pane->figures.step_s, device_s / (double)generations);
    pane->figures.timing = *timing;
}

static int observables_count(const struct pane *pane)
{
    int count = 0;

    while (pane->experiment.model->observables[count].name)
        count++;
    return count;
}

static void take_observables(struct pane *pane, const struct ca_wire_frame *wire)
{
    struct observed *o = &pane->observed;
    /* An engine that is out of order may say one that the model does not have. */
    int broken = wire->broken < observables_count(pane) ? wire->broken : -1;
    bool alarm = broken >= 0 && o->broken != broken;
    double was = o->known && alarm ? o->value[broken] : NAN;
    uint64_t then = o->generation;

    if (wire->observables == 0)
        return;
    o->known = true;
    o->generation = wire->observed_generation;
    o->seconds = wire->observe_s;
    o->in_place = wire->in_place;
    for (int i = 0; i < wire->observables; i++)
        o->value[i] = wire->observable[i];
    timeline_add(&o->timeline, o->generation, o->value, wire->observables);
    if (alarm)
        alarm_raise(pane->wb, "invariant violated at generation %llu: %s is %.12g, %.12g at %llu",
                    (unsigned long long)o->generation,
                    pane->experiment.model->observables[broken].name, o->value[broken], was,
                    (unsigned long long)then);
    o->broken = broken;
}

/* A picture of a frame, whose codes begin at `bytes`. */
static struct ca_frame picture_taken(const struct ca_wire_frame *wire, int i, uint8_t *bytes)
{
    const struct ca_wire_picture *p = &wire->picture[i];
    size_t size = (size_t)p->view.columns * (size_t)p->view.lines;

    return (struct ca_frame){.view = p->view,
                             .generation = wire->generation,
                             .sampled = p->sampled,
                             .low = p->low,
                             .high = p->high,
                             .code = bytes,
                             .level = bytes + size,
                             .digest = p->view.digests ? bytes + 2 * size : NULL};
}

static void take_frame(struct pane *pane, const struct ca_message *message)
{
    struct split *split = &pane->wb->split;
    bool ahead = split->phase == SPLIT_STEP && split->due[pane_index(pane)];
    struct frame *frame = ahead ? &pane->coming : &pane->frame;
    struct ca_wire_frame wire;
    bool drawable = ca_wire_frame_read(&wire, message->json);
    size_t bytes = 0;

    for (int i = 0; drawable && i < wire.pictures; i++)
        bytes += ca_view_bytes(&wire.picture[i].view);
    if (drawable && message->bytes == bytes && keep_bytes(frame, message)) {
        frame->known = true;
        frame->picture = picture_taken(&wire, 0, frame->bytes);
        frame->beside =
            wire.pictures > 1
                ? picture_taken(&wire, 1, frame->bytes + ca_view_bytes(&wire.picture[0].view))
                : (struct ca_frame){0};
    }
    take_generation(pane, message->json);
    pane->session.running = wire.running && pane->session.run_requested;
    if (wire.timed)
        take_timing(pane, &wire.timing);
    if (wire.observed)
        take_observables(pane, &wire);
    if (pane->cursor.on)
        session_cell(pane);
    pane->ack_due = true;
    pane->wb->dirty = true;
}

static void stopped(struct pane *pane, const json_t *json)
{
    struct ca_error error;

    ca_wire_error_read(&error, json_object_get(json, "error"));
    take_generation(pane, json);
    pane->session.running = pane->session.run_requested = false;
    take_fault_text(pane, &error);
    pane->wb->dirty = true;
    if (error.text[0]) /* the engine has closed the simulation, whose state is lost */
        pane->session.open = false;
    if (error.text[0])
        alarm_raise(pane->wb, "stopped at generation %llu: %s",
                    (unsigned long long)pane->session.generation, error.text);
}

void event_take(struct pane *pane, const struct ca_message *message)
{
    switch (ca_wire_event(message->json)) {
    case CA_EVENT_FRAME:
        take_frame(pane, message);
        break;
    case CA_EVENT_STOPPED:
        stopped(pane, message->json);
        break;
    case CA_EVENT_LOG:
        if (strcmp(ca_wire_text(message->json, "level"), "info") == 0)
            say(pane->wb, "%s", ca_wire_text(message->json, "message"));
        else
            alarm_say(pane->wb, "%s", ca_wire_text(message->json, "message"));
        break;
    case CA_EVENT_HELLO:
        json_decref(pane->hello);
        pane->hello = json_incref(message->json);
        break;
    case CA_EVENT_PROGRESS:
    case CA_EVENT_UNKNOWN:
        break;
    }
}
