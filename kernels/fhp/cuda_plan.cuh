/* SPDX-License-Identifier: MIT */
/*
 * What the plans of fhp's CUDA backends share: the costs of the bit-sliced kernels' logic, random
 * draws and memory in clock cycles. The figures were fitted to timings of an H200 (compute
 * capability 9.0). A scheduler of a multiprocessor issues one warp a cycle; a row here is the 32
 * groups of 128 nodes that a warp takes through one generation.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_PLAN_CUH
#define CALAB_KERNELS_FHP_CUDA_PLAN_CUH

#include "kernels/cuda/philox.cuh"
#include "kernels/cuda/stepper.cuh"

/* Cycles that a row's logic takes to issue, by the collision set. */
static inline double fhp_logic_cycles(const struct cuda *cuda)
{
    static const double collide[] = {300, 430, 760};

    return collide[ca_choice(&cuda->setup.params, "collisions")];
}

/* Random draws that forcing takes for 128 nodes. */
static inline int fhp_forcing_draws(const struct cuda *cuda)
{
    uint32_t k = ca_probability(&cuda->setup.params, "p_force");

    return k ? draw_chance_of(k).draws : 0;
}

/* Cycles that a row takes to issue, and its latency beyond them. */
struct fhp_row_cycles {
    double issue, wait;
};

#define FHP_DRAW_ISSUE_CYCLES 67     /* a draw of forcing takes to issue, */
#define FHP_DRAW_WAIT_CYCLES 25      /* and adds to the latency */
#define FHP_LOGIC_WAIT 0.3           /* latency beyond the issue of logic, as a share of it */
#define FHP_LOOPED_ISSUE 1.05        /* factor of a kernel that is not unrolled over generations */
#define FHP_LOOPED_WAIT_CYCLES 500.0 /* its further latency: draws do not overlap with logic */

static inline struct fhp_row_cycles fhp_row_cycles(const struct cuda *cuda, bool unrolled)
{
    double logic = fhp_logic_cycles(cuda);
    int draws = fhp_forcing_draws(cuda);
    double issue = logic + FHP_DRAW_ISSUE_CYCLES * draws;
    double wait = FHP_LOGIC_WAIT * logic + FHP_DRAW_WAIT_CYCLES * draws;

    if (unrolled)
        return {issue, wait};
    return {FHP_LOOPED_ISSUE * issue, wait + FHP_LOOPED_WAIT_CYCLES};
}

/* Cycles that memory takes to read one buffer of `bytes` and to write the other; none where L2
 * holds both. */
static inline double fhp_memory_cycles(const struct cuda *cuda, double bytes)
{
    return 2 * bytes < (double)cuda->facts.l2_bytes ? 0 : 2 * bytes / cuda->facts.bytes_a_clock;
}

#endif
