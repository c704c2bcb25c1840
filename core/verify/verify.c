/* SPDX-License-Identifier: MIT */
/* This file holds the checks that a backend has to pass. It must not know any model: the first row
 * of the ladder defines what is right. */
#include "core/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare/drive.h"
#include "core/sim/simulation.h"
#include "core/verify/trial.h"

const char *const ca_fault_names[] = {
    [CA_FAULT_NONE] = "none",       [CA_FAULT_CELL] = "cell",         [CA_FAULT_ROWS] = "rows",
    [CA_FAULT_SLAB] = "slab",       [CA_FAULT_START] = "start",       [CA_FAULT_SURVEY] = "survey",
    [CA_FAULT_MARK] = "mark",       [CA_FAULT_OUTSIDE] = "outside",   [CA_FAULT_FAILED] = "failed",
    [CA_FAULT_REFUSED] = "refused", [CA_FAULT_DIVERGED] = "diverged",
};

/* --- the reference --------------------------------------------------------------------------- */

static enum ca_status reference_run(const struct ca_verify_oracle *oracle, const uint64_t calls[],
                                    struct ca_lattice *after, struct ca_error *error)
{
    const struct ca_experiment *e = &oracle->test->experiment;
    struct instance reference;
    enum ca_status status;

    CA_TRY(trial_open(&reference, e, NULL, error));
    status = reference.stepper->load(reference.self, (const void *const *)oracle->start.plane, 0,
                                     ca_rows(e->size), error);
    for (int i = 0; status == CA_OK && calls[i]; i++) {
        status = trial_step(&reference, calls[i], error);
        if (status == CA_OK)
            status = ca_lattice_alloc(&after[i], e->size, e->model->type, e->model->planes, error);
        if (status == CA_OK)
            status = reference.stepper->store(reference.self, after[i].plane, 0, ca_rows(e->size),
                                              error);
    }
    reference.stepper->destroy(reference.self);
    return status;
}

/* The ghost layers that two slabs of the case share, 0: the case is not cut. Cuts are at even
 * layers, and each part is larger than the layers that it shares. */
static int64_t trial_ghosts(const struct ca_verify_case *test)
{
    const struct ca_model *model = test->experiment.model;
    int64_t ghosts = 2 * model->radius * (int64_t)test->slab_steps;

    return ca_layers(model, test->experiment.size) >= 4 * ghosts ? ghosts : 0;
}

static enum ca_status oracle_run(struct ca_verify_oracle *oracle, struct ca_error *error)
{
    uint64_t per_round = 2 * oracle->test->slab_steps;
    const uint64_t rounds[] = {per_round, per_round, 0};

    if (oracle->test->calls[0])
        CA_TRY(reference_run(oracle, oracle->test->calls, oracle->after, error));
    return trial_ghosts(oracle->test) ? reference_run(oracle, rounds, oracle->slabs, error) : CA_OK;
}

static void oracle_drop_states(struct ca_verify_oracle *oracle)
{
    for (int i = 0; i < CA_VERIFY_CALLS; i++)
        ca_lattice_free(&oracle->after[i]);
    for (int i = 0; i < 2; i++)
        ca_lattice_free(&oracle->slabs[i]);
}

/* The most generations that the reference steps in a case. */
static uint64_t case_generations(const struct ca_verify_case *test)
{
    uint64_t calls = 0, slabs = 4 * test->slab_steps;

    for (int i = 0; test->calls[i]; i++)
        calls += test->calls[i];
    return calls > slabs ? calls : slabs;
}

/* The generations from the start on whose floats are all finite. CA_OK if a number that is not ends
 * them; else what the reference reports. */
static enum ca_status count_finite(const struct ca_verify_oracle *oracle, uint64_t *finite,
                                   struct ca_error *error)
{
    const struct ca_experiment *e = &oracle->test->experiment;
    uint64_t most = case_generations(oracle->test);
    int64_t rows = ca_rows(e->size);
    struct instance reference;
    struct ca_lattice state;
    enum ca_status status, stored;

    CA_TRY(ca_lattice_alloc(&state, e->size, e->model->type, e->model->planes, error));
    status = trial_open(&reference, e, NULL, error);
    if (status == CA_OK)
        status = reference.stepper->load(reference.self, (const void *const *)oracle->start.plane,
                                         0, rows, error);
    while (status == CA_OK && reference.generation < most)
        status = trial_step(&reference, 1, error);
    *finite = reference.generation;
    if (status == CA_WRONG) {
        struct ca_error ignored;

        stored = reference.stepper->store(reference.self, state.plane, 0, rows, &ignored);
        if (stored == CA_OK && !ca_lattice_is_finite(&state))
            status = CA_OK;
    }
    trial_close(&reference);
    ca_lattice_free(&state);
    return status;
}

/* Lets the calls, and the rounds of the slabs, end after so many generations. */
static void case_shorten(struct ca_verify_case *test, uint64_t generations)
{
    uint64_t left = generations, slab_steps = generations / 4;

    for (int i = 0; i < CA_VERIFY_CALLS; i++) {
        test->calls[i] = test->calls[i] < left ? test->calls[i] : left;
        left -= test->calls[i];
    }
    test->slab_steps = test->slab_steps < slab_steps ? test->slab_steps : slab_steps;
}

/* A case that the reference cannot finish because a float becomes infinite or no number says
 * nothing against a backend: it ends at the generation before. */
static enum ca_status make_oracle(struct ca_verify_oracle *oracle, struct ca_error *error)
{
    enum ca_status status;
    uint64_t finite;

    CA_TRY(ca_initial_state(&oracle->test->experiment, &oracle->start, error));
    status = oracle_run(oracle, error);
    if (status != CA_WRONG || oracle->test->experiment.model->type != CA_F32)
        return status;
    CA_TRY(count_finite(oracle, &finite, error));
    memcpy(oracle->divergence, error->text, sizeof oracle->divergence);
    oracle_drop_states(oracle);
    oracle->shortened = *oracle->test;
    case_shorten(&oracle->shortened, finite);
    oracle->test = &oracle->shortened;
    return oracle_run(oracle, error);
}

const char *ca_verify_divergence(const struct ca_verify_oracle *oracle)
{
    return oracle->divergence[0] ? oracle->divergence : NULL;
}

bool ca_verify_comparable(const struct ca_verify_oracle *oracle)
{
    return oracle->test->calls[0] > 0;
}

enum ca_status ca_verify_oracle(struct ca_verify_oracle **result, const struct ca_verify_case *test,
                                struct ca_error *error)
{
    struct ca_verify_oracle *oracle = calloc(1, sizeof *oracle);
    enum ca_status status;

    *result = NULL;
    if (!oracle)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a case of %s",
                       test->experiment.model->name);
    oracle->test = test;
    status = make_oracle(oracle, error);
    if (status == CA_OK)
        *result = oracle;
    else
        ca_verify_oracle_free(oracle);
    return status;
}

void ca_verify_oracle_free(struct ca_verify_oracle *oracle)
{
    if (!oracle)
        return;
    ca_lattice_free(&oracle->start);
    oracle_drop_states(oracle);
    free(oracle);
}

/* Compares the whole state with the expected one; a difference is a fault of this kind. */
static enum ca_status check_state(struct trial *trial, struct instance *instance,
                                  const struct ca_lattice *expected, enum ca_fault fault)
{
    struct ca_lattice got;
    enum ca_status status;

    CA_TRY(trial_lattice(trial, &got));
    status = trial_store(trial, instance, &got, 0, 0, ca_rows(got.size));
    if (status == CA_OK)
        status = trial_compare(trial, fault, instance->generation, expected, &got);
    ca_lattice_free(&got);
    return status;
}

/* The initial state made in place, where the backend makes it. */
static enum ca_status check_start(struct trial *trial, struct instance *instance)
{
    const struct ca_stepper *stepper = instance->stepper;
    bool made = false;

    if (!stepper->init || instance->setup.start < 0)
        return CA_OK;
    CA_TRY(trial_must(trial, "init", 0, stepper->init(instance->self, &made, trial->error)));
    return made ? check_state(trial, instance, &trial->oracle->start, CA_FAULT_START) : CA_OK;
}

/* Stores the last state in uneven runs of rows, loads it from the end over unknown rows, and
 * stores it again. */
static enum ca_status check_rows(struct trial *trial, struct instance *instance,
                                 const struct ca_lattice *expected)
{
    int64_t rows = ca_rows(expected->size);
    struct ca_lattice got;
    enum ca_status status;

    CA_TRY(trial_lattice(trial, &got));
    status = CA_OK;
    for (int64_t first = 0, n = 1; status == CA_OK && first < rows; first += n, n += 1 + n / 2) {
        n = n < rows - first ? n : rows - first;
        status = trial_store(trial, instance, &got, first, first, n);
    }
    if (status == CA_OK)
        status = trial_compare(trial, CA_FAULT_ROWS, instance->generation, expected, &got);
    for (int64_t last = rows, n = 1; status == CA_OK && last > 0; last -= n, n += 1 + n / 2) {
        n = n < last ? n : last;
        status = trial_load(trial, instance, expected, last - n, last - n, n);
    }
    if (status == CA_OK)
        status = trial_store(trial, instance, &got, 0, 0, rows);
    if (status == CA_OK)
        status = trial_compare(trial, CA_FAULT_ROWS, instance->generation, expected, &got);
    ca_lattice_free(&got);
    return status;
}

/* --- a kept state ---------------------------------------------------------------------------- */

static enum ca_status verify_mark(struct trial *trial, struct instance *instance, enum ca_mark what)
{
    const struct ca_stepper *stepper = instance->stepper;

    if (!stepper->mark)
        return CA_OK;
    return trial_must(trial, what == CA_MARK_KEEP ? "mark" : "back", instance->generation,
                      stepper->mark(instance->self, what, trial->error));
}

/* The state before the first call was kept as it was loaded, unstepped: it gives the same again.
 * Then the state after that call is kept in its place. */
static enum ca_status repeat_first(struct trial *trial, struct instance *instance)
{
    const struct ca_verify_oracle *oracle = trial->oracle;

    if (!instance->stepper->mark)
        return CA_OK;
    CA_TRY(verify_mark(trial, instance, CA_MARK_BACK));
    instance->generation = 0;
    CA_TRY(trial_must_step(trial, instance, oracle->test->calls[0]));
    CA_TRY(check_state(trial, instance, &oracle->after[0], CA_FAULT_MARK));
    return verify_mark(trial, instance, CA_MARK_KEEP);
}

/* The state after the first call was kept. Another one is loaded and stepped, so that little of
 * what was kept is still in place; then that one comes back, and goes on as it did. */
static enum ca_status check_mark(struct trial *trial, struct instance *instance)
{
    const struct ca_verify_oracle *oracle = trial->oracle;
    const uint64_t *calls = oracle->test->calls;

    if (!instance->stepper->mark)
        return CA_OK;
    CA_TRY(trial_load(trial, instance, &oracle->start, 0, 0, ca_rows(oracle->start.size)));
    CA_TRY(trial_must_step(trial, instance, 1));
    CA_TRY(verify_mark(trial, instance, CA_MARK_BACK));
    instance->generation = calls[0];
    CA_TRY(check_state(trial, instance, &oracle->after[0], CA_FAULT_MARK));
    if (calls[1] == 0)
        return CA_OK;
    CA_TRY(trial_must_step(trial, instance, calls[1]));
    return check_state(trial, instance, &oracle->after[1], CA_FAULT_MARK);
}

/* --- two slabs that exchange ghost layers ------------------------------------------------------
 */

/* Copies layers of a slab from layer `first` on, from the whole state or to it. */
static enum ca_status exchange(struct trial *trial, struct instance *part, struct ca_lattice *whole,
                               int64_t first, int64_t count, bool out)
{
    int64_t all = ca_layers(trial->experiment.model, whole->size);
    int64_t rows = ca_rows(whole->size) / all;

    for (int64_t i = first; i < first + count; i++) {
        int64_t global = ((part->setup.slab.origin + i) % all + all) % all;

        CA_TRY(out ? trial_store(trial, part, whole, global * rows, i * rows, rows)
                   : trial_load(trial, part, whole, global * rows, i * rows, rows));
    }
    return CA_OK;
}

struct halves {
    struct instance part[2];
    int64_t own_first[2], own[2]; /* the layers that are no ghosts */
};

/* Whether the backend holds slabs. One that cannot is not checked on them. */
static bool refuses(const struct trial *trial, const struct ca_slab *slab)
{
    struct ca_setup setup = ca_setup_of(&trial->experiment);
    struct ca_error refusal;
    struct ca_plan plan;

    setup.slab = *slab;
    return trial->backend->stepper->plan &&
           trial->backend->stepper->plan(&setup, &plan, &refusal) == CA_USAGE;
}

/* CA_USAGE where the backend refuses slabs of these extents. */
static enum ca_status open_halves(struct trial *trial, struct halves *halves, int64_t ghosts)
{
    const struct ca_experiment *e = &trial->experiment;
    struct ca_setup setup = ca_setup_of(e);
    bool torus = ca_is_torus(&setup);
    int64_t all = ca_layers(e->model, e->size), cut = all / 2 & ~INT64_C(1),
            low = torus ? ghosts : 0;
    const struct ca_slab slab[2] = {{-low, low + cut + ghosts, low, ghosts},
                                    {cut - ghosts, ghosts + all - cut + low, ghosts, low}};

    *halves = (struct halves){.own_first = {low, ghosts}, .own = {cut, all - cut}};
    if (refuses(trial, &slab[0]) || refuses(trial, &slab[1]))
        return CA_USAGE;
    for (int i = 0; i < 2; i++)
        CA_TRY(trial_must(trial, "create of a slab", 0,
                          trial_open(&halves->part[i], e, &slab[i], trial->error)));
    return CA_OK;
}

static enum ca_status run_halves(struct trial *trial, struct halves *halves,
                                 struct ca_lattice *whole, uint64_t steps)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            struct instance *part = &halves->part[i];

            CA_TRY(exchange(trial, part, whole, 0, part->setup.slab.extent, false));
            CA_TRY(trial_must_step(trial, part, steps));
        }
        for (int i = 0; i < 2; i++)
            CA_TRY(exchange(trial, &halves->part[i], whole, halves->own_first[i], halves->own[i],
                            true));
        for (int i = 0; i < 2; i++)
            CA_TRY(
                trial_survey(trial, &halves->part[i], halves->own_first[i], halves->own[i], whole));
        CA_TRY(trial_compare(trial, CA_FAULT_SLAB, halves->part[0].generation,
                             &trial->oracle->slabs[round], whole));
    }
    return CA_OK;
}

/* Steps the lattice as two slabs that exchange ghost layers, which must add up to the whole. */
static enum ca_status trial_slabs(struct trial *trial)
{
    const struct ca_verify_case *test = trial->oracle->test;
    int64_t ghosts = trial_ghosts(test);
    struct ca_lattice whole;
    struct halves halves;
    enum ca_status status;

    if (ghosts == 0)
        return CA_OK;
    CA_TRY(trial_copy(trial, &whole, &trial->oracle->start));
    status = open_halves(trial, &halves, ghosts);
    if (status == CA_OK)
        status = run_halves(trial, &halves, &whole, 2 * test->slab_steps);
    for (int i = 0; i < 2; i++)
        trial_close(&halves.part[i]);
    ca_lattice_free(&whole);
    return status == CA_USAGE ? CA_OK : status;
}

/* --- a backend with a tolerance ----------------------------------------------------------------
 */

/* Its expected states are its own after each call, which it then has to repeat to the last bit,
 * however it is called and cut. They come from single generations, each of which is compared with
 * what the reference makes of the state before it. */
struct tolerant {
    struct trial *trial;
    struct instance backend, reference;
    struct ca_agreement agreement;
};

static enum ca_status reference_load(void *self, const struct ca_lattice *state,
                                     uint64_t generation, struct ca_error *error)
{
    struct instance *reference = &((struct tolerant *)self)->reference;

    reference->generation = generation;
    return reference->stepper->load(reference->self, (const void *const *)state->plane, 0,
                                    ca_rows(state->size), error);
}

static enum ca_status reference_step(void *self, uint64_t generations, struct ca_error *error)
{
    return trial_step(&((struct tolerant *)self)->reference, generations, error);
}

static enum ca_status reference_store(void *self, struct ca_lattice *state, struct ca_error *error)
{
    const struct instance *reference = &((struct tolerant *)self)->reference;

    return reference->stepper->store(reference->self, state->plane, 0, ca_rows(state->size), error);
}

static enum ca_status backend_step(void *self, uint64_t generations, struct ca_error *error)
{
    struct tolerant *tolerant = self;

    (void)error; /* which is the trial's */
    return trial_must_step(tolerant->trial, &tolerant->backend, generations);
}

static enum ca_status backend_store(void *self, struct ca_lattice *state, struct ca_error *error)
{
    struct tolerant *tolerant = self;

    (void)error; /* which is the trial's */
    return trial_store(tolerant->trial, &tolerant->backend, state, 0, 0, ca_rows(state->size));
}

static enum ca_status tolerant_calls(struct tolerant *tolerant, const uint64_t calls[],
                                     struct ca_lattice *states)
{
    const struct ca_side side[2] = {
        {.self = tolerant,
         .load = reference_load,
         .step = reference_step,
         .store = reference_store},
        {.self = tolerant, .step = backend_step, .store = backend_store}};
    struct trial *trial = tolerant->trial;
    struct ca_lattice start;

    ca_agreement_end(&tolerant->agreement);
    CA_TRY(trial_copy(trial, &start, &trial->oracle->start));
    CA_TRY(ca_agreement_begin(&tolerant->agreement, &start, 0, trial->backend->tolerance,
                              trial->experiment.model->radius, trial->error));
    tolerant->backend.generation = 0;
    CA_TRY(trial_load(trial, &tolerant->backend, &tolerant->agreement.state, 0, 0,
                      ca_rows(tolerant->agreement.state.size)));
    for (int i = 0; calls[i]; i++) {
        for (uint64_t n = 0; n < calls[i]; n++) {
            CA_TRY(ca_agreement_next(&tolerant->agreement, side, trial->error));
            CA_TRY(trial_judge_within(trial, tolerant->backend.generation, &tolerant->agreement));
        }
        CA_TRY(trial_copy(trial, &states[i], &tolerant->agreement.state));
    }
    return CA_OK;
}

static enum ca_status tolerant_states(struct tolerant *tolerant, struct ca_verify_oracle *own)
{
    struct trial *trial = tolerant->trial;
    const struct ca_verify_case *test = trial->oracle->test;
    uint64_t per_round = 2 * test->slab_steps;
    const uint64_t rounds[] = {per_round, per_round, 0};

    CA_TRY(trial_open(&tolerant->reference, &test->experiment, NULL, trial->error));
    CA_TRY(trial_must(trial, "create", 0,
                      trial_open(&tolerant->backend, &trial->experiment, NULL, trial->error)));
    CA_TRY(trial_copy(trial, &own->start, &trial->oracle->start));
    CA_TRY(tolerant_calls(tolerant, test->calls, own->after));
    return trial_ghosts(test) ? tolerant_calls(tolerant, rounds, own->slabs) : CA_OK;
}

/* The oracle for a backend with a tolerance, to be freed whatever is returned. CA_WRONG: a
 * generation is beyond it. */
static enum ca_status trial_tolerant(struct trial *trial, struct ca_verify_oracle **own)
{
    struct tolerant tolerant = {.trial = trial};
    enum ca_status status;

    *own = calloc(1, sizeof **own);
    if (!*own)
        return ca_fail(trial->error, CA_NO_MEMORY, "no memory for a case of %s",
                       trial->experiment.model->name);
    (*own)->test = trial->oracle->test;
    status = tolerant_states(&tolerant, *own);
    trial_close(&tolerant.backend);
    trial_close(&tolerant.reference);
    ca_agreement_end(&tolerant.agreement);
    return status;
}

static enum ca_status check_whole(struct trial *trial)
{
    const struct ca_verify_oracle *oracle = trial->oracle;
    const uint64_t *calls = oracle->test->calls;
    struct instance instance;
    enum ca_status status;
    int i;

    CA_TRY(trial_must(trial, "create", 0,
                      trial_open(&instance, &trial->experiment, NULL, trial->error)));
    status = check_start(trial, &instance);
    if (status == CA_OK)
        status = trial_load(trial, &instance, &oracle->start, 0, 0, ca_rows(oracle->start.size));
    if (status == CA_OK)
        status = verify_mark(trial, &instance, CA_MARK_KEEP);
    for (i = 0; status == CA_OK && calls[i]; i++) {
        status = trial_must_step(trial, &instance, calls[i]);
        if (status == CA_OK)
            status = check_state(trial, &instance, &oracle->after[i], CA_FAULT_CELL);
        if (status == CA_OK)
            status =
                trial_survey(trial, &instance, 0, instance.setup.slab.extent, &oracle->after[i]);
        if (status == CA_OK && i == 0)
            status = repeat_first(trial, &instance);
    }
    if (status == CA_OK)
        status = check_rows(trial, &instance, &oracle->after[i - 1]);
    if (status == CA_OK)
        status = check_mark(trial, &instance);
    instance.stepper->destroy(instance.self);
    return status;
}

enum ca_status ca_verify_one(const struct ca_verify_oracle *oracle,
                             const struct ca_backend *backend, int ranks,
                             struct ca_verify_fault *fault, int64_t *cells, struct ca_error *error)
{
    struct trial trial = {.oracle = oracle,
                          .backend = backend,
                          .experiment = ca_verify_experiment(oracle->test, backend, ranks),
                          .fault = fault,
                          .cells = cells,
                          .error = error};
    struct ca_verify_oracle *own = NULL;
    struct ca_error refusal;
    struct ca_plan plan;
    enum ca_status status;

    memset(fault, 0, sizeof *fault);
    if (ca_experiment_plan(&trial.experiment, &plan, &refusal) == CA_USAGE) {
        fault->fault = CA_FAULT_REFUSED;
        fault->experiment = trial.experiment;
        snprintf(fault->text, sizeof fault->text, "%s", refusal.text);
        return CA_OK;
    }
    status = CA_OK;
    if (backend->tolerance > 0) {
        status = trial_tolerant(&trial, &own);
        trial.oracle = own;
    }
    if (status == CA_OK)
        status = check_whole(&trial);
    if (status == CA_OK && ranks <= 1)
        status = trial_slabs(&trial);
    ca_verify_oracle_free(own);
    return status == CA_WRONG ? CA_OK : status;
}
