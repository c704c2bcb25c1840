/* SPDX-License-Identifier: MIT */
/* The search for the first difference (core/bench/differ.h) between two simulations of this
 * process. */
#ifndef CALAB_CORE_BENCH_DIFFER_RUN_H
#define CALAB_CORE_BENCH_DIFFER_RUN_H

#include "core/bench/differ.h"
#include "core/sim/simulation.h"

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

#endif
