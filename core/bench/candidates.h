/* SPDX-License-Identifier: MIT */
/* The backends from which a choice selects (core/bench/choose.h). */
#ifndef CALAB_CORE_BENCH_CANDIDATES_H
#define CALAB_CORE_BENCH_CANDIDATES_H

#include "core/bench/kept.h"
#include "core/sim/experiment.h"

/* The least time of a generation in any CUDA kernel, whatever the lattice. CUDA backends are not
 * asked for their plans, which would initialise the GPU, where the CPU is faster than that. */
#define CA_GPU_STEP_LEAST_S 0.2e-6

#define CA_CANDIDATES_MAX 32

/* The seconds of a generation come from one of these. */
enum ca_estimate { CA_UNKNOWN, CA_PREDICTED, CA_KEPT, CA_TRIED };
extern const char *const ca_estimate_names[];

struct ca_candidate {
    const struct ca_backend *backend;
    bool fits;
    enum ca_status status; /* of its plan */
    char reason[256];      /* why it does not fit */
    struct ca_plan plan;   /* if it fits */
    double predicted_s;    /* seconds of a generation, at least; 0: unknown */
    double step_s;         /* seconds of a generation by the best known estimate, 0: unknown */
    enum ca_estimate estimate;
    struct ca_kept kept; /* of one that was measured, before or in this choice's trial */
    double planned_mups; /* as its plan has it, by this choice's trial; 0: not tried */
    bool doubtful;       /* the kept rate is to be measured again, see core/bench/kept.h */
};

/*
 * Fills the backends of the experiment's model from which a choice selects, in the ladder's order,
 * with the estimate of each. Backends that do not take the options which the user has set are left
 * out. ca_experiment_check has to have passed the experiment. Returns their number.
 */
int ca_candidates(const struct ca_experiment *experiment, const struct ca_backend *choice,
                  struct ca_candidate candidates[CA_CANDIDATES_MAX]);

/* Asks the plan of the candidate's backend, and fills what follows from it and from kept rates. */
void ca_candidate_examine(const struct ca_experiment *experiment, struct ca_candidate *candidate);
bool ca_candidate_measured(const struct ca_candidate *candidate);
/* Whether its rate was measured and is not doubtful, since a doubtful one may be wrong. */
bool ca_candidate_rate_counts(const struct ca_candidate *candidate);
/* A CUDA backend whose plan was not asked for, because the CPU is fast enough. */
bool ca_candidate_unasked(const struct ca_candidate *candidate);
/* Returns the fastest of those that count, NULL: of all that fit. */
const struct ca_candidate *ca_candidate_fastest(const struct ca_candidate candidates[], int count,
                                                bool (*counts)(const struct ca_candidate *));

#endif
