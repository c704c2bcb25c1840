/* SPDX-License-Identifier: MIT */
/* A plan in words, as every output that reports one shows it. */
#ifndef CALAB_CORE_SIM_PLAN_TEXT_H
#define CALAB_CORE_SIM_PLAN_TEXT_H

#include "core/model/model.h"

/*
 * The variant, and the shape that it runs in: "tiles of 8 rows a lane, 12 generations a pass, grid
 * 22x1x1, block 256x1x1" or "8 generations a pass, 2 threads, 256 bits". Returns text.
 */
char *ca_plan_text(char text[CA_TEXT_MAX], const struct ca_plan *plan);

#endif
