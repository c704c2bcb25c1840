/* SPDX-License-Identifier: MIT */
/*
 * Kernels of a rule's own: where none are compiled in for a rule, those that look it up step it at
 * once, and others, which are compiled for this one rule while the program runs, take their place
 * between two passes. They have the same layout, the same rows and the same generations of a pass.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_OWN_CUH
#define CALAB_KERNELS_MOORE_CUDA_OWN_CUH

#include "kernels/compile/later.h"
#include "kernels/moore/cuda_bitslice_step.cuh"
#include "kernels/moore/cuda_overlapped_step.cuh"
#include "kernels/moore/cuda_temporal_step.cuh"
#include "kernels/moore/own.h"
#include "kernels/moore/rungs.h"

#define MOORE_OWN_MOST 4 /* generations of a pass */

/* How a model has them made. */
struct moore_own_rule {
    /* Their CUDA text, malloc'd: moore_own_rows2, 4 and 8 and, for more generations than one,
     * moore_own_sweepN and, of even ones, moore_own_stillN; moore_own_tilesN of N rows a lane.
     * NULL: no memory. */
    char *(*text)(const uint64_t table[8], const struct moore_own_kinds *kinds, bool dead);
    /* The same as PTX, for the driver's own compiler and a compute capability, 90 for 9.0; NULL:
     * this program has none. */
    char *(*ptx)(const uint64_t table[8], const struct moore_own_kinds *kinds, bool dead,
                 int capability);
    uint64_t table[8]; /* of the rule, by the number of a square */
    int kept;          /* KEPT of cuda_rule.cuh */
    double work;       /* as in struct moore_rule */
};

struct moore_own_kernels {
    moore_bits_kernel *rows[3], *sweep[MOORE_OWN_MOST + 1];
    moore_still_kernel *still[MOORE_OWN_MOST / 2 + 1];
    moore_tiles_kernel *tiles;
};

/* Of an instance. */
struct moore_own {
    bool wanted; /* there are none otherwise */
    bool waits;  /* for the compiler, before the first generation */
    struct moore_own_rule rule;
    struct moore_own_kinds kinds;
    enum compile_gpu compiler;
    struct compile_later *later; /* NULL: none are expected any more */
};

/* In plan: whether there are to be some, by the option `logic`; then work and registers of a plan
 * are theirs. CA_COMPILE where they have to be and there is no compiler. */
enum ca_status moore_own_plan(struct cuda *cuda, struct moore_own *own,
                              const struct moore_own_rule *rule, struct ca_error *error);
/* In start: kernels of these kinds, which may be there then. */
enum ca_status moore_own_start(struct cuda *cuda, struct moore_own *own,
                               struct moore_own_kinds kinds, bool dead, struct ca_error *error);
/* Before a pass: the kernels, once, when they are there; else NULL. */
const struct moore_own_kernels *moore_own_turn(struct cuda *cuda, struct moore_own *own);
/* What a plan says of the logic, behind its other words. */
const char *moore_own_said(const struct moore_own *own, bool there);

#endif
