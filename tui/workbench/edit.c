/* SPDX-License-Identifier: MIT */
/* Cells are edited here: the cursor moves, a key gives the cell under it the next of the model's
 * states, another one puts a pattern from a file there. In a split both panes get the same. */
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/lockstep.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/lists/complete.h"

/* Whether the panes stand at one state that can be changed; if not, the reason is said. */
static bool may_change(struct workbench *wb)
{
    const char *why = NULL;

    for (int i = 0; i < wb->pane_count && !why; i++)
        if (!session_has_run(&wb->panes[i]))
            why = "no simulation is open";
        else if (!pane_can(&wb->panes[i], "put"))
            why = "the engine has no request 'put'";
    if (!why && split_is_open(wb) &&
        (split_busy(wb) || !split_has_begun(wb) ||
         session_generation(&wb->panes[0]) != session_generation(&wb->panes[1])))
        why = "A and B are not both idle at one generation";
    if (why)
        message_warn(wb, "cells cannot be changed: %s", why);
    return !why;
}

static void put_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                      const struct ca_error *refusal)
{
    const json_t *json = reply->json;

    if (refusal) {
        message_warn(pane->wb, "%s", refusal->text);
        return;
    }
    generation_take(pane, json);
    pane->modified = true;
    checkpoint_edited(pane);
    if (cursor_is_on(pane))
        session_cell(pane);
    if (pending->path[0] && pane_index(pane) == 0)
        message_show(pane->wb, "pasted %s, %lldx%lldx%lld", pending->path,
                     (long long)json_integer_value(json_object_get(json, "width")),
                     (long long)json_integer_value(json_object_get(json, "height")),
                     (long long)json_integer_value(json_object_get(json, "depth")));
}

static void put_cells(struct workbench *wb, json_t *body, const char *path)
{
    int64_t cell[3];

    cursor_cell(wb->pane, cell);
    json_object_set_new(body, "x", json_integer((json_int_t)cell[0]));
    json_object_set_new(body, "y", json_integer((json_int_t)cell[1]));
    json_object_set_new(body, "z", json_integer((json_int_t)cell[2]));
    for (int i = 0; i < wb->pane_count; i++) {
        struct pending *pending =
            session_send(&wb->panes[i], "put", json_deep_copy(body), put_taken);

        if (pending)
            snprintf(pending->path, sizeof pending->path, "%s", path);
    }
    json_decref(body);
    split_restart(wb);
}

static void edit_next(struct workbench *wb)
{
    if (may_change(wb))
        put_cells(wb, json_pack("{s:b}", "next", 1), "");
}

static bool paste_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item, (void)error;
    if (text[0] && may_change(wb))
        put_cells(wb, json_pack("{s:s}", "file", text), text);
    return true;
}

static const struct prompt_source paste_source = {
    .label = "paste: ", .accept = paste_accept, .complete = file_complete};

static void edit_paste(struct workbench *wb)
{
    prompt_open(
        wb, &paste_source, 0, "",
        "file with a pattern, whose first cell goes to the cursor: .npy of any model; .pbm "
        "of anneal, life3d and fhp (solid nodes); .rle of anneal and .rle3 of life3d (Golly); "
        ".asc of water (depths)");
}

static void edit_begin(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_brush *brushes = pane->experiment.model->brushes;
    char names[160] = "", key[16], leave[16];
    int64_t cell[3];
    size_t used = 0;

    if (go_busy(wb))
        go_stop(wb);
    if (!cursor_is_on(pane))
        parts_perform(wb, REQUEST_INSPECT);
    cursor_cell(pane, cell);
    view_cells(pane);
    view_center(pane, cell[0], cell[1], cell[2]);
    cursor_edits(pane, true);
    for (int i = 0; brushes[i].name && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 brushes[i].name);
    message_show(wb, "%s: %s; %s leaves", keys_first(wb->keys.keys[REQUEST_EDIT_NEXT], key), names,
                 keys_first(wb->keys.keys[REQUEST_EDIT], leave));
}

static void edit_toggle(struct workbench *wb)
{
    wb->dirty = true;
    if (cursor_edited(wb->pane))
        cursor_leave(wb->pane);
    else if (session_ready(wb, edit_toggle) && (go_busy(wb) || may_change(wb)))
        edit_begin(wb);
}

static bool edit_key(struct workbench *wb, enum request request, int code)
{
    enum request own = edit_is_on(wb) ? keymap_find(&wb->keys, KEYS_EDIT, code) : REQUEST_NONE;

    (void)request;
    if (own != REQUEST_NONE)
        parts_perform(wb, own);
    return own != REQUEST_NONE;
}

static const struct part_action edit_actions[] = {
    {REQUEST_EDIT, edit_toggle},
    {REQUEST_EDIT_NEXT, edit_next},
    {REQUEST_EDIT_PASTE, edit_paste},
    {REQUEST_NONE, NULL},
};

const struct part edit_part = {.name = "edit", .key = edit_key, .actions = edit_actions};
