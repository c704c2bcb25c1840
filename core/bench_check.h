/* SPDX-License-Identifier: MIT */
/* The lines of one group as they stand after timing, and whether their states are right. */
#ifndef CALAB_CORE_BENCH_CHECK_H
#define CALAB_CORE_BENCH_CHECK_H

#include "core/bench.h"
#include "core/simulation.h"

struct bench_group {
    struct ca_bench_line **line;
    struct ca_simulation **simulation; /* each at the end of its last timed call, or NULL */
    int count;
    struct ca_lattice start;
    double check_s;
};

/*
 * Fills wrong, checked and hash of every available line. Its timed state is compared with the
 * reference's at the same generation where that takes no longer than check_s; else with that of
 * another line that has been found right; else the reference is compared with it at the generation
 * that can be afforded, or on a smaller lattice. `checked` says which.
 */
enum ca_status bench_check(struct bench_group *group, struct ca_error *error);

#endif
