/* SPDX-License-Identifier: MIT */
/* Frames of a field. Only core/sim/view.c uses it. */
#ifndef CALAB_CORE_SIM_VIEW_FIELD_H
#define CALAB_CORE_SIM_VIEW_FIELD_H

#include "core/sim/view.h"

/* Fills codes, levels and range of the frame, whose view has been checked. */
enum ca_status view_field_draw(struct ca_frame *frame, struct ca_simulation *simulation,
                               struct ca_error *error);

#endif
