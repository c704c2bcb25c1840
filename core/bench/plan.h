/* SPDX-License-Identifier: MIT */
/* How the lines of a benchmark are added: by plan.c, one of each cut by study.c. */
#ifndef CALAB_CORE_BENCH_PLAN_H
#define CALAB_CORE_BENCH_PLAN_H

#include "core/bench/bench.h"

/* Adds a line, with tuned options where the benchmark wants them. The last of bench->line is it. */
enum ca_status bench_add_line(struct ca_bench *bench, const struct ca_experiment *experiment,
                              const char *label, struct ca_bench_machine machine,
                              struct ca_error *error);
/*
 * Adds a line of an experiment for each of the spec's cuts, all of one study, or a single one where
 * there is none; nothing where its backend has no such option. Of weak scaling the lattice grows
 * with the ranks; of strong scaling there is also a line for each share, see ca_bench_line.
 */
enum ca_status bench_add_cuts(struct ca_bench *bench, const struct ca_bench_spec *spec,
                              const struct ca_experiment *experiment, const char *where,
                              struct ca_error *error);

#endif
