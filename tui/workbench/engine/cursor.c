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

static void cell_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    (void)pending;
    if (refusal)
        snprintf(pane->cursor.text, sizeof pane->cursor.text, "outside");
    else
        take_cell(pane, reply->json);
}

void session_cell(struct pane *pane) { pane->cursor.due = true; }

static double cursor_tick(struct pane *pane, double now)
{
    int64_t cell[3];

    (void)now;
    if (!session_has_run(pane) || !pane->cursor.due || !pane->cursor.on ||
        session_waits_for(pane, cell_taken))
        return -1;
    pane->cursor.due = false;
    cursor_cell(pane, cell);
    session_send(pane, "cell",
                 json_pack("{s:I,s:I,s:I}", "x", (json_int_t)cell[0], "y", (json_int_t)cell[1], "z",
                           (json_int_t)cell[2]),
                 cell_taken);
    return -1;
}

bool edit_is_on(const struct workbench *wb)
{
    return wb->pane->cursor.on && wb->pane->cursor.edits && dialogs_depth(wb) == 0;
}

const struct part cursor_part = {.name = "cursor", .tick_pane = cursor_tick};
