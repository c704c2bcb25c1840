/* SPDX-License-Identifier: MIT */
/* The cuts that each line of a benchmark is run with, one after the other: numbers of ranks, or
 * lists of GPUs (core/ranks). */
#ifndef CALAB_CORE_BENCH_CUTS_H
#define CALAB_CORE_BENCH_CUTS_H

#include "core/sim/experiment.h"

#define CA_BENCH_CUTS 16
#define CA_BENCH_DEVICES 200 /* bytes of a list of GPUs */

struct ca_bench_cut {
    int ranks;                      /* 0: the option is not set */
    char devices[CA_BENCH_DEVICES]; /* "": likewise */
};

struct ca_bench_cuts {
    struct ca_bench_cut cut[CA_BENCH_CUTS];
    int count; /* 0: none is asked for */
};

/*
 * Fills the cuts from `ranks`, numbers with commas, and `devices`, so many lists of GPUs; NULL and
 * 0 for none. Where one of the two has several values, the other has one at most, which goes with
 * each of them. CA_USAGE with what is wrong and what is allowed.
 */
enum ca_status ca_bench_cuts_make(struct ca_bench_cuts *cuts, const char *ranks,
                                  const char *const devices[], int lists, struct ca_error *error);
/* Whether a backend has the options that the cuts set. */
bool ca_bench_cuts_fit(const struct ca_bench_cuts *cuts, const struct ca_backend *backend);
/* Sets the options of an experiment whose backend has them. CA_USAGE. */
enum ca_status ca_bench_cut_set(struct ca_experiment *experiment, const struct ca_bench_cut *cut,
                                const char *where, struct ca_error *error);
/* The ranks that an experiment is cut in, at least 1. */
int ca_bench_ranks(const struct ca_experiment *experiment);

#endif
