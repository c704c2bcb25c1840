/* SPDX-License-Identifier: MIT */
/* Owns the ring of timed calls and the figures that follow from it. */
#include "core/sim/timing.h"

#include <string.h>

#include "core/base/statistics.h"

void ca_timing_clear(struct ca_timing *timing) { memset(timing, 0, sizeof *timing); }

void ca_timing_add(struct ca_timing *timing, uint64_t generations, uint64_t passes, double device_s,
                   double wall_s)
{
    timing->ring[timing->next].generations = generations;
    timing->ring[timing->next].passes = passes;
    timing->ring[timing->next].device_s = device_s;
    timing->next = (timing->next + 1) % CA_TIMING_RING;
    if (timing->count < CA_TIMING_RING)
        timing->count++;
    timing->generations += generations;
    timing->device_s += device_s;
    timing->wall_s += wall_s;
}

struct ca_timing_figures ca_timing_figures(const struct ca_timing *timing, double cells,
                                           double bytes_per_pass)
{
    struct ca_timing_figures figures = {.count = timing->count};
    double step_s[CA_TIMING_RING], seconds = 0, generations = 0, passes = 0;
    int n = timing->count;

    if (n == 0)
        return figures;
    for (int i = 0; i < n; i++) {
        step_s[i] = timing->ring[i].device_s / (double)timing->ring[i].generations;
        seconds += timing->ring[i].device_s;
        generations += (double)timing->ring[i].generations;
        passes += (double)timing->ring[i].passes;
    }
    ca_sort(step_s, n);
    figures.step_min_s = step_s[0];
    figures.step_p50_s = ca_median(step_s, n);
    figures.step_p99_s = step_s[(n * 99 + 99) / 100 - 1]; /* nearest rank */
    if (seconds > 0) {
        figures.cells_per_s = cells * generations / seconds;
        figures.gb_per_s = cells * passes * bytes_per_pass / seconds / 1e9;
    }
    return figures;
}
