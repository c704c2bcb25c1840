/* SPDX-License-Identifier: MIT */
/* The report of a benchmark, which `bench`, its output formats, the engine and `compare` share: its
 * lines, where they come from, and the ceilings that they are held against. */
#ifndef CALAB_CORE_BENCH_REPORT_H
#define CALAB_CORE_BENCH_REPORT_H

#include "core/bench/bench.h"
#include "core/machine/provenance.h"
#include "core/probe/probe.h"

#define CA_BENCH_SCHEMA "calab-bench/2"

struct ca_bench_report {
    const struct ca_bench *bench;
    struct ca_provenance provenance;
    struct ca_probe probe;
    bool probed;
    char unprobed[768]; /* why the ceilings are unknown */
    double price;       /* of the machine, for lines that state none; 0: not given */
    double watts;       /* likewise */
    bool verbose;       /* print where the figures come from, and the predictions too */
    char ended[1400];   /* why lines are missing, and which; "" if none is */
};

/* Fills in the machine and its ceilings, if they were measured; and, after the work, the GPUs that
 * were used, in their state right then. */
void ca_bench_report_begin(struct ca_bench_report *report, const struct ca_bench *bench);
void ca_bench_report_gpus(struct ca_bench_report *report);

/* Whether any line has a price; whether price, watts or cores of any are stated. */
bool ca_bench_any_price(const struct ca_bench_report *report);
bool ca_bench_stated(const struct ca_bench_report *report);
bool ca_bench_watts_counted(const struct ca_bench_line *line);

/*
 * Figures of a line, 0: unknown, as where it has no right state. Percent of the machine's ceilings:
 * of launches there is one for a pass over memory; a backend that needs two for it reaches half of
 * the ceiling. The price of a line's machine, by its case or the report. Its power: by an energy
 * counter, else as its case or the report gives it. What a million updates a second costs and how
 * many watts it takes; that relative to the named line, ca_bench_base.
 */
typedef double ca_bench_figure(const struct ca_bench_report *report,
                               const struct ca_bench_line *line);
ca_bench_figure ca_bench_copy_percent, ca_bench_logic_percent, ca_bench_launch_percent,
    ca_bench_price, ca_bench_watts, ca_bench_price_per_mups, ca_bench_watts_per_mups,
    ca_bench_relative_cost, ca_bench_relative_power;
/*
 * The bottleneck, as "memory 93%", "L2 71%", "logic 62%" or "launch 88%": the ceiling that the line
 * comes nearest to, if it reaches half of it. "overhead" where it reaches half of none, so that
 * neither the bytes nor the operations that it must do take the time: it is instructions beyond
 * them, draws, barriers or latency. "-" where no ceiling is known. Returns text.
 */
#define CA_BENCH_BOUND 50 /* percent */
char *ca_bench_bound(char text[32], const struct ca_bench_report *report,
                     const struct ca_bench_line *line);

#endif
