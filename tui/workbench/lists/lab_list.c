/* SPDX-License-Identifier: MIT */
/* The list of a lab: what its messages say, line by line, and its keys. */

#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "core/lab/check/words.h"
#include "tui/workbench/base/editor.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/lab_inside.h"

/* --- the list --------------------------------------------------------------------------------- */

#define LINES_MAX 96
#define SAID_LINES 8
#define LINE_MAX_TEXT 240
#define LINE_ITEM 1000 /* the item of the first line; those of the ladder are below */

enum line_kind { LINE_PLAIN, LINE_STATE, LINE_WRONG, LINE_RIGHT, LINE_CELLS, LINE_MAP };

/* The lines: of what kind they are, and their places in files of the folder; line 0: it has none.
 */
static struct place {
    enum line_kind kind;
    char file[256];
    int line;
} places[LINES_MAX];
static int place_count;

static struct place *add_line(enum line_kind kind, const char *text, bool heading)
{
    struct place *place = &places[place_count < LINES_MAX - 1 ? place_count++ : place_count];
    struct list_row *row = list_add(LINE_ITEM + (int)(place - places), "%.255s", text);

    row->heading = heading;
    *place = (struct place){.kind = kind};
    return place;
}

/* A text as whole as it is: what its first line has no room for follows in others, which have no
 * place of their own. */
static struct place *add_text(const struct workbench *wb, enum line_kind kind, const char *text)
{
    static const char indent[] = "    ";
    const int width = list_columns(wb, &lab_source);
    struct place *place = NULL;
    char line[256];

    while (*text) {
        const int room = width < 16 || width > LINE_MAX_TEXT ? LINE_MAX_TEXT : width;
        int n = (int)strcspn(text, "\n"), most = place ? room - 2 : room;

        if (n > most) {
            n = most;
            while (n > 0 && text[n] != ' ')
                n--;
            n = n > 0 ? n : most;
        }
        snprintf(line, sizeof line, "%s%.*s", place ? indent : "", n, text);
        if (place)
            add_line(kind, line, true);
        else
            place = add_line(kind, line, false);
        text += n;
        text += strspn(text, " \n");
    }
    return place ? place : add_line(kind, "", false);
}

/* A message that may name a place. */
static void add_message(const struct workbench *wb, enum line_kind kind, const char *text)
{
    struct place *place = add_text(wb, kind, text);

    place->line = ca_lab_place(ca_lab_backend_lab()->folder, text, place->file, sizeof place->file);
}

static void add_block(enum line_kind kind, const char *text, int most)
{
    char line[256];

    for (int i = 0; *text && i < most; i++, text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "   %.*s", (int)(length < 240 ? length : 240), text);
        add_line(kind, line, true);
        text += length;
    }
}

static int block_width(const char *text)
{
    int width = 0;

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const int n = (int)strcspn(text, "\n");

        width = n > width ? n : width;
    }
    return width;
}

/* In a block the sign of a wrong cell, and the number before it, are as an alarm. */
static enum style cell_style(const char *text, int byte)
{
    const size_t word = strcspn(text + byte, " ");

    return word > 0 && text[byte + (int)word - 1] == '!' ? STYLE_ALARM : STYLE_PLAIN;
}

static enum style map_style(char sign)
{
    return sign == '#' || sign == '?' ? STYLE_ALARM : sign == '.' ? STYLE_GREEN : STYLE_PLAIN;
}

static enum style lab_style(const struct list_row *row, int byte)
{
    if (row->item < LINE_ITEM)
        return row->current ? STYLE_STRONG : row->heading ? STYLE_FOCUS : STYLE_PLAIN;
    switch (places[row->item - LINE_ITEM].kind) {
    case LINE_STATE:
        return STYLE_FOCUS;
    case LINE_WRONG:
        return STYLE_ALARM;
    case LINE_RIGHT:
        return STYLE_GREEN;
    case LINE_CELLS:
        return cell_style(row->text, byte);
    case LINE_MAP:
        return map_style(row->text[byte]);
    default:
        return STYLE_PLAIN;
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
                 ca_duration(seconds, lab->compile_s), lab->done + 1, lab->all,
                 ca_lab_how_words(lab->at));
        if (lab->all == 0)
            snprintf(text, sizeof text, "%.80s: compiled in %s; checking", source,
                     ca_duration(seconds, lab->compile_s));
        break;
    case LAB_RIGHT:
        snprintf(text, sizeof text, "%.80s: right, %.40s: %lld cases, %s cells", source,
                 ca_lab_how_words(ca_json_member(lab->report, "by")),
                 (long long)json_integer_value(json_object_get(lab->report, "cases")),
                 ca_thousands(cells,
                              (uint64_t)json_integer_value(json_object_get(lab->report, "cells"))));
        break;
    case LAB_WRONG:
        snprintf(text, sizeof text, "%.80s: %s, %.40s", source, lab_wrong_words(lab->report),
                 ca_lab_how_words(ca_json_member(lab->report, "by")));
        break;
    case LAB_BROKEN:
        snprintf(text, sizeof text, "%.80s: does not compile", source);
        break;
    default:
        snprintf(text, sizeof text, "%.80s: not checked", source);
    }
    add_line(lab->phase == LAB_RIGHT                               ? LINE_RIGHT
             : lab->phase == LAB_WRONG || lab->phase == LAB_BROKEN ? LINE_WRONG
                                                                   : LINE_STATE,
             text, true);
}

static long long lab_list_number(const json_t *json, const char *key)
{
    return (long long)json_integer_value(json_object_get(json, key));
}

/* The case that failed, and how many of its cells. */
static void add_case(const struct workbench *wb, const json_t *r)
{
    bool found = strcmp(ca_json_member(r, "verdict"), "found") == 0;
    char text[256], never[80] = "";

    if (found)
        snprintf(text, sizeof text, "on %.60s, seed %lld; its cells are right there",
                 ca_json_member(r, "size"), lab_list_number(r, "seed"));
    else
        snprintf(text, sizeof text,
                 "on %.60s, seed %lld, from generation %lld: %lld right, then a call of %lld%s%s",
                 ca_json_member(r, "size"), lab_list_number(r, "seed"), lab_list_number(r, "start"),
                 lab_list_number(r, "passed"), lab_list_number(r, "call"),
                 lab_list_number(r, "repeat") ? ", when repeated" : "",
                 json_is_true(json_object_get(r, "only_together"))
                     ? "; one generation a call, all are right"
                     : "");
    add_text(wb, LINE_PLAIN, text);
    if (!json_object_get(r, "wrong_cells"))
        return;
    if (lab_list_number(r, "unwritten_cells") > 0)
        snprintf(never, sizeof never, ", %lld of them never written",
                 lab_list_number(r, "unwritten_cells"));
    snprintf(text, sizeof text, "%lld cell%s wrong%s", lab_list_number(r, "wrong_cells"),
             lab_list_number(r, "wrong_cells") == 1 ? "" : "s", never);
    add_text(wb, LINE_WRONG, text);
}

/* The causes that are known, or that none is. */
static void add_causes(const struct workbench *wb, const json_t *r, bool known)
{
    const json_t *one;
    char text[800];
    size_t i;

    json_array_foreach(json_object_get(r, "why"), i, one)
    {
        if (known != (strcmp(ca_json_member(one, "cause"), "unknown") != 0))
            continue;
        snprintf(text, sizeof text, "%s%.780s", known ? "cause: " : "",
                 ca_json_member(one, "text"));
        add_text(wb, known ? LINE_WRONG : LINE_PLAIN, text);
    }
}

/* The cause comes first: what is wrong, and then where and how much of it. */
static void add_report(const struct workbench *wb, const json_t *r)
{
    bool right = json_is_true(json_object_get(r, "right"));
    const json_t *one;
    size_t i;

    add_causes(wb, r, true);
    if (!right) {
        add_message(wb, LINE_WRONG, ca_json_member(r, "text"));
        add_case(wb, r);
    }
    add_causes(wb, r, false);
    json_array_foreach(json_object_get(r, "findings"), i, one)
    {
        if (strcmp(json_string_value(one), ca_json_member(r, "text")) != 0)
            add_message(wb, LINE_WRONG, json_string_value(one));
    }
    if (block_width(ca_json_member(r, "neighbourhood")) <= list_columns(wb, &lab_source))
        add_block(LINE_CELLS, ca_json_member(r, "neighbourhood"), LINES_MAX / 4);
    add_block(LINE_MAP, ca_json_member(r, "map"), LINES_MAX / 2);
}

static void lab_fill(struct workbench *wb)
{
    static const char says[] = "does not compile: ";
    const struct lab_work *lab = lab_of(wb);
    const json_t *one;
    size_t i;

    place_count = 0;
    add_state(lab);
    if (lab->text[0]) {
        const char *text = strstr(lab->text, says);
        struct place *place = add_text(wb, LINE_WRONG, text ? text + strlen(says) : lab->text);

        snprintf(place->file, sizeof place->file, "%s", lab->file);
        place->line = lab->line;
        add_block(LINE_PLAIN, lab->said, SAID_LINES);
    }
    if (lab->report)
        add_report(wb, lab->report);
    json_array_foreach(lab->kernels, i, one) add_text(wb, LINE_PLAIN, json_string_value(one));
    if (ladder_is_in_lab(wb))
        ladder_fill(wb);
    else if (place_count == 1)
        add_text(wb, LINE_PLAIN,
                 "enter opens the editor; each time that the file is saved it is checked");
}

/* --- the list --------------------------------------------------------------------------------- */

/* Gives the terminal to the user's editor, at the place of a line, or the first that any of them
 * has, or the beginning of the source. */
static bool lab_choose(struct workbench *wb, const struct list_row *row)
{
    const struct place *place = places;
    const struct ca_lab *lab = ca_lab_backend_lab();
    char path[PATH_MAX + CA_TEXT_MAX + 2];

    if (row->item < LINE_ITEM)
        return ladder_choose(wb, row);
    if (places[row->item - LINE_ITEM].line > 0)
        place = &places[row->item - LINE_ITEM];
    while (place->line == 0 && place + 1 < places + place_count)
        place++;
    snprintf(path, sizeof path, "%s/%s", lab->folder, place->line > 0 ? place->file : lab->source);
    editor_open(wb, path, place->line > 0 ? place->line : 1);
    engines_were_left(wb);
    return false;
}

static void lab_ladder(struct workbench *wb)
{
    dialogs_close(wb);
    ladder_open(wb);
}

/* Before the kernel runs there is nothing to hold against the reference. */
static void lab_split(struct workbench *wb)
{
    if (!split_is_shown(wb) && !lab_is_shown(wb)) {
        message_show(wb, "%s does not run yet; once it does, this compares it with the reference",
                     ca_lab_backend_lab()->source);
        return;
    }
    dialogs_close(wb);
    if (!split_is_shown(wb))
        split_toggle(wb);
}

static const struct list_source *lab_others(const struct workbench *wb)
{
    return ladder_is_in_lab(wb) ? &ladder_source : NULL;
}

const struct list_source lab_source = {
    .title = "lab: your kernel",
    .fill = lab_fill,
    .open = lab_choose,
    .keys =
        {
            {REQUEST_LIST_OPEN, "edit"},
            {REQUEST_LIST_CLOSE, "back"},
            {REQUEST_SPLIT, "against reference", lab_split},
            {REQUEST_LADDER, "ladder", lab_ladder},
            {REQUEST_LAB_WHO, "who", who_open},
            {REQUEST_LAB, NULL, dialogs_close},
            {REQUEST_RESET, NULL, lab_watch_again},
            {REQUEST_INTERRUPT, "stop timing", NULL, ladder_measures},
        },
    .others = lab_others,
    .detail_most = 4,
    .style = lab_style,
    .is_table = true};
