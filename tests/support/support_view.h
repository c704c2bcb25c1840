/* SPDX-License-Identifier: MIT */
/* Frames, and whether two backends of a model give the same pictures. */
#ifndef CALAB_TESTS_SUPPORT_VIEW_H
#define CALAB_TESTS_SUPPORT_VIEW_H

#include "core/sim/view.h"

/* A frame of the simulation; fails the test without one. */
const struct ca_frame *view_draw(struct ca_viewer *viewer, struct ca_simulation *simulation,
                                 const struct ca_view *view);

/*
 * Draws frames of both experiments along all axes, at several zooms and places, in every way, and
 * fails the test at the first that is not the same in every byte. Both are of one model and size.
 */
void view_check_same(struct ca_experiment *a, struct ca_experiment *b);

#endif
