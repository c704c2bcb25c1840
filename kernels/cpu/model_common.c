/* SPDX-License-Identifier: MIT */
/* Owns what models' records say alike. */
#include "kernels/cpu/model_common.h"

#include "kernels/cpu/thread_pool.h"

const struct ca_param record_threads[] = {TEAM_OPTION, {.name = NULL}};
const struct ca_param record_generations[] = {TEAM_OPTION, GENERATIONS_OPTION, {.name = NULL}};

const struct ca_state_look record_live_states[] = {
    {'.', CA_COLOUR_QUIET, "empty"},
    {'O', CA_COLOUR_STRONG, "live"},
    {.name = NULL},
};

const struct ca_observable record_live_observables[] = {
    {.name = "live", .help = "live cells"},
    {.name = NULL},
};

void record_live_look(const void *const planes[], int64_t i, float low, float high,
                      struct ca_look *look)
{
    const uint8_t *cells = planes[0];

    (void)low, (void)high;
    *look = (struct ca_look){.code = cells[i], .level = cells[i]};
}

void record_count(const struct ca_setup *setup, const void *const planes[], int64_t first,
                  int64_t rows, double sums[CA_OBSERVABLES_MAX])
{
    int64_t cells = rows * setup->size.w;

    (void)first;
    for (int p = 0; p < setup->model->planes; p++) {
        const uint8_t *plane = planes[p];
        int64_t count = 0;

        for (int64_t i = 0; i < cells; i++)
            count += plane[i];
        sums[p] += (double)count;
    }
}

bool record_conserved(const struct ca_setup *setup, const double start[])
{
    (void)setup;
    (void)start;
    return true;
}

bool record_torus(const struct ca_setup *setup)
{
    (void)setup;
    return true;
}
