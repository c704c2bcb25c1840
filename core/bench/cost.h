/* SPDX-License-Identifier: MIT */
/* The least time of a generation: the plan's own bound, else one from what the device does at most.
 */
#ifndef CALAB_CORE_BENCH_COST_H
#define CALAB_CORE_BENCH_COST_H

#include "core/sim/experiment.h"

/* Seconds of a generation, at least, of an experiment whose plan this is. */
double ca_cost_step(const struct ca_experiment *experiment, const struct ca_plan *plan);

#endif
