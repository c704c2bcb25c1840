/* SPDX-License-Identifier: MIT */
/*
 * Timing of steps: a ring of the last calls, and what follows from it.
 *
 * Rates count cell updates: cells x generations. 1 Mups = 10^6 cell updates a second. GB/s counts
 * the bytes that the backend declares for a pass over the cells, 1 GB = 10^9 bytes.
 */
#ifndef CALAB_CORE_SIM_TIMING_H
#define CALAB_CORE_SIM_TIMING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CA_TIMING_RING 512

struct ca_timing {
    struct {
        uint64_t generations, passes; /* over memory */
        double device_s;              /* of the kernels; on a CPU by the monotonic clock */
    } ring[CA_TIMING_RING];
    int count, next;
    uint64_t generations; /* since the timing was cleared */
    double device_s, wall_s;
    double transfer_s; /* the part of wall_s between host and device, 0 on a CPU */
};

/* Figures of the calls in the ring, in seconds per generation. count = 0: unknown. */
struct ca_timing_figures {
    int count;
    double step_p50_s, step_p99_s, step_min_s;
    double cells_per_s; /* from the device time of the ring */
    double gb_per_s;
};

void ca_timing_clear(struct ca_timing *timing);
void ca_timing_add(struct ca_timing *timing, uint64_t generations, uint64_t passes, double device_s,
                   double wall_s);
struct ca_timing_figures ca_timing_figures(const struct ca_timing *timing, double cells,
                                           double bytes_per_pass);

#ifdef __cplusplus
}
#endif
#endif
