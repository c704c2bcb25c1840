/* SPDX-License-Identifier: MIT */
/*
 * A and B of a split by length of call and by size, measured in engines of their own, so that the
 * panes' states stay as they are and an engine that ends costs one row. It is shown as a list;
 * closing the list ends it. At most one engine computes at a time, and the panes do nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare/drive.h"
#include "core/engine/experiment_json.h"
#include "core/engine/interference_json.h"
#include "tui/table.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/crossover_inside.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/plot.h"

extern const struct part crossover_part;

struct crossover *crossover_of(const struct workbench *wb)
{
    return part_state(wb, &crossover_part);
}

static const struct list_source bench_source = {.title = "command that times both at these sizes",
                                                .fill = yank_fill};

static bool crossover_measures(const struct workbench *wb)
{
    return crossover_of(wb)->phase == CROSSOVER_MEASURES;
}

static struct ca_crossover_row *present(struct crossover *c) { return &c->table.row[c->row]; }

/* --- engines ---------------------------------------------------------------------------------- */

static void engines_end(struct crossover *c)
{
    for (int i = 0; i < 2; i++) {
        ca_client_close(c->client[i]);
        c->client[i] = NULL;
        c->open[i] = false;
    }
    c->asked = false;
}

static void crossover_end(struct workbench *wb)
{
    engines_end(crossover_of(wb));
    crossover_of(wb)->phase = CROSSOVER_CLOSED;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The first row that is not known yet. Engines that run another size open this one. */
static void row_begin(struct workbench *wb)
{
    struct crossover *c = crossover_of(wb);
    const int64_t cells = ca_cells(present(c)->size), both[2] = {cells, cells};

    if (!ca_size_equal(present(c)->size, c->experiment[0].size)) {
        c->open[0] = c->open[1] = false;
        c->slower = 0;
    }
    for (int i = 0; i < 2; i++)
        c->experiment[i].size = present(c)->size;
    ca_ratio_begin(&c->ratio, both, present(c)->generations);
}

static void row_end(struct workbench *wb, const char *why)
{
    struct crossover *c = crossover_of(wb);

    wb->dirty = true;
    if (why) {
        snprintf(present(c)->why, sizeof present(c)->why, "%s", why);
    } else {
        present(c)->result = ca_ratio_result(&c->ratio);
        for (int i = 0; i < 2; i++)
            c->slower = fmax(i ? c->slower : 0,
                             (double)ca_cells(present(c)->size) / present(c)->result.rate[i]);
    }
    if (++c->row < c->table.count) {
        row_begin(wb);
        return;
    }
    c->row--;
    c->phase = CROSSOVER_DONE;
    engines_end(c);
}

/* A row that cannot be measured; the engine starts anew for the next. */
static void row_fails(struct workbench *wb, const char *why)
{
    struct crossover *c = crossover_of(wb);
    char text[160];

    snprintf(text, sizeof text, "%c: %.150s", 'A' + c->side, why);
    c->asked = false;
    c->open[c->side] = false;
    row_end(wb, text);
}

static ca_take_reply burst_taken;

static enum ca_status crossover_side_burst(void *self, uint64_t generations, uint64_t calls,
                                           struct ca_error *error)
{
    struct workbench *wb = self;
    struct crossover *c = crossover_of(wb);

    (void)error; /* a request is refused by its reply */
    ca_client_ask(c->client[c->side], &c->request[c->side], "burst",
                  json_pack("{s:I,s:I}", "n", (json_int_t)generations, "calls", (json_int_t)calls),
                  burst_taken, wb);
    return CA_OK;
}

static enum ca_status crossover_side_result(void *self, struct ca_side_result *result,
                                            struct ca_error *error)
{
    (void)error;
    result->seconds = ca_burst_from_json(&result->others, crossover_of(self)->answer);
    return CA_OK;
}

static const struct ca_side *sides(struct workbench *wb, struct ca_side side[2])
{
    side[0] = side[1] = (struct ca_side){
        .self = wb, .burst = crossover_side_burst, .result = crossover_side_result};
    return side;
}

/* Whether a reply is the one that is due; a refusal ends its row. */
static bool is_due(const struct ca_request *request, const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct crossover *c = crossover_of(wb);

    if (!c->asked || request != &c->request[c->side])
        return false;
    wb->dirty = true;
    c->asked = false;
    if (refusal)
        row_fails(wb, refusal->text);
    return !refusal;
}

static void side_opened(struct ca_request *request, const struct ca_message *reply,
                        const struct ca_error *refusal)
{
    struct workbench *wb = request->to;

    (void)reply;
    if (is_due(request, refusal))
        crossover_of(wb)->open[crossover_of(wb)->side] = true;
}

static void burst_taken(struct ca_request *request, const struct ca_message *reply,
                        const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct crossover *c = crossover_of(wb);
    struct ca_side side[2];
    struct ca_error error;

    if (!is_due(request, refusal))
        return;
    c->answer = reply->json;
    if (ca_ratio_answer(&c->ratio, sides(wb, side), &error) != CA_OK) {
        row_fails(wb, error.text);
        return;
    }
    if (c->ratio.probes > 0)
        c->slower = c->ratio.slower_s;
    present(c)->generations = c->ratio.generations;
}

/* Asks for the next burst, or what it needs before. */
static void crossover_ask(struct workbench *wb)
{
    struct crossover *c = crossover_of(wb);
    struct ca_ratio_request next;
    struct ca_side side[2];
    struct ca_error error;

    if ((double)present(c)->generations * c->slower > CA_RATIO_CALL_S) {
        row_end(wb, "such a call takes more than 250 ms");
        return;
    }
    if (!ca_ratio_next(&c->ratio, &next)) {
        row_end(wb, NULL);
        return;
    }
    c->side = next.side;
    if (!c->client[c->side] &&
        !client_start(wb, &c->client[c->side], wb->panes[c->side].host, &error)) {
        row_fails(wb, error.text);
        return;
    }
    c->asked = true;
    if (!c->open[c->side])
        ca_client_ask_of(c->client[c->side], &c->request[c->side], "open",
                         ca_experiment_request(&c->experiment[c->side]),
                         c->experiment[c->side].model, side_opened, wb);
    else
        ca_ratio_ask(&c->ratio, sides(wb, side), &error);
}

/* --- the main loop ---------------------------------------------------------------------------- */

static double crossover_tick(struct workbench *wb, double now)
{
    struct crossover *c = crossover_of(wb);

    (void)now;
    if (c->phase == CROSSOVER_CLOSED)
        return -1;
    if (!list_is_open(wb, &crossover_source)) {
        crossover_end(wb);
        wb->dirty = true;
        return -1;
    }
    if (c->phase == CROSSOVER_WAITS && split_is_ready(wb) && !split_busy(wb)) {
        for (int i = 0; i < 2; i++) {
            c->experiment[i] = wb->panes[i].experiment;
            c->experiment[i].choice = NULL; /* at each size the same backend */
        }
        c->phase = CROSSOVER_MEASURES;
        c->row = 0;
        row_begin(wb);
    }
    while (c->phase == CROSSOVER_MEASURES && !c->asked)
        crossover_ask(wb);
    return -1;
}

static int crossover_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    int count = client_poll(crossover_of(wb)->client[0], fds);

    return count + client_poll(crossover_of(wb)->client[1], fds + count);
}

static void ignore_event(void *to, const struct ca_message *event) { (void)to, (void)event; }

static void crossover_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct crossover *c = crossover_of(wb);

    (void)fds, (void)count;
    for (int i = 0; i < 2; i++) {
        struct ca_error error;

        if (ca_client_serve(&c->client[i], ignore_event, wb, &error))
            continue;
        ca_client_close(c->client[i]);
        c->client[i] = NULL;
        c->open[i] = false;
        c->side = i;
        if (c->phase == CROSSOVER_MEASURES)
            row_fails(wb, error.text);
    }
}

static void crossover_open(struct workbench *wb)
{
    struct crossover *c = crossover_of(wb);
    const struct ca_experiment *a = &wb->panes[0].experiment;

    if (!split_is_shown(wb)) {
        message_show(wb, "%s compares A and B of a split, which %s opens",
                     wb->keys.keys[REQUEST_CROSSOVER], wb->keys.keys[REQUEST_SPLIT]);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (figures_timing(&wb->panes[i])->emulated) {
            message_show(wb, "%c is " CA_NOT_A_SPEED, 'A' + i);
            return;
        }
    if (split_busy(wb))
        split_stop(wb);
    engines_end(c);
    ca_crossover_plan(&c->table, a->size, a->model->dimensions, split_call(wb));
    c->phase = CROSSOVER_WAITS;
    c->plotted = false;
    c->at = 0;
    list_open(wb, &crossover_source);
}

/* --- the list --------------------------------------------------------------------------------- */

static const char *ratio_of(const struct ca_ratio_result *r, char *text, size_t size)
{
    char median[CA_QUANTITY_TEXT], low[CA_QUANTITY_TEXT], high[CA_QUANTITY_TEXT];
    bool b = r->median < 1 && !r->same;

    ca_three_digits(median, b ? 1 / r->median : r->median);
    ca_three_digits(low, b ? 1 / r->high : r->low);
    ca_three_digits(high, b ? 1 / r->low : r->high);
    if (r->unsure)
        snprintf(text, size, "unsure, %d of %d pairs count", r->pairs, r->made);
    else if (r->same)
        snprintf(text, size, "the same (%s ... %s)", low, high);
    else
        snprintf(text, size, "%c is %s x %c (%s ... %s)", b ? 'B' : 'A', median, b ? 'A' : 'B', low,
                 high);
    return text;
}

static void c_label(char text[TABLE_CELL], const void *crossover, int row)
{
    const struct ca_crossover *table = &((const struct crossover *)crossover)->table;

    if (row >= table->lengths)
        ca_crossover_label(text, table, row);
    else
        ca_thousands(text, table->row[row].generations);
}

/* Of sizes; lengths stand in the first column. */
static void c_call(char text[TABLE_CELL], const void *crossover, int row)
{
    const struct ca_crossover *table = &((const struct crossover *)crossover)->table;

    text[0] = '\0';
    if (row >= table->lengths && table->row[row].generations > 0)
        ca_thousands(text, table->row[row].generations);
}

static void c_a(char text[TABLE_CELL], const void *crossover, int row)
{
    ca_rate(text, ((const struct crossover *)crossover)->table.row[row].result.rate[0]);
}

static void c_b(char text[TABLE_CELL], const void *crossover, int row)
{
    ca_rate(text, ((const struct crossover *)crossover)->table.row[row].result.rate[1]);
}

static void c_ratio(char text[TABLE_CELL], const void *crossover, int row)
{
    ratio_of(&((const struct crossover *)crossover)->table.row[row].result, text, TABLE_CELL);
}

/* Why a row has no rates. */
static int no_rates(char text[TABLE_CELL], const void *crossover, int row)
{
    const struct crossover *c = crossover;
    const struct ca_crossover_row *r = &c->table.row[row];

    if (r->result.made > 0)
        return -1;
    snprintf(text, TABLE_CELL, "%s",
             r->why[0]                                         ? r->why
             : c->phase == CROSSOVER_MEASURES && row == c->row ? "measuring"
                                                               : "-");
    return 2;
}

#define LINE_RATES 21 /* where A's rate begins, and a reason goes on */

/* A row or the heading of a half, within 72 columns but for the ratio. */
static char *crossover_line(char text[512], const struct crossover *c, bool by_size, int row)
{
    const struct table_column columns[] = {
        {by_size ? "size" : "generations", .cell = c_label, .width = 14, .left = true},
        {by_size ? "call" : "", .cell = c_call, .width = 5, .gap = 1},
        {"A", .cell = c_a, .width = 9, .gap = 1},
        {"B", .cell = c_b, .width = 9, .gap = 1},
        {"", .cell = c_ratio, .gap = 1, .left = true},
    };
    const struct table table = {columns, sizeof columns / sizeof columns[0], .context = c,
                                .remark = no_rates};

    return table_line(text, 512, &table, row);
}

static const char *crossover_progress(const struct crossover *c, char *text, size_t size)
{
    char label[64];

    if (c->phase == CROSSOVER_WAITS)
        snprintf(text, size, "A and B finish what they do");
    else if (c->phase == CROSSOVER_MEASURES)
        snprintf(text, size, "measuring %s, %d of %d; ctrl-c stops",
                 ca_crossover_label(label, &c->table, c->row), c->row + 1, c->table.count);
    else
        snprintf(text, size, "alternating bursts, disturbed ones left out%s",
                 c->phase == CROSSOVER_STOPPED ? "; stopped" : "");
    return text;
}

/* The progress, then of each half a heading, its rows and its sentence. */
static void crossover_fill(struct workbench *wb)
{
    const struct crossover *c = crossover_of(wb);
    struct list_row *row;
    char text[512];

    list_add(0, "%s", crossover_progress(c, text, sizeof text))->indent = 2;
    for (int by_size = 0; by_size < 2; by_size++) {
        row = list_add(0, "  %s", crossover_line(text, c, by_size, TABLE_HEADING));
        row->heading = true;
        row->indent = 2;
        for (int i = by_size ? c->table.lengths : 0;
             i < (by_size ? c->table.count : c->table.lengths); i++)
            list_add(0, "%s", crossover_line(text, c, by_size, i))->indent = LINE_RATES;
        ca_crossover_sentence(text, sizeof text, &c->table, by_size);
        list_add(0, "%s", text)->indent = 2;
    }
}

/* --- its plots -------------------------------------------------------------------------------- */

#define PLOT_LEFT 6    /* columns of labels where no rate is known yet */
#define PLOT_BESIDE 90 /* columns from which on the two plots lie side by side */
#define PLOT_ROWS 12   /* from which on they lie one below the other; else there is one */

/* The rates of both by length of call or by size, and the sentence below them. */
static void half_plot(struct workbench *wb, struct rect at, bool by_size)
{
    const struct crossover *c = crossover_of(wb);
    int first = by_size ? c->table.lengths : 0;
    int count = (by_size ? c->table.count : c->table.lengths) - first;
    struct plot_point point[2][CA_CROSSOVER_ROWS];
    struct plot plot = {.count = 2,
                        .across = PLOT_LOG,
                        .up = PLOT_LOG,
                        .axis = true,
                        .unit = "ups",
                        .across_unit = by_size ? "cells" : "generations a call",
                        .cursor = NAN,
                        .left = PLOT_LEFT,
                        .fine = plot_is_fine(&wb->palette)};
    char text[256];

    for (int i = 0; i < count; i++) {
        const struct ca_crossover_row *row = &c->table.row[first + i];
        double x = by_size ? (double)ca_cells(row->size) : (double)row->generations;

        for (int k = 0; k < 2; k++) {
            double rate = row->result.made > 0 ? row->result.rate[k] : NAN;

            point[k][i] = (struct plot_point){x, rate, rate, rate};
        }
        if (first + i == c->at)
            plot.cursor = x;
    }
    for (int k = 0; k < 2; k++)
        plot.series[k] = (struct plot_series){.name = wb->panes[k].experiment.backend->name,
                                              .sign = (char)('A' + k),
                                              .style = k ? STYLE_WARM : STYLE_GREEN,
                                              .count = count,
                                              .point = point[k]};
    ca_crossover_sentence(text, sizeof text, &c->table, by_size);
    at.rows--;
    plot_put(&wb->palette, at, &plot);
    put(&wb->palette, at.row + at.rows, at.column, at.columns, STYLE_PLAIN, text);
}

/* The row under the cursor as a sentence. */
static void cursor_sentence(const struct crossover *c, char *text, size_t size)
{
    const struct ca_crossover_row *row = &c->table.row[c->at];
    char label[64], rate[2][CA_QUANTITY_TEXT], ratio[160];

    ca_crossover_label(label, &c->table, c->at);
    if (row->result.made > 0)
        snprintf(text, size, "%s: A %s, B %s, %s", label, ca_rate(rate[0], row->result.rate[0]),
                 ca_rate(rate[1], row->result.rate[1]),
                 ratio_of(&row->result, ratio, sizeof ratio));
    else
        snprintf(text, size, "%s: %s", label, row->why[0] ? row->why : "not measured yet");
}

static void crossover_plot(struct workbench *wb, struct rect at, int item)
{
    const struct crossover *c = crossover_of(wb);
    char text[320];

    (void)item; /* the list has no selection */
    put(&wb->palette, at.row, at.column, at.columns, STYLE_PLAIN,
        crossover_progress(c, text, sizeof text));
    cursor_sentence(c, text, sizeof text);
    put(&wb->palette, at.row + 1, at.column, at.columns, STYLE_KEY, text);
    at.row += 2;
    at.rows -= 2;
    for (int by_size = 0; by_size < 2; by_size++) {
        struct rect half = at;

        if (at.columns >= PLOT_BESIDE) {
            half.columns = at.columns / 2 - 1;
            half.column += by_size * (half.columns + 2);
        } else if (at.rows < PLOT_ROWS && by_size != (c->at >= c->table.lengths)) {
            continue; /* there is place for the plot with the cursor alone */
        } else if (at.rows >= PLOT_ROWS) {
            half.rows = at.rows / 2;
            half.row += by_size * half.rows;
        }
        half_plot(wb, half, by_size);
    }
}

static bool crossover_is_plotted(const struct workbench *wb) { return crossover_of(wb)->plotted; }

static void crossover_plots(struct workbench *wb)
{
    crossover_of(wb)->plotted = !crossover_of(wb)->plotted;
}

static void cursor_back(struct workbench *wb) { crossover_of(wb)->at -= crossover_of(wb)->at > 0; }

static void cursor_forth(struct workbench *wb)
{
    struct crossover *c = crossover_of(wb);

    c->at += c->at + 1 < c->table.count;
}

/* --- its keys --------------------------------------------------------------------------------- */

static void write_rows(struct workbench *wb, FILE *out)
{
    const struct ca_crossover *table = &crossover_of(wb)->table;
    char size[64], verdict[CA_RATIO_VERDICT];

    fputs("by,size,generations,a,b,a_ups,b_ups,ratio,low,high,pairs,verdict\n", out);
    for (int i = 0; i < table->count; i++) {
        const struct ca_ratio_result *r = &table->row[i].result;

        if (r->made > 0)
            fprintf(out, "%s,%s,%" PRIu64 ",%s,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%s\n",
                    i < table->lengths ? "length" : "size",
                    ca_size_format(size, table->row[i].size, table->dimensions),
                    table->row[i].generations, wb->panes[0].experiment.backend->name,
                    wb->panes[1].experiment.backend->name, r->rate[0], r->rate[1], r->median,
                    r->low, r->high, r->pairs, ca_ratio_verdict(verdict, r));
    }
}

static bool write_accept(struct workbench *wb, int item, const char *path, struct ca_error *error)
{
    (void)item;
    return screen_or_rows_write(wb, path, write_rows, error);
}

static const struct prompt_source write_source = {
    .label = "write: ", .accept = write_accept, .optional = true, .writes = true};

static void write_open(struct workbench *wb)
{
    char stem[64];

    snprintf(stem, sizeof stem, "%s-lengths", wb->panes[0].experiment.model->name);
    screen_keep(wb);
    prompt_open_file(
        wb, &write_source, stem, "csv",
        "file for the rows that are measured, as comma-separated values; .txt or .ansi for "
        "the screen");
}

/* `calab bench` with both backends and all sizes. Options of one side have no place in it. */
static void command_show(struct workbench *wb)
{
    static struct ca_experiment e;
    const struct ca_crossover *table = &crossover_of(wb)->table;
    const struct ca_backend *backend[2] = {wb->panes[0].experiment.backend,
                                           wb->panes[1].experiment.backend};
    char text[2048], size[64], *command, *seed, *steps, *word;

    e = wb->panes[0].experiment;
    e.options.count = 0;
    command = ca_experiment_command(&e, NULL, 0);
    if (!command)
        return;
    word = ca_shell_word(ca_model_word(e.model));
    snprintf(text, sizeof text, "calab bench %s -b %s%s%s -s ", word ? word : "", backend[0]->name,
             backend[0] == backend[1] ? "" : ",", backend[0] == backend[1] ? "" : backend[1]->name);
    free(word);
    for (int i = table->lengths; i < table->count; i++)
        ca_text_add(text, sizeof text, "%s%s", i > table->lengths ? "," : "",
                    ca_size_format(size, table->row[i].size, table->dimensions));
    seed = strstr(command, " --seed ");
    steps = seed ? strstr(seed, " -n 0") : NULL;
    if (steps)
        ca_text_add(text, sizeof text, "%.*s%s", (int)(steps - seed), seed,
                    steps + strlen(" -n 0"));
    free(command);
    yank_command(wb, &bench_source, text);
}

static void crossover_stop(struct workbench *wb)
{
    engines_end(crossover_of(wb));
    crossover_of(wb)->phase = CROSSOVER_STOPPED;
}

static bool crossover_goes_on(const struct workbench *wb)
{
    return crossover_of(wb)->phase == CROSSOVER_WAITS || crossover_measures(wb);
}

const struct list_source crossover_source = {
    .title = "A against B by length of call and by size",
    .fill = crossover_fill,
    .is_plotted = crossover_is_plotted,
    .plot = crossover_plot,
    .keys = {
        {REQUEST_LIST_CLOSE, "back"},
        {REQUEST_INTERRUPT, "stop", crossover_stop, crossover_goes_on},
        {REQUEST_DRAWN, "plot", crossover_plots},
        {REQUEST_SNAPSHOT, "write", write_open},
        {REQUEST_YANK, "command", command_show},
        {REQUEST_LIST_UP, NULL, cursor_back, crossover_is_plotted},
        {REQUEST_LIST_DOWN, NULL, cursor_forth, crossover_is_plotted},
    }};

const struct part crossover_part = {.name = "crossover",
                                    .state_bytes = sizeof(struct crossover),
                                    .tick = crossover_tick,
                                    .poll = crossover_poll,
                                    .serve = crossover_serve,
                                    .is_alone = crossover_measures,
                                    .end = crossover_end,
                                    .actions = {{REQUEST_CROSSOVER, crossover_open}}};
