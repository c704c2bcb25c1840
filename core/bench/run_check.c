/* SPDX-License-Identifier: MIT */
/* Checks experiments and measurements as a run would, without stepping them. */
#include "core/bench/run_check.h"

#include "core/bench/choose.h"
#include "core/files/config.h"
#include "core/sim/output.h"
#include "core/sim/shipped.h"
#include "core/sim/simulation.h"

static enum ca_status ca_run_check(const struct ca_experiment *experiment,
                                   const struct ca_outputs *outputs, struct ca_error *error)
{
    struct ca_experiment copy = *experiment;

    CA_TRY(ca_choose_untried(&copy, error));
    CA_TRY(ca_experiment_resume(&copy, error));
    CA_TRY(ca_outputs_check(outputs, &copy, copy.steps, error));
    CA_TRY(ca_simulation_check(&copy, error));
    return ca_outputs_check_lattice(outputs, &copy, error);
}

enum ca_status ca_measures_check(const struct ca_measures *measures, struct ca_error *error)
{
    for (int i = 0; i < measures->count; i++) {
        struct ca_measure copy = measures->line[i];

        CA_TRY(ca_choose_untried(&copy.experiment, error));
        CA_TRY(ca_measure_check(&copy, error));
    }
    return CA_OK;
}

enum ca_status ca_run_file_check(const char *path, struct ca_error *error)
{
    struct ca_experiment experiment;
    struct ca_measures measures = {0};
    struct ca_outputs outputs = {0};
    struct ca_error cause;
    enum ca_status status;

    ca_experiment_default(&experiment, ca_models[0]);
    status = ca_shipped_open(&experiment, &outputs, path, error);
    if (status == CA_OK && !ca_state_has_run(path) && ca_file_exists(path))
        status = ca_measures_read(&measures, path, &experiment, error);
    if (status == CA_OK) {
        status = measures.count > 0 ? ca_measures_check(&measures, &cause)
                                    : ca_run_check(&experiment, &outputs, &cause);
        if (status != CA_OK)
            ca_error_set(error, status, "%.200s: %s", path, cause.text);
        status = ca_config_refused(status, error);
    }
    ca_measures_free(&measures);
    return status;
}
