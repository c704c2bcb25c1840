/* SPDX-License-Identifier: MIT */
/* Owns the choice of a backend: the candidates, their estimates, and the trial of close ones. */
#include "core/bench/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/bench/cost.h"
#include "core/bench/tune.h"
#include "core/ranks/ranks.h"
#include "core/sim/simulation.h"

/* The least time of a generation in any CUDA kernel, whatever the lattice. CUDA backends are not
 * asked for their plans, which would initialise the GPU, where the CPU is faster than that. */
#define GPU_STEP_LEAST_S 0.2e-6

#define CLOSE 1.5    /* predictions within this factor of the best are too close to decide */
#define TRIAL_S 0.05 /* the most time for all trials of a choice */
#define TRIAL_BYTES_MAX (INT64_C(1) << 30) /* an instance with more takes too long to allocate */

const char *const ca_estimate_names[] = {
    [CA_UNKNOWN] = "unknown",
    [CA_PREDICTED] = "predicted",
    [CA_KEPT] = "measured before",
    [CA_TRIED] = "tried",
};

/* --- candidates ------------------------------------------------------------------------------ */

/* Whether the backend takes the options that the user has set, with their values. */
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

static void examine(const struct ca_experiment *experiment, struct ca_candidate *candidate)
{
    struct ca_experiment own = *experiment;
    struct ca_error refusal;
    double mups;

    ca_experiment_backend(&own, candidate->backend, CA_BUILT_IN);
    candidate->status = ca_experiment_plan(&own, &candidate->plan, &refusal);
    candidate->fits = candidate->status == CA_OK;
    if (!candidate->fits) {
        snprintf(candidate->reason, sizeof candidate->reason, "%.255s", refusal.text);
        return;
    }
    candidate->predicted_s = ca_cost_step(&own, &candidate->plan);
    candidate->step_s = candidate->predicted_s;
    candidate->estimate = candidate->predicted_s > 0 ? CA_PREDICTED : CA_UNKNOWN;
    mups = ca_tuned_mups(&own);
    if (mups > 0) {
        candidate->step_s = (double)ca_cells(experiment->size) / mups / 1e6;
        candidate->estimate = CA_KEPT;
    }
}

static const struct ca_candidate *fastest(const struct ca_candidate candidates[], int count)
{
    const struct ca_candidate *best = NULL;

    for (int i = 0; i < count; i++)
        if (candidates[i].step_s > 0 && (!best || candidates[i].step_s < best->step_s))
            best = &candidates[i];
    return best;
}

int ca_candidates(const struct ca_experiment *experiment, const struct ca_backend *choice,
                  struct ca_candidate candidates[CA_CANDIDATES_MAX])
{
    const struct ca_candidate *best;
    int count = 0;

    for (int kind = CA_CPU; kind <= CA_CUDA; kind++) {
        best = fastest(candidates, count);
        for (const struct ca_backend *b = experiment->model->backends; b->name; b++) {
            if (b->device != (enum ca_device_kind)kind || !ca_backend_chooses(choice, b) ||
                b->tolerance > 0 || /* a choice must not show in the state */
                !takes_options(experiment, b) || count == CA_CANDIDATES_MAX)
                continue;
            candidates[count] = (struct ca_candidate){.backend = b};
            if (kind == CA_CUDA && best && best->step_s < GPU_STEP_LEAST_S)
                snprintf(candidates[count].reason, sizeof candidates[count].reason,
                         "not asked: %s takes less than a GPU's least time for a generation",
                         best->backend->name);
            else
                examine(experiment, &candidates[count]);
            count++;
        }
    }
    return count;
}

/* --- the trial ------------------------------------------------------------------------------- */

/* The seconds of a generation: the better of the last two of calls that grow in length; 0 after a
 * failure. */
static double time_steps(const struct ca_stepper *stepper, void *self, double limit_s)
{
    double until = ca_now() + limit_s, start, took, step_s = 0, before = 0;
    struct ca_error ignored;

    for (uint64_t n = 1;; n *= 2) {
        start = ca_now();
        if (stepper->step(self, 0, n, &ignored) != CA_OK)
            return 0;
        took = ca_now() - start;
        before = step_s;
        step_s = took / (double)n;
        if (ca_now() + 2 * took > until)
            return before > 0 && before < step_s ? before : step_s;
    }
}

static void try_one(const struct ca_experiment *experiment, struct ca_candidate *candidate,
                    double limit_s)
{
    const struct ca_stepper *stepper;
    struct ca_experiment own = *experiment;
    struct ca_setup setup;
    struct ca_error ignored;
    double step_s = 0;
    void *self;

    ca_experiment_backend(&own, candidate->backend, CA_BUILT_IN);
    setup = ca_setup_of(&own);
    stepper = ca_stepper_of(&setup);
    if (stepper->create(&self, &setup, &ignored) != CA_OK)
        return;
    step_s = time_steps(stepper, self, limit_s);
    stepper->destroy(self);
    if (step_s <= 0)
        return;
    candidate->step_s = step_s;
    candidate->estimate = CA_TRIED;
    /* A file that cannot be written costs the next choice the same trial, no more. */
    ca_tuned_keep_rate(&own, (double)ca_cells(own.size) / step_s / 1e6, &ignored);
}

static bool worth_trying(const struct ca_candidate *candidate, double least_s)
{
    return candidate->step_s > 0 && candidate->step_s < CLOSE * least_s &&
           candidate->estimate == CA_PREDICTED && candidate->plan.memory_bytes <= TRIAL_BYTES_MAX;
}

static void try_close(const struct ca_experiment *experiment, struct ca_candidate candidates[],
                      int count)
{
    double least_s = fastest(candidates, count)->step_s;
    int close = 0, to_try = 0;

    for (int i = 0; i < count; i++) {
        close += candidates[i].step_s > 0 && candidates[i].step_s < CLOSE * least_s;
        to_try += worth_trying(&candidates[i], least_s);
    }
    if (close < 2 || 4 * to_try * least_s > TRIAL_S)
        return;
    for (int i = 0; i < count; i++)
        if (worth_trying(&candidates[i], least_s))
            try_one(experiment, &candidates[i], TRIAL_S / to_try);
}

/* --------------------------------------------------------------------------------------------- */

/* Reports the reason of the last backend, but that of one without a device only if no backend has
 * another reason. */
static enum ca_status none_fits(const struct ca_experiment *experiment,
                                const struct ca_candidate candidates[], int count,
                                struct ca_error *error)
{
    const char *model = experiment->model->name, *name = experiment->backend->name;
    const struct ca_candidate *said = NULL;

    for (int i = 0; i < count; i++)
        if (candidates[i].status != CA_OK &&
            (!said || said->status == CA_NO_DEVICE || candidates[i].status != CA_NO_DEVICE))
            said = &candidates[i];
    if (!said)
        return ca_fail(error, CA_USAGE, "%s: no backend of %s takes the options that are set", name,
                       model);
    return ca_fail(error, said->status, "%s: no backend of %s can run this; %s: %s", name, model,
                   said->backend->name, said->reason);
}

static enum ca_status choose(struct ca_experiment *experiment, bool trial, struct ca_error *error)
{
    const struct ca_backend *choice = experiment->backend;
    struct ca_candidate *candidates;
    const struct ca_candidate *best;
    enum ca_status status = CA_OK;
    int count;

    if (!choice->choice)
        return CA_OK;
    CA_TRY(ca_experiment_check(experiment, error));
    candidates = calloc(CA_CANDIDATES_MAX, sizeof *candidates);
    if (!candidates)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the choice of a backend");
    count = ca_candidates(experiment, choice, candidates);
    if (trial && fastest(candidates, count))
        try_close(experiment, candidates, count);
    best = fastest(candidates, count);
    for (int i = 0; i < count && !best; i++) /* no cost is known: the first that fits */
        best = candidates[i].fits ? &candidates[i] : NULL;
    if (best)
        ca_experiment_chosen(experiment, choice, best->backend);
    else
        status = none_fits(experiment, candidates, count, error);
    free(candidates);
    return status;
}

enum ca_status ca_choose_backend(struct ca_experiment *experiment, struct ca_error *error)
{
    return choose(experiment, true, error);
}

enum ca_status ca_choose_untried(struct ca_experiment *experiment, struct ca_error *error)
{
    return choose(experiment, false, error);
}
