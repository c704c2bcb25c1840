/* SPDX-License-Identifier: MIT */
/* The search for the first difference (core/bench/differ.h) between two simulations of this
 * process. */
#ifndef CALAB_CORE_BENCH_DIFFER_RUN_H
#define CALAB_CORE_BENCH_DIFFER_RUN_H

#include "core/bench/differ.h"
#include "core/sim/simulation.h"

/* Called before each request; false stops the search. */
typedef bool ca_differ_watch(void *context, const struct ca_differ *differ);
/*
 * Searches until the result is complete; ca_differ_begin has been called. The simulations go back
 * to the state that ca_simulation_mark kept; where none is kept, the mark is generation 0, and they
 * are reset.
 * CA_TIMEOUT: stopped. What a simulation returns. After a failure both have to be reset.
 */
enum ca_status ca_differ_run(struct ca_differ *differ, struct ca_simulation *const pair[2],
                             ca_differ_watch *watch, void *context, struct ca_error *error);

#endif
