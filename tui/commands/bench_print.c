/* SPDX-License-Identifier: MIT */
/* Owns the columns of a benchmark and their formats: aligned text, CSV and Markdown. */
#include <inttypes.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/sim/plan_text.h"
#include "tui/commands/bench.h"

#define CELL 128

/* --- figures --------------------------------------------------------------------------------- */

/* --- columns --------------------------------------------------------------------------------- */

typedef void cell(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l);

static void number(char text[CELL], double value, int digits)
{
    if (value > 0)
        snprintf(text, CELL, "%.*g", digits, value);
    else
        strcpy(text, "-");
}

static void c_label(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, CELL, "%s", l->label);
}

static void c_model(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, CELL, "%s", l->experiment.model->name);
}

static void c_size(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    ca_size_format(text, l->experiment.size, l->experiment.model->dimensions);
}

static void c_backend(char text[CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, CELL, "%s", l->experiment.backend->name);
}

/* The options that are neither at their defaults nor in another column, tuned ones last. */
static void c_options(char text[CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    const struct ca_values *options = &l->experiment.options;
    bool named = false;
    size_t used = 0;

    (void)r;
    strcpy(text, "-");
    for (int tuned = 0; tuned < 2; tuned++)
        for (int i = 0; i < options->count && used < CELL; i++) {
            const struct ca_value *value = &options->value[i];
            char chosen[CA_TEXT_MAX];

            if (value->origin == CA_BUILT_IN || (value->origin == CA_TUNED) != tuned ||
                strcmp(options->table[i].name, "threads") == 0)
                continue;
            used += (size_t)snprintf(text + used, CELL - used, "%s%s%s=%s", used ? " " : "",
                                     tuned && !named ? "tuned: " : "", options->table[i].name,
                                     ca_value_format(chosen, &options->table[i], value));
            named = tuned;
        }
}

static void c_threads(char text[CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, CELL, "%d", l->threads);
}

static void c_steps(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    if (l->experiment.steps)
        snprintf(text, CELL, "%" PRIu64, l->experiment.steps);
    else
        strcpy(text, "-");
}

static void c_n(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, CELL, "%d", l->stats.n);
}

/* Milliseconds per call; a wrong line has no figures. */
static void ms(char text[CELL], const struct ca_bench_line *l, double seconds)
{
    if (ca_bench_good(l))
        snprintf(text, CELL, "%.4g", seconds * 1e3);
    else
        strcpy(text, "-");
}

static void c_median(char text[CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.median);
}

static void c_mad(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.mad);
}

static void c_min(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.min);
}

static void c_max(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.max);
}

static void c_device(char text[CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->device_stats.median);
}

static void c_rate(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    char rate[CA_QUANTITY_TEXT];

    (void)r;
    snprintf(text, CELL, "%s", ca_rate(rate, ca_bench_mups(l) * 1e6));
}

static void c_cells(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    number(text, ca_bench_mups(l) * 1e6, 4);
}

static void c_mups(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    number(text, ca_bench_mups(l), 5);
}

static void c_gb(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    number(text, ca_bench_gb(l), 4);
}

static void c_copy(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    number(text, ca_bench_copy_percent(r, l), 3);
}

static void c_logic(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    number(text, ca_bench_logic_percent(r, l), 3);
}

static void c_reference(char text[CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    number(text, ca_bench_to_reference(r->bench, l), 4);
}

static void c_before(char text[CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    number(text, ca_bench_to_before(r->bench, l), 4);
}

static void c_joules(char text[CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    number(text, ca_bench_good(l) ? l->joules : 0, 4);
}

static void c_price(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    number(text, ca_bench_good(l) ? r->price / ca_bench_mups(l) : 0, 4);
}

static void c_watts(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    number(text, ca_bench_good(l) ? ca_bench_watts(r, l) / ca_bench_mups(l) : 0, 4);
}

static void c_wrong(char text[CELL], const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    (void)r;
    if (l->wrong >= 0)
        snprintf(text, CELL, "%" PRId64, l->wrong);
    else
        strcpy(text, "-");
}

static void c_checked(char text[CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    if (l->available)
        snprintf(text, CELL, "%s", l->checked);
    else
        snprintf(text, CELL, "unavailable: %.110s", l->reason);
}

static void c_predicted(char text[CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    (void)r;
    number(text, l->available ? l->predicted_s * (double)l->experiment.steps * 1e3 : 0, 4);
}

static void c_report(char text[CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    char plan[CA_TEXT_MAX];

    (void)r;
    snprintf(text, CELL, "%.*s", CELL - 1,
             l->available && ca_plan_text(plan, &l->plan)[0] ? plan : "-");
}

static bool verbose(const struct ca_bench_report *r) { return r->verbose; }

static bool any_device(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].experiment.backend->device != CA_CPU)
            return true;
    return false;
}

static bool any_options(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++) {
        char text[CELL];

        c_options(text, r, &r->bench->line[i]);
        if (strcmp(text, "-") != 0)
            return true;
    }
    return false;
}

static bool any_label(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].label[0])
            return true;
    return false;
}

static bool any_joules(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].joules > 0)
            return true;
    return false;
}

static bool any_price(const struct ca_bench_report *r) { return r->price > 0; }
static bool any_watts(const struct ca_bench_report *r) { return r->watts > 0 || any_joules(r); }

static const struct column {
    const char *name; /* with the unit */
    cell *cell;
    bool (*shown)(const struct ca_bench_report *r); /* NULL: always */
    bool left;
    enum { ANY_FORM, ONLY_CSV, NOT_CSV } form;
} columns[] = {
    {"label", c_label, any_label, true},
    {"model", c_model, NULL, true},
    {"size", c_size, NULL, true},
    {"backend", c_backend, NULL, true},
    {"options", c_options, any_options, true},
    {"threads", c_threads, NULL, false},
    {"steps", c_steps, NULL, false},
    {"n", c_n, NULL, false},
    {"median_ms", c_median, NULL, false},
    {"mad_ms", c_mad, NULL, false},
    {"min_ms", c_min, NULL, false},
    {"max_ms", c_max, NULL, false},
    {"device_ms", c_device, any_device, false},
    {"predicted_ms", c_predicted, verbose, false},
    {"rate", c_rate, NULL, false, NOT_CSV},
    {"cells/s", c_cells, NULL, false, ONLY_CSV},
    {"Mups", c_mups, NULL, false, ONLY_CSV},
    {"GB/s", c_gb, NULL, false},
    {"%copy", c_copy, NULL, false},
    {"%logic", c_logic, NULL, false},
    {"x_reference", c_reference, NULL, false},
    {"x_before", c_before, NULL, false},
    {"joules", c_joules, any_joules, false},
    {"price/Mups", c_price, any_price, false},
    {"watts/Mups", c_watts, any_watts, false},
    {"wrong", c_wrong, NULL, false},
    {"checked", c_checked, NULL, true},
    {"report", c_report, NULL, true},
};
#define COLUMNS ((int)(sizeof columns / sizeof columns[0]))

/* --- text forms ------------------------------------------------------------------------------ */

static void print_gpus(FILE *out, const struct ca_bench_report *r)
{
    const struct ca_provenance *p = &r->provenance;

    for (int i = 0; i < p->gpus; i++) {
        const struct ca_device *gpu = &p->gpu[i];
        const struct ca_gpu_probe *probe = r->probed ? ca_probe_gpu(&r->probe, gpu->name) : NULL;

        fprintf(out, "# gpu %d: %s, compute %d.%d, %d multiprocessors", gpu->index, gpu->name,
                gpu->compute_major, gpu->compute_minor, gpu->cores);
        if (gpu->clock_mhz.known)
            fprintf(out, ", %.0f MHz", gpu->clock_mhz.value);
        if (gpu->memory_clock_mhz.known)
            fprintf(out, ", memory %.0f MHz", gpu->memory_clock_mhz.value);
        if (gpu->power_limit_w.known)
            fprintf(out, ", at most %.0f W", gpu->power_limit_w.value);
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
    if (r->ended[0])
        fprintf(out, "# incomplete: %s\n", r->ended);
    if (r->price > 0)
        fprintf(out, "# price: %g\n", r->price);
    if (r->watts > 0)
        fprintf(out, "# watts: %g, given\n", r->watts);
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

static bool shown(const struct ca_bench_report *r, enum bench_form form, int c)
{
    if (columns[c].form != ANY_FORM && (form == BENCH_CSV) != (columns[c].form == ONLY_CSV))
        return false;
    return !columns[c].shown || columns[c].shown(r);
}

static int width_of(const struct ca_bench_report *r, int c)
{
    int width = (int)strlen(columns[c].name);

    for (int i = 0; i < r->bench->count; i++) {
        char text[CELL];

        columns[c].cell(text, r, &r->bench->line[i]);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return c == COLUMNS - 1 ? 0 : width;
}

/* Row -1 is the heading, row -2 the separator below it in Markdown. */
static void print_row(FILE *out, const struct ca_bench_report *r, enum bench_form form, int row,
                      const int width[])
{
    bool first = true;

    for (int c = 0; c < COLUMNS; c++) {
        char text[CELL];

        if (!shown(r, form, c))
            continue;
        if (row >= 0)
            columns[c].cell(text, r, &r->bench->line[row]);
        else
            snprintf(text, sizeof text, "%s",
                     row == -1         ? columns[c].name
                     : columns[c].left ? "---"
                                       : "---:");
        print_cell(out, text, form, first, columns[c].left, width[c]);
        first = false;
    }
    putc('\n', out);
}

void bench_print(FILE *out, const struct ca_bench_report *report, enum bench_form form)
{
    int width[COLUMNS];

    for (int c = 0; c < COLUMNS; c++)
        width[c] = width_of(report, c);
    if (form == BENCH_CSV || (form == BENCH_TABLE && report->verbose))
        bench_print_provenance(out, report);
    else if (report->ended[0])
        fprintf(out, "%sincomplete: %s\n\n", form == BENCH_MARKDOWN ? "" : "# ", report->ended);
    print_row(out, report, form, -1, width);
    if (form == BENCH_MARKDOWN)
        print_row(out, report, form, -2, width);
    for (int i = 0; i < report->bench->count; i++)
        print_row(out, report, form, i, width);
    if (form == BENCH_MARKDOWN)
        bench_print_folded(out, report);
}

void bench_print_folded(FILE *out, const struct ca_bench_report *report)
{
    fputs("\n<details><summary>machine and program</summary>\n\n```\n", out);
    bench_print_provenance(out, report);
    fputs("```\n</details>\n", out);
}
