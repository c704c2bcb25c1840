/* SPDX-License-Identifier: MIT */
/*
 * The plan of a lattice that ranks share: how it is cut, after how many generations they exchange,
 * and what that takes, by the plans of the backend for their slabs.
 */
#ifndef CALAB_CORE_RANKS_PLAN_H
#define CALAB_CORE_RANKS_PLAN_H

#include "core/ranks/cut.h"

/* The cut and the plan of all ranks. The exchange, where it is not asked for, is chosen by what a
 * rank's slab takes. Fails as ca_cut_make does, or with what the backend says of a rank's slab. */
enum ca_status ca_ranks_plan(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                             struct ca_error *error);

/* Adds to a plan what other ranks need and how long they take. */
void ca_ranks_add_plan(struct ca_plan *all, const struct ca_plan *plan);
/* Adds to the sum of all ranks' plans their exchanges; a single rank has none. */
void ca_ranks_add_exchange(struct ca_plan *plan, const struct ca_cut *cut,
                           const struct ca_setup *setup);

#endif
