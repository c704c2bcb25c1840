/* SPDX-License-Identifier: MIT */
/* What a generation should take: the plan's prediction, else one by rates that were measured. */
#ifndef CALAB_CORE_BENCH_COST_H
#define CALAB_CORE_BENCH_COST_H

#include "core/sim/experiment.h"

/* Predicted seconds of a generation of an experiment whose plan this is; 0: unknown. */
double ca_cost_step(const struct ca_experiment *experiment, const struct ca_plan *plan);

#endif
