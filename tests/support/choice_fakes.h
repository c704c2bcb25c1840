/* SPDX-License-Identifier: MIT */
/*
 * A choice among fakes of backends whose bound, true cost and refusals are set, by a clock that the
 * test sets. Included by one file of a program.
 */
#ifndef CALAB_TESTS_CHOICE_FAKES_H
#define CALAB_TESTS_CHOICE_FAKES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/choose.h"
#include "core/bench/sample.h"
#include "core/bench/tune.h"
#include "core/model/registry.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"

enum { REFERENCE, FEW, MANY, GPU_A, GPU_B, RUNGS };

static struct fake {
    double predicted_s, true_s; /* of a generation: the bound, 0: the plan has none */
    double shape_s[5];          /* the true time where `generations` is 1 ... 4; 0: true_s */
    double rows[4];             /* its factor where `rows` is 1 ... 3 besides; 0: 1 */
    double again;               /* and of every third instance; 0: 1 */
    int64_t memory_bytes;
    enum ca_status refused; /* by its plan */
    bool fails;             /* in its trial */
    bool uneven;            /* every second sample takes twice as long */
    double slowed;          /* whether others slow its disturbed samples: threefold at 1 */
    int plans, trials, starts, samples;
    double step_s; /* of its last instance, */
    int64_t lines; /* and its size */
} fake[RUNGS];

static enum ca_status device; /* what the CUDA backends find */
static struct ca_backend ladder[RUNGS + 1];
static struct ca_model model;
static struct ca_experiment experiment;
static struct ca_error error;

static inline struct fake *fake_of(const struct ca_setup *setup)
{
    return &fake[setup->backend - ladder];
}

static inline int generations_of(const struct ca_setup *setup)
{
    return ca_values_find(&setup->options, "generations") < 0
               ? 0
               : (int)ca_int(&setup->options, "generations");
}

static inline double rows_factor(const struct ca_setup *setup)
{
    int index = ca_values_find(&setup->options, "rows");
    double factor = index < 0 ? 0 : fake_of(setup)->rows[(int)setup->options.value[index].number];

    return factor > 0 ? factor : 1;
}

static inline double shape_of(const struct ca_setup *setup)
{
    int generations = generations_of(setup);

    return generations < 5 ? fake_of(setup)->shape_s[generations] * rows_factor(setup) : 0;
}

static inline enum ca_status fake_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                       struct ca_error *cause)
{
    struct fake *f = fake_of(setup);

    f->plans++;
    if (f->refused)
        return ca_fail(cause, f->refused, "%s is full", setup->backend->name);
    plan->step_s = f->predicted_s;
    if (shape_of(setup) > 0) {
        plan->step_s = shape_of(setup) / 1.2;
        plan->generations = 1 + generations_of(setup);
        plan->block[0] = (int)(100 * rows_factor(setup));
    }
    plan->ops_per_cell_step = setup->backend->ops_per_cell_step;
    plan->memory_bytes = f->memory_bytes;
    return CA_OK;
}

static inline enum ca_status fake_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *cause)
{
    (void)cause;
    *self = fake_of(setup);
    fake_of(setup)->trials++;
    fake_of(setup)->step_s = shape_of(setup) > 0 ? shape_of(setup) : fake_of(setup)->true_s;
    fake_of(setup)->step_s *= (double)setup->size.h / (double)experiment.size.h;
    if (fake_of(setup)->again > 0 && fake_of(setup)->trials % 3 == 0)
        fake_of(setup)->step_s *= fake_of(setup)->again;
    fake_of(setup)->lines = setup->size.h;
    return CA_OK;
}

static inline enum ca_status fake_init(void *self, bool *made, struct ca_error *cause)
{
    (void)cause;
    *made = true;
    ((struct fake *)self)->starts++;
    return CA_OK;
}

static inline void fake_destroy(void *self) { (void)self; }

static inline enum ca_status fake_step(void *self, uint64_t t, uint64_t n, struct ca_error *cause)
{
    const struct fake *f = self;

    (void)t;
    manual_clock_s += (double)n * f->step_s;
    return f->fails ? ca_fail(cause, CA_IO, "the cat has eaten it") : CA_OK;
}

static const struct ca_stepper fake_stepper = {.plan = fake_plan,
                                               .create = fake_create,
                                               .init = fake_init,
                                               .destroy = fake_destroy,
                                               .step = fake_step};

static inline enum ca_status needs_gpu(struct ca_error *cause)
{
    return device == CA_OK ? CA_OK : ca_fail(cause, device, "there is no GPU");
}

/* In place of the meter's readings: the first samples are quiet, or all are disturbed, or those
 * from a number on. */
static enum ca_quiet readings;
static int disturbed_until; /* so many samples of a trial that are as long as the longest */

enum ca_status sample_take(struct sample *sample, struct sampler *sampler, uint64_t n,
                           struct ca_error *cause)
{
    static uint64_t longest;
    static int repeats;
    struct fake *f = sampler->self;
    double start = manual_clock_s;
    enum ca_status status = sampler->stepper->step(f, 0, n, cause);

    f->samples++;
    repeats = n == longest ? repeats + 1 : 0;
    longest = n;
    sample->quiet = repeats < disturbed_until ? CA_DISTURBED : readings;
    if (sample->quiet == CA_DISTURBED)
        manual_clock_s += 2 * (double)n * f->step_s * f->slowed;
    if (f->uneven && f->samples % 2)
        manual_clock_s += (double)n * f->step_s;
    sample->seconds = manual_clock_s - start;
    return status;
}

/* Most backends take generations, FEW fewer than others; reference and GPU_B do not. */
static const struct ca_param few_generations[] = {
    {.name = "generations", .kind = CA_INT, .min = 0, .max = 4, .tune = "1 2 3 4"},
    {.name = "rows", .kind = CA_INT, .min = 0, .max = 3, .tune = "1 2 3"},
    {.name = NULL}};
static const struct ca_param many_generations[] = {
    {.name = "generations", .kind = CA_INT, .min = 0, .max = 64}, {.name = NULL}};

static inline void setup(void)
{
    static const struct ca_backend rows[RUNGS + 1] = {
        [REFERENCE] = {.name = "reference"},
        [FEW] = {.name = "few", .options = few_generations},
        [MANY] = {.name = "many", .options = many_generations},
        [GPU_A] = {.name = "gpu-a", .device = CA_CUDA, .options = many_generations},
        [GPU_B] = {.name = "gpu-b", .device = CA_CUDA},
    };
    static const double step_s[RUNGS] = {1e-2, 4e-4, 1e-3, 2e-5, 4e-5};

    setenv("XDG_CACHE_HOME", test_folder(), 1);
    unsetenv("CALAB_TUNED");
    remove(ca_tuned_path());
    memcpy(ladder, rows, sizeof ladder);
    device = CA_OK;
    readings = CA_QUIET;
    disturbed_until = 0;
    for (int i = 0; i < RUNGS; i++) {
        ladder[i].stepper = &fake_stepper;
        ladder[i].available = ladder[i].device == CA_CUDA ? needs_gpu : NULL;
        fake[i] = (struct fake){.predicted_s = step_s[i], .true_s = step_s[i]};
    }
    model = anneal_model;
    model.backends = ladder;
    ca_experiment_default(&experiment, &model);
}

static inline void set(const char *name, const char *text)
{
    enum ca_status status =
        ca_experiment_set(&experiment, name, text, CA_FROM_COMMAND_LINE, "--set", &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static char why[CA_WHY]; /* the last choice */

/* What a word stands for in the experiment, which stays as it is. */
static inline const char *chosen(const char *word)
{
    struct ca_experiment e;
    enum ca_status status;

    set("backend", word);
    e = experiment;
    status = ca_choose_backend(&e, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
    ck_assert_str_eq(experiment.backend->choice ? e.choice->name : e.backend->name, word);
    strcpy(why, e.why);
    return e.backend->name;
}

/* How the estimate of a backend was found. */
static inline enum ca_estimate estimate_of(int i)
{
    static struct ca_candidate candidates[CA_CANDIDATES_MAX];
    int count = ca_candidates(&experiment, ca_backend_auto(&model), candidates);

    for (int c = 0; c < count; c++)
        if (candidates[c].backend == &ladder[i])
            return candidates[c].estimate;
    ck_abort_msg("%s is no candidate", ladder[i].name);
}

static inline int trials(void)
{
    int sum = 0;

    for (int i = 0; i < RUNGS; i++)
        sum += fake[i].trials;
    return sum;
}

static inline void keep_rate_as(int i, double step_s, struct ca_kept kept)
{
    struct ca_experiment e = experiment;
    enum ca_status status;
    struct ca_kept rate = kept;

    ca_experiment_backend(&e, &ladder[i], CA_BUILT_IN);
    rate.mups = (double)ca_cells(e.size) / step_s / 1e6;
    status = ca_tuned_keep_rate(&e, &rate, 0, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static inline void keep_rate(int i, double step_s)
{
    keep_rate_as(i, step_s, ca_kept_now(0, CA_BY_BENCH, CA_QUIET, &ladder[i]));
}

static inline void expect_why(const char *word, const char *name, const char *reason)
{
    ck_assert_str_eq(chosen(word), name);
    ck_assert_str_eq(why, reason);
}

/* So many trials so far, those of this choice among them. */
static inline void expect_trials(const char *word, const char *name, int count)
{
    ck_assert_str_eq(chosen(word), name);
    ck_assert_int_eq(trials(), count);
}

#define TODAY "2026-01-31T12:00:00Z" /* by the manual clock */

static inline struct ca_kept quality(enum ca_measured by, enum ca_quiet quiet, const char *date)
{
    struct ca_kept kept = {.by = by, .quiet = quiet};

    strcpy(kept.date, date);
    return kept;
}

#endif
