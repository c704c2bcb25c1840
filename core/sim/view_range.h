/* SPDX-License-Identifier: MIT */
/* The parts of views: appearances of cells, fields, and ranges of levels. Inside core/sim only. */
#ifndef CALAB_CORE_SIM_VIEW_RANGE_H
#define CALAB_CORE_SIM_VIEW_RANGE_H

#include "core/model/view_bins.h"
#include "core/sim/view.h"

/* The range that the levels of a frame are of: round numbers, so that a legend can say them, which
 * do not change with every frame. */
struct ca_view_range {
    double low, high;             /* low == high: there has been none yet */
    const struct ca_model *model; /* what it is of: another quantity begins a new one */
    enum ca_drawn drawn;
    enum ca_view_projection projection;
    char field[CA_FIELD_NAME_MAX];
};

/*
 * Round numbers *low < *high about values from `least` to `most`: from 0 where they fill the upper
 * half of that or more; `with_sign`: as far below 0 as above. Values that are all 0 get 0 ... 1.
 */
void ca_view_range_round(double least, double most, bool with_sign, double *low, double *high);

/* Stores the range of most values, which leaves out a hundredth at each end, so that a few outliers
 * do not darken all others; where it would be empty, that of all. NaN do not count; false, and NaN
 * stored, where no values are left. */
bool ca_view_range_inner(const double values[], int count, double *least, double *most);
/* Whether a range, which was round about other values, is still one for these: they reach beyond it
 * by a twentieth at most, and fill half of it. One that is round about them at first does so with
 * room to spare, so that no value between two ranges changes it in each frame. */
bool ca_view_range_fits(double low, double high, double least, double most, bool with_sign);

/*
 * Derives the levels of the frame, whose codes are set, from the values of its points (NaN: none)
 * under the range that its view asks for, and notes that range in the frame. Under CA_RANGE_AUTO
 * the range in *last, which the caller keeps from frame to frame, stays while it fits what most
 * values are. What lies beyond it has the level of that end.
 */
void ca_view_levels(struct ca_frame *frame, const struct ca_model *model, const double *values,
                    struct ca_view_range *last);

/* Fills the codes of the frame, whose view has been checked, and the values of its points; NaN
 * where the field has none. */
enum ca_status view_field_draw(struct ca_frame *frame, double *values,
                               struct ca_simulation *simulation, struct ca_error *error);

struct view_appearances {
    const struct ca_model *model;
    float low, high;
    struct ca_appearances u8; /* of all cells that a u8 model can have; radix 0: not tabulated */
};

void view_appearances_make(struct view_appearances *appearances,
                           const struct ca_simulation *simulation);
/* The appearance that the model gives the cell at index i, its level clamped to 0 ... 1. */
struct ca_appearance view_appearance(const struct view_appearances *appearances,
                                     const void *const planes[], int64_t i);

#endif
