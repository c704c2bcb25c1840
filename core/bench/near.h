/* SPDX-License-Identifier: MIT */
/*
 * Two simulations that agree within a tolerance only (struct ca_backend). Their states drift apart
 * over generations, so they are compared one generation at a time, each from the same state.
 */
#ifndef CALAB_CORE_BENCH_NEAR_H
#define CALAB_CORE_BENCH_NEAR_H

#include "core/bench/differ_run.h"

struct ca_near {
    uint64_t generations;            /* from 0 on that agreed */
    struct ca_difference difference; /* in the next one; count 0: none was found */
};

/*
 * Resets `tested` and steps it one generation after the other. Before each, `truth` takes its state
 * and makes the same step; both are compared within their tolerance. Ends at a difference, at
 * generation `end`, or when `limit_s` are over, though not before the first. `watch` may be NULL.
 * CA_TIMEOUT: stopped. What a simulation returns.
 */
enum ca_status ca_near_run(struct ca_near *near, struct ca_simulation *truth,
                           struct ca_simulation *tested, uint64_t end, double limit_s,
                           ca_watch *watch, void *context, struct ca_error *error);

#endif
