/* SPDX-License-Identifier: MIT */
/*
 * The choice of a backend: what `auto`, `cpu` and `cuda` stand for.
 *
 * Every backend of the kind says by its plan whether it holds the lattice. Those that do are
 * compared by what a generation takes: as it was measured and kept for this device, size and these
 * parameters (core/bench/tune.h), else as it is predicted. Where predictions are too close to tell,
 * the backends concerned are tried for some milliseconds, and what that gives is kept.
 */
#ifndef CALAB_CORE_BENCH_CHOOSE_H
#define CALAB_CORE_BENCH_CHOOSE_H

#include "core/sim/experiment.h"

#define CA_CANDIDATES_MAX 32

/* Where the seconds of a generation come from. */
enum ca_estimate { CA_UNKNOWN, CA_PREDICTED, CA_KEPT, CA_TRIED };
extern const char *const ca_estimate_names[];

struct ca_candidate {
    const struct ca_backend *backend;
    bool fits;
    enum ca_status status; /* of its plan */
    char reason[256];      /* why it does not fit */
    struct ca_plan plan;   /* where it fits */
    double predicted_s;    /* seconds of a generation by the cost model, 0: unknown */
    double step_s;         /* seconds of a generation by the best estimate there is, 0: unknown */
    enum ca_estimate estimate;
};

/*
 * The backends of the experiment's model that a choice is among, in the ladder's order, with what
 * is known of each; options that the user has set leave out the backends that do not take them. The
 * experiment is one that ca_experiment_check has passed. Returns how many there are.
 */
int ca_candidates(const struct ca_experiment *experiment, const struct ca_backend *choice,
                  struct ca_candidate candidates[CA_CANDIDATES_MAX]);
/*
 * Puts the fastest backend in place of auto, cpu or cuda, and leaves an experiment that names a
 * backend as it is. CA_USAGE, CA_NO_DEVICE: none of them takes the options, holds the lattice, or
 * runs here, with the reason of the last one; and what ca_experiment_check returns.
 */
enum ca_status ca_choose_backend(struct ca_experiment *experiment, struct ca_error *error);

#endif
