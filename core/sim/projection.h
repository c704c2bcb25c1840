/* SPDX-License-Identifier: MIT */
/*
 * Projections: what is seen along lines of sight through a three-dimensional lattice, and how many
 * cells can be seen in each of its slices.
 *
 * Both are made of sums of blocks (core/model/field.h), which a backend makes where its state is.
 * A count takes one sum of each point's whole line of sight, so that no lattice is transferred from
 * a device for a picture. A depth depends on the order of layers: their sums are made some layers
 * at a time, in CA_PROJECTION_BYTES or one layer at most, from the viewer on until every line of
 * sight has met a cell.
 */
#ifndef CALAB_CORE_SIM_PROJECTION_H
#define CALAB_CORE_SIM_PROJECTION_H

#include "core/model/field.h"
#include "core/sim/view.h"

#define CA_PROJECTION_BYTES ((int64_t)8 << 20)
#define CA_DEPTH_LEVEL_LEAST 64 /* the farthest cell, so that it is brighter than nothing */

/* The blocks of a view that are `deep` layers along the line of sight, from layer `from` on. There
 * are as many of them as points, and `layers` times these one behind the other; `margin` more
 * points lie on each side where points share no cells. */
struct ca_blocks ca_view_blocks(const struct ca_view *view, struct ca_size size, int margin,
                                int64_t from, int64_t deep, int64_t layers);
/* The layer that is nearest to the viewer, who looks at heights from above and elsewhere from where
 * coordinates begin; and the n-th from there. */
int64_t ca_view_nearest(const struct ca_model *model, const struct ca_view *view, int64_t slices);

/* Makes the levels of distances, which rise with these, those of a depth, which fall, and exchanges
 * the ends of the range. */
void ca_view_depth_levels(struct ca_frame *frame);

/* Fills the codes of a frame whose view is a projection, and the values of its points, NaN where
 * there is none. */
enum ca_status view_projection_draw(struct ca_frame *frame, double *values,
                                    struct ca_simulation *simulation, struct ca_error *error);

/* A sight says which cells the lines of sight through a block of cells meet. */
struct ca_sight {
    bool met;      /* whether there is any cell that can be seen */
    int64_t at[3]; /* x, y, z of the first one: in the nearest layer, there in the first row */
    double count;  /* of all that are counted */
};
/* Looks along an axis through a block, which begins at a cell of the lattice and lies in it; along
 * the axis it is all of the lattice. */
enum ca_status ca_sight_along(struct ca_sight *sight, struct ca_simulation *simulation,
                              enum ca_axis axis, const int64_t at[3], struct ca_size block,
                              struct ca_error *error);

/* Counts the cells that can be seen (struct ca_seen) in each slice across an axis. A cell that can
 * be seen in two ways counts twice. `counts` has room for as many as there are slices. */
enum ca_status ca_slices_count(struct ca_simulation *simulation, enum ca_axis axis, double counts[],
                               struct ca_error *error);
/* The slice with the most cells, of several the lowest; and the next one with any after slice
 * `after`, beginning again with the first. -1: there is no cell in any. */
int64_t ca_slice_fullest(const double counts[], int64_t slices);
int64_t ca_slice_next(const double counts[], int64_t slices, int64_t after);

#endif
