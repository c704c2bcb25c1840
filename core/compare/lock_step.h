/* SPDX-License-Identifier: MIT */
/* Two simulations of this process as sides (core/compare/side.h): their states, lock step, and
 * agreement within a tolerance. */
#ifndef CALAB_CORE_COMPARE_LOCK_STEP_H
#define CALAB_CORE_COMPARE_LOCK_STEP_H

#include "core/compare/drive.h"
#include "core/sim/simulation.h"

/* The self of a side. */
struct ca_simulation_side {
    struct ca_simulation *simulation;
    struct ca_meter meter;
    struct ca_lattice cells; /* the last that were asked for */
    struct ca_side_result result;
};

/*
 * A side that goes back to the state that ca_simulation_mark kept or, where none is kept, to the
 * start. What it has taken is freed by ca_simulation_side_end. After a failure the simulation has
 * to be reset.
 */
struct ca_side ca_simulation_side(struct ca_simulation_side *self,
                                  struct ca_simulation *simulation);
void ca_simulation_side_end(struct ca_simulation_side *self);

/* The tolerance of two backends with each other, 0: they agree to the last bit. A backend repeats
 * itself to the last bit. */
double ca_tolerance(const struct ca_backend *a, const struct ca_backend *b);
double ca_simulation_tolerance(const struct ca_simulation *a, const struct ca_simulation *b);

/* ca_states_compare of two simulations of the same model and size, within their tolerance. */
enum ca_status ca_simulation_compare(struct ca_simulation *expected, struct ca_simulation *got,
                                     struct ca_difference *difference, struct ca_error *error);

/*
 * Lock step of two simulations in the same state: calls of `call` generations until `end`. After
 * each call the states are compared and, where they are equal, marked. Where they are not, *differ
 * is true and *found the case to search. CA_TIMEOUT: stopped. What a simulation returns;
 * CA_NO_MEMORY where it cannot keep a state.
 */
enum ca_status ca_differ_lock_step(struct ca_differ_case *found, bool *differ,
                                   struct ca_simulation *const pair[2], uint64_t call, uint64_t end,
                                   ca_watch *watch, void *context, struct ca_error *error);

struct ca_agreement_result {
    uint64_t generations;            /* from 0 on that agreed */
    struct ca_difference difference; /* in the next one; count 0: none was found */
};

/*
 * Resets `tested` and steps it one generation after the other, each of which `expected` makes from
 * the same state (core/compare/drive.h); both are compared within their tolerance. Ends at a
 * difference, at generation `end`, or when `limit_s` are over, though not before the first. `watch`
 * may be NULL. CA_TIMEOUT: stopped. What a simulation returns.
 */
enum ca_status ca_simulations_agree(struct ca_agreement_result *found,
                                    struct ca_simulation *expected, struct ca_simulation *tested,
                                    uint64_t end, double limit_s, ca_watch *watch, void *context,
                                    struct ca_error *error);

#endif
