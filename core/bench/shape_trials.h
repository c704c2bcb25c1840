/* SPDX-License-Identifier: MIT */
/* The trials of a choice (core/bench/choose.h). */
#ifndef CALAB_CORE_BENCH_SHAPE_TRIALS_H
#define CALAB_CORE_BENCH_SHAPE_TRIALS_H

#include "core/bench/candidates.h"

/* Tries what bounds do not exclude, for less than 1 s in all, and keeps the rates. */
void ca_trials(const struct ca_experiment *experiment, struct ca_candidate candidates[], int count);

#endif
