/* SPDX-License-Identifier: MIT */
/* This file prints the table of a benchmark that fits into 80 columns, and its Markdown. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/quantity.h"
#include "tui/commands/bench.h"

#define WIDTH 80
#define GAP 2
#define CELL CA_BENCH_NAME
#define TEXT 2000

enum { NAME, RATE, ERROR, TO_REFERENCE, TO_BEFORE, BOUND, EQUAL, COLUMNS };

static const char *const heads[COLUMNS] = {"backend",  "rate",  "+-",   "x reference",
                                           "x before", "bound", "equal"};

typedef char row_text[COLUMNS][CELL];

/* --- cells ----------------------------------------------------------------------------------- */

static void fill_factor(char text[CELL], double factor)
{
    char digits[CA_QUANTITY_TEXT];

    snprintf(text, CELL, "%s", factor > 0 ? ca_three_digits(digits, factor) : "-");
}

/* "reference", or what was checked in place of the whole: "only to generation 20". */
static void fill_equal(char text[CELL], const struct ca_bench_line *l)
{
    const char *part = strstr(l->checked, ", only ");

    if (l->wrong > 0)
        snprintf(text, CELL, "%" PRId64 " WRONG", l->wrong);
    else
        snprintf(text, CELL, "%.100s", part ? part + 2 : l->checked);
}

/* Half the interval that holds the median with 95 %, in percent of it. */
static void fill_error(char text[CELL], const struct ca_bench_line *l)
{
    if (l->unsure && ca_bench_good(l))
        strcpy(text, "unsure");
    else if (l->stats.n >= CA_BENCH_MEDIAN && ca_bench_good(l))
        snprintf(text, CELL, "%.0f%%", ceil(196 * ca_bench_repeat_error(&l->stats, false)));
    else
        strcpy(text, "-");
}

static void bench_short_fill(row_text row, const struct ca_bench_report *r,
                             const struct ca_bench_line *l)
{
    char rate[CA_QUANTITY_TEXT];

    ca_bench_name(row[NAME], r->bench, l);
    snprintf(row[RATE], CELL, "%s",
             l->emulated ? "emulated" : ca_rate(rate, ca_bench_mups(l) * 1e6));
    fill_error(row[ERROR], l);
    fill_factor(row[TO_REFERENCE], ca_bench_to_reference(r->bench, l));
    fill_factor(row[TO_BEFORE], ca_bench_to_before(r->bench, l));
    ca_bench_bound(row[BOUND], r, l);
    fill_equal(row[EQUAL], l);
}

static bool left(int column) { return column == NAME || column >= BOUND; }
static bool bench_short_shown(const struct ca_bench_report *r, int column)
{
    return column != BOUND || r->probed;
}

static bool in_table(const struct ca_bench_line *l, int group)
{
    return l->group == group && l->available;
}

/* --- text ------------------------------------------------------------------------------------ */

void bench_print_wrapped(FILE *out, const char *text, bool markdown)
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

/* A name for which there is no room stands on a line of its own, a last cell is cut. */
static void bench_short_print_row(FILE *out, const struct ca_bench_report *r, row_text row,
                                  const int width[])
{
    int at = width[NAME];

    if ((int)strlen(row[NAME]) > width[NAME])
        fprintf(out, "%.*s\n%*s", WIDTH, row[NAME], width[NAME], "");
    else
        fprintf(out, "%-*s", width[NAME], row[NAME]);
    for (int c = RATE; c < EQUAL; c++) {
        if (!bench_short_shown(r, c))
            continue;
        fprintf(out, left(c) ? "%*s%-*s" : "%*s%*s", GAP, "", width[c], row[c]);
        at += GAP + width[c];
    }
    fprintf(out, "%*s%.*s\n", GAP, "", WIDTH - at - GAP, row[EQUAL]);
}

static void bench_short_measure(const struct ca_bench_report *r, int group, int width[COLUMNS])
{
    int rest = 0;

    for (int c = 0; c < COLUMNS; c++)
        width[c] = (int)strlen(heads[c]);
    for (int i = 0; i < r->bench->count; i++) {
        row_text row;

        if (!in_table(&r->bench->line[i], group))
            continue;
        bench_short_fill(row, r, &r->bench->line[i]);
        for (int c = 0; c < COLUMNS; c++)
            width[c] = (int)strlen(row[c]) > width[c] ? (int)strlen(row[c]) : width[c];
    }
    for (int c = RATE; c < COLUMNS; c++)
        rest += bench_short_shown(r, c) ? GAP + width[c] : 0;
    if (width[NAME] + rest > WIDTH)
        width[NAME] = WIDTH - rest > 16 ? WIDTH - rest : 16;
}

static void print_table(FILE *out, const struct ca_bench_report *r, int group)
{
    int width[COLUMNS];
    row_text row;

    bench_short_measure(r, group, width);
    for (int c = 0; c < COLUMNS; c++)
        snprintf(row[c], CELL, "%s", heads[c]);
    bench_short_print_row(out, r, row, width);
    for (int i = 0; i < r->bench->count; i++)
        if (in_table(&r->bench->line[i], group)) {
            bench_short_fill(row, r, &r->bench->line[i]);
            bench_short_print_row(out, r, row, width);
        }
}

/* --- Markdown -------------------------------------------------------------------------------- */

static void print_markdown_row(FILE *out, const struct ca_bench_report *r, row_text row)
{
    for (int c = 0; c < COLUMNS; c++) {
        if (!bench_short_shown(r, c))
            continue;
        fputs(c == 0 ? "| " : " ", out);
        for (const char *text = row[c]; *text; text++)
            fprintf(out, *text == '|' ? "\\|" : "%c", *text);
        fputs(" |", out);
    }
    putc('\n', out);
}

static void print_markdown(FILE *out, const struct ca_bench_report *r, int group)
{
    row_text row;

    for (int c = 0; c < COLUMNS; c++)
        snprintf(row[c], CELL, "%s", heads[c]);
    print_markdown_row(out, r, row);
    for (int c = 0; c < COLUMNS; c++)
        snprintf(row[c], CELL, "%s", left(c) ? "---" : "---:");
    print_markdown_row(out, r, row);
    for (int i = 0; i < r->bench->count; i++)
        if (in_table(&r->bench->line[i], group)) {
            bench_short_fill(row, r, &r->bench->line[i]);
            print_markdown_row(out, r, row);
        }
    putc('\n', out);
}

/* --- what stands below ------------------------------------------------------------------------ */

void bench_print_absent(FILE *out, const struct ca_bench *bench, bench_among *among, int number,
                        bool markdown)
{
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];
        char text[TEXT] = "cannot run: ", name[CA_BENCH_NAME];
        bool told = false;

        if (!among(l, number) || l->available)
            continue;
        for (int j = 0; j < bench->count; j++) {
            const struct ca_bench_line *o = &bench->line[j];
            size_t used = strlen(text);

            if (!among(o, number) || o->available || strcmp(o->reason, l->reason) != 0)
                continue;
            told |= j < i;
            if (used + CA_BENCH_NAME + sizeof l->reason < sizeof text)
                snprintf(text + used, sizeof text - used, "%s%s", j > i ? ", " : "",
                         l->study < 0 ? o->experiment.backend->name
                                      : ca_bench_name(name, bench, o));
        }
        if (told)
            continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), ": %s", l->reason);
        bench_print_wrapped(out, text, markdown);
    }
}

static bool in_group(const struct ca_bench_line *line, int group) { return line->group == group; }

/* Prints the interference of other programs: a sentence for each line that it changed, or one for
 * all. */
static void bench_print_others(FILE *out, const struct ca_bench *bench, bench_among *among,
                               int number, bool markdown)
{
    bool known = false, unknown = false, changed = false;
    char text[TEXT], why[CA_DISTURBANCE_TEXT], name[CA_BENCH_NAME];

    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];

        if (!among(l, number) || !ca_bench_good(l) || l->made == 0)
            continue;
        known |= l->disturbance.unknown < l->made;
        unknown |= l->disturbance.unknown > 0;
        if (l->disturbance.disturbed == 0)
            continue;
        changed = true;
        snprintf(text, sizeof text, "%s: %s; %s%d of %d calls were disturbed",
                 ca_bench_name(name, bench, l), ca_disturbance_text(why, &l->disturbance),
                 l->unsure ? "unsure, " : "left out: ", l->disturbance.disturbed, l->made);
        bench_print_wrapped(out, text, markdown);
    }
    if (unknown)
        bench_print_wrapped(out, "others: this system does not tell what they use", markdown);
    else if (known && !changed)
        bench_print_wrapped(out, "others: none disturbed a call", markdown);
}

/* Shares of ceilings that are too low are too high. */
static void bench_print_ceilings(FILE *out, const struct ca_bench_report *report, bool markdown)
{
    char text[TEXT];

    if (!report->probed || !report->probe.others[0])
        return;
    snprintf(text, sizeof text, "bound: shares of ceilings that were measured while %s",
             report->probe.others);
    bench_print_wrapped(out, text, markdown);
}

/* --------------------------------------------------------------------------------------------- */

static const struct ca_bench_line *line_of(const struct ca_bench *bench, int group)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].group == group)
            return &bench->line[i];
    return NULL;
}

static bool any_in_table(const struct ca_bench *bench, int group)
{
    for (int i = 0; i < bench->count; i++)
        if (in_table(&bench->line[i], group))
            return true;
    return false;
}

void bench_print_head(FILE *out, const struct ca_experiment *e, const char *what, bool markdown)
{
    char text[TEXT], size[64], value[CA_TEXT_MAX], start[CA_TEXT_MAX + 64];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%.80s %s%s, seed %" PRIu64 ", %.300s",
                                   markdown ? "**" : "", e->model->name, what,
                                   ca_size_format(size, e->size, e->model->dimensions),
                                   markdown ? "**" : "", e->seed, ca_experiment_start(start, e));

    for (int i = 0; i < e->params.count && used < TEXT - 700; i++)
        if (!ca_value_is_default(&e->params.table[i], &e->params.value[i]))
            used += (size_t)snprintf(
                text + used, sizeof text - used, ", %s %s", e->params.table[i].name,
                ca_plain(ca_value_format(value, &e->params.table[i], &e->params.value[i])));
    bench_print_wrapped(out, ca_plain(text), markdown);
    if (markdown)
        putc('\n', out);
}

void bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown)
{
    const struct ca_bench *bench = report->bench;
    char text[TEXT];

    for (int group = 0; group < bench->groups; group++) {
        const struct ca_bench_line *line = line_of(bench, group);

        if (!line)
            continue;
        bench_print_head(out, &line->experiment, "", markdown);
        if (any_in_table(bench, group)) {
            (markdown ? print_markdown : print_table)(out, report, group);
            bench_print_absent(out, bench, in_group, group, markdown);
            bench_print_others(out, bench, in_group, group, markdown);
            bench_print_ceilings(out, report, markdown);
            bench_print_wrapped(
                out,
                strcat(ca_bench_sentence(text, sizeof text - 1, bench, group), markdown ? "." : ""),
                markdown);
        } else {
            bench_print_absent(out, bench, in_group, group, markdown);
        }
        if (markdown || group + 1 < bench->groups)
            putc('\n', out);
    }
    if (bench->note[0])
        bench_print_wrapped(out, bench->note, markdown);
    if (report->ended[0]) {
        snprintf(text, sizeof text, "incomplete: %s", report->ended);
        bench_print_wrapped(out, text, markdown);
    }
    if (markdown)
        bench_print_folded(out, report);
}
