/* SPDX-License-Identifier: MIT */
/* A report adds the machine, and shares of its ceilings, to a benchmark's lines. */
#include "core/bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/machine/device.h"

void ca_bench_report_begin(struct ca_bench_report *report, const struct ca_bench *bench)
{
    struct ca_error error;

    report->bench = bench;
    ca_provenance_take(&report->provenance);
    report->probed = ca_probe_read(&report->probe, ca_probe_path(), &error) == CA_OK;
    if (!report->probed)
        snprintf(report->unprobed, sizeof report->unprobed, "%s", error.text);
}

void ca_bench_report_gpus(struct ca_bench_report *report)
{
    for (int i = 0; i < report->bench->count; i++) {
        const struct ca_bench_line *line = &report->bench->line[i];
        int index[CA_RANKS_MAX], count = ca_device_list(&line->experiment.options, index);

        for (int d = 0; d < count; d++)
            if (line->available && line->experiment.backend->device == CA_CUDA)
                ca_provenance_gpu(&report->provenance, index[d]);
    }
}

static struct ca_ceilings ceilings_of(const struct ca_bench_report *report,
                                      const struct ca_bench_line *line)
{
    if (!report->probed || !ca_bench_good(line))
        return (struct ca_ceilings){0};
    return ca_probe_ceilings(&report->probe, &line->experiment, &line->plan);
}

static double percent(double part, double ceiling)
{
    return ceiling > 0 ? 100 * part / ceiling : 0;
}

double ca_bench_copy_percent(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    return percent(ca_bench_gb(line), ceilings_of(report, line).copy_gb);
}

double ca_bench_logic_percent(const struct ca_bench_report *report,
                              const struct ca_bench_line *line)
{
    return percent(ca_bench_gops(line), ceilings_of(report, line).gops);
}

double ca_bench_launch_percent(const struct ca_bench_report *report,
                               const struct ca_bench_line *line)
{
    double launches = ceilings_of(report, line).launches;

    return launches > 0 ? percent((double)line->passes / line->stats.median, launches) : 0;
}

double ca_bench_price(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    return line->machine.price > 0 ? line->machine.price : report->price;
}

bool ca_bench_any_price(const struct ca_bench_report *report)
{
    for (int i = 0; i < report->bench->count; i++)
        if (ca_bench_price(report, &report->bench->line[i]) > 0)
            return true;
    return false;
}

bool ca_bench_stated(const struct ca_bench_report *report)
{
    for (int i = 0; i < report->bench->count; i++)
        if (report->bench->line[i].machine.watts > 0 || report->bench->line[i].machine.cores > 0)
            return true;
    return report->watts > 0 || ca_bench_any_price(report);
}

bool ca_bench_watts_counted(const struct ca_bench_line *line)
{
    return ca_bench_good(line) && line->joules > 0 && line->seconds > 0;
}

double ca_bench_watts(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    if (ca_bench_watts_counted(line))
        return line->joules / line->seconds;
    return line->machine.watts > 0 ? line->machine.watts : report->watts;
}

static double per_mups(double amount, const struct ca_bench_line *line)
{
    return ca_bench_good(line) ? amount / ca_bench_mups(line) : 0;
}

double ca_bench_price_per_mups(const struct ca_bench_report *report,
                               const struct ca_bench_line *line)
{
    return per_mups(ca_bench_price(report, line), line);
}

double ca_bench_watts_per_mups(const struct ca_bench_report *report,
                               const struct ca_bench_line *line)
{
    return per_mups(ca_bench_watts(report, line), line);
}

static double relative(const struct ca_bench_report *report, const struct ca_bench_line *line,
                       ca_bench_figure *of)
{
    const struct ca_bench_line *base = ca_bench_base(report->bench, line);
    double divisor = base ? of(report, base) : 0;

    return divisor > 0 ? of(report, line) / divisor : 0;
}

double ca_bench_relative_cost(const struct ca_bench_report *report,
                              const struct ca_bench_line *line)
{
    return relative(report, line, ca_bench_price_per_mups);
}

double ca_bench_relative_power(const struct ca_bench_report *report,
                               const struct ca_bench_line *line)
{
    return relative(report, line, ca_bench_watts_per_mups);
}

char *ca_bench_bound(char text[32], const struct ca_bench_report *report,
                     const struct ca_bench_line *line)
{
    double copy = ca_bench_copy_percent(report, line), logic = ca_bench_logic_percent(report, line);
    double launch = ca_bench_launch_percent(report, line), most = fmax(copy, fmax(logic, launch));

    if (!(most > 0))
        strcpy(text, "-");
    else if (most < CA_BENCH_BOUND)
        strcpy(text, "overhead");
    else
        snprintf(text, 32, "%s %.0f%%",
                 most == logic    ? "logic"
                 : most == launch ? "launch"
                                  : ceilings_of(report, line).level,
                 most);
    return text;
}

/* --- the named line --------------------------------------------------------------------------- */

#define NAMES_MAX 64 /* that a refusal chooses its suggestion from */

static bool answers(const struct ca_bench *bench, const struct ca_bench_line *line,
                    const char *name)
{
    char whole[CA_BENCH_NAME];

    return strcmp(line->label, name) == 0 || strcmp(line->experiment.backend->name, name) == 0 ||
           strcmp(ca_bench_name(whole, bench, line), name) == 0;
}

/* The group of the only named line of a model; -1: there are none or several. */
static int only_group(const struct ca_bench *bench, const struct ca_model *model)
{
    int group = -1, found = 0;

    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].named && bench->line[i].experiment.model == model) {
            group = bench->line[i].group;
            found++;
        }
    return found == 1 ? group : -1;
}

static const struct ca_bench_line *named_of(const struct ca_bench *bench, int group)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].named && bench->line[i].group == group)
            return &bench->line[i];
    return NULL;
}

enum ca_status ca_bench_relate(struct ca_bench *bench, const char *name, const char *where,
                               struct ca_error *error)
{
    bool any = false;

    if (!name[0] || strlen(name) >= sizeof bench->relative)
        return ca_fail(error, CA_USAGE, "%.300s: a name of 1 ... %d bytes is expected", where,
                       CA_BENCH_NAME - 1);
    for (int i = 0; i < bench->count; i++)
        bench->line[i].named = false;
    for (int group = 0; group < bench->groups; group++) {
        struct ca_bench_line *line;
        char first[CA_BENCH_NAME], second[CA_BENCH_NAME];

        /* The line of a group that has the name, NULL: none. CA_USAGE for several. */
        line = NULL;
        for (int i = 0; i < bench->count; i++) {
            struct ca_bench_line *l = &bench->line[i];

            if (l->group != group || !answers(bench, l, name))
                continue;
            if (line)
                return ca_fail(
                    error, CA_USAGE,
                    "%.300s: '%.100s' names several lines of one lattice, such as '%s' and "
                    "'%s'; one of them is expected",
                    where, name, ca_bench_name(first, bench, line),
                    ca_bench_name(second, bench, l));
            line = l;
        }
        if (line)
            any = line->named = true;
    }
    if (!any) {
        const char *names[NAMES_MAX];
        char suggestion[CA_TEXT_MAX];
        int count = 0;

        for (int i = 0; i < bench->count && count < NAMES_MAX; i++) {
            const struct ca_bench_line *line = &bench->line[i];
            const char *known = line->label[0] ? line->label : line->experiment.backend->name;
            int same = 0;

            while (same < count && strcmp(names[same], known) != 0)
                same++;
            if (same == count)
                names[count++] = known;
        }
        return ca_fail(error, CA_USAGE, "%.300s: no line is named '%.100s'%.300s", where, name,
                       ca_suggest(suggestion, name, count, ca_name_at, names));
    }
    for (int i = 0; i < bench->count; i++) {
        struct ca_bench_line *line = &bench->line[i];

        line->base =
            named_of(bench, line->group) ? line->group : only_group(bench, line->experiment.model);
    }
    strcpy(bench->relative, name);
    return CA_OK;
}

const struct ca_bench_line *ca_bench_base(const struct ca_bench *bench,
                                          const struct ca_bench_line *line)
{
    return named_of(bench, line->base);
}
