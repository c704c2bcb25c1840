/* SPDX-License-Identifier: MIT */
/* This file names a benchmark's lines, and writes the sentence that sums up those of a lattice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/bench.h"
#include "core/machine/device.h"

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
    size_t used = (size_t)snprintf(text, CA_BENCH_NAME, "%.40s%s%s", l->label,
                                   l->label[0] ? ": " : "", l->experiment.backend->name);

    for (int i = 0; i < options->count && used < CA_BENCH_NAME; i++) {
        bool threads = strcmp(options->table[i].name, "threads") == 0;
        char value[CA_TEXT_MAX];

        if (threads ? !many_threads(bench, l->group) : !ca_bench_names_option(options, i))
            continue;
        ca_value_format(value, &options->table[i], &options->value[i]);
        if (threads)
            snprintf(value, sizeof value, "%d", l->threads);
        used += (size_t)snprintf(text + used, CA_BENCH_NAME - used, "/%s=%.40s",
                                 options->table[i].name, value);
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
