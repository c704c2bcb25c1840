/* SPDX-License-Identifier: MIT */
/* This file computes the figures of a benchmark's lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/base/statistics.h"

#define SIGMAS_95 1.96
/* A kernel may be slowed by more or by less than the fixed loop, by so much of what that is. */
#define DRIFT_SHARE 0.5

/* The standard error of the median of n values by the medians of parts that follow each other,
 * which would be as many drawings of it from n / CA_BENCH_PARTS values each. */
static double wander_of(const double *sample, int n)
{
    double part[CA_BENCH_SAMPLES], mean = 0, squares = 0, median[CA_BENCH_PARTS];
    int length = n / CA_BENCH_PARTS;

    if (length < 2)
        return 0;
    for (int i = 0; i < CA_BENCH_PARTS; i++) {
        memcpy(part, sample + (size_t)i * (size_t)length, (size_t)length * sizeof part[0]);
        ca_sort(part, length);
        median[i] = ca_median(part, length);
        mean += median[i] / CA_BENCH_PARTS;
    }
    for (int i = 0; i < CA_BENCH_PARTS; i++)
        squares += (median[i] - mean) * (median[i] - mean);
    return sqrt(squares / (CA_BENCH_PARTS - 1) / CA_BENCH_PARTS);
}

struct ca_bench_stats ca_bench_stats(const double *sample, int n)
{
    struct ca_bench_stats stats = {.n = n};
    double sorted[CA_BENCH_SAMPLES];

    if (n <= 0)
        return stats;
    memcpy(sorted, sample, (size_t)n * sizeof sorted[0]);
    ca_sort(sorted, n);
    stats.min = sorted[0];
    stats.max = sorted[n - 1];
    stats.median = ca_median(sorted, n);
    for (int i = 0; i < n; i++)
        sorted[i] = fabs(sample[i] - stats.median);
    ca_sort(sorted, n);
    stats.mad = ca_median(sorted, n);
    stats.wander = wander_of(sample, n);
    return stats;
}

/* For a normal distribution sigma = 1.4826 MAD, and the standard error of the median is 1.2533
 * sigma / sqrt(n). */
double ca_bench_error(const struct ca_bench_stats *stats)
{
    if (stats->n < 2 || !(stats->median > 0))
        return INFINITY;
    return fmax(1.2533 * 1.4826 * stats->mad / sqrt(stats->n), stats->wander) / stats->median;
}

double ca_bench_repeat_error(const struct ca_bench_stats *stats, bool unsure)
{
    return unsure ? INFINITY : hypot(ca_bench_error(stats), CA_BENCH_REPEAT);
}

void ca_bench_count_calls(struct ca_bench_line *line, double best_speed)
{
    double speed[CA_BENCH_SAMPLES];
    int n = 0;

    for (int i = 0; i < line->made; i++) {
        const struct ca_bench_call *call = &line->call[i];

        if (call->quiet == CA_DISTURBED || ca_interference_slow(call->speed, best_speed))
            continue;
        speed[n] = call->speed;
        line->sample[n] = call->seconds;
        line->device[n++] = call->device_s;
    }
    line->unsure = n < line->made && n < CA_BENCH_MEDIAN;
    line->stats.n = n;
    ca_sort(speed, n);
    line->speed = n > 0 ? ca_median(speed, n) : 0;
}

bool ca_bench_right(const struct ca_bench_line *line)
{
    return line->available && line->stats.n > 0 && line->stats.median > 0 && line->wrong == 0;
}

bool ca_bench_good(const struct ca_bench_line *line)
{
    return ca_bench_right(line) && !line->emulated;
}

static double cells_per_s(const struct ca_bench_line *line)
{
    if (!ca_bench_good(line))
        return 0;
    return (double)ca_cells(line->experiment.size) * (double)line->experiment.steps /
           line->stats.median;
}

double ca_bench_mups(const struct ca_bench_line *line) { return cells_per_s(line) / 1e6; }

double ca_bench_generation_s(const struct ca_bench_line *line)
{
    return ca_bench_good(line) ? line->stats.median / (double)line->experiment.steps : 0;
}

bool ca_bench_fits(const struct ca_bench_line *line, double pictures_per_s)
{
    return ca_bench_good(line) && ca_bench_generation_s(line) * pictures_per_s <= 1;
}

double ca_bench_gb(const struct ca_bench_line *line)
{
    const struct ca_experiment *e = &line->experiment;

    if (!ca_bench_good(line)) /* then there may be no steps */
        return 0;
    return (double)ca_cells(e->size) * (double)line->passes * e->backend->bytes_per_cell_step /
           line->stats.median / 1e9;
}

double ca_bench_gops(const struct ca_bench_line *line)
{
    return cells_per_s(line) * line->experiment.backend->ops_per_cell_step / 1e9;
}

double ca_bench_to_reference(const struct ca_bench *bench, const struct ca_bench_line *line)
{
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *other = &bench->line[i];

        if (other->group == line->group && ca_bench_good(other) &&
            other->experiment.backend == other->experiment.model->backends)
            return ca_bench_mups(line) / ca_bench_mups(other);
    }
    return 0;
}

double ca_bench_to_before(const struct ca_bench *bench, const struct ca_bench_line *line)
{
    const struct ca_bench_line *before = NULL;

    for (const struct ca_bench_line *other = bench->line; other < line; other++)
        if (other->group == line->group && ca_bench_good(other) &&
            ((other->threads == line->threads &&
              other->experiment.backend->device == line->experiment.backend->device) ||
             other->experiment.backend == other->experiment.model->backends))
            before = other;
    return before ? ca_bench_mups(line) / ca_bench_mups(before) : 0;
}

double ca_bench_to_first(const struct ca_bench *bench, const struct ca_bench_line *line)
{
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *first = &bench->line[i];

        if (first->first && first->experiment.model == line->experiment.model)
            return ca_bench_good(first) ? ca_bench_mups(line) / ca_bench_mups(first) : 0;
    }
    return 0; /* it was stopped before it had a figure */
}

struct ca_bench_factor ca_bench_factor_of(const struct ca_bench_figures *one,
                                          const struct ca_bench_figures *other, double sigmas)
{
    double work = one->work / other->work;
    double machine = one->speed > 0 && other->speed > 0 ? other->speed / one->speed : 1;
    struct ca_bench_factor factor = {work * other->stats.median / one->stats.median, INFINITY, 0,
                                     INFINITY};
    double medians = factor.times * machine, shortest = medians;
    double drift = fmax(machine, 1 / machine) - 1;
    double margin = sigmas * CA_BENCH_REPEAT * sqrt(2) + DRIFT_SHARE * drift, error;

    if (one->stats.n < CA_BENCH_MEDIAN || other->stats.n < CA_BENCH_MEDIAN || one->unsure ||
        other->unsure)
        return factor;
    error = sigmas * hypot(ca_bench_repeat_error(&one->stats, false),
                           ca_bench_repeat_error(&other->stats, false)) +
            DRIFT_SHARE * drift;
    if (one->stats.min > 0 && other->stats.min > 0)
        shortest = work * machine * other->stats.min / one->stats.min;
    factor.low = fmin(medians * (1 - error), shortest * (1 - margin));
    factor.high = fmax(medians * (1 + error), shortest * (1 + margin));
    factor.error = fmax(factor.times - factor.low, factor.high - factor.times);
    return factor;
}

static struct ca_bench_figures figures_of(const struct ca_bench_line *line)
{
    bool known = ca_bench_good(line);

    return (struct ca_bench_figures){
        line->stats, known ? cells_per_s(line) * line->stats.median : 0,
        line->experiment.backend->device == CA_CPU ? line->speed : 0, line->unsure};
}

struct ca_bench_factor ca_bench_factor(const struct ca_bench_line *line,
                                       const struct ca_bench_line *other)
{
    struct ca_bench_figures one = figures_of(line), two = figures_of(other);

    return ca_bench_factor_of(&one, &two, SIGMAS_95);
}

char *ca_bench_margin(char text[CA_BENCH_MARGIN], const struct ca_bench_factor *factor,
                      const char *before)
{
    double part = factor->error / factor->times;

    text[0] = '\0';
    if (isfinite(part))
        snprintf(text, CA_BENCH_MARGIN, "%.4s+- %.*f %%", before, part < 0.0995, 100 * part);
    return text;
}

/* The error falls with the square root of the calls. */
int ca_bench_calls(const struct ca_bench *bench, const struct ca_bench_line *line)
{
    struct ca_bench_stats stats = ca_bench_stats(line->sample, line->stats.n);
    double by_time, by_error;

    if (line->made == 0 || line->seconds <= 0)
        return 0;
    by_time = ceil(bench->time_s * line->made / line->seconds);
    by_error =
        stats.n < CA_BENCH_MEDIAN
            ? INFINITY
            : fmax(ceil(stats.n * pow(ca_bench_error(&stats) / bench->error, 2)), CA_BENCH_LEAST) +
                  (line->made - stats.n);
    return (int)fmax(line->made, fmin(fmin(by_time, by_error), CA_BENCH_SAMPLES));
}

double ca_bench_left(const struct ca_bench *bench)
{
    double left = 0;

    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *line = &bench->line[i];
        int calls = ca_bench_calls(bench, line);

        if (line->reason[0] || line->checked[0])
            continue;
        left += calls ? (calls - line->made) * line->seconds / line->made : bench->time_s;
    }
    return left;
}
