/* SPDX-License-Identifier: MIT */
/* Owns what a report says beyond its lines: the machine, and shares of its ceilings. */
#include "core/bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

        if (line->available && line->experiment.backend->device == CA_CUDA)
            ca_provenance_gpu(&report->provenance, ca_device_index(&line->experiment.options));
    }
}

static double percent(double part, double ceiling)
{
    return ceiling > 0 ? 100 * part / ceiling : 0;
}

double ca_bench_copy_percent(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    if (!report->probed || !ca_bench_good(line))
        return 0;
    return percent(ca_bench_gb(line),
                   ca_probe_ceilings(&report->probe, &line->experiment, &line->plan).copy_gb);
}

double ca_bench_logic_percent(const struct ca_bench_report *report,
                              const struct ca_bench_line *line)
{
    if (!report->probed || !ca_bench_good(line))
        return 0;
    return percent(ca_bench_gops(line),
                   ca_probe_ceilings(&report->probe, &line->experiment, &line->plan).gops);
}

double ca_bench_watts(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    if (!ca_bench_good(line))
        return 0;
    if (line->joules > 0 && line->seconds > 0)
        return line->joules / line->seconds;
    return report->watts;
}

char *ca_bench_bound(char text[32], const struct ca_bench_report *report,
                     const struct ca_bench_line *line)
{
    double copy = ca_bench_copy_percent(report, line), logic = ca_bench_logic_percent(report, line);

    if (copy > 0 || logic > 0)
        snprintf(text, 32, "%s %.0f%%", copy > logic ? "copy" : "logic", fmax(copy, logic));
    else
        strcpy(text, "-");
    return text;
}
