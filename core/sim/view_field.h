/* SPDX-License-Identifier: MIT */
/* Frames of a field. Only core/sim/view.c uses it. */
#ifndef CALAB_CORE_SIM_VIEW_FIELD_H
#define CALAB_CORE_SIM_VIEW_FIELD_H

#include "core/sim/view.h"

/* Fills the codes of the frame, whose view has been checked, and the values of its points; NaN
 * where the field has none. */
enum ca_status view_field_draw(struct ca_frame *frame, double *values,
                               struct ca_simulation *simulation, struct ca_error *error);

#endif
