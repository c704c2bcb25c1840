/* SPDX-License-Identifier: MIT */
/*
 * The choice of a backend: what `auto`, `cpu` and `cuda` stand for.
 *
 * The plan of every backend of the kind says whether it holds the lattice. Those that do are
 * compared by the time of a generation: the one that was measured and kept for this device, size
 * and these parameters (core/bench/tune.h), otherwise its bound, the least time that is expected of
 * the device (core/bench/cost.h). Bounds exclude what should take half as long again as the best
 * was measured at, or longer; the others are tried, the lowest bound first, and then other shapes
 * of those whose plans choose among some: those that differ in one option from the plan's, and from
 * each better one that is found. A trial ends after a part of a second, and the measured
 * rates are kept with their shapes. Kept rates that are disturbed, old or of another driver are
 * measured again, once in a process. The experiment gets the reason of its choice.
 */
#ifndef CALAB_CORE_BENCH_CHOOSE_H
#define CALAB_CORE_BENCH_CHOOSE_H

#include "core/bench/candidates.h"

/*
 * Puts the fastest backend in place of auto, cpu or cuda. Of a backend that the experiment names
 * the fastest shape is kept, if its plan chooses among some and the user has set none. CA_USAGE if
 * no backend takes the options that are set; the status and reason of a plan if none holds the
 * lattice or runs here; and what ca_experiment_check returns.
 */
enum ca_status ca_choose_backend(struct ca_experiment *experiment, struct ca_error *error);
/* The same without trials, where nothing is to be run. */
enum ca_status ca_choose_untried(struct ca_experiment *experiment, struct ca_error *error);

#endif
