/* SPDX-License-Identifier: MIT */
/* Resets, and how the last one can be undone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_UNDO_H
#define CALAB_TUI_WORKBENCH_ENGINE_UNDO_H

#include <stdbool.h>
#include <stdint.h>

struct workbench;
struct pane;

struct undo {
    enum {
        UNDO_NONE,
        UNDO_ASIDE, /* the engine has put the state aside */
        UNDO_AGAIN, /* the start leads to it */
    } how;
    uint64_t generation;
    bool steered, from_state; /* what that state was */
    bool warned;              /* of the state at `warned_at` it was said that it will be lost */
    uint64_t warned_at;
};

/* The requests of the keys. */
void undo_reset(struct workbench *wb);
void undo_last(struct workbench *wb);
/* Another experiment is open, or the present one has changed; same_rule: not in its parameters. */
void undo_forget(struct pane *pane);
void undo_change(struct pane *pane, bool same_rule);

#endif
