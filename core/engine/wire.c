/* SPDX-License-Identifier: MIT */
/* This file converts everything that the protocol sends to and from JSON, for both of its ends. */
#include "core/engine/experiment_json.h"
#include "core/engine/wire.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const ca_event_names[] = {
    [CA_EVENT_HELLO] = "hello", [CA_EVENT_FRAME] = "frame",       [CA_EVENT_STOPPED] = "stopped",
    [CA_EVENT_LOG] = "log",     [CA_EVENT_PROGRESS] = "progress",
};

enum ca_event ca_wire_event(const json_t *message)
{
    const char *name = ca_json_member(message, "event");
    enum ca_event event = CA_EVENT_HELLO;

    while (event < CA_EVENT_UNKNOWN && strcmp(ca_event_names[event], name) != 0)
        event++;
    return event;
}

/* --- values ----------------------------------------------------------------------------------- */

json_t *ca_wire_digest(uint64_t digest) { return json_sprintf("%016" PRIx64, digest); }

json_t *ca_wire_number(double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return json_integer((json_int_t)value);
    return isfinite(value) ? json_real(value) : json_null();
}

static double real_of(const json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

static int64_t int_of(const json_t *json, const char *key, int64_t missing)
{
    const json_t *value = json_object_get(json, key);

    return json_is_integer(value) ? json_integer_value(value) : missing;
}

bool ca_wire_generation(const json_t *json, uint64_t *generation)
{
    int64_t value = int_of(json, "generation", -1);

    if (value >= 0)
        *generation = (uint64_t)value;
    return value >= 0;
}

json_t *ca_wire_error(const struct ca_error *error)
{
    return json_pack("{s:s, s:o}", "code", ca_status_name(error->status), "message",
                     ca_json_text(error->text));
}

void ca_wire_error_read(struct ca_error *error, const json_t *json)
{
    const char *code = ca_json_member(json, "code");

    error->status = json ? CA_IO : CA_OK;
    for (int i = CA_OK; i <= CA_NO_MEMORY; i++) {
        const char *name = ca_status_name((enum ca_status)i);

        if (name && strcmp(name, code) == 0)
            error->status = (enum ca_status)i;
    }
    snprintf(error->text, sizeof error->text, "%s", ca_json_member(json, "message"));
}

/* --- views ------------------------------------------------------------------------------------ */

void ca_wire_set_view(json_t *json, const struct ca_view *view)
{
    json_object_set_new(json, "axis", json_string(ca_axis_names[view->axis]));
    json_object_set_new(json, "slice", json_integer(view->slice));
    json_object_set_new(json, "x", json_integer(view->x));
    json_object_set_new(json, "y", json_integer(view->y));
    json_object_set_new(json, "zoom", json_integer(view->zoom));
    json_object_set_new(json, "width", json_integer(view->width));
    json_object_set_new(json, "height", json_integer(view->height));
    json_object_set_new(json, "columns", json_integer(view->columns));
    json_object_set_new(json, "lines", json_integer(view->lines));
    json_object_set_new(json, "reduce", json_string(ca_reduce_names[view->reduce]));
    json_object_set_new(json, "drawn", json_string(ca_drawn_names[view->drawn]));
    if (view->drawn == CA_FIELD)
        json_object_set_new(json, "field", json_string(view->field));
    json_object_set_new(json, "digests", json_boolean(view->digests));
    json_object_set_new(json, "tall", json_boolean(view->tall));
    json_object_set_new(json, "projection",
                        json_string(ca_view_projection_names[view->projection]));
    json_object_set_new(json, "range", json_string(ca_range_names[view->range]));
    if (view->range == CA_RANGE_FIXED) {
        json_object_set_new(json, "low", ca_wire_number(view->low));
        json_object_set_new(json, "high", ca_wire_number(view->high));
    }
}

enum ca_status ca_wire_view_read(struct ca_view *view, const json_t *json, struct ca_error *error)
{
    int64_t columns = view->columns, lines = view->lines;
    int axis = (int)view->axis, reduce = (int)view->reduce, drawn = (int)view->drawn;
    int range = (int)view->range, projection = (int)view->projection;
    const char *field = view->field;

    CA_TRY(ca_request_choice(json, "axis", ca_axis_names, &axis, error));
    CA_TRY(ca_request_choice(json, "reduce", ca_reduce_names, &reduce, error));
    CA_TRY(ca_request_choice(json, "drawn", ca_drawn_names, &drawn, error));
    CA_TRY(ca_request_choice(json, "range", ca_range_names, &range, error));
    CA_TRY(ca_request_choice(json, "projection", ca_view_projection_names, &projection, error));
    CA_TRY(ca_request_real(json, "low", -HUGE_VAL, HUGE_VAL, &view->low, error));
    CA_TRY(ca_request_real(json, "high", -HUGE_VAL, HUGE_VAL, &view->high, error));
    CA_TRY(ca_request_bool(json, "tall", &view->tall, error));
    CA_TRY(ca_request_text(json, "field", &field, error));
    CA_TRY(ca_request_int(json, "slice", INT64_MIN, INT64_MAX, &view->slice, error));
    CA_TRY(ca_request_int(json, "x", INT64_MIN, INT64_MAX, &view->x, error));
    CA_TRY(ca_request_int(json, "y", INT64_MIN, INT64_MAX, &view->y, error));
    CA_TRY(ca_request_int(json, "zoom", INT64_MIN, INT64_MAX, &view->zoom, error));
    CA_TRY(ca_request_int(json, "width", INT64_MIN, INT64_MAX, &view->width, error));
    CA_TRY(ca_request_int(json, "height", INT64_MIN, INT64_MAX, &view->height, error));
    CA_TRY(ca_request_int(json, "columns", 1, CA_VIEW_SIDE_MAX, &columns, error));
    CA_TRY(ca_request_bool(json, "digests", &view->digests, error));
    CA_TRY(ca_request_int(json, "lines", 1, CA_VIEW_SIDE_MAX, &lines, error));
    view->axis = (enum ca_axis)axis;
    view->reduce = (enum ca_reduce)reduce;
    view->drawn = (enum ca_drawn)drawn;
    view->range = (enum ca_range)range;
    view->projection = (enum ca_view_projection)projection;
    if (field != view->field)
        snprintf(view->field, sizeof view->field, "%s", field);
    view->columns = (int)columns;
    view->lines = (int)lines;
    return CA_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

#define FIGURE(STRUCT, KEY, MEMBER)                                                                \
    {                                                                                              \
        KEY, offsetof(struct STRUCT, MEMBER)                                                       \
    }

struct figure {
    const char *key;
    size_t offset;
};

/* Reals, in the order of the message. */
static const struct figure figures[] = {
    FIGURE(ca_timing_figures, "step_p50_s", step_p50_s),
    FIGURE(ca_timing_figures, "step_p99_s", step_p99_s),
    FIGURE(ca_timing_figures, "step_min_s", step_min_s),
    FIGURE(ca_timing_figures, "cells_per_s", cells_per_s),
    FIGURE(ca_timing_figures, "gb_per_s", gb_per_s),
};
static const struct figure sums[] = {
    FIGURE(ca_wire_timing, "device_s", device_s),
    FIGURE(ca_wire_timing, "wall_s", wall_s),
};
static const struct figure optional[] = {
    FIGURE(ca_wire_timing, "transfer_s", transfer_s),
    FIGURE(ca_wire_timing, "copy_share", copy_share),
    FIGURE(ca_wire_timing, "logic_share", logic_share),
    FIGURE(ca_wire_timing, "others", others),
    FIGURE(ca_wire_timing, "cores", cores),
    FIGURE(ca_wire_timing, "gpu_others", gpu_others),
};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const char *const ca_mode_names[] = {
    [CA_MODE_STEP] = "step", [CA_MODE_FREE] = "free", [CA_MODE_PACED] = "paced", NULL};

/* Without those that are NAN. */
static void set_figures(json_t *json, const void *from, const struct figure table[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value;

        memcpy(&value, (const char *)from + table[i].offset, sizeof value);
        if (!isnan(value))
            json_object_set_new(json, table[i].key, ca_wire_number(value));
    }
}

static void read_reals(void *to, const json_t *json, const struct figure table[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = real_of(json_object_get(json, table[i].key));

        memcpy((char *)to + table[i].offset, &value, sizeof value);
    }
}

static json_t *figures_json(const struct ca_timing_figures *from)
{
    json_t *json = json_pack("{s:i, s:I}", "count", from->count, "call", (json_int_t)from->call);

    set_figures(json, from, figures, COUNT(figures));
    return json;
}

static void read_figures(struct ca_timing_figures *to, const json_t *json)
{
    int64_t call = int_of(json, "call", 0);

    to->count = (int)int_of(json, "count", 0);
    to->call = call < 0 ? 0 : (uint64_t)call;
    read_reals(to, json, figures, COUNT(figures));
}

static void set_picture(json_t *json, const struct ca_wire_picture *picture)
{
    json_t *view = json_object();

    ca_wire_set_view(view, &picture->view);
    json_object_set_new(json, "view", view);
    json_object_set_new(json, "sampled", json_boolean(picture->sampled));
    json_object_set_new(
        json, "range",
        json_pack("[o, o]", ca_wire_number(picture->low), ca_wire_number(picture->high)));
}

static bool read_picture(struct ca_wire_picture *picture, const json_t *json)
{
    struct ca_error ignored;

    *picture = (struct ca_wire_picture){
        .view = {.zoom = 1},
        .sampled = json_is_true(json_object_get(json, "sampled")),
        .low = real_of(json_array_get(json_object_get(json, "range"), 0)),
        .high = real_of(json_array_get(json_object_get(json, "range"), 1)),
    };
    return ca_wire_view_read(&picture->view, json_object_get(json, "view"), &ignored) == CA_OK &&
           picture->view.columns > 0 && picture->view.lines > 0 && picture->view.zoom > 0 &&
           picture->view.width >= 0 && picture->view.height >= 0;
}

json_t *ca_wire_frame(const struct ca_wire_frame *frame)
{
    json_t *json =
        json_pack("{s:s, s:I, s:b}", "event", ca_event_names[CA_EVENT_FRAME], "generation",
                  (json_int_t)frame->generation, "running", frame->running);
    size_t bytes = 0;

    for (int i = 0; i < frame->pictures; i++)
        bytes += ca_view_bytes(&frame->picture[i].view);
    json_object_set_new(json, "bytes", json_integer((json_int_t)bytes));
    set_picture(json, &frame->picture[0]);
    if (frame->pictures > 1) {
        json_t *beside = json_object();

        set_picture(beside, &frame->picture[1]);
        json_object_set_new(json, "beside", beside);
    }
    if (frame->timed) {
        json_t *times = figures_json(&frame->timing.figures);

        json_object_set_new(times, "mode", json_string(ca_mode_names[frame->timing.mode]));
        json_object_set_new(times, "generations",
                            json_integer((json_int_t)frame->timing.generations));
        if (frame->timing.emulated)
            json_object_set_new(times, "emulated", json_true());
        set_figures(times, &frame->timing, sums, COUNT(sums));
        set_figures(times, &frame->timing, optional, COUNT(optional));
        if (frame->timing.able.count > 0)
            json_object_set_new(times, "able", figures_json(&frame->timing.able));
        json_object_set_new(json, "timing", times);
    }
    if (frame->observed) {
        json_t *values = json_array();

        for (int i = 0; i < frame->observables; i++)
            json_array_append_new(values, ca_wire_number(frame->observable[i]));
        json_object_set_new(json, "observables",
                            json_pack("{s:I, s:o, s:i, s:o, s:b}", "generation",
                                      (json_int_t)frame->observed_generation, "values", values,
                                      "broken", frame->broken, "seconds",
                                      ca_wire_number(frame->observe_s), "in_place",
                                      frame->in_place));
    }
    return json;
}

bool ca_wire_frame_read(struct ca_wire_frame *frame, const json_t *json)
{
    const json_t *timing = json_object_get(json, "timing");
    const json_t *observables = json_object_get(json, "observables");
    const json_t *beside = json_object_get(json, "beside");

    *frame = (struct ca_wire_frame){.pictures = beside ? 2 : 1, .broken = -1};
    ca_wire_generation(json, &frame->generation);
    frame->running = json_is_true(json_object_get(json, "running"));
    frame->timed = json_is_object(timing);
    if (frame->timed) {
        int64_t generations = int_of(timing, "generations", 0);
        const char *mode = ca_json_member(timing, "mode");

        read_figures(&frame->timing.figures, timing);
        read_figures(&frame->timing.able, json_object_get(timing, "able"));
        for (int i = 0; ca_mode_names[i]; i++)
            if (strcmp(ca_mode_names[i], mode) == 0)
                frame->timing.mode = (enum ca_mode)i;
        frame->timing.emulated = json_is_true(json_object_get(timing, "emulated"));
        frame->timing.generations = generations < 0 ? 0 : (uint64_t)generations;
        read_reals(&frame->timing, timing, sums, COUNT(sums));
        read_reals(&frame->timing, timing, optional, COUNT(optional));
    }
    frame->observed = json_is_object(observables);
    if (frame->observed) {
        const json_t *values = json_object_get(observables, "values");
        int64_t broken = int_of(observables, "broken", -1);
        size_t count = json_array_size(values);

        ca_wire_generation(observables, &frame->observed_generation);
        frame->observe_s = real_of(json_object_get(observables, "seconds"));
        frame->in_place = json_is_true(json_object_get(observables, "in_place"));
        frame->observables = count < CA_OBSERVABLES_MAX ? (int)count : CA_OBSERVABLES_MAX;
        for (int i = 0; i < frame->observables; i++)
            frame->observable[i] = real_of(json_array_get(values, (size_t)i));
        frame->broken = broken >= 0 && broken < frame->observables ? (int)broken : -1;
    }
    return read_picture(&frame->picture[0], json) &&
           (!beside || read_picture(&frame->picture[1], beside));
}

/* --- devices ---------------------------------------------------------------------------------- */

#define FACT(NAME)                                                                                 \
    {                                                                                              \
#NAME, offsetof(struct ca_device, NAME)                                                    \
    }

static const struct {
    const char *key;
    size_t offset;
} facts[] = {
    FACT(clock_mhz),    FACT(memory_clock_mhz),  FACT(temperature_c),
    FACT(power_w),      FACT(power_limit_w),     FACT(energy_j),
    FACT(memory_bytes), FACT(memory_free_bytes), FACT(utilisation),
};
#define FACTS (sizeof facts / sizeof facts[0])

static const char *const kinds[] = {[CA_CPU] = "cpu", [CA_CUDA] = "cuda"};

void ca_wire_set_fact(json_t *json, const char *key, struct ca_fact fact)
{
    if (fact.known)
        json_object_set_new(json, key, ca_wire_number(fact.value));
}

struct ca_fact ca_wire_fact(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return (struct ca_fact){json_is_number(value), json_number_value(value)};
}

json_t *ca_wire_device(const struct ca_device *device)
{
    json_t *json =
        json_pack("{s:s, s:i, s:o, s:i}", "kind", kinds[device->kind], "index", device->index,
                  "name", ca_json_text(device->name), "cores", device->cores);

    if (device->compute_major)
        json_object_set_new(json, "compute",
                            json_sprintf("%d.%d", device->compute_major, device->compute_minor));
    for (size_t i = 0; i < FACTS; i++)
        ca_wire_set_fact(json, facts[i].key,
                         *(const struct ca_fact *)((const char *)device + facts[i].offset));
    if (device->ecc.known)
        json_object_set_new(json, "ecc", json_boolean(device->ecc.value > 0));
    if (device->held_by[0])
        json_object_set_new(json, "held_by", json_string(device->held_by));
    if (device->governor[0])
        json_object_set_new(json, "governor", json_string(device->governor));
    return json;
}

void ca_wire_device_read(struct ca_device *device, const json_t *json)
{
    const json_t *ecc = json_object_get(json, "ecc");

    *device = (struct ca_device){
        .kind = strcmp(ca_json_member(json, "kind"), kinds[CA_CUDA]) == 0 ? CA_CUDA : CA_CPU,
        .index = (int)int_of(json, "index", 0),
        .cores = (int)int_of(json, "cores", 0),
        .ecc = {json_is_boolean(ecc), json_is_true(ecc)},
    };
    snprintf(device->name, sizeof device->name, "%s", ca_json_member(json, "name"));
    snprintf(device->held_by, sizeof device->held_by, "%s", ca_json_member(json, "held_by"));
    snprintf(device->governor, sizeof device->governor, "%s", ca_json_member(json, "governor"));
    if (sscanf(ca_json_member(json, "compute"), "%d.%d", &device->compute_major,
               &device->compute_minor) != 2)
        device->compute_major = device->compute_minor = 0;
    for (size_t i = 0; i < FACTS; i++)
        *(struct ca_fact *)((char *)device + facts[i].offset) = ca_wire_fact(json, facts[i].key);
}
