/* SPDX-License-Identifier: MIT */
/* The JSON format of a benchmark, which `compare` reads, calab-bench(7). */
#ifndef CALAB_CORE_ENGINE_BENCH_JSON_H
#define CALAB_CORE_ENGINE_BENCH_JSON_H

#include <jansson.h>

#include "core/bench/report.h"

/* NULL without memory. */
json_t *ca_bench_to_json(const struct ca_bench_report *report);
/* A line of it. */
json_t *ca_bench_line_json(const struct ca_bench_report *report, const struct ca_bench_line *line);

#endif
