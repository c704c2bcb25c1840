/* SPDX-License-Identifier: MIT */
/* This file draws the lists of the ladder and the verification, and handles their keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/plot.h"

#define ROWS_MAX 64
#define BAR 60 /* columns of the longest bar */

static double ladder_list_number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static bool is_absent(const struct ladder *l, const json_t *row)
{
    return strcmp(ca_wire_text(row, l->verify ? "result" : "state"),
                  l->verify ? "unavailable" : "absent") == 0;
}

/* --- the order of the rows -------------------------------------------------------------------- */

/* Rows as told: those that can run, then, if they are shown, those that cannot. */
struct order {
    const json_t *row[ROWS_MAX];
    int running, count; /* the first `running` of `count` */
    int absent;         /* that cannot run, shown or not */
};

static bool ladder_list_is_shown(const struct ladder *l, const json_t *row)
{
    return strcasestr(ca_wire_text(row, "backend"), l->filter) != NULL;
}

static struct order order_of(const struct ladder *l)
{
    struct order order = {.count = 0};
    const json_t *row;
    size_t i;
    int at;

    json_array_foreach(l->rows, i, row)
    {
        if (!ladder_list_is_shown(l, row))
            continue;
        order.absent += is_absent(l, row);
        if (is_absent(l, row) || order.running == ROWS_MAX)
            continue;
        at = order.running++;
        for (;
             l->by_rate && at > 0 &&
             ladder_list_number_of(order.row[at - 1], "rate") < ladder_list_number_of(row, "rate");
             at--)
            order.row[at] = order.row[at - 1];
        order.row[at] = row;
    }
    order.count = order.running;
    json_array_foreach(l->rows, i, row)
    {
        if (l->absent && is_absent(l, row) && ladder_list_is_shown(l, row) &&
            order.count < ROWS_MAX)
            order.row[order.count++] = row;
    }
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
        const char *state = ca_wire_text(row, "state");

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

#define LADDER_LINE "%-19.40s %9s %3s %6s %8s %-10s %s"
#define VERIFY_LINE "%-19.40s %6s %6s %14s %8s  %s"

static const char *factor(char text[CA_QUANTITY_TEXT], double value)
{
    return value > 0 ? ca_three_digits(text, value) : "-";
}

/* "timing, 14 of 40 calls, 1.4 s left", in place of the columns behind the rate. */
static void under_way(const struct ladder *l, const json_t *row, char *text, size_t size)
{
    char left[CA_QUANTITY_TEXT], rate[CA_QUANTITY_TEXT] = "";
    int calls = (int)ladder_list_number_of(row, "calls"),
        of = (int)ladder_list_number_of(row, "of");
    bool waits = strcmp(ca_wire_text(row, "state"), "waiting") == 0;

    if (ladder_list_number_of(row, "rate") > 0)
        snprintf(rate, sizeof rate, "~%.20s", ca_rate(left, ladder_list_number_of(row, "rate")));
    if (l->phase == LADDER_DONE)
        snprintf(text, size, "%-19.40s %9s not known: it ended after %d calls",
                 ca_wire_text(row, "backend"), "-", calls);
    else if (waits || calls == 0)
        snprintf(text, size, "%-19.40s %9s waiting", ca_wire_text(row, "backend"), "");
    else if (of > calls)
        snprintf(text, size, "%-19.40s %9s timing, %d of %d calls, %s left",
                 ca_wire_text(row, "backend"), rate, calls, of,
                 ca_duration(left, ladder_list_number_of(row, "left_s")));
    else
        snprintf(text, size, "%-19.40s %9s timed, %d calls, not checked yet",
                 ca_wire_text(row, "backend"), rate, calls);
}

static void ladder_text(const struct ladder *l, const json_t *row, char *text, size_t size)
{
    char rate[CA_QUANTITY_TEXT], digits[CA_QUANTITY_TEXT],
        error[16] = "-", reference[CA_QUANTITY_TEXT], before[CA_QUANTITY_TEXT], equal[160];
    const char *state = ca_wire_text(row, "state");

    if (strcmp(state, "absent") == 0) {
        snprintf(text, size, "%-19.40s cannot run: %.200s", ca_wire_text(row, "backend"),
                 ca_wire_text(row, "reason"));
    } else if (strcmp(state, "wrong") == 0) {
        snprintf(text, size, "%-19.40s %9s WRONG in %.0f cell%s, so it has no figures",
                 ca_wire_text(row, "backend"), "-", ladder_list_number_of(row, "wrong"),
                 ladder_list_number_of(row, "wrong") == 1 ? "" : "s");
    } else if (strcmp(state, "right") == 0 && json_is_true(json_object_get(row, "emulated"))) {
        snprintf(text, size, "%-19.40s " CA_NOT_A_SPEED "  = %.120s", ca_wire_text(row, "backend"),
                 ca_wire_text(row, "checked"));
    } else if (strcmp(state, "right") == 0) {
        if (json_is_true(json_object_get(row, "unsure")))
            strcpy(error, "?");
        else if (ladder_list_number_of(row, "error") > 0)
            snprintf(error, sizeof error, "%.0f%%",
                     ceil(196 * ladder_list_number_of(row, "error")));
        snprintf(rate, sizeof rate, "%s%.20s",
                 json_is_true(json_object_get(row, "partial")) ? "~" : "",
                 ca_rate(digits, ladder_list_number_of(row, "rate")));
        snprintf(equal, sizeof equal, "= %.120s", ca_wire_text(row, "checked"));
        snprintf(text, size, LADDER_LINE, ca_wire_text(row, "backend"), rate, error,
                 factor(reference, ladder_list_number_of(row, "to_reference")),
                 factor(before, ladder_list_number_of(row, "to_before")),
                 ca_wire_text(row, "bound"), equal);
    } else {
        under_way(l, row, text, size);
    }
}

static void verify_text(const struct ladder *l, const json_t *row, char *text, size_t size)
{
    char cells[CA_QUANTITY_TEXT], seconds[CA_QUANTITY_TEXT], cases[16], failed[16];

    (void)l;
    if (strcmp(ca_wire_text(row, "result"), "unavailable") == 0) {
        snprintf(text, size, "%-19.40s cannot run: %.200s", ca_wire_text(row, "backend"),
                 ca_wire_text(row, "reason"));
        return;
    }
    snprintf(cases, sizeof cases, "%.0f", ladder_list_number_of(row, "cases"));
    snprintf(failed, sizeof failed, "%.0f", ladder_list_number_of(row, "failed"));
    snprintf(text, size, VERIFY_LINE, ca_wire_text(row, "backend"), cases, failed,
             ca_thousands(cells, (uint64_t)ladder_list_number_of(row, "cells")),
             ca_duration(seconds, ladder_list_number_of(row, "seconds")),
             ca_wire_text(row, "result"));
}

static void detail_text(const struct ladder *l, const json_t *row, char *text, size_t size)
{
    const json_t *first = json_object_get(row, "first");
    const char *others = ca_wire_text(row, "others");
    const char *summary =
        json_string_value(json_array_get(json_object_get(l->report, "summary"), 0));

    if (is_absent(l, row))
        snprintf(text, size, "%s", ca_wire_text(row, "reason"));
    else if (first)
        snprintf(text, size, "%s; repeat: %s", ca_wire_text(first, "text"),
                 ca_wire_text(first, "command"));
    else if (others[0] && strcmp(others, "quiet") != 0 && !strstr(summary ? summary : "", others))
        snprintf(text, size, "%s%s%s: %s", summary ? summary : "", summary ? "; " : "",
                 ca_wire_text(row, "backend"), others);
    else if (summary)
        snprintf(text, size, "%s", summary);
}

static void add_backend(const struct workbench *wb, const struct order *order, int index)
{
    const struct ladder *l = ladder_of(wb);
    const json_t *told = order->row[index];
    struct list_row *row;
    char text[256];

    (l->verify ? verify_text : ladder_text)(l, told, text, sizeof text);
    row = list_add(index, "%s", text);
    detail_text(l, told, row->detail, sizeof row->detail);
    row->current =
        strcmp(ca_wire_text(told, "backend"), wb->panes[0].experiment.backend->name) == 0;
}

/* How far it is, the columns, the rows (of a ladder with a bar below), the crashes, and what cannot
 * run. */
void ladder_fill(struct workbench *wb)
{
    const struct ladder *l = ladder_of(wb);
    struct order order = order_of(l);
    struct list_row *row;
    char name[64], text[256];
    double most = 0; /* of all bars, which share one scale */

    for (int i = 0; i < order.running; i++)
        most = fmax(most, ladder_list_number_of(order.row[i], "rate"));
    progress_text(l, text, sizeof text);
    list_add(0, "%s", text)->heading = true;
    snprintf(name, sizeof name, l->filter[0] ? "backend /%s" : "backend", l->filter);
    if (l->verify)
        row = list_add(0, "  " VERIFY_LINE, name, "cases", "failed", "cells", "time", "result");
    else
        row = list_add(0, "  " LADDER_LINE, name, "rate", "+-", "x ref.", "x before", "bound",
                       "equal");
    row->heading = true;
    for (int i = 0; i < order.running; i++) {
        add_backend(wb, &order, i);
        if (l->verify || l->in_lab)
            continue;
        bar(&wb->palette, text, sizeof text - 2,
            most > 0 ? ladder_list_number_of(order.row[i], "rate") / most : 0, BAR);
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
                        ca_wire_text(order.row[item], "backend"), &error) != CA_OK) {
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
    char text[2048], *command, *rest, *steps;

    if (l->verify) {
        snprintf(text, sizeof text, "calab verify %s%s%s", l->experiment.model->name,
                 l->only[0] ? " -b " : "", l->only);
        yank_command(wb, &command_source[1], text);
        return;
    }
    e = l->experiment;
    e.options.count = 0;
    command = ca_experiment_command(&e, NULL, 0);
    rest = command ? strstr(command, " -s ") : NULL;
    steps = rest ? strstr(rest, " -n 0") : NULL;
    if (steps) {
        snprintf(text, sizeof text, "calab bench %s%s%s%.*s%s", e.model->name,
                 l->only[0] ? " -b " : "", l->only, (int)(steps - rest), rest,
                 steps + strlen(" -n 0"));
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
            {REQUEST_SIZE, "sort", ladder_sort},
            {REQUEST_SEARCH, "filter", ladder_filter},
            {REQUEST_SNAPSHOT, "write", ladder_write},
            {REQUEST_YANK, "command", ladder_command},
            {REQUEST_INTERRUPT, "stop", ladder_stop, ladder_measures},
        },
    .detail = 2,
    .detail_most = 6,
    .is_table = true};
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
