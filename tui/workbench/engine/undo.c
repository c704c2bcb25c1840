/* SPDX-License-Identifier: MIT */
/* A user may reset a run, and undo that. The engine saves the state for undo where there is room
 * for two. Where there is none, or in a split, a state that the start leads to is computed again;
 * for any other one the user is asked first. */

#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"

struct undo {
    enum {
        UNDO_NONE,
        UNDO_SAVED, /* the engine has saved the state for undo */
        UNDO_AGAIN, /* the start leads to it */
    } how;
    uint64_t generation;
    bool modified, from_state; /* what that state was */
    bool warned;               /* of the state at `warned_at` it was said that it will be lost */
    uint64_t warned_at;
};

const struct part undo_part = {
    .name = "undo", .pane_bytes = sizeof(struct undo), .actions = {{REQUEST_UNDO, undo_last}}};

static struct undo *undo_of(const struct pane *pane) { return pane_state(pane, &undo_part); }

/* Whether the start leads to the present state. */
static bool is_repeatable(const struct pane *pane) { return !pane->modified && !pane->from_state; }

/* The state may be lost once the user has been warned of it. */
static bool was_warned(const struct pane *pane)
{
    return undo_of(pane)->warned && undo_of(pane)->warned_at == session_generation(pane);
}

static void warn(struct pane *pane, const char *why)
{
    undo_of(pane)->warned = true;
    undo_of(pane)->warned_at = session_generation(pane);
    message_warn(pane->wb, "%s: %s again gives this state up and returns to generation 0", why,
                 pane->wb->keys.keys[REQUEST_RESET]);
}

static void compute_again(struct pane *pane, uint64_t generation)
{
    *undo_of(pane) = (struct undo){.how = UNDO_AGAIN, .generation = generation};
}

static void reset_split(struct workbench *wb)
{
    struct pane *pane = &wb->panes[0];
    uint64_t at = split_home(wb) > 0 ? split_home(wb) : session_generation(pane);

    if (is_repeatable(pane)) {
        if (at > 0)
            compute_again(pane, at);
    } else if (!was_warned(pane)) {
        warn(pane, "in a split no state is saved for undo");
        return;
    }
    split_reset(wb);
}

static void save_nothing(struct pane *pane, const char *why)
{
    char text[CA_TEXT_MAX];

    if (is_repeatable(pane)) {
        compute_again(pane, session_generation(pane));
        session_reset(pane);
        message_show(pane->wb, "%s computes generation %llu again: %.300s",
                     pane->wb->keys.keys[REQUEST_UNDO],
                     (unsigned long long)undo_of(pane)->generation, why);
        return;
    }
    snprintf(text, sizeof text, "the state cannot be saved for undo (%.400s)", why);
    warn(pane, text);
}

/* The state is saved for undo; or the engine has no room for it. */
static void undo_saved(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (!json) {
        save_nothing(pane, pending->refusal->text);
        return;
    }
    *undo_of(pane) = (struct undo){.how = UNDO_SAVED,
                                   .generation = session_generation(pane),
                                   .modified = pane->modified,
                                   .from_state = pane->from_state};
    message_show(pane->wb, "%s returns to generation %llu", pane->wb->keys.keys[REQUEST_UNDO],
                 (unsigned long long)undo_of(pane)->generation);
    reset_taken(pane, pending, json);
}

void undo_reset(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_op *moves = session_last(pane, CA_OP_STATE);
    bool nothing_to_lose =
        !moves && session_generation(pane) == 0 && !session_busy(pane) && is_repeatable(pane);

    if (split_is_open(wb)) {
        reset_split(wb);
    } else if (moves && strcmp(moves->name, "reset") == 0) { /* a key that repeats */
        return;
    } else if (!session_has_run(pane) || nothing_to_lose || was_warned(pane)) {
        session_reset(pane);
    } else if (!pane_can(pane, "undo")) {
        save_nothing(pane, "the engine has no request 'undo'");
    } else {
        session_stop(pane);
        session_try(pane, "reset", json_pack("{s:b}", "undo", 1), NULL, 0, undo_saved);
    }
}

void undo_forget(struct pane *pane) { *undo_of(pane) = (struct undo){.how = UNDO_NONE}; }

/* After a change of the backend the engine has nothing saved, but what the start leads to is. */
void undo_change(struct pane *pane, bool same_rule)
{
    const struct undo *u = undo_of(pane);

    if (same_rule && u->how == UNDO_SAVED && !u->modified && !u->from_state)
        undo_of(pane)->how = UNDO_AGAIN;
    else if (!same_rule || u->how == UNDO_SAVED)
        undo_forget(pane);
}

static void undo_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (!json) {
        undo_forget(pane);
        message_warn(pane->wb, "%s", pending->refusal->text);
        return;
    }
    generation_take(pane, json);
    run_begins(pane, false); /* what was observed before the reset is forgotten */
    pane->modified = undo_of(pane)->modified;
    pane->from_state = undo_of(pane)->from_state;
    checkpoint_edited(pane); /* another state than the last one, whatever its generation */
    undo_forget(pane);
    message_show(pane->wb, "back at generation %llu", (unsigned long long)session_generation(pane));
}

void undo_last(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    uint64_t generation = undo_of(pane)->generation;

    if (undo_of(pane)->how == UNDO_NONE) {
        message_show(wb, "there is no reset to undo");
    } else if (undo_of(pane)->how == UNDO_AGAIN) {
        undo_forget(pane);
        go_reset(wb);
        go_seek(wb, generation);
        message_show(wb, "computing generation %llu again", (unsigned long long)generation);
    } else if (split_is_open(wb)) {
        message_show(wb, "the reset was before the split: end that first (%s)",
                     wb->keys.keys[REQUEST_SPLIT]);
    } else {
        session_stop(pane);
        session_try(pane, "undo", NULL, NULL, 0, undo_taken);
    }
}
