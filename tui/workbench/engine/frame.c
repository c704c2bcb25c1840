/* SPDX-License-Identifier: MIT */
/* An engine sends these by itself: frames, which the view asks for, the end of a run, messages. */
#include "tui/workbench/engine/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/figures.h"
#include "tui/workbench/engine/observed.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

/* --- the view --------------------------------------------------------------------------------- */

void session_view(struct pane *pane)
{
    pane->view_due = true;
    pane->wb->dirty = true;
}

/* The view of the second slice: what it draws, and how, is as in the first. */
static json_t *beside_json(const struct pane *pane)
{
    struct ca_view view = pane->view;
    json_t *json;

    if (pane->beside.view.columns == 0)
        return json_null();
    view.axis = pane->beside.view.axis;
    view.slice = pane->beside.view.slice;
    view.x = view.y = 0;
    view.zoom = pane->beside.view.zoom;
    view.tall = pane->beside.view.tall;
    view.columns = pane->beside.view.columns;
    view.lines = pane->beside.view.lines;
    json = json_object();
    ca_wire_set_view(json, &view);
    return json;
}

/* Its frames say that it is there. */
static void view_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    (void)pending, (void)reply;
    if (refusal)
        message_warn(pane->wb, "%s", refusal->text);
}

static double view_tick(struct pane *pane, double now)
{
    struct ca_view view;
    json_t *body;

    (void)now;
    if (!session_has_run(pane) || !pane->view_due || session_waits_for(pane, view_taken))
        return -1;
    body = json_pack("{s:f}", "fps", setting_number(pane->wb, CA_SETTING_FPS));
    view_field(pane);
    view = pane->view;
    view.digests = pane->wb->difference;
    ca_wire_set_view(body, &view);
    json_object_set_new(body, "beside", beside_json(pane));
    pane->view_due = false;
    session_send(pane, "view", body, view_taken);
    return -1;
}

/* --- frames ----------------------------------------------------------------------------------- */

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

static void pane_take_frame(struct pane *pane, const struct ca_message *message)
{
    struct frame *frame = split_awaits(pane) ? &pane->coming : &pane->frame;
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
    generation_take(pane, message->json);
    session_frame_ran(pane, wire.running);
    if (wire.timed)
        figures_take(pane, &wire.timing);
    if (wire.observed)
        observed_take(pane, &wire);
    if (pane->cursor.on)
        session_cell(pane);
    pane->ack_due = true;
    pane->wb->dirty = true;
}

/* --- other events ----------------------------------------------------------------------------- */

static void stopped(struct pane *pane, const json_t *json)
{
    struct ca_error error;

    ca_wire_error_read(&error, json_object_get(json, "error"));
    generation_take(pane, json);
    session_stopped(pane, error.text[0]); /* then the engine has closed the simulation */
    session_fault(pane, &error);
    pane->wb->dirty = true;
    if (error.text[0])
        alarm_raise(pane->wb, "stopped at generation %llu: %s",
                    (unsigned long long)session_generation(pane), error.text);
}

void event_take(struct pane *pane, const struct ca_message *message)
{
    switch (ca_wire_event(message->json)) {
    case CA_EVENT_FRAME:
        pane_take_frame(pane, message);
        break;
    case CA_EVENT_STOPPED:
        stopped(pane, message->json);
        break;
    case CA_EVENT_LOG:
        if (strcmp(ca_wire_text(message->json, "level"), "info") == 0)
            message_show(pane->wb, "%s", ca_wire_text(message->json, "message"));
        else
            message_warn(pane->wb, "%s", ca_wire_text(message->json, "message"));
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

const struct part view_part = {.name = "view", .tick_pane = view_tick};
