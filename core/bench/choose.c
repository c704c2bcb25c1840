/* SPDX-License-Identifier: MIT */
/* The choice of a backend has three steps: the candidates, their bounds, and trials of what bounds
 * leave. */
#include "core/bench/choose.h"

#include <stdio.h>
#include <string.h>

#include "core/bench/shape_trials.h"
#include "core/bench/tune.h"
#include "core/machine/device.h"
#include "core/sim/simulation.h"

/* Returns the rate of which less is known: the disturbed or the older one. */
static const struct ca_kept *weaker(const struct ca_kept *a, const struct ca_kept *b)
{
    if ((a->quiet == CA_DISTURBED) != (b->quiet == CA_DISTURBED))
        return a->quiet == CA_DISTURBED ? a : b;
    return strcmp(a->date, b->date) < 0 ? a : b;
}

/* "1.09 x bitslice, measured today". */
static void say_why(char why[CA_WHY], const struct ca_candidate *best,
                    const struct ca_candidate candidates[], int count)
{
    const struct ca_candidate *second = NULL;
    char measured[CA_KEPT_TEXT];
    int fit = 0;

    for (int i = 0; i < count; i++) {
        const struct ca_candidate *c = &candidates[i];

        fit += c->fits;
        if (c != best && c->step_s >= best->step_s && (!second || c->step_s < second->step_s))
            second = c;
    }
    if (ca_device_emulated(best->backend)) /* its times are no speed */
        return;
    if (fit == 1)
        snprintf(why, CA_WHY, "no other fits");
    else if (best->step_s <= 0 || !second)
        snprintf(why, CA_WHY, "no other's speed is known");
    else
        snprintf(why, CA_WHY,
                 second->step_s < 1000 * best->step_s ? "%.3g x %.30s, %s" : "%.0f x %.30s, %s",
                 second->step_s / best->step_s, second->backend->name,
                 ca_candidate_measured(best) && ca_candidate_measured(second)
                     ? ca_kept_text(measured, weaker(&best->kept, &second->kept))
                     : "predicted");
}

/* Tries the shapes of a backend that the user has named, where its plan chooses among some and the
 * user has set none. */
static void shapes_of_named(const struct ca_experiment *experiment)
{
    struct ca_candidate named = {.backend = experiment->backend};
    const struct ca_values *options = &experiment->options;
    bool open = false;

    for (int i = 0; i < options->count; i++) {
        if (!options->table[i].tune || !options->table[i].tune[0])
            continue;
        if (options->value[i].origin > CA_TUNED)
            return;
        open = open || ca_tunable(options, i);
    }
    if (!open || ca_tuned_off() || ca_device_emulated(named.backend))
        return;
    ca_candidate_examine(experiment, &named);
    if (named.fits && named.plan.step_s > 0 && !ca_candidate_rate_counts(&named))
        ca_trials(experiment, &named, 1);
}

static enum ca_status choose(struct ca_experiment *experiment, bool trial, struct ca_error *error)
{
    const struct ca_backend *choice = experiment->backend;
    struct ca_candidate candidates[CA_CANDIDATES_MAX];
    const struct ca_candidate *best;
    enum ca_status status = CA_OK;
    int count;

    if (!choice->choice && !trial)
        return CA_OK;
    CA_TRY(ca_experiment_check(experiment, error));
    if (!choice->choice) {
        shapes_of_named(experiment);
        return CA_OK;
    }
    count = ca_candidates(experiment, choice, candidates);
    trial = trial && !ca_tuned_off();
    if (trial)
        ca_trials(experiment, candidates, count);
    best = ca_candidate_fastest(candidates, count, trial ? ca_candidate_measured : NULL);
    if (!best)
        best = ca_candidate_fastest(candidates, count, NULL);
    if (best) {
        ca_experiment_chosen(experiment, choice, best->backend);
        say_why(experiment->why, best, candidates, count);
    } else {
        const struct ca_candidate *said = NULL;

        /* The reason is that of the last backend, but that of one without a device only if no
         * backend has another reason. */
        for (int i = 0; i < count; i++)
            if (candidates[i].status != CA_OK &&
                (!said || said->status == CA_NO_DEVICE || candidates[i].status != CA_NO_DEVICE))
                said = &candidates[i];
        status =
            said ? ca_fail(error, said->status, "%s: no backend of %s can run this; %s: %s",
                           choice->name, experiment->model->name, said->backend->name, said->reason)
                 : ca_fail(error, CA_USAGE, "%s: no backend of %s takes the options that are set",
                           choice->name, experiment->model->name);
    }
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
