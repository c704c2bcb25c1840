/* SPDX-License-Identifier: MIT */
/* Lines that are timed in alternation: opening, timing and checking them. */
#ifndef CALAB_CORE_BENCH_GROUP_H
#define CALAB_CORE_BENCH_GROUP_H

#include "core/bench/bench.h"
#include "core/sim/simulation.h"

struct bench_group {
    const struct ca_bench *bench; /* gives the limits */
    struct ca_bench_line **line;
    struct ca_simulation **simulation; /* each in the state after its last call, or NULL */
    struct ca_meter *meter;            /* of each */
    int count;
    double best_speed; /* of the fixed loop, beside any of its calls */
    double check_s;

    ca_bench_progress *progress; /* the progress callback, or NULL */
    void *context;
    const struct ca_bench_line *shown; /* the line that it is called for, NULL: each line */
    const char *timing;                /* the progress text of a timed call */
};

/* A group without lines. */
struct bench_group bench_group(const struct ca_bench *bench, ca_bench_progress *progress,
                               void *context);
/* Calls the progress callback for line i. CA_TIMEOUT if it stops the benchmark. */
enum ca_status bench_progress(const struct bench_group *group, int i, const char *what,
                              struct ca_error *error);
/* Opens line i, warms it up and, if they are not given, finds its generations. */
enum ca_status bench_open(struct bench_group *group, int i, struct ca_error *error);
/* Times the available lines in alternation until each is precise enough, and fills their stats. */
enum ca_status bench_time(struct bench_group *group, struct ca_error *error);
/* Fills wrong, checked and hash of every available line, core/bench/check.c:
 *
 * A line's timed state is compared with the reference's at the same generation if that takes no
 * longer than check_s, otherwise with the state of another line that has been found right, which
 * may take CA_BENCH_CHECK_S at least. If neither is possible, the line is compared with the
 * reference at the generation that check_s allows, or on a smaller lattice. `checked` says which
 * it was. A backend with a tolerance is held against the reference generation by generation
 * (core/compare/lock_step.h), as far as check_s allows, or on a smaller lattice.
 */
enum ca_status bench_check(struct bench_group *group, struct ca_error *error);
/* Opens, times and checks. */
enum ca_status bench_run(struct bench_group *group, struct ca_error *error);
/* Closes the simulations. */
void bench_close(struct bench_group *group);

#endif
