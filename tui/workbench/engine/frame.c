/* SPDX-License-Identifier: MIT */
/* An engine sends these by itself: frames, which the view asks for, the end of a run, messages. */
#include "tui/workbench/engine/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
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

    free(frames->shown.bytes);
    free(frames->coming.bytes);
    frames->shown = frames->coming = (struct frame){0};
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
    struct frames *frames = frames_of(pane);
    struct frame *frame = split_awaits(pane) ? &frames->coming : &frames->shown;
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
    if (cursor_is_on(pane))
        session_cell(pane);
    frames->ack_due = true;
    pane->wb->dirty = true;
}

/* --- other events ----------------------------------------------------------------------------- */

static void pane_stopped(struct pane *pane, const json_t *json)
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
        pane_stopped(pane, message->json);
        break;
    case CA_EVENT_LOG:
        if (strcmp(ca_wire_text(message->json, "level"), "info") == 0)
            message_show(pane->wb, "%s", ca_wire_text(message->json, "message"));
        else
            message_warn(pane->wb, "%s", ca_wire_text(message->json, "message"));
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
