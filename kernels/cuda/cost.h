/* SPDX-License-Identifier: MIT */
/*
 * What passes of the CUDA backends take in clock cycles, by which their plans choose shapes and
 * predict a generation's time. A backend says what its shape has: blocks, units of logic, bytes and
 * halo. Constants stand in one table, in cost.c.
 *
 * A multiprocessor has four schedulers, which issue one warp each in a cycle. What a scheduler or
 * multiprocessor issues as a whole, and its latency, is a unit: often a warp's row.
 */
#ifndef CALAB_KERNELS_CUDA_COST_H
#define CALAB_KERNELS_CUDA_COST_H

#include "core/machine/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_LOGIC_UNITS 64 /* of a multiprocessor, for three-input logic and integers */

/* Cycles, where nothing else is said. */
struct cuda_cost {
    const char *model, *kernel; /* a backend, or one of its kernels */

    /* a pass */
    double pass; /* a launch, and what a pass takes beside its logic and memory */
    double load; /* until a block has its first data */

    /* a unit of logic */
    double issue;            /* to issue it, */
    double issue_generation; /* and each generation in it, */
    double issue_rule;       /* and there so many times what the rule's variant takes, */
    double issue_draw;       /* and each random draw of events */
    double wait;             /* of latency beyond its issue, */
    double wait_share;       /* and so many times its issue */

    /* a step of a block, between two barriers */
    double step_least; /* logic: latency takes so long however few units there are */
    double step;       /* barrier, shuffles, exchange with other blocks */
    double shared;     /* of shared memory for each warp, beside the logic */

    /* memory */
    double memory;    /* time of a byte, in that of a copy's */
    double l2_memory; /* the same where L2 holds the lattice, */
    double l2_part;   /* which it does up to this part of its size */
    double halo;      /* time of a byte that is read again, in that of a byte */
    double lone;      /* time of bytes is longer by this for a single resident warp */
    double together;  /* logic and memory take the norm of both with this exponent: 1 is their sum,
                       * and the larger it is, the more the longer one hides the shorter, all of it
                       * at INFINITY */
};

/* The row of a kernel; there is one for each name that a backend asks for. */
const struct cuda_cost *cuda_cost_of(const char *model, const char *kernel);
/* Cycles of a rule's variant; 0: it takes no more than others. */
double cuda_cost_of_rule(const char *model, const char *variant);

/* A unit's cycles to issue it, and of latency beyond them. */
struct cuda_unit {
    double issue, wait;
};

/* A unit of so many generations, each with so many cycles for the rule's variant and draws. */
struct cuda_unit cuda_unit_of(const struct cuda_cost *cost, double generations, double rule,
                              double draws);
/*
 * Cycles of logic where warps, or blocks, go on independently. A scheduler has `share` of them in
 * all, at most `resident` at once, and each has `units` one after the other. The others'
 * instructions hide a unit's latency, except at the end: warps that start together do not end
 * together, because the oldest is issued first, and the last ones have no others to hide their
 * latency. So chunks of which all warps are just resident at once are a bad choice where more
 * chunks are possible.
 */
double cuda_cycles_of_units(const struct cuda_cost *cost, struct cuda_unit unit, double units,
                            double share, double resident);
/* Cycles of logic where blocks wait at barriers: so many rounds of blocks, each of so many steps,
 * for which the busiest scheduler takes `issue` cycles. */
double cuda_cycles_of_steps(const struct cuda_cost *cost, double rounds, double steps,
                            double issue);
/* Cycles in which memory moves `moved` bytes and `again` bytes that are read a second time, where
 * passes go over `held` bytes; `resident` warps of each scheduler, or blocks, ask for them. */
double cuda_cycles_of_memory(const struct cuda_cost *cost, const struct ca_cuda_device *device,
                             double held, double moved, double again, double resident);
/* Cycles of a generation, so many a pass, each pass so many launches. */
double cuda_cycles_of_generation(const struct cuda_cost *cost, double launches, double generations,
                                 double logic, double memory);

#ifdef __cplusplus
}
#endif
#endif
