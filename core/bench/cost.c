/* SPDX-License-Identifier: MIT */
/*
 * Owns the prediction of a generation's time from a plan: the launches and barriers of a
 * generation, then the longer of logic and memory, and random draws. The rates are those of
 * kernels/rates.c.
 */
#include "core/bench/cost.h"

#include <string.h>

#include "core/model/registry.h"

static const struct ca_rate *cost_rate_of(const struct ca_experiment *experiment)
{
    const struct ca_rate *rate = ca_rates.rows;

    while (rate->model && (strcmp(rate->model, experiment->model->name) != 0 ||
                           strcmp(rate->backend, experiment->backend->name) != 0))
        rate++;
    return rate->model ? rate : NULL;
}

/* Of one thread, or of a GPU. */
static double draws_s(const struct ca_experiment *experiment, const struct ca_rate *rate)
{
    struct ca_size size = experiment->size;
    int64_t of_row = (size.w + 127) / 128;
    double groups = (double)of_row * (double)size.h * (double)size.d;

    return rate->draws_per_s > 0 ? groups * ca_event_draws(&experiment->params) / rate->draws_per_s
                                 : 0;
}

double ca_cost_step(const struct ca_experiment *experiment, const struct ca_plan *plan)
{
    const struct ca_rate *rate = cost_rate_of(experiment);
    double cells = (double)ca_cells(experiment->size), logic_s, memory_s, start_s;
    bool cpu = experiment->backend->device == CA_CPU;
    int threads = plan->threads > 1 ? plan->threads : 1;

    if (plan->step_s > 0)
        return plan->step_s;
    if (!rate)
        return 0;
    start_s = rate->start_s / plan->generations;
    if (cpu && threads > 1)
        start_s += ca_rates.barrier_s / plan->generations;
    logic_s = (cells / rate->cells_per_s + draws_s(experiment, rate)) / (cpu ? threads : 1);
    memory_s = cells * plan->bytes_per_cell_step /
               (cpu ? ca_rates.cpu_bytes_per_s : ca_rates.gpu_bytes_per_s);
    if ((double)plan->memory_bytes < (cpu ? ca_rates.cpu_cache_bytes : ca_rates.gpu_cache_bytes))
        memory_s = 0;
    return start_s + (logic_s > memory_s ? logic_s : memory_s);
}
