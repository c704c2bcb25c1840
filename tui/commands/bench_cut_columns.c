/* SPDX-License-Identifier: MIT */
/* These columns of a benchmark's full table describe cuts and scaling. */
#include <math.h>
#include <string.h>

#include "core/bench/scaling.h"
#include "tui/commands/bench.h"

static void bench_cut_columns_number(char text[BENCH_CELL], double value, int digits)
{
    if (value > 0)
        snprintf(text, BENCH_CELL, "%.*g", digits, value);
    else
        strcpy(text, "-");
}

void bench_ranks(char text[BENCH_CELL], const struct ca_bench_report *r,
                 const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%d", l->ranks);
}

void bench_kind(char text[BENCH_CELL], const struct ca_bench_report *r,
                const struct ca_bench_line *l)
{
    snprintf(text, BENCH_CELL, "%s", l->share ? "share" : ca_scaling_names[r->bench->scaling]);
}

void bench_cut_times(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    bench_cut_columns_number(text, l->share ? 0 : ca_bench_scaling(r->bench, l).times.times, 4);
}

void bench_efficiency(char text[BENCH_CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    bench_cut_columns_number(text, l->share ? 0 : 100 * ca_bench_scaling(r->bench, l).efficiency,
                             4);
}

void bench_ceiling(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    bench_cut_columns_number(text, l->share ? 0 : ca_bench_scaling(r->bench, l).ceiling_mups, 5);
}

static void microseconds(char text[BENCH_CELL], const struct ca_bench_line *l, double seconds)
{
    if (l->share || isnan(seconds))
        strcpy(text, "-");
    else
        snprintf(text, BENCH_CELL, "%.4g", seconds * 1e6);
}

void bench_halo(char text[BENCH_CELL], const struct ca_bench_report *r,
                const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).predicted_s);
}

void bench_hidden(char text[BENCH_CELL], const struct ca_bench_report *r,
                  const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).hidden_s);
}

void bench_exposed(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).exposed_s);
}

void bench_waited(char text[BENCH_CELL], const struct ca_bench_report *r,
                  const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).waited_s);
}
