/* SPDX-License-Identifier: MIT */
/* The choice of a backend has three steps: the candidates, their estimates, and the trial of close
 * ones. */
#include "core/bench/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/bench/cost.h"
#include "core/bench/sample.h"
#include "core/bench/tune.h"
#include "core/machine/device.h"
#include "core/ranks/ranks.h"
#include "core/sim/simulation.h"

/* The least time of a generation in any CUDA kernel, whatever the lattice. CUDA backends are not
 * asked for their plans, which would initialise the GPU, where the CPU is faster than that. */
#define GPU_STEP_LEAST_S 0.2e-6

#define CLOSE 1.5       /* predictions within this factor of the best are too close to decide */
#define TRIAL_S 0.05    /* the most time for all trials of a choice */
#define REPEATS_MAX 256 /* doubtful rates that a process measures again */
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
    struct ca_kept now;

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
    candidate->kept = ca_tuned_rate(&own);
    if (candidate->kept.mups > 0) {
        now = ca_kept_now(0, CA_BY_TRIAL, CA_QUIET, candidate->backend);
        candidate->step_s = (double)ca_cells(experiment->size) / candidate->kept.mups / 1e6;
        candidate->estimate = CA_KEPT;
        candidate->doubtful = ca_kept_is_doubtful(&candidate->kept, &now);
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
        for (const struct ca_backend *b = experiment->model->backends; b;
             b = ca_backend_next(experiment->model, b)) {
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

/* The quickest generation of the longest samples, by how undisturbed they were. */
struct trial {
    double step_s[CA_DISTURBED + 1]; /* 0: no such sample */
};

static void trial_add(struct trial *trial, const struct sample *sample, uint64_t n)
{
    double *best = &trial->step_s[sample->quiet], step_s = sample->seconds / (double)n;

    if (*best <= 0 || step_s < *best)
        *best = step_s;
}

/* Takes samples that grow in length for half of the time. The last two count. Where others
 * disturbed both, samples as long as the last one follow until one is undisturbed. False after a
 * failure. */
static bool trial_run(struct trial *trial, struct sampler *sampler, double limit_s)
{
    const double start = ca_now();
    struct sample sample = {0}, before = {0};
    struct ca_error ignored;
    uint64_t n = 1;

    for (;; n *= 2) {
        before = sample;
        if (sample_take(&sample, sampler, n, &ignored) != CA_OK)
            return false;
        if (ca_now() + 2 * sample.seconds > start + limit_s / 2)
            break;
    }
    *trial = (struct trial){{0}};
    trial_add(trial, &sample, n);
    if (before.seconds > 0)
        trial_add(trial, &before, n / 2);
    while (trial->step_s[CA_QUIET] <= 0 && trial->step_s[CA_QUIET_UNKNOWN] <= 0 &&
           ca_now() + sample.seconds <= start + limit_s) {
        if (sample_take(&sample, sampler, n, &ignored) != CA_OK)
            return false;
        trial_add(trial, &sample, n);
    }
    return true;
}

/* Takes the trial's rate for the candidate, and keeps it, unless a better one stays. */
static void trial_end(const struct trial *trial, const struct ca_experiment *own,
                      struct ca_candidate *candidate)
{
    static const enum ca_quiet order[] = {CA_QUIET, CA_QUIET_UNKNOWN, CA_DISTURBED};
    struct ca_error ignored;
    struct ca_kept rate;
    int q = 0;

    while (q < 2 && trial->step_s[order[q]] <= 0)
        q++;
    rate = ca_kept_now((double)ca_cells(own->size) / trial->step_s[order[q]] / 1e6, CA_BY_TRIAL,
                       order[q], own->backend);
    if (!ca_kept_gives_way(&candidate->kept, &rate))
        return;
    candidate->step_s = trial->step_s[order[q]];
    candidate->estimate = CA_TRIED;
    candidate->kept = rate;
    /* A file that cannot be written costs the next choice the same trial, no more. */
    ca_tuned_keep_rate(own, &rate, &ignored);
}

static void try_one(const struct ca_experiment *experiment, struct ca_candidate *candidate,
                    double limit_s)
{
    struct ca_experiment own = *experiment;
    struct sampler sampler = {0};
    struct trial trial;
    struct ca_setup setup;
    struct ca_error ignored;
    bool done;

    ca_experiment_backend(&own, candidate->backend, CA_BUILT_IN);
    ca_tuned_use(&own, &ignored); /* it is going to run with these */
    setup = ca_setup_of(&own);
    sampler.stepper = ca_stepper_of(&setup);
    if (sampler.stepper->create(&sampler.self, &setup, &ignored) != CA_OK)
        return;
    ca_meter_open(&sampler.meter, own.backend, &own.options, candidate->plan.threads);
    done = trial_run(&trial, &sampler, limit_s);
    sampler.stepper->destroy(sampler.self);
    if (done)
        trial_end(&trial, &own, candidate);
}

/* A doubtful rate may be wrong, so that the prediction counts as well. */
static double least_step_s(const struct ca_candidate *candidate)
{
    double predicted_s = candidate->predicted_s;

    return candidate->doubtful && predicted_s > 0 && predicted_s < candidate->step_s
               ? predicted_s
               : candidate->step_s;
}

static bool is_close(const struct ca_candidate *candidate, double least_s)
{
    return candidate->step_s > 0 && least_step_s(candidate) < CLOSE * least_s;
}

static bool worth_trying(const struct ca_candidate *candidate, double least_s)
{
    return is_close(candidate, least_s) && candidate->plan.memory_bytes <= TRIAL_BYTES_MAX &&
           (candidate->estimate == CA_PREDICTED ||
            (candidate->estimate == CA_KEPT && candidate->doubtful));
}

/* A doubtful rate is measured again once in a process: a busy machine would else cost every choice
 * a trial. False where it has been. */
static bool first_repeat(const struct ca_experiment *experiment,
                         const struct ca_candidate *candidate)
{
    static uint64_t seen[REPEATS_MAX];
    static int count;
    struct ca_experiment own = *experiment;
    uint64_t key;

    if (candidate->estimate != CA_KEPT)
        return true;
    ca_experiment_backend(&own, candidate->backend, CA_BUILT_IN);
    key = ca_tuned_key(&own);
    for (int i = 0; i < count; i++)
        if (seen[i] == key)
            return false;
    if (count == REPEATS_MAX)
        return false;
    seen[count++] = key;
    return true;
}

static void try_close(const struct ca_experiment *experiment, struct ca_candidate candidates[],
                      int count)
{
    double least_s = fastest(candidates, count)->step_s;
    int close = 0, to_try = 0;

    for (int i = 0; i < count; i++) {
        close += is_close(&candidates[i], least_s);
        to_try += worth_trying(&candidates[i], least_s);
    }
    if (close < 2 || 4 * to_try * least_s > TRIAL_S)
        return;
    for (int i = 0; i < count; i++)
        if (worth_trying(&candidates[i], least_s) && first_repeat(experiment, &candidates[i]))
            try_one(experiment, &candidates[i], TRIAL_S / to_try);
}

/* --- the reason ------------------------------------------------------------------------------ */

static bool is_measured(const struct ca_candidate *candidate)
{
    return candidate->estimate == CA_KEPT || candidate->estimate == CA_TRIED;
}

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
        if (c != best && c->step_s > 0 && (!second || c->step_s < second->step_s))
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
                 is_measured(best) && is_measured(second)
                     ? ca_kept_text(measured, weaker(&best->kept, &second->kept))
                     : "predicted");
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
    if (best) {
        ca_experiment_chosen(experiment, choice, best->backend);
        say_why(experiment->why, best, candidates, count);
    } else {
        status = none_fits(experiment, candidates, count, error);
    }
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
