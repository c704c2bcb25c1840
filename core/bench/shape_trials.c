/* SPDX-License-Identifier: MIT */
/* Candidates, and other shapes of the better ones, are run for a part of a second each. */
#include "core/bench/shape_trials.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/bench/cost.h"
#include "core/bench/sample.h"
#include "core/bench/tune.h"
#include "core/machine/device.h"
#include "core/ranks/ranks.h"
#include "core/sim/simulation.h"

/* A bound by so many times what was measured does not exclude a shape yet: caches serve more than
 * is counted, and operations overlap. */
#define BOUND_EXCESS 1.5

#define TRIALS 12     /* at most, of a choice, */
#define OWN_TRIALS 5  /* and of these of backends, before other shapes of theirs, */
#define CPU_TRIALS 3  /* and of CPU backends before GPUs are asked */
#define TRIALS_S 0.9  /* after which none begins: with what the last one allocates less than 1 s */
#define TRIAL_S 0.1   /* the most time for one */
#define TRIAL_STEPS 8 /* generations that should be done in it */
#define REPEATS_MAX 256                    /* doubtful rates that a process measures again */
#define TRIAL_BYTES_MAX (INT64_C(1) << 30) /* of an instance: a larger lattice is cut to that */
#define TRIAL_FILLED_CELLS (1 << 22)       /* the most that a CPU fills for a trial */

/* --- the trial ------------------------------------------------------------------------------- */

/* The quickest generation of the longest samples, by how undisturbed they were; 0: no such sample.
 */
typedef double trial_times[CA_DISTURBED + 1];

static void trial_add(trial_times step_s, const struct sample *sample, uint64_t n)
{
    double *best = &step_s[sample->quiet], this_s = sample->seconds / (double)n;

    if (*best <= 0 || this_s < *best)
        *best = this_s;
}

/* Takes samples that grow in length for half of the time. The last two count. Where others
 * disturbed both, samples as long as the last one follow until one is undisturbed. False after a
 * failure. */
static bool trial_run(trial_times step_s, struct sampler *sampler, double limit_s)
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
    memset(step_s, 0, sizeof(trial_times));
    trial_add(step_s, &sample, n);
    if (before.seconds > 0)
        trial_add(step_s, &before, n / 2);
    while (step_s[CA_QUIET] <= 0 && step_s[CA_QUIET_UNKNOWN] <= 0 &&
           ca_now() + sample.seconds <= start + limit_s) {
        if (sample_take(&sample, sampler, n, &ignored) != CA_OK)
            return false;
        trial_add(step_s, &sample, n);
    }
    return true;
}

/* The best quality of which there is a time. */
static enum ca_quiet trial_quiet(const trial_times times)
{
    return times[CA_QUIET] > 0           ? CA_QUIET
           : times[CA_QUIET_UNKNOWN] > 0 ? CA_QUIET_UNKNOWN
                                         : CA_DISTURBED;
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* How a backend may run: as its plan has it, or as another shape with another value of an option.
 */
struct shape {
    struct ca_candidate *of;
    int option; /* -1: as the plan has it */
    double number;
    int base; /* the other shape, of those of the trials; -1: as the plan has it */
    struct ca_plan plan;
    double bound_s; /* of a generation */
    bool tried;
};

#define SHAPES_MAX 192

/* All trials of a choice. */
struct trials {
    const struct ca_experiment *experiment;
    struct ca_candidate *candidate;
    int candidates;
    struct shape shape[SHAPES_MAX];
    int shapes;
    int left; /* trials */
    double end;
    double within_s; /* the bound of a shape that is tried is less */
};

static struct ca_experiment experiment_in(const struct trials *trials, const struct shape *shape)
{
    struct ca_experiment own = *trials->experiment;
    struct ca_error ignored;

    if (shape->option < 0) {
        ca_experiment_backend(&own, shape->of->backend, CA_BUILT_IN);
        ca_tuned_use(&own, &ignored); /* it is going to run with these */
        return own;
    }
    if (shape->base >= 0)
        own = experiment_in(trials, &trials->shape[shape->base]);
    else
        ca_experiment_backend(&own, shape->of->backend, CA_BUILT_IN);
    ca_values_set_number(&own.options, shape->option, shape->number, CA_TUNED, NULL, &ignored);
    return own;
}

static bool plans_equal(const struct ca_plan *a, const struct ca_plan *b)
{
    return a->generations == b->generations && a->exchange == b->exchange &&
           strcmp(a->variant, b->variant) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

/* Adds a shape, unless the plan runs the same as another one. */
static void shape_add(struct trials *trials, struct shape shape)
{
    const struct ca_experiment own = experiment_in(trials, &shape);
    struct ca_error refusal;

    if (trials->shapes == SHAPES_MAX || ca_experiment_plan(&own, &shape.plan, &refusal) != CA_OK)
        return;
    for (int i = 0; i < trials->shapes; i++)
        if (trials->shape[i].of == shape.of && plans_equal(&trials->shape[i].plan, &shape.plan))
            return;
    shape.bound_s = ca_cost_step(&own, &shape.plan);
    trials->shape[trials->shapes++] = shape;
}

/* Adds what a plan that chooses among shapes makes of the values that an option may have. */
static void values_add(struct trials *trials, struct shape shape, const struct ca_values *options)
{
    const struct ca_param *param = &options->table[shape.option];
    struct ca_values values = *options;
    struct ca_error ignored;
    char text[CA_TEXT_MAX];

    for (int v = 0; ca_tune_value(param, v, text); v++)
        if (ca_values_set(&values, shape.option, text, CA_TUNED, NULL, &ignored) == CA_OK) {
            shape.number = values.value[shape.option].number;
            shape_add(trials, shape);
        }
}

/* Adds the shapes that differ in one option from another one of the backend, and of several ranks
 * those with half and twice as many generations between two exchanges as the plan has. */
static void shapes_add(struct trials *trials, struct ca_candidate *candidate, int base)
{
    const struct shape planned = {.of = candidate, .option = -1, .base = -1};
    const struct ca_experiment own =
        experiment_in(trials, base < 0 ? &planned : &trials->shape[base]);
    const struct ca_values *options = &own.options;
    const struct ca_plan *plan = &candidate->plan;

    for (int i = 0; base < 0 && i < options->count; i++)
        if (options->value[i].origin == CA_TUNED)
            return; /* they were searched before */
    for (int i = 0; i < options->count; i++) {
        struct shape shape = {.of = candidate, .option = i, .base = base};

        if (!ca_tunable(options, i))
            continue;
        if (options->table[i].tune[0] && plan->step_s > 0)
            values_add(trials, shape, options);
        for (int times = 1; times <= 4 && !options->table[i].tune[0] && plan->ranks > 1;
             times += 3) {
            shape.number = floor(0.5 * times * (double)plan->exchange);
            shape_add(trials, shape);
        }
    }
}

/* --- trials ---------------------------------------------------------------------------------- */

/* Takes the trial's rate for the backend, if it is the best of its shapes, and keeps it, unless a
 * better one stays. Shapes like the best one are to be tried, too. */
static void trial_end(struct trials *trials, const trial_times times, const struct shape *shape,
                      double scale)
{
    const enum ca_quiet quiet = trial_quiet(times);
    const struct ca_experiment own = experiment_in(trials, shape);
    struct ca_candidate *candidate = shape->of;
    const double step_s = times[quiet] * scale;
    struct ca_kept rate =
        ca_kept_now((double)ca_cells(own.size) / step_s / 1e6, CA_BY_TRIAL, quiet, own.backend);
    struct ca_error ignored;

    if (shape->option >= 0 ? step_s >= candidate->step_s
                           : !ca_kept_gives_way(&candidate->kept, &rate))
        return;
    if (shape->option < 0)
        candidate->planned_mups = rate.mups;
    candidate->step_s = step_s;
    candidate->estimate = CA_TRIED;
    candidate->kept = rate;
    /* A file that cannot be written costs the next choice the same trial, no more. */
    ca_tuned_keep_rate(&own, &rate, shape->option < 0 ? 0 : candidate->planned_mups, &ignored);
    if (shape->option >= 0)
        shapes_add(trials, candidate, (int)(shape - trials->shape));
}

/* Fills the instance with the experiment's start: a kernel may be quicker on an empty lattice, and
 * not all of its shapes alike. A large lattice of a CPU is left empty, since filling it takes
 * longer than the trial. */
static void trial_fill(const struct sampler *sampler, const struct ca_setup *setup)
{
    struct ca_error ignored;
    bool made;

    if (sampler->stepper->init &&
        (setup->backend->device == CA_CUDA || ca_cells(setup->size) <= TRIAL_FILLED_CELLS))
        sampler->stepper->init(sampler->self, &made, &ignored);
}

/* Times an instance of its own. False where there is none, or it fails. */
static bool instance_time(trial_times times, const struct ca_experiment *experiment,
                          const struct shape *shape, double limit_s)
{
    struct ca_setup setup = ca_setup_of(experiment);
    struct sampler sampler = {.stepper = ca_stepper_of(&setup)};
    struct ca_error ignored;
    bool done;

    if (setup.start < 0)
        setup.start = 0; /* the model's own in place of a file, which a cut lattice may not hold */
    if (sampler.stepper->create(&sampler.self, &setup, &ignored) != CA_OK)
        return false;
    ca_meter_open(&sampler.meter, experiment->backend, &experiment->options, shape->plan.threads);
    trial_fill(&sampler, &setup);
    done = trial_run(times, &sampler, limit_s);
    sampler.stepper->destroy(sampler.self);
    return done;
}

/* Times the shape. Where blocks of two launches share a GPU some instances are faster than others:
 * one that would be the best so far is timed in a second instance for the rest of the time, and the
 * slower of the two counts. */
static void shape_try(struct trials *trials, struct shape *shape)
{
    const double start = ca_now();
    double limit_s = trials->end - start, scale, part;
    struct ca_experiment own = experiment_in(trials, shape);
    int64_t *layers = own.model->dimensions == 3 ? &own.size.d : &own.size.h, cut;
    trial_times times, again;

    trials->left--;
    limit_s = limit_s < TRIAL_S ? limit_s : TRIAL_S;
    /* The lattice is cut along its outermost dimension so that an instance takes no more than
     * TRIAL_BYTES_MAX and some generations the time of a trial, if its bound is near. */
    part = limit_s / (TRIAL_STEPS * shape->bound_s);
    if (part * (double)shape->plan.memory_bytes > TRIAL_BYTES_MAX)
        part = (double)TRIAL_BYTES_MAX / (double)shape->plan.memory_bytes;
    cut = (int64_t)(part * (double)*layers);
    if (part < 1 && cut >= 1)
        *layers = cut > 256 ? cut & ~INT64_C(63) : cut > 1 ? cut & ~INT64_C(1) : cut;
    scale = (double)ca_cells(trials->experiment->size) / (double)ca_cells(own.size);
    if (2 * shape->bound_s / scale > limit_s || !instance_time(times, &own, shape, limit_s))
        return;
    limit_s -= ca_now() - start;
    if (shape->option >= 0 && times[trial_quiet(times)] * scale < shape->of->step_s &&
        4 * shape->bound_s / scale < limit_s && instance_time(again, &own, shape, limit_s))
        for (int q = 0; q <= CA_DISTURBED; q++)
            times[q] = fmax(times[q], again[q]);
    trial_end(trials, times, shape, scale);
}

/* The least time of a generation that counts; infinite before any was measured. */
static double least_measured(const struct trials *trials)
{
    const struct ca_candidate *best =
        ca_candidate_fastest(trials->candidate, trials->candidates, ca_candidate_rate_counts);

    return best ? best->step_s : INFINITY;
}

/* A doubtful rate is measured again once in a process: a busy machine would else cost every choice
 * a trial. False where it has been. */
static bool first_repeat(const struct trials *trials, const struct shape *shape)
{
    static uint64_t seen[REPEATS_MAX];
    static int count;
    const struct ca_experiment own = experiment_in(trials, shape);
    uint64_t key = ca_tuned_key(&own);

    for (int i = 0; i < count; i++)
        if (seen[i] == key)
            return false;
    if (count == REPEATS_MAX)
        return false;
    seen[count++] = key;
    return true;
}

/* Scales the bound of a shape by how far its backend was measured from its own bound. */
static double expected_s(const struct shape *shape)
{
    const struct ca_candidate *c = shape->of;

    return ca_candidate_measured(c) && c->predicted_s > 0
               ? shape->bound_s * c->step_s / c->predicted_s
               : shape->bound_s;
}

/* The most promising shape that is left and could be faster than what was measured; NULL: none. */
static struct shape *next_shape(struct trials *trials)
{
    const double most_s = fmin(BOUND_EXCESS * least_measured(trials), trials->within_s);
    struct shape *next = NULL;

    for (int i = 0; i < trials->shapes; i++) {
        struct shape *s = &trials->shape[i];

        if (!s->tried && s->bound_s < most_s && (!next || expected_s(s) < expected_s(next)))
            next = s;
    }
    return next;
}

static void shapes_try(struct trials *trials, int left)
{
    struct shape *shape;

    while (trials->left > left && ca_now() < trials->end && (shape = next_shape(trials)) != NULL) {
        if (shape->of->estimate != CA_KEPT || first_repeat(trials, shape))
            shape_try(trials, shape);
        shape->tried = true;
        shape->of->doubtful = false; /* there will be no better rate in this choice */
    }
}

/* Tries backends as they plan to run, until so many trials are left. What has a rate that counts is
 * not tried again, nor what has no other beside it, no shape either. */
static void backends_try(struct trials *trials, int left)
{
    int fit = 0;

    for (int i = 0; i < trials->candidates; i++) {
        struct ca_candidate *c = &trials->candidate[i];

        fit += c->fits || ca_candidate_unasked(c);
        fit += c->fits && c->plan.step_s > 0;
        if (c->fits && !ca_candidate_rate_counts(c) && !ca_device_emulated(c->backend))
            shape_add(trials, (struct shape){.of = c, .option = -1, .base = -1});
    }
    if (fit > 1)
        shapes_try(trials, left);
}

static bool any_unasked(const struct trials *trials)
{
    for (int i = 0; i < trials->candidates; i++)
        if (ca_candidate_unasked(&trials->candidate[i]))
            return true;
    return false;
}

void ca_trials(const struct ca_experiment *experiment, struct ca_candidate candidates[], int count)
{
    struct trials all = {.experiment = experiment,
                         .candidate = candidates,
                         .candidates = count,
                         .left = TRIALS,
                         .end = ca_now() + TRIALS_S,
                         .within_s = CA_GPU_STEP_LEAST_S},
                  *trials = &all;

    if (any_unasked(trials)) {
        backends_try(trials, TRIALS - CPU_TRIALS);
        if (least_measured(trials) >= CA_GPU_STEP_LEAST_S) {
            /* Where CPU backends are not as fast as their bounds, which have kept GPUs from being
             * asked. */
            for (int i = 0; i < trials->candidates; i++)
                if (ca_candidate_unasked(&trials->candidate[i])) {
                    trials->candidate[i].reason[0] = '\0';
                    ca_candidate_examine(trials->experiment, &trials->candidate[i]);
                }
        }
    }
    if (!any_unasked(trials))
        trials->within_s = INFINITY;
    backends_try(trials, TRIALS - OWN_TRIALS);
    for (int i = 0; i < count; i++)
        if (candidates[i].estimate == CA_TRIED)
            shapes_add(trials, &candidates[i], -1);
    shapes_try(trials, 0);
}
