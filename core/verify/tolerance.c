/* SPDX-License-Identifier: MIT */
/* This file computes the expected states of a backend with a tolerance: its own states after each
 * call, which it then has to repeat to the last bit, however it is called and cut. They come from
 * single generations, each of which is compared with what the reference makes of the state before
 * it. */
#include <stdlib.h>

#include "core/verify/trial.h"

struct tolerant {
    struct trial *trial;
    struct instance backend, reference;
    struct ca_lattice before, after, expected;
};

static enum ca_status by_reference(struct tolerant *tolerant)
{
    const struct ca_stepper *stepper = tolerant->reference.stepper;
    int64_t rows = ca_rows(tolerant->before.size);

    CA_TRY(stepper->load(tolerant->reference.self, (const void *const *)tolerant->before.plane, 0,
                         rows, tolerant->trial->error));
    tolerant->reference.generation = tolerant->backend.generation;
    CA_TRY(trial_step(&tolerant->reference, 1, tolerant->trial->error));
    return stepper->store(tolerant->reference.self, tolerant->expected.plane, 0, rows,
                          tolerant->trial->error);
}

/* One generation, after which `before` is the backend's state. */
static enum ca_status tolerant_generation(struct tolerant *tolerant)
{
    struct trial *trial = tolerant->trial;
    struct ca_lattice after;

    CA_TRY(by_reference(tolerant));
    CA_TRY(trial_must(trial, "step", tolerant->backend.generation,
                      trial_step(&tolerant->backend, 1, trial->error)));
    CA_TRY(trial_store(trial, &tolerant->backend, &tolerant->after, 0, 0,
                       ca_rows(tolerant->after.size)));
    CA_TRY(trial_compare_within(trial, tolerant->backend.generation, &tolerant->expected,
                                &tolerant->after));
    after = tolerant->after;
    tolerant->after = tolerant->before;
    tolerant->before = after;
    return CA_OK;
}

static enum ca_status tolerant_calls(struct tolerant *tolerant, const uint64_t calls[],
                                     struct ca_lattice *states)
{
    struct trial *trial = tolerant->trial;

    ca_lattice_free(&tolerant->before);
    CA_TRY(trial_copy(trial, &tolerant->before, &trial->oracle->start));
    tolerant->backend.generation = 0;
    CA_TRY(trial_load(trial, &tolerant->backend, &tolerant->before, 0, 0,
                      ca_rows(tolerant->before.size)));
    for (int i = 0; calls[i]; i++) {
        for (uint64_t n = 0; n < calls[i]; n++)
            CA_TRY(tolerant_generation(tolerant));
        CA_TRY(trial_copy(trial, &states[i], &tolerant->before));
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
    CA_TRY(trial_lattice(trial, &tolerant->after));
    CA_TRY(trial_lattice(trial, &tolerant->expected));
    CA_TRY(trial_copy(trial, &own->start, &trial->oracle->start));
    CA_TRY(tolerant_calls(tolerant, test->calls, own->after));
    return trial_ghosts(test) ? tolerant_calls(tolerant, rounds, own->slabs) : CA_OK;
}

static void tolerant_close(const struct instance *instance)
{
    if (instance->self)
        instance->stepper->destroy(instance->self);
}

enum ca_status trial_tolerant(struct trial *trial, struct ca_verify_oracle **own)
{
    struct tolerant tolerant = {.trial = trial};
    enum ca_status status;

    *own = calloc(1, sizeof **own);
    if (!*own)
        return ca_fail(trial->error, CA_NO_MEMORY, "no memory for a case of %s",
                       trial->experiment.model->name);
    (*own)->test = trial->oracle->test;
    status = tolerant_states(&tolerant, *own);
    tolerant_close(&tolerant.backend);
    tolerant_close(&tolerant.reference);
    ca_lattice_free(&tolerant.before);
    ca_lattice_free(&tolerant.after);
    ca_lattice_free(&tolerant.expected);
    return status;
}
