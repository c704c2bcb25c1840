/* SPDX-License-Identifier: MIT */
/* The backends from which one is chosen, each with what is known of its speed without running it.
 */
#include "core/bench/candidates.h"

#include <stdio.h>

#include "core/bench/cost.h"
#include "core/bench/tune.h"
#include "core/sim/simulation.h"

const char *const ca_estimate_names[] = {"unknown", "predicted", "measured before", "tried"};

static bool takes_options(const struct ca_experiment *experiment, const struct ca_backend *backend)
{
    const struct ca_values *set = &experiment->options;
    struct ca_values own;

    ca_values_default(&own, backend->options);
    for (int i = 0; i < set->count; i++) {
        int at = ca_values_find(&own, set->table[i].name);
        char text[CA_TEXT_MAX];
        struct ca_error refusal;

        if (set->value[i].origin <= CA_TUNED)
            continue;
        if (at < 0) {
            /* CALAB_THREADS and others describe the machine: a backend without them still fits. */
            if (set->value[i].origin == CA_FROM_ENVIRONMENT)
                continue;
            return false;
        }
        if (ca_values_set(&own, at, ca_value_format(text, &set->table[i], &set->value[i]),
                          CA_BUILT_IN, NULL, &refusal) != CA_OK)
            return false;
    }
    return true;
}

void ca_candidate_examine(const struct ca_experiment *experiment, struct ca_candidate *candidate)
{
    struct ca_experiment own = *experiment;
    struct ca_error refusal;
    struct ca_kept now;

    ca_experiment_backend(&own, candidate->backend, CA_BUILT_IN);
    ca_tuned_use(&own, &refusal); /* it is going to run with these */
    candidate->status = ca_experiment_plan(&own, &candidate->plan, &refusal);
    candidate->fits = candidate->status == CA_OK;
    if (!candidate->fits) {
        snprintf(candidate->reason, sizeof candidate->reason, "%.255s", refusal.text);
        return;
    }
    candidate->predicted_s = ca_cost_step(&own, &candidate->plan);
    candidate->step_s = candidate->predicted_s;
    candidate->estimate = candidate->predicted_s > 0 ? CA_PREDICTED : CA_UNKNOWN;
    candidate->kept = ca_tuned_rate(&own);
    if (candidate->kept.mups > 0) {
        now = ca_kept_now(0, CA_BY_TRIAL, CA_QUIET, candidate->backend);
        candidate->step_s = (double)ca_cells(experiment->size) / candidate->kept.mups / 1e6;
        candidate->estimate = CA_KEPT;
        candidate->doubtful = ca_kept_is_doubtful(&candidate->kept, &now);
    }
}

bool ca_candidate_measured(const struct ca_candidate *candidate)
{
    return candidate->estimate == CA_KEPT || candidate->estimate == CA_TRIED;
}

bool ca_candidate_rate_counts(const struct ca_candidate *candidate)
{
    return ca_candidate_measured(candidate) &&
           !(candidate->estimate == CA_KEPT && candidate->doubtful);
}

const struct ca_candidate *
ca_candidate_fastest(const struct ca_candidate candidates[], int count,
                     bool (*counts)(const struct ca_candidate *candidate))
{
    const struct ca_candidate *best = NULL;

    for (int i = 0; i < count; i++)
        if (candidates[i].step_s > 0 && (!counts || counts(&candidates[i])) &&
            (!best || candidates[i].step_s < best->step_s))
            best = &candidates[i];
    return best;
}

bool ca_candidate_unasked(const struct ca_candidate *candidate)
{
    return !candidate->fits && candidate->status == CA_OK;
}

int ca_candidates(const struct ca_experiment *experiment, const struct ca_backend *choice,
                  struct ca_candidate candidates[CA_CANDIDATES_MAX])
{
    const struct ca_candidate *best;
    int count = 0;

    for (int kind = CA_CPU; kind <= CA_CUDA; kind++) {
        best = ca_candidate_fastest(candidates, count, NULL);
        for (const struct ca_backend *b = experiment->model->backends; b;
             b = ca_backend_next(experiment->model, b)) {
            if (b->device != (enum ca_device_kind)kind || !ca_backend_chooses(choice, b) ||
                b->tolerance > 0 || /* a choice must not show in the state */
                !takes_options(experiment, b) || count == CA_CANDIDATES_MAX)
                continue;
            candidates[count] = (struct ca_candidate){.backend = b};
            if (kind == CA_CUDA && best && best->step_s < CA_GPU_STEP_LEAST_S)
                snprintf(candidates[count].reason, sizeof candidates[count].reason,
                         "not asked: %s takes less than a GPU's least time for a generation",
                         best->backend->name);
            else
                ca_candidate_examine(experiment, &candidates[count]);
            count++;
        }
    }
    return count;
}
