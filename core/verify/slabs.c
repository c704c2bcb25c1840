/* SPDX-License-Identifier: MIT */
/* This file checks slabs: two that exchange ghost layers must add up to the whole lattice. */
#include <string.h>

#include "core/sim/simulation.h"
#include "core/verify/trial.h"

/* Cuts are at even layers, and each part is larger than the layers that it shares. */
int64_t trial_ghosts(const struct ca_verify_case *test)
{
    const struct ca_model *model = test->experiment.model;
    int64_t ghosts = 2 * model->radius * (int64_t)test->slab_steps;

    return ca_layers(model, test->experiment.size) >= 4 * ghosts ? ghosts : 0;
}

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
            CA_TRY(trial_must(trial, "step of a slab", part->generation,
                              trial_step(part, steps, trial->error)));
        }
        for (int i = 0; i < 2; i++) {
            struct instance *part = &halves->part[i];

            CA_TRY(exchange(trial, part, whole, halves->own_first[i], halves->own[i], true));
        }
        for (int i = 0; i < 2; i++)
            CA_TRY(trial_survey_slab(trial, &halves->part[i], halves->own_first[i], halves->own[i],
                                     whole));
        CA_TRY(trial_compare(trial, CA_FAULT_SLAB, halves->part[0].generation,
                             &trial->oracle->slabs[round], whole));
    }
    return CA_OK;
}

enum ca_status trial_slabs(struct trial *trial)
{
    const struct ca_verify_case *test = trial->oracle->test;
    int64_t ghosts = trial_ghosts(test);
    struct ca_lattice whole;
    struct halves halves;
    enum ca_status status;

    if (ghosts == 0)
        return CA_OK;
    CA_TRY(trial_lattice(trial, &whole));
    for (int p = 0; p < whole.planes; p++)
        memcpy(whole.plane[p], trial->oracle->start.plane[p],
               (size_t)ca_cells(whole.size) * ca_type_bytes(whole.type));
    status = open_halves(trial, &halves, ghosts);
    if (status == CA_OK)
        status = run_halves(trial, &halves, &whole, 2 * test->slab_steps);
    for (int i = 0; i < 2; i++)
        if (halves.part[i].self)
            halves.part[i].stepper->destroy(halves.part[i].self);
    ca_lattice_free(&whole);
    return status == CA_USAGE ? CA_OK : status;
}
