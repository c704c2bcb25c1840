/* SPDX-License-Identifier: MIT */
/* Owns the reference's part of a check. */
#include "core/lab/truth.h"

#include <string.h>

#include "core/lab/influence.h"
#include "core/sim/simulation.h"

/* A copy of the simulation's state in lattice `to`, which is allocated where it is empty. */
static enum ca_status take(struct ca_simulation *simulation, struct ca_lattice *to,
                           struct ca_error *error)
{
    void *planes[CA_PLANES_MAX];

    if (to->planes == 0)
        return ca_simulation_store(simulation, to, error);
    ca_lattice_at(to, 0, planes);
    return ca_simulation_rows(simulation, planes, 0, ca_rows(to->size), error);
}

/* Of a random start: another one for each size. */
static uint64_t seed_of(const struct ca_setup *setup)
{
    return (setup->seed * 1000003 + (uint64_t)setup->size.w) * 1000003 + (uint64_t)setup->size.h;
}

static enum ca_status states(struct ca_lab_truth *truth, const struct ca_lab *lab,
                             struct ca_error *error)
{
    struct ca_simulation *simulation;
    double wall_s, device_s;
    enum ca_status status;

    CA_TRY(ca_simulation_open(&simulation, &truth->experiment, error));
    status = take(simulation, &truth->state[0], error);
    if (status == CA_OK && truth->random)
        status = ca_probing_state(lab->model, seed_of(&truth->setup), &truth->state[0], error);
    if (status == CA_OK)
        status = ca_simulation_load(simulation, &truth->state[0], truth->t, error);
    for (int i = 0; i < truth->calls && status == CA_OK; i++) {
        status =
            ca_simulation_time(simulation, (uint64_t)lab->generation[i], &wall_s, &device_s, error);
        if (status == CA_OK)
            status = take(simulation, &truth->state[i + 1], error);
        if (status == CA_OK && wall_s > truth->longest_s)
            truth->longest_s = wall_s;
    }
    ca_simulation_close(simulation);
    return status;
}

/* How long the calls take the backend that the kernel is held against, where that runs here. */
static enum ca_status times(struct ca_lab_truth *truth, const struct ca_lab *lab,
                            struct ca_error *error)
{
    struct ca_experiment experiment = truth->experiment;
    struct ca_simulation *simulation;
    enum ca_status status;
    double wall_s, device_s;

    if (ca_backend_available(lab->against, error) != CA_OK)
        return CA_OK;
    truth->longest_s = 0;
    ca_experiment_backend(&experiment, lab->against, CA_FROM_EXPERIMENT);
    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = ca_simulation_load(simulation, &truth->state[0], truth->t, error);
    for (int i = 0; i < truth->calls && status == CA_OK; i++) {
        status =
            ca_simulation_time(simulation, (uint64_t)lab->generation[i], &wall_s, &device_s, error);
        truth->longest_s = wall_s > truth->longest_s ? wall_s : truth->longest_s;
    }
    ca_simulation_close(simulation);
    return status;
}

enum ca_status ca_lab_truth_make(struct ca_lab_truth *truth, const struct ca_lab *lab,
                                 struct ca_size size, int seed, struct ca_error *error)
{
    const struct ca_lab_case one = {.size = size,
                                    .seed = lab->seed[seed],
                                    .t = seed % 2 ? CA_LAB_LATE_START : 0,
                                    .random = seed % 2,
                                    .params = lab->params};

    return ca_lab_truth_of(truth, lab, &one, error);
}

enum ca_status ca_lab_truth_of(struct ca_lab_truth *truth, const struct ca_lab *lab,
                               const struct ca_lab_case *one, struct ca_error *error)
{
    memset(truth, 0, sizeof *truth);
    truth->experiment = ca_lab_experiment(lab, one->size, one->seed);
    truth->experiment.params = one->params;
    truth->t = one->t;
    truth->random = one->random;
    truth->calls = lab->generations;
    CA_TRY(ca_experiment_check(&truth->experiment, error));
    truth->setup = ca_setup_of(&truth->experiment);
    CA_TRY(states(truth, lab, error));
    if (CA_LAB_SLOW_FACTOR * truth->longest_s <= lab->seconds)
        return CA_OK;
    return times(truth, lab, error);
}

enum ca_status ca_lab_truth_next(const struct ca_lab_truth *truth, struct ca_lattice *state,
                                 uint64_t t, struct ca_error *error)
{
    struct ca_experiment experiment = truth->experiment;
    struct ca_simulation *simulation;
    enum ca_status status;

    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = ca_simulation_load(simulation, state, t, error);
    if (status == CA_OK)
        status = ca_simulation_step(simulation, 1, error);
    if (status == CA_OK)
        status = take(simulation, state, error);
    ca_simulation_close(simulation);
    return status;
}

void ca_lab_truth_free(struct ca_lab_truth *truth)
{
    for (int i = 0; i <= CA_LAB_CASES_MAX; i++)
        ca_lattice_free(&truth->state[i]);
}
