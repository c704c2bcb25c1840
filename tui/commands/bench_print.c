/* SPDX-License-Identifier: MIT */
/* This file prints a benchmark's full table as aligned text, CSV and Markdown, and the lines that
 * say where its figures come from. */
#include <string.h>

#include "core/machine/cuda.h"
#include "core/engine/bench_json.h"
#include "core/files/json.h"
#include "tui/commands/bench.h"

/* --- text forms ------------------------------------------------------------------------------ */

static void print_gpus(FILE *out, const struct ca_bench_report *r)
{
    const struct ca_provenance *p = &r->provenance;

    for (int i = 0; i < p->gpus; i++) {
        const struct ca_device *gpu = &p->gpu[i];
        const struct ca_gpu_probe *probe =
            r->probed && !ca_cuda_emulated() ? ca_probe_gpu(&r->probe, gpu->name) : NULL;

        fprintf(out, "# gpu %d: %s, compute %d.%d, %d multiprocessors", gpu->index, gpu->name,
                gpu->compute_major, gpu->compute_minor, gpu->cores);
        if (gpu->clock_mhz.known)
            fprintf(out, ", %.0f MHz", gpu->clock_mhz.value);
        if (gpu->memory_clock_mhz.known)
            fprintf(out, ", memory %.0f MHz", gpu->memory_clock_mhz.value);
        if (gpu->power_limit_w.known)
            fprintf(out, ", at most %.0f W", gpu->power_limit_w.value);
        fputs(ca_device_ecc(gpu), out);
        if (probe)
            fprintf(out, "; copy from memory %.1f GB/s, logic %.1f Gop/s", probe->rate[CA_GPU_COPY],
                    probe->rate[CA_GPU_LOGIC]);
        putc('\n', out);
    }
    if (p->gpus > 0)
        fprintf(out, "# cuda: driver %s, which knows CUDA %s; runtime %s\n",
                p->driver[0] ? p->driver : "unknown", p->driver_cuda, p->runtime_cuda);
}

void bench_print_provenance(FILE *out, const struct ca_bench_report *r)
{
    const struct ca_provenance *p = &r->provenance;

    fprintf(out,
            "# calab: %s bench, %s\n# host: %s, %s\n# cpu: %s, %d cores, governor %s, vectors "
            "%s\n# compiler: %s\n# flags: %s\n",
            p->version, p->date, p->host, p->kernel, p->cpu, p->cores, p->governor,
            ca_isa_names[p->isa], p->compiler, p->flags);
    print_gpus(out, r);
    if (r->probed)
        fprintf(out,
                "# ceilings: measured %s; copy from memory %.1f GB/s, logic %.1f Gop/s by all "
                "threads\n",
                r->probe.date, ca_probe_copy(&r->probe, 1e15, 0, NULL),
                ca_probe_logic(&r->probe, 0));
    else
        fprintf(out, "# ceilings: unknown: %s\n", r->unprobed);
    if (r->probed && r->probe.others[0])
        fprintf(out, "# shares: of ceilings that were measured while %s\n", r->probe.others);
    if (r->bench->note[0])
        fprintf(out, "# note: %s\n", r->bench->note);
    if (r->ended[0])
        fprintf(out, "# incomplete: %s\n", r->ended);
    if (r->price > 0)
        fprintf(out, "# price: %g\n", r->price);
    if (r->watts > 0)
        fprintf(out, "# watts: %g, given\n", r->watts);
    if (r->bench->relative[0])
        fprintf(out, "# relative: x_cost and x_power are divided by those of %s\n",
                r->bench->relative);
}

static void print_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* One cell; the width applies to the aligned table. */
static void print_cell(FILE *out, const char *text, enum bench_form form, bool first, bool left,
                       int width)
{
    if (form == BENCH_CSV) {
        fputs(first ? "" : ",", out);
        print_csv_text(out, text);
    } else if (form == BENCH_MARKDOWN) {
        fputs(first ? "| " : " ", out);
        for (; *text; text++)
            fprintf(out, *text == '|' ? "\\|" : "%c", *text);
        fputs(" |", out);
    } else {
        fprintf(out, left ? "%s%-*s" : "%s%*s", first ? "" : "  ", width, text);
    }
}

static bool bench_print_shown(const struct ca_bench_report *r, enum bench_form form, int c)
{
    if (bench_columns[c].form != BENCH_ANY_FORM &&
        (form == BENCH_CSV) != (bench_columns[c].form == BENCH_ONLY_CSV))
        return false;
    return !bench_columns[c].shown || bench_columns[c].shown(r);
}

static int width_of(const struct ca_bench_report *r, const json_t *figures, int c)
{
    int width = (int)strlen(bench_columns[c].name);

    for (int i = 0; i < r->bench->count; i++) {
        char text[BENCH_CELL];

        bench_column_text(text, &bench_columns[c], r, &r->bench->line[i],
                          json_array_get(figures, (size_t)i));
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return c == bench_columns_count - 1 ? 0 : width;
}

/* Row -1 is the heading, row -2 the separator below it in Markdown. */
static void bench_print_row(FILE *out, const struct ca_bench_report *r, const json_t *figures,
                            enum bench_form form, int row, const int width[])
{
    bool first = true;

    for (int c = 0; c < bench_columns_count; c++) {
        char text[BENCH_CELL];

        if (!bench_print_shown(r, form, c))
            continue;
        if (row >= 0)
            bench_column_text(text, &bench_columns[c], r, &r->bench->line[row],
                              json_array_get(figures, (size_t)row));
        else
            snprintf(text, sizeof text, "%s",
                     row == -1               ? bench_columns[c].name
                     : bench_columns[c].left ? "---"
                                             : "---:");
        print_cell(out, text, form, first, bench_columns[c].left, width[c]);
        first = false;
    }
    putc('\n', out);
}

enum ca_status bench_print(FILE *out, const struct ca_bench_report *report, enum bench_form form,
                           struct ca_error *error)
{
    unsigned shortages = ca_json_shortages();
    json_t *figures = json_array();
    int width[BENCH_COLUMNS_MAX];

    for (int i = 0; i < report->bench->count; i++)
        json_array_append_new(figures, ca_bench_figures(report, &report->bench->line[i]));
    if (ca_json_shortages() != shortages) {
        json_decref(figures);
        return ca_fail(error, CA_NO_MEMORY, "no memory for the columns");
    }
    for (int c = 0; c < bench_columns_count; c++)
        width[c] = width_of(report, figures, c);
    if (form == BENCH_CSV || (form == BENCH_TABLE && report->verbose))
        bench_print_provenance(out, report);
    else if (report->ended[0])
        fprintf(out, "%sincomplete: %s\n\n", form == BENCH_MARKDOWN ? "" : "# ", report->ended);
    bench_print_row(out, report, figures, form, -1, width);
    if (form == BENCH_MARKDOWN)
        bench_print_row(out, report, figures, form, -2, width);
    for (int i = 0; i < report->bench->count; i++)
        bench_print_row(out, report, figures, form, i, width);
    if (form == BENCH_MARKDOWN)
        bench_print_folded(out, report);
    json_decref(figures);
    return CA_OK;
}

void bench_print_folded(FILE *out, const struct ca_bench_report *report)
{
    fputs("\n<details><summary>machine and program</summary>\n\n```\n", out);
    bench_print_provenance(out, report);
    fputs("```\n</details>\n", out);
}
