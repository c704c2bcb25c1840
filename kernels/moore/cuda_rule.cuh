/* SPDX-License-Identifier: MIT */
/*
 * The kernels of this folder step any rule of two states and the square of nine cells. They are
 * templates over the rule, which a model brings as classes made from the parameters of a launch.
 *
 * Of bytes, one cell:
 *
 *     explicit __device__ Rule(const struct moore_parameters &parameters)
 *     uint8_t next(above, centre, below)    pointers at the upper left cell, and one and two rows
 *                                           below it
 *
 * Of words, four of them a group (kernels/cuda/bit_groups.cuh). What a row has to give its own
 * result and those of the rows above and below is made once, as is what two neighbouring rows
 * share, which may be nothing:
 *
 *     explicit __device__ Rule(const struct moore_parameters &parameters)
 *     struct row                    of one row of a group, of which
 *     struct two                    of two neighbouring rows
 *     row row_of(cells, before, behind)        of a row's words, and words 3 and 0 beside them
 *     two two_of(b, c)                         of rows b and c, the upper one first
 *     void upper(cells, two, a, b, c)          the result of b, with row a above it
 *     void lower(cells, two, b, c, d)          the result of c, with row d below it
 *     KEPT                                     registers for two rows: the sums of both, say
 *     GENERATIONS                              the most that are worth their while in a pass
 *     EDGES                                    rows a and d as this many groups of words,
 *     uint4 edge(row, int k)                   of which this is the k-th,
 *     row row_at(edge)                         and back, where edge(k) is that
 *
 * Fields of a row that its own result alone takes cost no registers once that is made.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_RULE_CUH
#define CALAB_KERNELS_MOORE_CUDA_RULE_CUH

#include <stdint.h>

#define MOORE_RULE_WORDS 32

/* What each launch hands to its kernel. */
struct moore_parameters {
    uint32_t rule[MOORE_RULE_WORDS]; /* the rule's own; 0 where it is compiled in */
    int64_t w;                       /* cells of a row, for dead edges */
};

/* The rule of an instance. */
struct moore_rule {
    struct moore_parameters parameters;
    bool dead; /* what is outside of the lattice is empty in all generations; else it is a torus */
    double work; /* operations, as a multiple of those of the backend's row */
};

#endif
