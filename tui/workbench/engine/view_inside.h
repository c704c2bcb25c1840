/* SPDX-License-Identifier: MIT */
/* The window of a pane onto its lattice, for view.c and navigate.c alone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_VIEW_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_VIEW_INSIDE_H

#include "tui/workbench/engine/view.h"

struct window {
    struct ca_view view; /* as requested from the engine */
    bool view_due;       /* it is to be requested anew */
    struct scale scale;  /* of the picture */
    struct beside beside;
    int64_t beside_slice; /* the fullest one across the second's axis; -1: not known */
    bool beside_sought;   /* it has been asked for */
    int seeks;            /* keys for the next slice with cells that wait for an answer */
    bool chosen; /* its slice, by the user or an experiment; else the state's fullest is sought */
    bool fitted; /* the zoom follows the sizes of slice and panel, so that all of the slice
                    is shown */
    struct ca_view zoomed; /* the view after the last zoom */
    int64_t middle[2];     /* the centre of that zoom */
    struct ca_view ranged; /* what was drawn when a range was set */
    struct {
        bool on;
        bool edits;   /* keys change the cell under it */
        int64_t x, y; /* in the slice */
        int64_t met;  /* of a depth: where along its axis the cell lies that is seen there */
        char text[256];
        bool due; /* it is to be asked for */
    } cursor;
};

struct window *window_of(const struct pane *pane);
/* The points of the view that the panel has room for; and no more than the lattice has. */
void view_size(struct pane *pane);
void view_clamp(struct pane *pane);
/* The user has chosen a part of the slice or a zoom: the picture follows the panel no longer, and
 * each of its points has the same cells. */
void view_choose(struct window *w);
/* Turns a view of a field that the model has not into one of its first field, or of the state. */
void view_field(struct pane *pane);
/* "": none, so that the first one comes first. */
void view_field_set(struct pane *pane, const char *name);
/* Whether a split marks differences, instead of a field that is drawn. */
void view_set_difference(struct workbench *wb, bool difference);

#endif
