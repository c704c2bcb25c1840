/* SPDX-License-Identifier: MIT */
/* This file computes the expected states of a backend with a tolerance: its own states after each
 * call, which it then has to repeat to the last bit, however it is called and cut. They come from
 * single generations, each of which is compared with what the reference makes of the state before
 * it. */
#include <stdlib.h>

#include "core/verify/trial.h"

struct near {
    struct trial *trial;
    struct instance backend, reference;
    struct ca_lattice before, after, expected;
};

static enum ca_status by_reference(struct near *near)
{
    const struct ca_stepper *stepper = near->reference.stepper;
    int64_t rows = ca_rows(near->before.size);

    CA_TRY(stepper->load(near->reference.self, (const void *const *)near->before.plane, 0, rows,
                         near->trial->error));
    near->reference.generation = near->backend.generation;
    CA_TRY(trial_step(&near->reference, 1, near->trial->error));
    return stepper->store(near->reference.self, near->expected.plane, 0, rows, near->trial->error);
}

/* One generation, after which `before` is the backend's state. */
static enum ca_status generation(struct near *near)
{
    struct trial *trial = near->trial;
    struct ca_lattice after;

    CA_TRY(by_reference(near));
    CA_TRY(trial_must(trial, "step", near->backend.generation,
                      trial_step(&near->backend, 1, trial->error)));
    CA_TRY(trial_store(trial, &near->backend, &near->after, 0, 0, ca_rows(near->after.size)));
    CA_TRY(trial_compare_within(trial, near->backend.generation, &near->expected, &near->after));
    after = near->after;
    near->after = near->before;
    near->before = after;
    return CA_OK;
}

static enum ca_status run(struct near *near, const uint64_t calls[], struct ca_lattice *states)
{
    struct trial *trial = near->trial;

    ca_lattice_free(&near->before);
    CA_TRY(trial_copy(trial, &near->before, &trial->truth->start));
    near->backend.generation = 0;
    CA_TRY(trial_load(trial, &near->backend, &near->before, 0, 0, ca_rows(near->before.size)));
    for (int i = 0; calls[i]; i++) {
        for (uint64_t n = 0; n < calls[i]; n++)
            CA_TRY(generation(near));
        CA_TRY(trial_copy(trial, &states[i], &near->before));
    }
    return CA_OK;
}

static enum ca_status make(struct near *near, struct ca_verify_truth *own)
{
    struct trial *trial = near->trial;
    const struct ca_verify_case *test = trial->truth->test;
    uint64_t per_round = 2 * test->slab_steps;
    const uint64_t rounds[] = {per_round, per_round, 0};

    CA_TRY(trial_open(&near->reference, &test->experiment, NULL, trial->error));
    CA_TRY(trial_must(trial, "create", 0,
                      trial_open(&near->backend, &trial->experiment, NULL, trial->error)));
    CA_TRY(trial_lattice(trial, &near->after));
    CA_TRY(trial_lattice(trial, &near->expected));
    CA_TRY(trial_copy(trial, &own->start, &trial->truth->start));
    CA_TRY(run(near, test->calls, own->after));
    return trial_ghosts(test) ? run(near, rounds, own->slabs) : CA_OK;
}

static void destroy(const struct instance *instance)
{
    if (instance->self)
        instance->stepper->destroy(instance->self);
}

enum ca_status trial_near(struct trial *trial, struct ca_verify_truth **own)
{
    struct near near = {.trial = trial};
    enum ca_status status;

    *own = calloc(1, sizeof **own);
    if (!*own)
        return ca_fail(trial->error, CA_NO_MEMORY, "no memory for a case of %s",
                       trial->experiment.model->name);
    (*own)->test = trial->truth->test;
    status = make(&near, *own);
    destroy(&near.backend);
    destroy(&near.reference);
    ca_lattice_free(&near.before);
    ca_lattice_free(&near.after);
    ca_lattice_free(&near.expected);
    return status;
}
