/* SPDX-License-Identifier: MIT */
/*
 * Timing of steps: a ring of the last calls, all of one length, and what follows from it. The
 * overhead of a call weighs more on short ones, so that calls of several lengths have no figure in
 * common. A single call of another length, such as the rest of a run, is left out; with the second
 * in a row the ring starts anew.
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
    double device_s_of[CA_TIMING_RING]; /* by the kernels; on a CPU by the monotonic clock */
    int count, next;
    uint64_t call, passes; /* generations of each call in the ring, and its passes over memory */
    uint64_t other;        /* length of the last call, which is not in the ring; 0: it is */
    uint64_t generations;  /* since the timing was cleared */
    double device_s, wall_s;
    double transfer_s; /* the part of wall_s between host and device, 0 on a CPU */
};

/* Figures of the calls in the ring, in seconds of the device per generation. count = 0: unknown. */
struct ca_timing_figures {
    int count;
    uint64_t call; /* generations */
    double step_p50_s, step_p99_s, step_min_s;
    double cells_per_s, gb_per_s; /* at step_p50_s */
};

void ca_timing_clear(struct ca_timing *timing);
/* The ring starts anew with the next call; the sums stay. */
void ca_timing_restart(struct ca_timing *timing);
void ca_timing_add(struct ca_timing *timing, uint64_t generations, uint64_t passes, double device_s,
                   double wall_s);
/* The rates are NAN where `cells` is. */
struct ca_timing_figures ca_timing_figures(const struct ca_timing *timing, double cells,
                                           double bytes_per_pass);

#ifdef __cplusplus
}
#endif
#endif
