/* SPDX-License-Identifier: MIT */
/* This file computes the expected states of a backend with a tolerance: its own states after each
 * call, which it then has to repeat to the last bit, however it is called and cut. They come from
 * single generations, each of which is compared with what the reference makes of the state before
 * it. */
#include <stdlib.h>

#include "core/compare/drive.h"
#include "core/verify/trial.h"

struct tolerant {
    struct trial *trial;
    struct instance backend, reference;
    struct ca_agreement agreement;
};

/* --- the backend and the reference as sides --------------------------------------------------- */

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

    return trial_must(tolerant->trial, "step", tolerant->backend.generation,
                      trial_step(&tolerant->backend, generations, error));
}

static enum ca_status backend_store(void *self, struct ca_lattice *state, struct ca_error *error)
{
    struct tolerant *tolerant = self;

    (void)error; /* which is the trial's */
    return trial_store(tolerant->trial, &tolerant->backend, state, 0, 0, ca_rows(state->size));
}

/* --------------------------------------------------------------------------------------------- */

static enum ca_status tolerant_generation(struct tolerant *tolerant)
{
    const struct ca_side side[2] = {
        {.self = tolerant,
         .load = reference_load,
         .step = reference_step,
         .store = reference_store},
        {.self = tolerant, .step = backend_step, .store = backend_store}};

    CA_TRY(ca_agreement_next(&tolerant->agreement, side, tolerant->trial->error));
    return trial_judge_within(tolerant->trial, tolerant->backend.generation, &tolerant->agreement);
}

static enum ca_status tolerant_calls(struct tolerant *tolerant, const uint64_t calls[],
                                     struct ca_lattice *states)
{
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
        for (uint64_t n = 0; n < calls[i]; n++)
            CA_TRY(tolerant_generation(tolerant));
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
    ca_agreement_end(&tolerant.agreement);
    return status;
}
