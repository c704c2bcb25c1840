/* SPDX-License-Identifier: MIT */
/* Checks of the sums of blocks that backends make, with and without neighbours, and windows of them
 * over time. */
#ifndef CALAB_TESTS_SUPPORT_BLOCKS_H
#define CALAB_TESTS_SUPPORT_BLOCKS_H

#include "core/sim/fields.h"

/* Each backend of the model on that device which runs here and holds the size, three generations on
 * from its start: blocks of several shapes are what the stored cells add up to one by one. Counts
 * are exact, floats may differ by the rounding of another order. The number of backends. */
int blocks_check(const struct ca_model *model, enum ca_device_kind device, const char *size);

/* Steps `generations`, and samples after every `every` of them: generations / every samples. */
void test_window_run(struct ca_window *window, struct ca_simulation *simulation,
                     uint64_t generations, uint64_t every);

#endif
