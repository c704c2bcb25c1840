/* SPDX-License-Identifier: MIT */
/* This file computes the figures of a benchmark's lines, names them, and writes the sentence that
 * sums up those of a lattice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/bench/bench.h"
#include "core/machine/device.h"

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

/* --- names and sentences ---------------------------------------------------------------------- */

/* Whether the lines of the group that can be told apart by `threads` have several of them. */
static bool many_threads(const struct ca_bench *bench, int group)
{
    int threads = 0;

    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];

        if (l->group != group || !ca_backend_has_option(l->experiment.backend, "threads"))
            continue;
        if (threads && threads != l->threads)
            return true;
        threads = l->threads;
    }
    return false;
}

bool ca_bench_names_option(const struct ca_values *options, int i)
{
    return options->value[i].origin != CA_BUILT_IN &&
           (options->table[i].tune || !ca_value_is_default(&options->table[i], &options->value[i]));
}

char *ca_bench_name(char text[CA_BENCH_NAME], const struct ca_bench *bench,
                    const struct ca_bench_line *l)
{
    const struct ca_values *options = &l->experiment.options;

    snprintf(text, CA_BENCH_NAME, "%.40s%s%s", l->label, l->label[0] ? ": " : "",
             l->experiment.backend->name);
    for (int i = 0; i < options->count; i++) {
        bool threads = strcmp(options->table[i].name, "threads") == 0;
        char value[CA_TEXT_MAX];

        if (threads ? !many_threads(bench, l->group) : !ca_bench_names_option(options, i))
            continue;
        ca_value_format(value, &options->table[i], &options->value[i]);
        if (threads)
            snprintf(value, sizeof value, "%d", l->threads);
        ca_text_add(text, CA_BENCH_NAME, "/%s=%.40s", options->table[i].name, value);
    }
    return text;
}

struct standing {
    const struct ca_bench_line *first, *second, *last, *reference;
    int good, wrong, emulated;
    bool partly;           /* some were not compared at their own generation or on this lattice */
    bool within_tolerance; /* some agree within a tolerance only */
};

static struct standing stand(const struct ca_bench *bench, int group)
{
    struct standing s = {.first = NULL};

    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];

        if (l->group != group || !l->available)
            continue;
        s.wrong += l->wrong > 0;
        if (!ca_bench_right(l))
            continue;
        s.emulated += l->emulated;
        s.within_tolerance |= l->experiment.backend->tolerance > 0;
        s.partly |= strstr(l->checked, ", only ") != NULL;
        if (!ca_bench_good(l))
            continue;
        s.good++;
        if (l->experiment.backend == l->experiment.model->backends && !s.reference)
            s.reference = l;
        if (!s.last || ca_bench_mups(l) < ca_bench_mups(s.last))
            s.last = l;
        if (!s.first || ca_bench_mups(l) > ca_bench_mups(s.first)) {
            s.second = s.first;
            s.first = l;
        } else if (!s.second || ca_bench_mups(l) > ca_bench_mups(s.second)) {
            s.second = l;
        }
    }
    return s;
}

/* "153 times as fast as threads (+- 4 %)", or "as fast as threads, within the noise"; "perhaps 153
 * times as fast as threads" where one of the two is unsure. */
static void factor_text(char *text, size_t size, const struct ca_bench *bench,
                        const struct ca_bench_line *line, const struct ca_bench_line *other)
{
    struct ca_bench_factor factor = ca_bench_factor(line, other);
    char times[CA_QUANTITY_TEXT], margin[CA_BENCH_MARGIN], name[CA_BENCH_NAME];

    ca_three_digits(times, factor.times);
    ca_bench_name(name, bench, other);
    if (line->unsure || other->unsure)
        snprintf(text, size, "perhaps %s times as fast as %s", times, name);
    else if (!isfinite(factor.error))
        snprintf(text, size, "about %s times as fast as %s", times, name);
    else if (factor.times - factor.error <= 1)
        snprintf(text, size, "as fast as %s, within the noise (%s%s)", name, times,
                 ca_bench_margin(margin, &factor, ", "));
    else
        snprintf(text, size, "%s times as fast as %s (%s)", times, name,
                 ca_bench_margin(margin, &factor, ""));
}

/* " (unsure: others used 1.2 of 2 cores)", once behind all factors: the reason of the first of
 * these lines that is unsure; "" if none is. */
static void unsure_text(char *text, size_t size, const struct ca_bench_line *const *line, int count)
{
    char why[CA_DISTURBANCE_TEXT];
    int i = 0;

    while (i < count && !line[i]->unsure)
        i++;
    text[0] = '\0';
    if (i < count)
        snprintf(text, size, " (unsure: %s)", ca_disturbance_text(why, &line[i]->disturbance));
}

char *ca_bench_sentence(char *text, size_t size, const struct ca_bench *bench, int group)
{
    struct standing s = stand(bench, group);
    const struct ca_bench_line *base = s.reference && s.reference != s.first ? s.reference : s.last;
    char first[CA_BENCH_NAME], factor[2 * CA_BENCH_NAME],
        next[2 * CA_BENCH_NAME] = "", unsure[CA_DISTURBANCE_TEXT + 16], rate[CA_QUANTITY_TEXT],
                 wrong[48], emulated[48] = "";

    snprintf(wrong, sizeof wrong, "%d %s wrong", s.wrong, s.wrong == 1 ? "is" : "are");
    if (s.emulated > 0)
        snprintf(emulated, sizeof emulated, "; %d " CA_NOT_A_SPEED, s.emulated);
    if (s.good == 0 && s.emulated > 0) {
        snprintf(text, size, "%s%s%s", emulated + 2, s.wrong || s.emulated > 1 ? "; " : "",
                 s.wrong          ? wrong
                 : s.emulated > 1 ? "all equal"
                                  : "");
        return text;
    }
    if (s.good == 0) {
        snprintf(text, size, "no backend has a figure%s%s", s.wrong ? "; " : "",
                 s.wrong ? wrong : "");
        return text;
    }
    ca_bench_name(first, bench, s.first);
    if (s.good == 1) {
        snprintf(text, size, "%s runs at %s%s%s%s", first,
                 ca_rate(rate, ca_bench_mups(s.first) * 1e6), s.wrong ? "; " : "",
                 s.wrong ? wrong : "", emulated);
        return text;
    }
    factor_text(factor, sizeof factor, bench, s.first, base);
    if (s.second != base) {
        strcpy(next, " and ");
        factor_text(next + 5, sizeof next - 5, bench, s.first, s.second);
    }
    unsure_text(unsure, sizeof unsure,
                (const struct ca_bench_line *const[]){s.first, base, s.second}, 3);
    snprintf(text, size, "%s is %s%s%s; %s%s%s%s", first, factor, next, unsure,
             s.wrong ? wrong : "all equal",
             !s.wrong && s.within_tolerance ? " or within the tolerance" : "",
             !s.wrong && s.partly ? " as far as they were checked" : "", emulated);
    return text;
}
