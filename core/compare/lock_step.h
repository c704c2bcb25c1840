/* SPDX-License-Identifier: MIT */
/* Two simulations of this process in lock step: the search for the first difference
 * (core/compare/differ.h), and whether they agree within a tolerance. */
#ifndef CALAB_CORE_COMPARE_LOCK_STEP_H
#define CALAB_CORE_COMPARE_LOCK_STEP_H

#include "core/compare/differ.h"
#include "core/compare/states.h"

/* Called with what is done before each call of a backend; false stops. */
typedef bool ca_watch(void *context, const char *what);

/*
 * Lock step of two simulations in the same state: calls of `call` generations until `end`. After
 * each call the states are compared and, where they are equal, marked. Where they are not, *differ
 * is true and *found the case to search. CA_TIMEOUT: stopped. What a simulation returns;
 * CA_NO_MEMORY where it cannot keep a state.
 */
enum ca_status ca_differ_lock_step(struct ca_differ_case *found, bool *differ,
                                   struct ca_simulation *const pair[2], uint64_t call, uint64_t end,
                                   ca_watch *watch, void *context, struct ca_error *error);
/*
 * Searches until the result is complete; ca_differ_begin has been called. The simulations go back
 * to the state that ca_simulation_mark kept; where none is kept, the mark is generation 0, and they
 * are reset.
 * CA_TIMEOUT: stopped. What a simulation returns. After a failure both have to be reset.
 */
enum ca_status ca_differ_run(struct ca_differ *differ, struct ca_simulation *const pair[2],
                             ca_watch *watch, void *context, struct ca_error *error);

/*
 * Two simulations that agree within a tolerance only (struct ca_backend). Their states drift apart
 * over generations, so they are compared one generation at a time, each from the same state.
 */
struct ca_agreement {
    uint64_t generations;            /* from 0 on that agreed */
    struct ca_difference difference; /* in the next one; count 0: none was found */
};

/*
 * Resets `tested` and steps it one generation after the other. Before each, `expected` takes its
 * state and makes the same step; both are compared within their tolerance. Ends at a difference, at
 * generation `end`, or when `limit_s` are over, though not before the first. `watch` may be NULL.
 * CA_TIMEOUT: stopped. What a simulation returns.
 */
enum ca_status ca_agreement_run(struct ca_agreement *agreement, struct ca_simulation *expected,
                                struct ca_simulation *tested, uint64_t end, double limit_s,
                                ca_watch *watch, void *context, struct ca_error *error);

#endif
