/* SPDX-License-Identifier: MIT */
/* This file holds the checks that a backend has to pass. It must not know any model: the first row
 * of the ladder defines what is right. */
#include "core/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/simulation.h"
#include "core/verify/trial.h"

const char *const ca_fault_names[] = {
    [CA_FAULT_NONE] = "none",       [CA_FAULT_CELL] = "cell",       [CA_FAULT_ROWS] = "rows",
    [CA_FAULT_SLAB] = "slab",       [CA_FAULT_START] = "start",     [CA_FAULT_SURVEY] = "survey",
    [CA_FAULT_MARK] = "mark",       [CA_FAULT_OUTSIDE] = "outside", [CA_FAULT_FAILED] = "failed",
    [CA_FAULT_REFUSED] = "refused",
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

static enum ca_status make_oracle(struct ca_verify_oracle *oracle, struct ca_error *error)
{
    uint64_t per_round = 2 * oracle->test->slab_steps;
    const uint64_t rounds[] = {per_round, per_round, 0};

    CA_TRY(ca_initial_state(&oracle->test->experiment, &oracle->start, error));
    CA_TRY(reference_run(oracle, oracle->test->calls, oracle->after, error));
    return trial_ghosts(oracle->test) ? reference_run(oracle, rounds, oracle->slabs, error) : CA_OK;
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
    for (int i = 0; i < CA_VERIFY_CALLS; i++)
        ca_lattice_free(&oracle->after[i]);
    ca_lattice_free(&oracle->slabs[0]);
    ca_lattice_free(&oracle->slabs[1]);
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
    CA_TRY(
        trial_must(trial, "step", 0, trial_step(instance, oracle->test->calls[0], trial->error)));
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
    CA_TRY(trial_must(trial, "step", instance->generation, trial_step(instance, 1, trial->error)));
    CA_TRY(verify_mark(trial, instance, CA_MARK_BACK));
    instance->generation = calls[0];
    CA_TRY(check_state(trial, instance, &oracle->after[0], CA_FAULT_MARK));
    if (calls[1] == 0)
        return CA_OK;
    CA_TRY(trial_must(trial, "step", instance->generation,
                      trial_step(instance, calls[1], trial->error)));
    return check_state(trial, instance, &oracle->after[1], CA_FAULT_MARK);
}

/* --------------------------------------------------------------------------------------------- */

static enum ca_status refuses_case(struct trial *trial)
{
    struct ca_error refusal;
    struct ca_plan plan;

    if (ca_experiment_plan(&trial->experiment, &plan, &refusal) == CA_USAGE) {
        trial->fault->fault = CA_FAULT_REFUSED;
        trial->fault->experiment = trial->experiment;
        snprintf(trial->fault->text, sizeof trial->fault->text, "%s", refusal.text);
        return CA_WRONG; /* which ends the trial */
    }
    return CA_OK;
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
    status = trial_start(trial, &instance);
    if (status == CA_OK)
        status = trial_load(trial, &instance, &oracle->start, 0, 0, ca_rows(oracle->start.size));
    if (status == CA_OK)
        status = verify_mark(trial, &instance, CA_MARK_KEEP);
    for (i = 0; status == CA_OK && calls[i]; i++) {
        status = trial_must(trial, "step", instance.generation,
                            trial_step(&instance, calls[i], trial->error));
        if (status == CA_OK)
            status = check_state(trial, &instance, &oracle->after[i], CA_FAULT_CELL);
        if (status == CA_OK)
            status = trial_survey_state(trial, &instance, &oracle->after[i]);
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
    enum ca_status status;

    memset(fault, 0, sizeof *fault);
    status = refuses_case(&trial);
    if (status == CA_OK && backend->tolerance > 0) {
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
