/* SPDX-License-Identifier: MIT */
/* The predicted time of a generation: the plan's own prediction, else one from measured rates. */
#ifndef CALAB_CORE_BENCH_COST_H
#define CALAB_CORE_BENCH_COST_H

#include "core/sim/experiment.h"

/* Predicted seconds of a generation of an experiment whose plan this is; 0: unknown. */
double ca_cost_step(const struct ca_experiment *experiment, const struct ca_plan *plan);

#endif
