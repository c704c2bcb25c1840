/* SPDX-License-Identifier: MIT */
/* This file draws the lists of the ladder and the verification, and handles their keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "tui/table.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/plot.h"
#include "tui/workbench/terminal/timeline.h"

#define ROWS_MAX 64
#define BAR 60 /* columns of the longest bar */

static bool is_absent(const struct ladder *l, const json_t *row)
{
    return strcmp(ca_json_member(row, l->verify ? "result" : "state"),
                  l->verify ? "unavailable" : "absent") == 0;
}

/* --- the order of the rows -------------------------------------------------------------------- */

/* Rows as they came: those that can run, then, if they are shown, those that cannot. */
struct order {
    int row[ROWS_MAX];  /* of the ladder's */
    int running, count; /* the first `running` of `count` */
    int absent;         /* that cannot run, shown or not */
};

static bool ladder_list_is_shown(const struct ladder *l, const json_t *row)
{
    return strcasestr(ca_json_member(row, "backend"), l->filter) != NULL;
}

static const json_t *row_at(const struct ladder *l, int row)
{
    return json_array_get(l->rows, (size_t)row);
}

static struct order order_of(const struct ladder *l)
{
    struct order order = {.count = 0};
    int rows = (int)json_array_size(l->rows), at;

    for (int i = 0; i < rows; i++) {
        const json_t *row = row_at(l, i);

        if (!ladder_list_is_shown(l, row))
            continue;
        order.absent += is_absent(l, row);
        if (is_absent(l, row) || order.running == ROWS_MAX)
            continue;
        at = order.running++;
        for (; l->by_rate && at > 0 &&
               ca_json_number(row_at(l, order.row[at - 1]), "rate") < ca_json_number(row, "rate");
             at--)
            order.row[at] = order.row[at - 1];
        order.row[at] = i;
    }
    order.count = order.running;
    for (int i = 0; l->absent && i < rows; i++)
        if (is_absent(l, row_at(l, i)) && ladder_list_is_shown(l, row_at(l, i)) &&
            order.count < ROWS_MAX)
            order.row[order.count++] = i;
    return order;
}

/* Items of rows without a backend; those of the others are their places in the order. */
enum { CRASH_ITEM = -2, ABSENT_ITEM = -3 };

/* --- their texts ------------------------------------------------------------------------------ */

static void progress_text(const struct ladder *l, char *text, size_t size)
{
    char head[160], left[CA_QUANTITY_TEXT], lattice[64];
    int all = 0, done = 0; /* of the backends that can run, shown or not */
    const json_t *row;
    size_t i;

    json_array_foreach(l->rows, i, row)
    {
        const char *state = ca_json_member(row, "state");

        done += strcmp(state, "right") == 0 || strcmp(state, "wrong") == 0;
        all += !is_absent(l, row);
    }
    if (l->verify)
        snprintf(head, sizeof head, "%s", l->experiment.model->name);
    else
        snprintf(head, sizeof head, "%s %s seed %llu", l->experiment.model->name,
                 ca_size_format(lattice, l->experiment.size, l->experiment.model->dimensions),
                 (unsigned long long)l->experiment.seed);
    if (l->why[0])
        snprintf(text, size, "%.90s  %.150s", head, l->why);
    else if (l->phase == LADDER_WAITS)
        snprintf(text, size, "%s  the lattice finishes what it does", head);
    else if (l->phase == LADDER_STOPS)
        snprintf(text, size, "%s  stopping", head);
    else if (l->phase == LADDER_DONE)
        snprintf(text, size, "%s  %s", head, l->stopped ? "stopped" : "done");
    else if (!l->at[0])
        snprintf(text, size, "%s  starting", head);
    else if (l->verify)
        snprintf(text, size, "%s  case %d of %d, %s", head, l->done + 1, l->cases, l->at);
    else
        snprintf(text, size, "%.80s  %d of %d, %.40s %.40s, %s left", head, done, all, l->at,
                 l->what, ca_duration(left, l->left_s));
}

/* --- their columns ---------------------------------------------------------------------------- */

static bool is_in_state(const json_t *line, const char *state)
{
    return strcmp(ca_json_member(line, "state"), state) == 0;
}

static bool is_ended(const struct ladder *l, const json_t *line)
{
    return is_in_state(line, "wrong") || (l->phase == LADDER_DONE && !is_in_state(line, "right"));
}

/* "~" stands for about, as more calls are to come, or would have. */
static void c_rate(char text[TABLE_CELL], const void *ladder, int row)
{
    const json_t *line = row_at(ladder, row);
    double rate = ca_json_number(line, "rate");
    bool right = is_in_state(line, "right"), waits = is_in_state(line, "waiting");
    char digits[CA_QUANTITY_TEXT];

    if (is_ended(ladder, line))
        strcpy(text, "-");
    else if (!right && (waits || rate <= 0 || ca_json_number(line, "calls") == 0))
        text[0] = '\0';
    else
        snprintf(text, TABLE_CELL, "%s%.20s",
                 !right || json_is_true(json_object_get(line, "partial")) ? "~" : "",
                 ca_rate(digits, rate));
}

/* Half the interval that holds the median with 95 %, in percent of it. */
static void c_error(char text[TABLE_CELL], const void *ladder, int row)
{
    const json_t *line = row_at(ladder, row);
    double error = ca_json_number(line, "error");

    if (json_is_true(json_object_get(line, "unsure")))
        strcpy(text, "?");
    else if (error > 0)
        snprintf(text, TABLE_CELL, "%.0f%%", ceil(196 * error));
}

static void c_equal(char text[TABLE_CELL], const void *ladder, int row)
{
    snprintf(text, TABLE_CELL, "= %.120s", ca_json_member(row_at(ladder, row), "checked"));
}

enum { AT_RATE = 1, AT_ERROR }; /* columns of the ladder */

static const struct table_column ladder_columns[] = {
    {"backend", .path = "backend", .width = 19, .left = true},
    {"rate", .cell = c_rate, .width = 9, .gap = 1},
    {"+-", .cell = c_error, .width = 3, .gap = 1},
    {"x ref.", .path = "to_reference", .kind = TABLE_TIMES, .width = 6, .gap = 1},
    {"x before", .path = "to_before", .kind = TABLE_TIMES, .width = 8, .gap = 1},
    {"bound", .path = "bound", .width = 10, .gap = 1, .left = true},
    {"equal", .cell = c_equal, .width = 1, .gap = 1, .left = true},
};

static const struct table_column verify_columns[] = {
    {"backend", .path = "backend", .width = 19, .left = true},
    {"cases", .path = "cases", .width = 6, .gap = 1},
    {"failed", .path = "failed", .width = 6, .gap = 1},
    {"cells", .path = "cells", .kind = TABLE_THOUSANDS, .width = 14, .gap = 1},
    {"time", .path = "seconds", .kind = TABLE_DURATION, .width = 8, .gap = 1},
    {"result", .path = "result", .width = 1, .left = true},
};

/* "timing, 14 of 40 calls, 1.4 s left" and the like in place of columns. */
static int ladder_remark(char text[TABLE_CELL], const void *ladder, int row)
{
    const struct ladder *l = ladder;
    const json_t *line = row_at(l, row);
    int calls = (int)ca_json_number(line, "calls"), of = (int)ca_json_number(line, "of");
    double wrong = ca_json_number(line, "wrong");
    char left[CA_QUANTITY_TEXT];

    if (is_absent(l, line)) {
        snprintf(text, TABLE_CELL, "cannot run: %.200s", ca_json_member(line, "reason"));
        return AT_RATE;
    }
    if (is_in_state(line, "right") && json_is_true(json_object_get(line, "emulated"))) {
        snprintf(text, TABLE_CELL, CA_NOT_A_SPEED "  = %.120s", ca_json_member(line, "checked"));
        return AT_RATE;
    }
    if (l->verify || is_in_state(line, "right"))
        return -1;
    if (is_in_state(line, "wrong"))
        snprintf(text, TABLE_CELL, "WRONG in %.0f cell%s, so it has no figures", wrong,
                 wrong == 1 ? "" : "s");
    else if (l->phase == LADDER_DONE)
        snprintf(text, TABLE_CELL, "not known: it ended after %d calls", calls);
    else if (is_in_state(line, "waiting") || calls == 0)
        strcpy(text, "waiting");
    else if (of > calls)
        snprintf(text, TABLE_CELL, "timing, %d of %d calls, %s left", calls, of,
                 ca_duration(left, ca_json_number(line, "left_s")));
    else
        snprintf(text, TABLE_CELL, "timed, %d calls, not checked yet", calls);
    return AT_ERROR;
}

static struct table table_of(const struct ladder *l)
{
    return (struct table){.column = l->verify ? verify_columns : ladder_columns,
                          .columns = l->verify
                                         ? (int)(sizeof verify_columns / sizeof verify_columns[0])
                                         : (int)(sizeof ladder_columns / sizeof ladder_columns[0]),
                          .lines = l->rows,
                          .context = l,
                          .remark = ladder_remark};
}

static void detail_text(const struct ladder *l, const json_t *row, char *text, size_t size)
{
    const json_t *first = json_object_get(row, "first");
    const char *others = ca_json_member(row, "others");
    const char *summary =
        json_string_value(json_array_get(json_object_get(l->report, "summary"), 0));

    if (is_absent(l, row))
        snprintf(text, size, "%s", ca_json_member(row, "reason"));
    else if (first)
        snprintf(text, size, "%s; repeat: %s", ca_json_member(first, "text"),
                 ca_json_member(first, "command"));
    else if (others[0] && strcmp(others, "quiet") != 0 && !strstr(summary ? summary : "", others))
        snprintf(text, size, "%s%s%s: %s", summary ? summary : "", summary ? "; " : "",
                 ca_json_member(row, "backend"), others);
    else if (summary)
        snprintf(text, size, "%s", summary);
}

static void add_backend(const struct workbench *wb, const struct order *order, int index)
{
    const struct ladder *l = ladder_of(wb);
    const json_t *line = row_at(l, order->row[index]);
    const struct table table = table_of(l);
    struct list_row *row;
    char text[256];

    row = list_add(index, "%s", table_line(text, sizeof text, &table, order->row[index]));
    detail_text(l, line, row->detail, sizeof row->detail);
    row->current =
        strcmp(ca_json_member(line, "backend"), wb->panes[0].experiment.backend->name) == 0;
}

/* Says by what the backends are filtered. */
static char *heading_text(const struct ladder *l, char *text, size_t size)
{
    struct table table = table_of(l);
    struct table_column column[TABLE_COLUMNS_MAX];
    char name[64];

    memcpy(column, table.column, (size_t)table.columns * sizeof *column);
    table.column = column;
    snprintf(name, sizeof name, l->filter[0] ? "backend /%.31s" : "backend", l->filter);
    column[0].name = name;
    return table_line(text, size, &table, TABLE_HEADING);
}

/* How far it is, the columns, the rows (of a ladder with a bar below), the crashes, and what cannot
 * run. */
void ladder_fill(struct workbench *wb)
{
    const struct ladder *l = ladder_of(wb);
    struct order order = order_of(l);
    struct list_row *row;
    char text[256];
    double most = 0; /* of all bars, which share one scale */

    for (int i = 0; i < order.running; i++)
        most = fmax(most, ca_json_number(row_at(l, order.row[i]), "rate"));
    progress_text(l, text, sizeof text);
    list_add(0, "%s", text)->heading = true;
    list_add(0, "  %s", heading_text(l, text, sizeof text))->heading = true;
    for (int i = 0; i < order.running; i++) {
        add_backend(wb, &order, i);
        if (l->verify || l->in_lab)
            continue;
        bar(&wb->palette, text, sizeof text - 2,
            most > 0 ? ca_json_number(row_at(l, order.row[i]), "rate") / most : 0, BAR);
        list_add(0, "  %s", text)->heading = true;
    }
    for (int i = 0; i < l->crashes; i++) {
        row =
            list_add(CRASH_ITEM, "%-19.40s CRASHED: %.200s", l->crash[i].backend, l->crash[i].why);
        snprintf(row->detail, sizeof row->detail, "%s", l->crash[i].why);
    }
    if (order.absent > 0)
        list_add(ABSENT_ITEM, "%d more cannot run (enter %s them)", order.absent,
                 l->absent ? "hides" : "shows");
    for (int i = order.running; i < order.count; i++)
        add_backend(wb, &order, i);
}

/* --- the plot --------------------------------------------------------------------------------- */

#define PLOT_LEFT 6 /* columns of labels where no rate is known yet */

/* "bitslice 2.1 Gups +-3%, 12 x reference". */
static void rate_sentence(const struct ladder *l, int row, char *text, size_t size)
{
    const json_t *line = row_at(l, row);
    double rate = ca_json_number(line, "rate");
    double to = ca_json_number(line, "to_reference");
    char error[TABLE_CELL] = "", digits[CA_QUANTITY_TEXT];

    snprintf(text, size, "%.40s ", ca_json_member(line, "backend"));
    ca_text_add(text, size, "%s", rate > 0 ? ca_rate(digits, rate) : "has no rate");
    c_error(error, l, row);
    if (rate > 0 && error[0])
        ca_text_add(text, size, " +-%.16s", error);
    if (rate > 0 && to > 0)
        ca_text_add(text, size, ", %s x reference", ca_three_digits(digits, to));
}

static void ladder_plot(struct workbench *wb, struct rect at, int item)
{
    const struct ladder *l = ladder_of(wb);
    struct order order = order_of(l);
    const char *names[ROWS_MAX];
    struct plot_point point[ROWS_MAX];
    char progress[256], caption[256] = "";
    bool on = item >= 0 && item < order.running;
    struct plot plot = {
        .count = 1,
        .series = {{.sign = '*', .style = STYLE_GREEN, .count = order.running, .point = point}},
        .up = PLOT_LOG,
        .axis = true,
        .unit = "ups",
        .caption = caption,
        .across_unit = "",
        .names = names,
        .named = order.running,
        .left = PLOT_LEFT,
        .cursor = on ? item : NAN,
        .fine = plot_is_fine(&wb->palette)};

    for (int i = 0; i < order.running; i++) {
        const json_t *line = row_at(l, order.row[i]);
        double mean = ca_json_number(line, "rate");
        double of = fmin(1.96 * ca_json_number(line, "error"), 0.99);

        names[i] = ca_json_member(line, "backend");
        point[i] = (struct plot_point){i, mean * (1 - of), mean, mean * (1 + of)};
    }
    if (on)
        rate_sentence(l, order.row[item], caption, sizeof caption);
    progress_text(l, progress, sizeof progress);
    put(&wb->palette, at.row, at.column, at.columns, STYLE_FOCUS, progress);
    at.row++;
    at.rows--;
    plot_put(&wb->palette, at, &plot);
}

static bool ladder_is_plotted(const struct workbench *wb) { return ladder_of(wb)->plotted; }

static void ladder_plots(struct workbench *wb) { ladder_of(wb)->plotted = !ladder_of(wb)->plotted; }

/* --- the filter ------------------------------------------------------------------------------- */

static void filter_run(struct workbench *wb, const char *text)
{
    struct ladder *l = ladder_of(wb);

    snprintf(l->filter, sizeof l->filter, "%.39s", text);
    dialog_close(wb); /* so that the list is on top */
    list_select(wb, dialog_top(wb));
}

static const struct prompt_source filter_source = {.label = "filter: ", .run = filter_run};

/* --- choosing, and the keys ------------------------------------------------------------------- */

/* The backend of an item, NULL: none, or one that cannot run, which is said. */
static const struct ca_backend *backend_at(struct workbench *wb, int item)
{
    struct order order = order_of(ladder_of(wb));
    const struct ca_backend *backend;
    struct ca_error error;

    if (item < 0)
        return NULL;
    if (ca_backend_find(&backend, wb->panes[0].experiment.model,
                        ca_json_member(row_at(ladder_of(wb), order.row[item]), "backend"),
                        &error) != CA_OK) {
        message_warn(wb, "%s", error.text);
        return NULL;
    }
    return backend_is_available(&wb->panes[0], backend) ? backend : NULL;
}

bool ladder_choose(struct workbench *wb, const struct list_row *row)
{
    const struct ca_backend *backend = backend_at(wb, row->item);

    if (row->item == ABSENT_ITEM)
        ladder_of(wb)->absent = !ladder_of(wb)->absent;
    if (backend)
        choose_backend(&wb->panes[0], backend);
    return backend != NULL;
}

static void against_current(struct workbench *wb)
{
    const struct ca_backend *backend = backend_at(wb, list_item(wb, dialog_top(wb)));

    if (!backend)
        return;
    if (backend == wb->panes[0].experiment.backend) {
        message_show(wb, "%s is the current one: choose another to compare it with", backend->name);
        return;
    }
    dialogs_close(wb);
    split_against(wb, backend);
}

static void write_rows(struct workbench *wb, FILE *out)
{
    const struct ladder *l = ladder_of(wb);

    json_dumpf(l->verify ? l->rows : l->report, out, JSON_INDENT(2));
    fputc('\n', out);
}

static bool write_accept(struct workbench *wb, int item, const char *path, struct ca_error *error)
{
    (void)item;
    return screen_or_rows_write(wb, path, write_rows, error);
}

static const struct prompt_source write_source = {
    .label = "write: ", .accept = write_accept, .optional = true, .writes = true};

static void ladder_write(struct workbench *wb)
{
    const struct ladder *l = ladder_of(wb);
    char stem[64];

    if (l->verify ? l->phase != LADDER_DONE || !l->rows : !l->report) {
        message_show(wb, "there is nothing to write before it is done or stopped");
        return;
    }
    snprintf(stem, sizeof stem, "%.40s-%s", l->experiment.model->name,
             l->verify ? "verify" : "bench");
    screen_keep(wb);
    prompt_open_file(wb, &write_source, stem, "json",
                     l->verify ? "file for the results, as JSON; .txt or .ansi for the screen"
                               : "file for the report, as JSON, which calab compare reads; .txt or "
                                 ".ansi for the screen");
}

static const struct list_source command_source[] = {
    {.title = "command that times this ladder", .fill = yank_fill},
    {.title = "command that verifies this model", .fill = yank_fill},
};

static void ladder_command(struct workbench *wb)
{
    static struct ca_experiment e;
    const struct ladder *l = ladder_of(wb);
    char text[2048], *command, *rest, *steps, *word;

    if (l->verify) {
        word = ca_shell_word(ca_model_word(l->experiment.model));
        snprintf(text, sizeof text, "calab verify %s%s%s", word ? word : "",
                 l->only[0] ? " -b " : "", l->only);
        free(word);
        yank_command(wb, &command_source[1], text);
        return;
    }
    e = l->experiment;
    e.options.count = 0;
    command = ca_experiment_command(&e, NULL, 0);
    rest = command ? strstr(command, " -s ") : NULL;
    steps = rest ? strstr(rest, " -n 0") : NULL;
    if (steps) {
        word = ca_shell_word(ca_model_word(e.model));
        snprintf(text, sizeof text, "calab bench %s%s%s%.*s%s", word ? word : "",
                 l->only[0] ? " -b " : "", l->only, (int)(steps - rest), rest,
                 steps + strlen(" -n 0"));
        free(word);
        yank_command(wb, &command_source[0], text);
    }
    free(command);
}

static void ladder_sort(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    l->by_rate = !l->by_rate && !l->verify;
    list_select(wb, dialog_top(wb));
}

static void ladder_filter(struct workbench *wb)
{
    prompt_open(wb, &filter_source, 0, ladder_of(wb)->filter,
                "part of the names to show; nothing shows all");
}

static void ladder_stop(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    l->goes_on = false;
    if (l->phase == LADDER_RUNS && l->client) {
        ca_client_notify(l->client, "stop");
        l->phase = LADDER_STOPS;
    }
}

const struct list_source ladder_source = {
    .title = "ladder: every backend from the same start",
    .fill = ladder_fill,
    .open = ladder_choose,
    .keys =
        {
            {REQUEST_LIST_OPEN, "use it"},
            {REQUEST_LIST_CLOSE, "back"},
            {REQUEST_SPLIT, "against current", against_current},
            {REQUEST_DRAWN, "plot", ladder_plots},
            {REQUEST_SIZE, "sort", ladder_sort},
            {REQUEST_SEARCH, "filter", ladder_filter},
            {REQUEST_SNAPSHOT, "write", ladder_write},
            {REQUEST_YANK, "command", ladder_command},
            {REQUEST_INTERRUPT, "stop", ladder_stop, ladder_measures},
        },
    .detail = 2,
    .detail_most = 6,
    .is_table = true,
    .is_plotted = ladder_is_plotted,
    .plot = ladder_plot};
const struct list_source verify_source = {
    .title = "every backend against the reference",
    .fill = ladder_fill,
    .open = ladder_choose,
    .keys =
        {
            {REQUEST_LIST_OPEN, "use it"},
            {REQUEST_LIST_CLOSE, "back"},
            {REQUEST_SPLIT, "against current", against_current},
            {REQUEST_SIZE, NULL, ladder_sort},
            {REQUEST_SEARCH, "filter", ladder_filter},
            {REQUEST_SNAPSHOT, "write", ladder_write},
            {REQUEST_YANK, "command", ladder_command},
            {REQUEST_INTERRUPT, "stop", ladder_stop, ladder_measures},
        },
    .detail = 3,
    .detail_most = 6,
    .is_table = true};
