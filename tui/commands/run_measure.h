/* SPDX-License-Identifier: MIT */
/* The measurements of an experiment file, their table and their JSON. */
#ifndef CALAB_TUI_RUN_MEASURE_H
#define CALAB_TUI_RUN_MEASURE_H

#include "core/sim/measure.h"
#include "tui/options.h"

/* Runs and prints all lines. CA_WRONG where one is outside of its range, 128 + n after a signal n;
 * the lines that were measured before are printed all the same. */
int run_measure(struct ca_measures *measures, const struct options *options,
                struct ca_error *error);

#endif
