/* SPDX-License-Identifier: MIT */
/* Makes the states that the reference computes in a case. */
#include "core/lab/check/oracle.h"

#include <string.h>

#include "core/lab/cause/influence.h"
#include "core/sim/simulation.h"

/* A copy of the simulation's state in lattice `to`, which is allocated where it is empty. */
static enum ca_status oracle_take(struct ca_simulation *simulation, struct ca_lattice *to,
                                  struct ca_error *error)
{
    return to->planes == 0 ? ca_simulation_store(simulation, to, error)
                           : ca_simulation_rows(simulation, to->plane, 0, ca_rows(to->size), error);
}

/* Makes the calls from the start, notes how long the longest takes, and, of the reference, takes
 * the state after each. */
static enum ca_status oracle_calls(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                   struct ca_simulation *simulation, bool takes,
                                   struct ca_error *error)
{
    double wall_s, device_s;

    CA_TRY(ca_simulation_load(simulation, &oracle->state[0], oracle->t, error));
    oracle->longest_s = 0;
    for (int i = 0; i < oracle->calls; i++) {
        CA_TRY(ca_simulation_time(simulation, (uint64_t)lab->generation[i], &wall_s, &device_s,
                                  error));
        if (takes)
            CA_TRY(oracle_take(simulation, &oracle->state[i + 1], error));
        oracle->longest_s = wall_s > oracle->longest_s ? wall_s : oracle->longest_s;
    }
    return CA_OK;
}

static enum ca_status oracle_states(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                    struct ca_error *error)
{
    const struct ca_setup *setup = &oracle->setup;
    struct ca_simulation *simulation;
    enum ca_status status;

    CA_TRY(ca_simulation_open(&simulation, &oracle->experiment, error));
    status = oracle_take(simulation, &oracle->state[0], error);
    if (status == CA_OK && oracle->random) /* another one for each size */
        status = ca_probing_state(lab->model,
                                  (setup->seed * 1000003 + (uint64_t)setup->size.w) * 1000003 +
                                      (uint64_t)setup->size.h,
                                  &oracle->state[0], error);
    if (status == CA_OK)
        status = oracle_calls(oracle, lab, simulation, true, error);
    ca_simulation_close(simulation);
    return status;
}

/* How long the calls take the backend that the kernel is held against, where that runs here. */
static enum ca_status oracle_times(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                   struct ca_error *error)
{
    struct ca_experiment experiment = oracle->experiment;
    struct ca_simulation *simulation;
    enum ca_status status;

    if (ca_backend_available(lab->against, error) != CA_OK)
        return CA_OK;
    ca_experiment_backend(&experiment, lab->against, CA_FROM_EXPERIMENT);
    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = oracle_calls(oracle, lab, simulation, false, error);
    ca_simulation_close(simulation);
    return status;
}

enum ca_status ca_lab_oracle_make(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                  struct ca_size size, int seed, struct ca_error *error)
{
    const struct ca_lab_case one = {.size = size,
                                    .seed = lab->seed[seed],
                                    .t = seed % 2 ? CA_LAB_LATE_START : 0,
                                    .random = seed % 2,
                                    .params = lab->params};

    return ca_lab_oracle_of(oracle, lab, &one, error);
}

enum ca_status ca_lab_oracle_of(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                const struct ca_lab_case *one, struct ca_error *error)
{
    memset(oracle, 0, sizeof *oracle);
    oracle->experiment = ca_lab_experiment(lab, one->size, one->seed);
    oracle->experiment.params = one->params;
    oracle->t = one->t;
    oracle->random = one->random;
    oracle->calls = lab->generations;
    CA_TRY(ca_experiment_check(&oracle->experiment, error));
    oracle->setup = ca_setup_of(&oracle->experiment);
    CA_TRY(oracle_states(oracle, lab, error));
    if (CA_LAB_SLOW_FACTOR * oracle->longest_s <= lab->seconds)
        return CA_OK;
    return oracle_times(oracle, lab, error);
}

enum ca_status ca_lab_oracle_next(const struct ca_lab_oracle *oracle, struct ca_lattice *state,
                                  uint64_t t, struct ca_error *error)
{
    struct ca_experiment experiment = oracle->experiment;
    struct ca_simulation *simulation;
    enum ca_status status;

    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = ca_simulation_load(simulation, state, t, error);
    if (status == CA_OK)
        status = ca_simulation_step(simulation, 1, error);
    if (status == CA_OK)
        status = oracle_take(simulation, state, error);
    ca_simulation_close(simulation);
    return status;
}

void ca_lab_oracle_free(struct ca_lab_oracle *oracle)
{
    for (int i = 0; i <= CA_LAB_CASES_MAX; i++)
        ca_lattice_free(&oracle->state[i]);
}
