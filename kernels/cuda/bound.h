/* SPDX-License-Identifier: MIT */
/*
 * The least time of a pass of a CUDA backend, by which its plan chooses among shapes. A plan says
 * what a shape moves and computes; what a GPU does at most is the same for all kernels: memory and
 * L2 move bytes, a multiprocessor computes on so many words in a clock, a launch and a barrier take
 * their time. There is no constant of a kernel, so a kernel needs no measurement before it can
 * choose. Where bounds do not decide, trials do (core/bench/choose.h).
 */
#ifndef CALAB_KERNELS_CUDA_BOUND_H
#define CALAB_KERNELS_CUDA_BOUND_H

#include "core/machine/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pass as a plan describes it. What is 0 takes no time. */
struct cuda_shape {
    double generations; /* of the pass */
    double launches;
    int64_t blocks;
    double warps;    /* of a block */
    double resident; /* blocks that a multiprocessor holds at once; 0: one */
    double ops;      /* operations of a block on 32 bits: of all its threads and generations, with
                      * those on halos */
    double barriers; /* that a block waits for, one after the other */
    double clusters; /* those of them at which it waits for other blocks of its cluster */
    double held;     /* bytes that passes go over */
    double moved;    /* bytes that are read and written, with those that are read again */
};

/* Seconds of a generation. */
double cuda_bound_s(const struct ca_cuda_device *device, const struct cuda_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
