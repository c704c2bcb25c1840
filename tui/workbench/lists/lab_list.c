/* SPDX-License-Identifier: MIT */
/* The list of a lab shows what its compiler, its check and the ladder say, line by line. */
#include <string.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/lab.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/lists/ladder.h"
#include "tui/workbench/lists/models.h"
#include "tui/workbench/lists/split_list.h"

#define LINES_MAX 96
#define SAID_LINES 8

struct lab_line {
    char text[256], detail[768];
    char file[256]; /* of the folder, "": it has no place */
    int line;
    bool heading;
};

static struct lab_line lines[LINES_MAX]; /* too large for the stack; made anew for each use */
static int count;

static struct lab_line *lab_list_add(const char *text)
{
    struct lab_line *line = &lines[count < LINES_MAX - 1 ? count++ : count];

    *line = (struct lab_line){.line = 0};
    snprintf(line->text, sizeof line->text, "%.255s", text);
    snprintf(line->detail, sizeof line->detail, "%.767s", text);
    return line;
}

static void add_heading(const char *text) { lab_list_add(text)->heading = true; }

/* A message that may name a place. */
static void add_message(const char *text)
{
    struct lab_line *line = lab_list_add(text);

    line->line = ca_lab_place(ca_lab_backend_lab()->folder, text, line->file, sizeof line->file);
}

static void add_block(const char *text, int most)
{
    char line[256];

    for (int i = 0; *text && i < most; i++, text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "   %.*s", (int)(length < 240 ? length : 240), text);
        add_heading(line);
        text += length;
    }
}

/* --- the parts -------------------------------------------------------------------------------- */

static void add_state(const struct lab_work *lab)
{
    const char *source = ca_lab_backend_lab()->source;
    char text[256], seconds[CA_QUANTITY_TEXT], cells[CA_QUANTITY_TEXT];

    switch (lab->phase) {
    case LAB_COMPILES:
        snprintf(text, sizeof text, "%.80s: compiling", source);
        break;
    case LAB_CHECKS:
        snprintf(text, sizeof text, "%.80s: compiled in %s; checking: case %d of %d, %.40s", source,
                 ca_duration(seconds, lab->compile_s), lab->done + 1, lab->all, lab->at);
        if (lab->all == 0)
            snprintf(text, sizeof text, "%.80s: compiled in %s; checking", source,
                     ca_duration(seconds, lab->compile_s));
        break;
    case LAB_RIGHT:
        snprintf(text, sizeof text, "%.80s: right, by %.40s: %lld cases, %s cells", source,
                 ca_wire_text(lab->report, "by"),
                 (long long)json_integer_value(json_object_get(lab->report, "cases")),
                 ca_thousands(cells,
                              (uint64_t)json_integer_value(json_object_get(lab->report, "cells"))));
        break;
    case LAB_WRONG:
        snprintf(text, sizeof text, "%.80s: wrong, by %.40s", source,
                 ca_wire_text(lab->report, "by"));
        break;
    case LAB_BROKEN:
        snprintf(text, sizeof text, "%.80s: does not compile", source);
        break;
    default:
        snprintf(text, sizeof text, "%.80s: not checked", source);
    }
    add_heading(text);
}

static void add_failure(const struct lab_work *lab)
{
    static const char says[] = "does not compile: ";
    const char *text = strstr(lab->text, says);
    struct lab_line *line = lab_list_add(text ? text + strlen(says) : lab->text);

    snprintf(line->file, sizeof line->file, "%s", lab->file);
    line->line = lab->line;
    add_block(lab->said, SAID_LINES);
}

static long long lab_list_number(const json_t *json, const char *key)
{
    return (long long)json_integer_value(json_object_get(json, key));
}

/* The case that failed, and how many of its cells. */
static void add_case(const json_t *r)
{
    bool found = strcmp(ca_wire_text(r, "verdict"), "found") == 0;
    char text[256], never[80] = "";

    if (found)
        snprintf(text, sizeof text, "on %.60s, seed %lld; its cells are right there",
                 ca_wire_text(r, "size"), lab_list_number(r, "seed"));
    else
        snprintf(text, sizeof text,
                 "on %.60s, seed %lld, from generation %lld: %lld right, then a call of %lld%s%s",
                 ca_wire_text(r, "size"), lab_list_number(r, "seed"), lab_list_number(r, "start"),
                 lab_list_number(r, "passed"), lab_list_number(r, "call"),
                 lab_list_number(r, "repeat") ? ", when repeated" : "",
                 json_is_true(json_object_get(r, "only_together"))
                     ? "; one generation a call, all are right"
                     : "");
    lab_list_add(text);
    if (!json_object_get(r, "wrong_cells"))
        return;
    if (lab_list_number(r, "unwritten_cells") > 0)
        snprintf(never, sizeof never, ", %lld of them never written",
                 lab_list_number(r, "unwritten_cells"));
    snprintf(text, sizeof text, "%lld cell%s wrong%s", lab_list_number(r, "wrong_cells"),
             lab_list_number(r, "wrong_cells") == 1 ? "" : "s", never);
    lab_list_add(text);
}

static void add_report(const json_t *r)
{
    bool right = json_is_true(json_object_get(r, "right"));
    const json_t *one;
    char text[800];
    size_t i;

    if (!right) {
        add_message(ca_wire_text(r, "text"));
        add_case(r);
    }
    json_array_foreach(json_object_get(r, "why"), i, one)
    {
        snprintf(text, sizeof text, "cause: %.780s", ca_wire_text(one, "text"));
        lab_list_add(text);
    }
    json_array_foreach(json_object_get(r, "findings"), i, one)
    {
        if (strcmp(json_string_value(one), ca_wire_text(r, "text")) != 0)
            add_message(json_string_value(one));
    }
    add_block(ca_wire_text(r, "map"), LINES_MAX / 2);
}

static void lab_list_make(struct workbench *wb)
{
    const struct lab_work *lab = lab_of(wb);
    const json_t *one;
    size_t i;

    count = 0;
    add_state(lab);
    if (lab->text[0])
        add_failure(lab);
    if (lab->report)
        add_report(lab->report);
    json_array_foreach(lab->kernels, i, one) lab_list_add(json_string_value(one));
    if (count == 1 && !ladder_is_in_lab(wb))
        lab_list_add("enter opens the editor; each time that the file is saved it is checked");
}

/* --- the list --------------------------------------------------------------------------------- */

static int lab_count(struct workbench *wb)
{
    lab_list_make(wb);
    return count + (ladder_is_in_lab(wb) ? ladder_lines(wb) : 0);
}

static void lab_row(struct workbench *wb, int index, struct list_row *row)
{
    lab_list_make(wb);
    if (index >= count) {
        ladder_row(wb, index - count, row);
        return;
    }
    row->heading = lines[index].heading;
    memcpy(row->text, lines[index].text, sizeof row->text);
    snprintf(row->detail, sizeof row->detail, "%s", lines[index].detail);
}

/* The place of a line, or the first that any of them has, or the beginning of the source. */
static bool lab_choose(struct workbench *wb, int index)
{
    const struct lab_line *line;

    lab_list_make(wb);
    if (index >= count)
        return ladder_choose(wb, index - count);
    line = &lines[index];
    for (int i = 0; i < count && line->line == 0; i++)
        if (lines[i].line > 0)
            line = &lines[i];
    lab_edit(wb, line->line > 0 ? line->file : ca_lab_backend_lab()->source, line->line);
    return false;
}

static void lab_ladder(struct workbench *wb)
{
    dialogs_close(wb);
    ladder_open(wb);
}

static void lab_split(struct workbench *wb)
{
    dialogs_close(wb);
    if (!split_is_shown(wb))
        split_toggle(wb);
}

static const struct list_source *lab_others(const struct workbench *wb)
{
    return ladder_is_in_lab(wb) ? &ladder_source : NULL;
}

static const struct list_key lab_keys[] = {
    {REQUEST_LIST_OPEN, "edit"},
    {REQUEST_LIST_CLOSE, "back"},
    {REQUEST_SPLIT, "against reference", lab_split},
    {REQUEST_LADDER, "ladder", lab_ladder},
    {REQUEST_LAB, NULL, dialogs_close},
    {REQUEST_RESET, NULL, lab_watch_again},
    {REQUEST_INTERRUPT, "stop timing"},
    {REQUEST_NONE},
};

const struct list_source lab_source = {.title = "lab: your kernel",
                                       .count = lab_count,
                                       .row = lab_row,
                                       .open = lab_choose,
                                       .keys = lab_keys,
                                       .others = lab_others,
                                       .detail = 4,
                                       .is_table = true};

/* --- opening ---------------------------------------------------------------------------------- */

static bool folder_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;
    const struct ca_lab *lab;

    (void)item;
    if (checkpoint_save_state(&wb->panes[0], 2, error) != CA_OK) /* as long as it is no lab's */
        message_warn(wb, "%s", error->text);
    if (lab_open(wb, text[0] ? text : ".", error) != CA_OK)
        return false;
    lab = ca_lab_backend_lab();
    wanted = ca_lab_experiment(lab, ca_lab_shown_size(lab), lab->seed[0]);
    error->text[0] = '\0';
    choose_lab(&wb->panes[0], &wanted, error);
    if (error->text[0])
        message_warn(wb, "%s", error->text);
    dialog_close(wb);
    lab_show(wb);
    return false; /* already closed, so that the list is on top */
}

static const struct prompt_source folder_source = {.label = "lab: ", .accept = folder_accept};

void lab_show(struct workbench *wb)
{
    struct lab_work *lab = lab_of(wb);

    if (!lab->open) {
        prompt_open(wb, &folder_source, 0, ".",
                    "folder with the kernel of a lab; `calab lab new MODEL DIR` makes one");
        return;
    }
    if (lab->phase == LAB_RIGHT && !ladder_is_in_lab(wb))
        lab->times_due = true;
    list_open(wb, &lab_source);
}
