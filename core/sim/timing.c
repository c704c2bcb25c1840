/* SPDX-License-Identifier: MIT */
/* This file keeps a ring of timed calls and computes the figures that follow from it. */
#include "core/sim/timing.h"

#include <string.h>

#include "core/base/statistics.h"

void ca_timing_clear(struct ca_timing *timing) { memset(timing, 0, sizeof *timing); }

void ca_timing_restart(struct ca_timing *timing)
{
    timing->count = timing->next = 0;
    timing->other = 0;
}

void ca_timing_add(struct ca_timing *timing, uint64_t generations, uint64_t passes, double device_s,
                   double wall_s)
{
    timing->generations += generations;
    timing->device_s += device_s;
    timing->wall_s += wall_s;
    if (timing->count > 0 && generations != timing->call && generations != timing->other) {
        timing->other = generations;
        return;
    }
    if (generations != timing->call)
        ca_timing_restart(timing);
    timing->other = 0;
    timing->call = generations;
    timing->passes = passes;
    timing->device_s_of[timing->next] = device_s;
    timing->next = (timing->next + 1) % CA_TIMING_RING;
    if (timing->count < CA_TIMING_RING)
        timing->count++;
}

struct ca_timing_figures ca_timing_figures(const struct ca_timing *timing, double cells,
                                           double bytes_per_pass)
{
    struct ca_timing_figures figures = {.count = timing->count, .call = timing->call};
    double step_s[CA_TIMING_RING], call = (double)timing->call;
    int n = timing->count;

    if (n == 0)
        return (struct ca_timing_figures){0};
    for (int i = 0; i < n; i++)
        step_s[i] = timing->device_s_of[i] / call;
    ca_sort(step_s, n);
    figures.step_min_s = step_s[0];
    figures.step_p50_s = ca_median(step_s, n);
    figures.step_p99_s = step_s[(n * 99 + 99) / 100 - 1]; /* nearest rank */
    if (figures.step_p50_s > 0) {
        figures.cells_per_s = cells / figures.step_p50_s;
        figures.gb_per_s =
            cells * bytes_per_pass * (double)timing->passes / call / figures.step_p50_s / 1e9;
    }
    return figures;
}
