/* SPDX-License-Identifier: MIT */
/* The cell under the cursor: an engine is asked what it is. */
#include "tui/workbench/engine/cursor.h"

#include <stdio.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/view_inside.h"

void cursor_cell(const struct pane *pane, int64_t cell[3])
{
    struct window *w = window_of(pane);
    const struct ca_view *v = &w->view;

    cell[0] = v->axis == CA_YZ ? v->slice : w->cursor.x;
    cell[1] = v->axis == CA_XY ? w->cursor.y : v->axis == CA_XZ ? v->slice : w->cursor.x;
    cell[2] = v->axis == CA_XY ? v->slice : w->cursor.y;
}

bool cursor_is_on(const struct pane *pane) { return window_of(pane)->cursor.on; }

const char *cursor_text(const struct pane *pane) { return window_of(pane)->cursor.text; }

void cursor_at(const struct pane *pane, int64_t at[2])
{
    at[0] = window_of(pane)->cursor.x;
    at[1] = window_of(pane)->cursor.y;
}

void cursor_put(struct pane *pane, int64_t x, int64_t y)
{
    struct window *w = window_of(pane);

    w->cursor.edits &= w->cursor.on;
    w->cursor.on = true;
    w->cursor.x = x;
    w->cursor.y = y;
}

bool cursor_edited(const struct pane *pane)
{
    return window_of(pane)->cursor.on && window_of(pane)->cursor.edits;
}

void cursor_edits(struct pane *pane, bool edits) { window_of(pane)->cursor.edits = edits; }

void cursor_leave(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->cursor.on = w->cursor.edits = false;
}

void cursor_hide(struct pane *pane)
{
    bool was = cursor_is_on(pane);

    cursor_leave(pane);
    pane->wb->dirty = true;
    if (was) /* a second slice went through it */
        view_changed(pane);
}

static void take_cell(struct pane *pane, const json_t *json)
{
    struct window *w = window_of(pane);
    const json_t *planes = json_object_get(json, "planes"), *value;
    const char *name, *state = ca_wire_text(json, "state");
    int64_t cell[3];
    int n;

    cursor_cell(pane, cell);
    n = snprintf(w->cursor.text, sizeof w->cursor.text, "%lld,%lld", (long long)cell[0],
                 (long long)cell[1]);
    if (pane->experiment.model->dimensions == 3)
        n += snprintf(w->cursor.text + n, sizeof w->cursor.text - (size_t)n, ",%lld",
                      (long long)cell[2]);
    json_object_foreach((json_t *)planes, name, value)
    {
        if (n > 0 && n < (int)sizeof w->cursor.text)
            n += snprintf(w->cursor.text + n, sizeof w->cursor.text - (size_t)n, " %s=%g", name,
                          json_number_value(value));
    }
    if (state[0] && n > 0 && n < (int)sizeof w->cursor.text)
        snprintf(w->cursor.text + n, sizeof w->cursor.text - (size_t)n, " (%s)", state);
    pane->wb->dirty = true;
}

static void cell_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    struct window *w = window_of(pane);

    (void)pending;
    if (refusal)
        snprintf(w->cursor.text, sizeof w->cursor.text, "outside");
    else
        take_cell(pane, reply->json);
}

void session_cell(struct pane *pane) { window_of(pane)->cursor.due = true; }

static double cursor_tick(struct pane *pane, double now)
{
    struct window *w = window_of(pane);
    int64_t cell[3];

    (void)now;
    if (!session_has_run(pane) || !w->cursor.due || !w->cursor.on ||
        session_waits_for(pane, cell_taken))
        return -1;
    w->cursor.due = false;
    cursor_cell(pane, cell);
    session_send(pane, "cell",
                 json_pack("{s:I,s:I,s:I}", "x", (json_int_t)cell[0], "y", (json_int_t)cell[1], "z",
                           (json_int_t)cell[2]),
                 cell_taken);
    return -1;
}

bool edit_is_on(const struct workbench *wb)
{
    return cursor_edited(wb->pane) && dialogs_depth(wb) == 0;
}

const struct part cursor_part = {.name = "cursor", .tick_pane = cursor_tick};
