/* SPDX-License-Identifier: MIT */
/* This file prints a benchmark: its full table, those that fit into 80 columns, and the lines that
 * say where its figures come from. */
#include <inttypes.h>
#include <string.h>

#include "core/bench/scaling.h"
#include "core/base/text.h"
#include "core/engine/bench_json.h"
#include "core/files/json.h"
#include "core/machine/cuda.h"
#include "tui/commands/bench.h"

#define WIDTH 80
#define CUT_WIDTH 8 /* "64 ranks", "all GPUs": then the table of a study has 80 columns at most */
#define TEXT 2000

/* --- where the figures come from ---------------------------------------------------------------
 */

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

static void print_provenance(FILE *out, const struct ca_bench_report *r)
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

static void print_folded(FILE *out, const struct ca_bench_report *report)
{
    fputs("\n<details><summary>machine and program</summary>\n\n```\n", out);
    print_provenance(out, report);
    fputs("```\n</details>\n", out);
}

/* --- the full table ----------------------------------------------------------------------------
 */

enum ca_status bench_lines(json_t **lines, const struct ca_bench_report *report,
                           struct ca_error *error)
{
    unsigned shortages = ca_json_shortages();

    *lines = json_array();
    for (int i = 0; i < report->bench->count; i++)
        json_array_append_new(*lines, ca_bench_line_json(report, &report->bench->line[i]));
    if (ca_json_shortages() == shortages)
        return CA_OK;
    json_decref(*lines);
    return ca_fail(error, CA_NO_MEMORY, "no memory for the columns");
}

enum ca_status bench_print(FILE *out, const struct ca_bench_report *report, enum table_form form,
                           struct ca_error *error)
{
    struct table table = {bench_columns, bench_columns_count, .context = report};
    json_t *lines;

    CA_TRY(bench_lines(&lines, report, error));
    table.lines = lines;
    if (form == TABLE_CSV || (form == TABLE_TEXT && report->verbose))
        print_provenance(out, report);
    else if (report->ended[0])
        fprintf(out, "%sincomplete: %s\n\n", form == TABLE_MARKDOWN ? "" : "# ", report->ended);
    table_print(out, &table, form);
    if (form == TABLE_MARKDOWN)
        print_folded(out, report);
    json_decref(lines);
    return CA_OK;
}

/* --- a table and a sentence for each lattice, or study of scaling -------------------------------
 */

/* Prints words in lines of at most 80 columns, further ones indented, in Markdown in one line. */
static void print_wrapped(FILE *out, const char *text, bool markdown)
{
    int at = 0;

    if (markdown) {
        fprintf(out, "%s\n", text);
        return;
    }

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (at > 0 && at + 1 + length > WIDTH) {
            fputs("\n ", out);
            at = 1;
        }
        if (at > 0)
            putc(' ', out), at++;
        fprintf(out, "%.*s", length, text);
        at += length;
        text += length + (text[length] == ' ');
    }
    putc('\n', out);
}

static bool is_study(const struct ca_bench *bench) { return bench->scaling != CA_SCALING_NONE; }

/* Whether a line is of a lattice or a study. */
static bool is_of(const struct ca_bench *bench, const struct ca_bench_line *line, int number)
{
    return is_study(bench) ? line->study == number && !line->share : line->group == number;
}

static bool in_table(const void *context, int line, int number)
{
    const struct ca_bench *bench = ((const struct ca_bench_report *)context)->bench;

    return is_of(bench, &bench->line[line], number) && bench->line[line].available;
}

/* "anneal 512x512, seed 1, random", or of a study "anneal bitslice, weak scaling from 4096x2048,
 * seed 1, random", the first cut's lattice. */
static void print_head(FILE *out, const struct ca_bench *bench, const struct ca_experiment *e,
                       bool markdown)
{
    char text[TEXT], size[64], value[CA_TEXT_MAX], start[CA_TEXT_MAX + 64], what[80] = "";

    if (is_study(bench))
        snprintf(what, sizeof what, " %.50s, %s scaling%s", e->backend->name,
                 ca_scaling_names[bench->scaling],
                 bench->scaling == CA_SCALING_WEAK ? " from" : " of");
    snprintf(text, sizeof text, "%s%s%s %s%s, seed %" PRIu64 ", %.300s", markdown ? "**" : "",
             e->model->name, what, ca_size_format(size, e->size, e->model->dimensions),
             markdown ? "**" : "", e->seed, ca_experiment_start(start, e));
    for (int i = 0; i < e->params.count && strlen(text) < TEXT - 700; i++)
        if (!ca_value_is_default(&e->params.table[i], &e->params.value[i]))
            ca_text_add(text, sizeof text, ", %s %s", e->params.table[i].name,
                        ca_plain(ca_value_format(value, &e->params.table[i], &e->params.value[i])));
    print_wrapped(out, ca_plain(text), markdown);
    if (markdown)
        putc('\n', out);
}

/* "cannot run: a, b: reason", once for each reason. */
static void print_absent(FILE *out, const struct ca_bench *bench, int number, bool markdown)
{
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];
        char text[TEXT] = "cannot run: ", name[CA_BENCH_NAME];
        bool told = false;

        if (!is_of(bench, l, number) || l->available)
            continue;
        for (int j = 0; j < bench->count; j++) {
            const struct ca_bench_line *o = &bench->line[j];

            if (!is_of(bench, o, number) || o->available || strcmp(o->reason, l->reason) != 0)
                continue;
            told |= j < i;
            if (strlen(text) + CA_BENCH_NAME + sizeof l->reason < sizeof text)
                ca_text_add(text, sizeof text, "%s%s", j > i ? ", " : "",
                            l->study < 0 ? o->experiment.backend->name
                                         : ca_bench_name(name, bench, o));
        }
        if (told)
            continue;
        ca_text_add(text, sizeof text, ": %s", l->reason);
        print_wrapped(out, text, markdown);
    }
}

/* Prints the interference of other programs: a sentence for each line that it changed, or one for
 * all. */
static void print_others(FILE *out, const struct ca_bench *bench, int number, bool markdown)
{
    bool known = false, unknown = false, changed = false;
    char text[TEXT], why[CA_DISTURBANCE_TEXT], name[CA_BENCH_NAME];

    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];

        if (!is_of(bench, l, number) || !ca_bench_good(l) || l->made == 0)
            continue;
        known |= l->disturbance.unknown < l->made;
        unknown |= l->disturbance.unknown > 0;
        if (l->disturbance.disturbed == 0)
            continue;
        changed = true;
        snprintf(text, sizeof text, "%s: %s; %s%d of %d calls were disturbed",
                 ca_bench_name(name, bench, l), ca_disturbance_text(why, &l->disturbance),
                 l->unsure ? "unsure, " : "left out: ", l->disturbance.disturbed, l->made);
        print_wrapped(out, text, markdown);
    }
    if (unknown)
        print_wrapped(out, "others: this system does not tell what they use", markdown);
    else if (known && !changed)
        print_wrapped(out, "others: none disturbed a call", markdown);
}

/* Prints one of them, of which `lines` has the JSON. */
static void print_part(FILE *out, const struct ca_bench_report *report, const json_t *lines,
                       int number, bool markdown)
{
    const struct ca_bench *bench = report->bench;
    const struct table table = {
        .column = is_study(bench) ? bench_study_columns : bench_short_columns,
        .columns = is_study(bench) ? BENCH_STUDY_COLUMNS : BENCH_SHORT_COLUMNS,
        .lines = lines,
        .context = report,
        .among = in_table,
        .number = number,
        .most = is_study(bench) ? 0 : WIDTH,
        .first_most = is_study(bench) ? CUT_WIDTH : 0,
    };
    bool any = false;
    char text[TEXT];

    for (int i = 0; i < bench->count; i++)
        any = any || in_table(report, i, number);
    if (any)
        table_print(out, &table, markdown ? TABLE_MARKDOWN : TABLE_TEXT);
    if (any && markdown)
        putc('\n', out);
    print_absent(out, bench, number, markdown);
    if (is_study(bench)) {
        print_wrapped(out, ca_bench_scaling_sentence(text, sizeof text, bench, number), markdown);
        return;
    }
    if (!any)
        return;
    print_others(out, bench, number, markdown);
    if (report->probed && report->probe.others[0]) { /* shares of ceilings too low are too high */
        snprintf(text, sizeof text, "bound: shares of ceilings that were measured while %s",
                 report->probe.others);
        print_wrapped(out, text, markdown);
    }
    ca_bench_sentence(text, sizeof text - 1, bench, number);
    print_wrapped(out, strcat(text, markdown ? "." : ""), markdown);
}

enum ca_status bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown,
                                 struct ca_error *error)
{
    const struct ca_bench *bench = report->bench;
    int parts = is_study(bench) ? bench->studies : bench->groups;
    char text[TEXT];
    json_t *lines;

    CA_TRY(bench_lines(&lines, report, error));
    for (int number = 0; number < parts; number++) {
        int first = 0;

        while (first < bench->count && !is_of(bench, &bench->line[first], number))
            first++;
        if (first == bench->count)
            continue;
        print_head(out, bench, &bench->line[first].experiment, markdown);
        print_part(out, report, lines, number, markdown);
        if (markdown || number + 1 < parts)
            putc('\n', out);
    }
    if (bench->note[0])
        print_wrapped(out, bench->note, markdown);
    if (report->ended[0]) {
        snprintf(text, sizeof text, "incomplete: %s", report->ended);
        print_wrapped(out, text, markdown);
    }
    if (markdown)
        print_folded(out, report);
    json_decref(lines);
    return CA_OK;
}
