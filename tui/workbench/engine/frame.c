/* SPDX-License-Identifier: MIT */
/* An engine sends these by itself: frames, which the view asks for, the end of a run, messages. */
#include "tui/workbench/engine/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/interference_json.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

/* --- frames ----------------------------------------------------------------------------------- */

extern const struct part frame_part;

struct frames {
    struct frame shown;
    struct frame coming; /* of a call in lock step, shown once both panes have theirs */
    bool ack_due;
};

static struct frames *frames_of(const struct pane *pane) { return pane_state(pane, &frame_part); }
const struct frame *frame_of(const struct pane *pane) { return &frames_of(pane)->shown; }

void frame_show(struct pane *pane)
{
    struct frames *frames = frames_of(pane);
    struct frame shown = frames->shown;

    if (!frames->coming.known)
        return;
    frames->shown = frames->coming;
    frames->coming = shown;
    frames->coming.known = false;
}

bool frame_is_due(const struct pane *pane) { return frames_of(pane)->ack_due; }

void frame_acknowledge(struct pane *pane)
{
    frames_of(pane)->ack_due = false;
    if (session_client(pane))
        ca_client_notify(session_client(pane), "ack");
}

static void frames_end(struct pane *pane)
{
    struct frames *frames = frames_of(pane);
    struct frame *frame[] = {&frames->shown, &frames->coming};

    for (int i = 0; i < 2; i++) {
        free(frame[i]->bytes);
        free(frame[i]->spare);
    }
    frames->shown = frames->coming = (struct frame){0};
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

/* Makes room for a frame of so many bytes beside the last one, which stays. */
static bool frame_reserve(struct frame *frame, size_t bytes)
{
    uint8_t *larger = malloc(bytes);

    if (!larger)
        return false;
    free(frame->spare);
    frame->spare = larger;
    frame->spare_bytes = bytes;
    return true;
}

/* `steadily`: in a split, where two pictures are compared, in pixels, and at rest each frame is
 * exact. */
static void frame_take(struct frame *frame, const struct ca_wire_frame *wire, const uint8_t *data,
                       size_t bytes, bool steadily)
{
    const struct ca_frame last[] = {frame->picture, frame->beside};
    uint8_t *before = frame->bytes;
    size_t before_bytes = frame->bytes_reserved;

    memcpy(frame->spare, data, bytes);
    frame->bytes = frame->spare;
    frame->bytes_reserved = frame->spare_bytes;
    frame->spare = before;
    frame->spare_bytes = before_bytes;
    frame->picture = picture_taken(wire, 0, frame->bytes);
    frame->beside =
        wire->pictures > 1
            ? picture_taken(wire, 1, frame->bytes + ca_view_bytes(&wire->picture[0].view))
            : (struct ca_frame){0};
    if (steadily && frame->known) {
        picture_steady(&frame->picture, &last[0], frame->number);
        picture_steady(&frame->beside, &last[1], frame->number);
    }
    frame->known = true;
    frame->number++;
}

static void pane_take_frame(struct pane *pane, const struct ca_message *message)
{
    struct frames *frames = frames_of(pane);
    struct frame *frame = split_awaits(pane) ? &frames->coming : &frames->shown;
    struct ca_wire_frame wire;
    bool drawable = ca_wire_frame_read(&wire, message->json);
    size_t bytes = 0;

    for (int i = 0; drawable && i < wire.pictures; i++)
        bytes += ca_view_bytes(&wire.picture[i].view);
    drawable = drawable && message->bytes == bytes;
    if (drawable && bytes > frame->spare_bytes)
        drawable = frame_reserve(frame, bytes);
    if (drawable)
        frame_take(frame, &wire, message->data, bytes,
                   wire.running && !split_is_open(pane->wb) &&
                       !glyphs_are_pixels(view_glyphs(pane)));
    generation_take(pane, message->json);
    session_frame_ran(pane, wire.running);
    if (wire.timed)
        figures_take(pane, &wire.timing);
    if (wire.observed)
        observed_take(pane, &wire);
    if (cursor_is_on(pane))
        session_cell(pane);
    frames->ack_due = true;
    pane->wb->dirty = true;
}

/* --- other events ----------------------------------------------------------------------------- */

void event_take(struct pane *pane, const struct ca_message *message)
{
    struct ca_error error;

    switch (ca_wire_event(message->json)) {
    case CA_EVENT_FRAME:
        pane_take_frame(pane, message);
        break;
    case CA_EVENT_STOPPED:
        ca_wire_error_read(&error, json_object_get(message->json, "error"));
        generation_take(pane, message->json);
        session_stopped(pane, error.text[0]); /* then the engine has closed the simulation */
        session_fault(pane, &error);
        pane->wb->dirty = true;
        if (error.text[0])
            alarm_raise(pane->wb, "stopped at generation %llu: %s",
                        (unsigned long long)session_generation(pane), error.text);
        break;
    case CA_EVENT_LOG:
        if (strcmp(ca_json_member(message->json, "level"), "info") == 0)
            message_show(pane->wb, "%s", ca_json_member(message->json, "message"));
        else
            message_warn(pane->wb, "%s", ca_json_member(message->json, "message"));
        break;
    case CA_EVENT_HELLO:
        engine_hello_take(pane, message->json);
        break;
    case CA_EVENT_PROGRESS:
    case CA_EVENT_UNKNOWN:
        break;
    }
}

const struct part frame_part = {
    .name = "frames", .pane_bytes = sizeof(struct frames), .end_pane = frames_end};

/* --- times ------------------------------------------------------------------------------------ */

#define ABLE_CALL_S 0.01 /* as the calls of a free run */
#define ABLE_CALLS 20
#define ABLE_S 0.1

static double able_tick(struct pane *pane, double now);

const struct part figures_part = {
    .name = "figures", .pane_bytes = sizeof(struct figures), .tick_pane = able_tick};

struct figures *figures_of(const struct pane *pane) { return pane_state(pane, &figures_part); }

/* --- what comes ------------------------------------------------------------------------------- */

const struct ca_wire_timing *figures_timing(const struct pane *pane)
{
    return &figures_of(pane)->timing;
}

void figures_take(struct pane *pane, const struct ca_wire_timing *timing)
{
    const struct ca_wire_timing *last = &figures_of(pane)->timing;
    bool again = timing->generations < last->generations; /* the engine has opened another one */
    uint64_t generations = timing->generations - (again ? 0 : last->generations);
    double device_s = timing->device_s - (again ? 0 : last->device_s);

    if (generations > 0)
        history_add(&figures_of(pane)->step_s, device_s / (double)generations);
    figures_of(pane)->timing = *timing;
}

void figures_begin(struct pane *pane) { memset(figures_of(pane), 0, sizeof(struct figures)); }

void figures_renew(struct pane *pane, const char *backend)
{
    struct figures *f = figures_of(pane);
    char before[sizeof f->before];

    timing_before(&f->timing, backend, before, sizeof before);
    figures_begin(pane);
    memcpy(f->before, before, sizeof before);
}

/* --- in words --------------------------------------------------------------------------------- */

char *timing_rate(char text[CA_QUANTITY_TEXT], const struct ca_wire_timing *timing,
                  const struct ca_timing_figures *figures)
{
    return timing->emulated ? strcpy(text, CA_NOT_A_SPEED) : ca_rate(text, figures->cells_per_s);
}

void figures_able(const struct ca_wire_timing *timing, const struct ca_timing_figures *able,
                  const char *what, char *text, size_t size)
{
    char rate[CA_QUANTITY_TEXT];

    snprintf(text, size, "%s, %s", timing_rate(rate, timing, able), what);
}

void timing_before(const struct ca_wire_timing *timing, const char *backend, char *text,
                   size_t size)
{
    const struct ca_timing_figures *figures =
        timing->able.count > 0 ? &timing->able : &timing->figures;

    text[0] = '\0';
    if (figures->count > 0)
        figures_able(timing, figures, backend, text, size);
}

/* --- bursts ----------------------------------------------------------------------------------- */

static void able_taken(struct pane *pane, struct pending *pending, const json_t *json);

static void able_ask(struct pane *pane, uint64_t n)
{
    figures_of(pane)->asked = n;
    session_try(pane, "burst",
                json_pack("{s:I,s:I,s:f}", "n", (json_int_t)n, "calls", (json_int_t)ABLE_CALLS,
                          "seconds", ABLE_S),
                NULL, 0, able_taken);
}

/* Without memory for the kept state, for example, it stays unknown. */
static void able_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const json_t *seconds = json_object_get(json, "seconds"), *value;
    struct figures *f = figures_of(pane);
    struct ca_interference sample;
    double least = INFINITY, n;
    size_t i;

    (void)pending;
    if (!json)
        return;
    json_array_foreach(seconds, i, value) least = fmin(least, json_number_value(value));
    n = least > 0 ? exp2(floor(log2(ABLE_CALL_S / least))) : 1;
    if (f->asked == 1 && n > 1 && isfinite(n) && !ca_client_waiting(session_client(pane)))
        able_ask(pane, (uint64_t)n);
    else {
        /* Where others have disturbed the burst it tells nothing; the next pause has another. */
        ca_burst_from_json(&sample, json);
        if (ca_interference_judge(&sample, 0) == CA_DISTURBED) {
            ca_disturbance_add(&f->others, &sample, 0);
            f->disturbed_at = session_generation(pane);
            f->asked = 0;
        }
        session_view(pane); /* the next frame has the figure */
    }
}

/* In the first pause after steps, a paced run or a change of the backend, bursts tell what the
 * backend is able to, if keeping the state for them costs little. */
static double able_tick(struct pane *pane, double now)
{
    const struct figures *f = figures_of(pane);
    bool wanted = session_has_run(pane) && !session_running(pane) && !split_is_open(pane->wb) &&
                  (f->timing.figures.count > 0 || f->before[0]) && f->timing.able.count == 0 &&
                  !f->asked && checkpoint_is_cheap(pane) &&
                  (f->others.disturbed == 0 || session_generation(pane) != f->disturbed_at);

    (void)now;
    if (wanted && !ca_client_waiting(session_client(pane)))
        able_ask(pane, 1);
    return -1;
}

/* --- observables ------------------------------------------------------------------------------ */

const struct part observed_part = {.name = "observed", .pane_bytes = sizeof(struct observed)};

struct observed *observed_of(const struct pane *pane) { return pane_state(pane, &observed_part); }

void observed_rewind(struct pane *pane, bool anew)
{
    struct timeline *timeline = &observed_of(pane)->timeline;

    if (anew)
        memset(timeline, 0, sizeof *timeline);
    timeline_rewind(timeline, session_generation(pane));
}

void observed_begin(struct pane *pane, bool goes_on)
{
    struct observed *o = observed_of(pane);

    observed_rewind(pane, !goes_on);
    o->known = false;
    o->broken = -1;
}

bool observed_is_broken(const struct pane *pane)
{
    return observed_of(pane)->known && observed_of(pane)->broken >= 0;
}

void observed_take(struct pane *pane, const struct ca_wire_frame *wire)
{
    struct observed *o = observed_of(pane);
    uint64_t then = o->generation;
    int count = 0, broken;
    bool alarm;
    double was;

    if (wire->observables == 0)
        return;
    while (ca_observables(pane->experiment.model)[count].name)
        count++;
    /* An engine that is out of order may say one that the model does not have. */
    broken = wire->broken < count ? wire->broken : -1;
    alarm = broken >= 0 && o->broken != broken;
    was = o->known && alarm ? o->value[broken] : NAN;
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
                    ca_observables(pane->experiment.model)[broken].name, o->value[broken], was,
                    (unsigned long long)then);
    o->broken = broken;
}
