/* SPDX-License-Identifier: MIT */
/* A list is a picker that filters as you type, an editor, or a text with search. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"

#define BESIDE_COLUMNS 80 /* that a table of measurements needs */
#define ROWS_MAX 512
#define ROW_LINES_MAX 8
#define PLOT_LINES 30 /* of a box with a plot, where the screen has them */
#define MARGIN 2      /* columns before the text of a row */

/* The rows of the list that is at work, which each use makes anew, and those that its filter
 * leaves. The last one takes what is too many. */
static struct list_row rows[ROWS_MAX + 1];
static const struct list_row *shown[ROWS_MAX];
static int row_count;

struct list_row *list_add(int item, const char *format, ...)
{
    struct list_row *row = &rows[row_count < ROWS_MAX ? row_count++ : ROWS_MAX];
    va_list list;

    *row = (struct list_row){.item = item};
    va_start(list, format);
    vsnprintf(row->text, sizeof row->text, format, list);
    va_end(list);
    return row;
}

/* Whether a row contains the filter, in its name (the first word) or anywhere. */
static bool list_passes(const struct list_row *row, const char *filter, bool name_alone)
{
    const char *text = row->text + strspn(row->text, " ");
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    return !row->heading &&
           (name_alone ? strcasestr(name, filter) != NULL
                       : strcasestr(row->text, filter) || strcasestr(row->detail, filter));
}

const struct list_row *list_fill(struct workbench *wb, const struct list_source *source)
{
    row_count = 0;
    source->fill(wb);
    rows[row_count] = (struct list_row){.item = -1};
    return rows;
}

/* Finds the rows whose names contain the filter. If there are none and the filter has three letters
 * or more, the rows that contain it anywhere. Returns their number. */
static int rows_find(struct workbench *wb, const struct dialog *dialog)
{
    bool filters = dialog->list->filter && dialog->text[0];
    int n = 0;

    list_fill(wb, dialog->list);
    for (int pass = 0; pass < 2 && n == 0 && (pass == 0 || strlen(dialog->text) >= 3); pass++)
        for (int i = 0; i < row_count; i++)
            if (!filters || list_passes(&rows[i], dialog->text, pass == 0))
                shown[n++] = &rows[i];
    return n;
}

/* Moves the selection to the nearest of n rows that is selectable, in direction `step` first. */
static void settle(struct dialog *dialog, int n, int step)
{
    dialog->selected = dialog->selected >= n ? n - 1 : dialog->selected;
    dialog->selected = dialog->selected < 0 ? 0 : dialog->selected;
    if (!dialog->list->open)
        return;
    for (int pass = 0; pass < 2; pass++, step = -step)
        for (int at = dialog->selected; at >= 0 && at < n; at += step)
            if (!shown[at]->heading) {
                dialog->selected = at;
                return;
            }
}

void list_select(struct workbench *wb, struct dialog *dialog)
{
    int n = rows_find(wb, dialog);

    dialog->selected = 0;
    for (int i = 0; i < n; i++)
        if (shown[i]->current && !dialog->text[0])
            dialog->selected = i;
    settle(dialog, n, 1);
}

/* Rows of a text are wrapped; rows that can be chosen have one line each. */
static int row_put(const struct palette *palette, struct rect at, const struct list_row *row)
{
    int margin = row->heading ? 0 : MARGIN;

    at.column += margin;
    at.columns -= margin;
    return put_hanging(palette, at, row->indent, 0, row->heading ? STYLE_FOCUS : STYLE_PLAIN,
                       row->text);
}

static int row_lines(const struct dialog *dialog, const struct list_row *row, int columns)
{
    return dialog->list->open ? 1
                              : row_put(NULL, (struct rect){0, 0, ROW_LINES_MAX, columns - 2}, row);
}

bool list_is_plotted(const struct workbench *wb, const struct list_source *source)
{
    return source->is_plotted && source->is_plotted(wb);
}

/* The box of a list, and how many of its lines have rows and the detail of one. */
struct list_place {
    struct rect rect;
    int lines, detail;
};

/* Tables of measurements are beside the lattice where a screen is wide. */
static bool is_beside(const struct workbench *wb, const struct list_source *list)
{
    return wb->layout.side.columns >= BESIDE_COLUMNS && list->is_table &&
           wb->layout.panel[PANEL_MAIN].rows > 0;
}

static int box_columns(const struct workbench *wb, const struct list_source *list)
{
    const int width = wb->layout.columns - 4;

    return is_beside(wb, list) ? wb->layout.side.columns : width > 104 ? 104 : width;
}

int list_columns(const struct workbench *wb, const struct list_source *source)
{
    return box_columns(wb, source) - 2 - MARGIN;
}

/* Where a list of n rows is. */
static struct list_place place_of(const struct workbench *wb, const struct dialog *dialog, int n)
{
    const struct list_source *list = dialog->list;
    struct rect side = wb->layout.side;
    bool beside = is_beside(wb, list);
    int height = wb->layout.rows - 3, detail = list->detail;
    int columns = box_columns(wb, list), frame, all;

    /* The detail has at most a third of the screen. Its lines stay as many while the selection
     * moves, so all rows are asked. */
    for (int i = 0; i < row_count && list->detail_most; i++) {
        int needed = put_wrapped(NULL, (struct rect){0, 0, list->detail_most, columns - 4},
                                 STYLE_PLAIN, rows[i].detail);

        detail = needed > detail ? needed : detail;
    }
    if (detail > (wb->layout.rows - 4) / 3)
        detail = (wb->layout.rows - 4) / 3;
    /* Besides the rows there are the box, the filter, the detail and a blank line above it. */
    frame = all = 2 + list->filter + (detail ? detail + 1 : 0);
    for (int i = 0; i < n; i++)
        all += row_lines(dialog, &rows[i], columns);
    if (list->filter && all < 10)
        all = 10;
    if (list_is_plotted(wb, list) && all < PLOT_LINES)
        all = PLOT_LINES;
    all = all > height ? height : all;
    return (struct list_place){beside ? (struct rect){side.row, side.column, all, columns}
                                      : (struct rect){1 + (height - all) / 2,
                                                      (wb->layout.columns - columns) / 2, all,
                                                      columns},
                               all - frame, detail};
}

/* Moves the selection; a text, which has no selection, is scrolled. */
static void move_by(struct workbench *wb, struct dialog *dialog, int by)
{
    int n = rows_find(wb, dialog), most = n;
    struct list_place place = place_of(wb, dialog, n);

    if (dialog->list->open) {
        dialog->selected += by;
        settle(dialog, n, by > 0 ? 1 : -1);
        return;
    }
    while (most > 0 && (place.lines -= row_lines(dialog, shown[most - 1], place.rect.columns)) >= 0)
        most--;
    dialog->top = dialog->top + by > most ? most : dialog->top + by;
    dialog->top = dialog->top < 0 ? 0 : dialog->top;
}

static void list_search(struct workbench *wb, int direction)
{
    struct dialog *dialog = dialog_top(wb);
    int n, at;

    if (!dialog || !dialog->list || !dialogs_search(wb)[0])
        return;
    n = rows_find(wb, dialog);
    at = dialog->list->open ? dialog->selected : dialog->top;
    for (int i = 1; i <= n; i++) {
        int next = ((at + direction * i) % n + n) % n;

        if (!strcasestr(shown[next]->text, dialogs_search(wb)) ||
            (dialog->list->open && shown[next]->heading))
            continue;
        dialog->selected = dialog->top = next;
        if (!dialog->list->open)
            move_by(wb, dialog, 0);
        return;
    }
    snprintf(dialog->message, sizeof dialog->message, "'%s' was not found", dialogs_search(wb));
}

int list_item(struct workbench *wb, struct dialog *dialog)
{
    return dialog->selected < rows_find(wb, dialog) ? shown[dialog->selected]->item : -1;
}

static void list_accept(struct workbench *wb, struct dialog *dialog)
{
    int n = rows_find(wb, dialog), depth = dialogs_depth(wb);
    struct list_row row;

    if (!dialog->list->open || n == 0 || shown[dialog->selected]->heading)
        return;
    row = *shown[dialog->selected]; /* the choice may fill another list */
    /* Removes this list, but keeps a dialog that it has opened. */
    if (dialog->list->open(wb, &row) && dialogs_depth(wb) >= depth)
        dialog_remove(wb, depth - 1);
}

static bool filter_key(struct workbench *wb, struct dialog *dialog, int code)
{
    size_t n = strlen(dialog->text);

    if (code == KEY_BACKSPACE || code == 127 || code == 8) {
        dialog->text[n > 0 ? n - 1 : 0] = 0;
    } else if (code >= ' ' && code < 127 && n + 1 < 40) {
        dialog->text[n] = (char)code;
        dialog->text[n + 1] = 0;
    } else {
        return false;
    }
    list_select(wb, dialog);
    return true;
}

int list_moves(enum request request, int page, int most)
{
    switch (request) {
    case REQUEST_LIST_UP:
        return -1;
    case REQUEST_LIST_DOWN:
        return 1;
    case REQUEST_LIST_PAGE_UP:
        return -page;
    case REQUEST_LIST_PAGE_DOWN:
        return page;
    case REQUEST_LIST_TOP:
        return -most;
    case REQUEST_LIST_BOTTOM:
        return most;
    default:
        return 0;
    }
}

void list_key(struct workbench *wb, struct dialog *dialog, int code)
{
    const struct list_source *list = dialog->list;
    enum request request = keymap_find(&wb->keys, KEYS_LIST, code);
    int item = list_item(wb, dialog), by;
    const char *why = NULL;

    by = list_moves(request, place_of(wb, dialog, row_count).lines, ROWS_MAX);
    dialog->message[0] = 0;
    /* Behind other letters of a filter the key that marks is one of them, as in "GPU 1". */
    if (list->mark && !dialog->text[0] && request == REQUEST_LIST_MARK) {
        if (item >= 0)
            why = list->mark(wb, item);
        snprintf(dialog->message, sizeof dialog->message, "%s", why ? why : "");
    } else if (list->filter && filter_key(wb, dialog, code)) {
        return;
    } else if (code == 27 || request == REQUEST_LIST_CLOSE) {
        dialog_close(wb);
    } else if (by != 0) {
        move_by(wb, dialog, by);
    } else if (request == REQUEST_LIST_OPEN) {
        list_accept(wb, dialog);
    } else if (request == REQUEST_LIST_DEFAULT && list->restore && item >= 0) {
        list->restore(wb, item);
    } else if (request == REQUEST_LIST_DEFAULTS && list->restore) {
        list->restore(wb, -1);
    } else if (!search_key(wb, request, list_search)) {
        key_no_meaning(code, dialog->message, sizeof dialog->message);
    }
}

int list_mouse(struct workbench *wb, struct dialog *dialog, int row, int column, int wheel)
{
    const int n = rows_find(wb, dialog);
    const struct list_place place = place_of(wb, dialog, n);
    const int line = row - place.rect.row - 1 - dialog->list->filter, at = dialog->top + line;
    char key[16];

    dialog->message[0] = 0;
    if (wheel != 0)
        move_by(wb, dialog, wheel * WHEEL_ROWS);
    if (wheel != 0 || !dialog->list->open || line < 0 || line >= place.lines || at >= n ||
        column <= place.rect.column || column >= place.rect.column + place.rect.columns - 1 ||
        shown[at]->heading)
        return 0;
    if (at == dialog->selected)
        return keys_code(keys_first(wb->keys.keys[REQUEST_LIST_OPEN], key));
    dialog->selected = at;
    return 0;
}

/* Draws a text in the styles of its source, byte by byte; `lead` bytes stand before the row's. */
static void put_styled(const struct workbench *wb, const struct list_source *list, struct rect at,
                       const struct list_row *row, const char *text, int lead)
{
    int column = at.column, end = at.column + at.columns;

    for (int from = 0, to; text[from]; from = to) {
        const enum style style = from < lead ? STYLE_PLAIN : list->style(row, from - lead);
        char part[sizeof row->text + 16];

        to = from + 1;
        while (text[to] && ((text[to] & 0xc0) == 0x80 ||
                            (to < lead ? STYLE_PLAIN : list->style(row, to - lead)) == style))
            to++;
        snprintf(part, sizeof part, "%.*s", to - from, text + from);
        column += put(&wb->palette, at.row, column, end - column, style, part);
    }
}

/* A row of a picker has a description, whose end it may say that it lacks; the figures of a table
 * take its place. */
static int list_row_draw(struct workbench *wb, const struct dialog *dialog, struct rect at,
                         const struct list_row *row, bool selected)
{
    enum style style = selected       ? STYLE_SELECTED
                       : row->heading ? STYLE_FOCUS
                       : row->current ? STYLE_STRONG
                                      : STYLE_PLAIN;
    char text[sizeof row->text + 16];

    if (!dialog->list->open)
        return row_put(&wb->palette, at, row);
    at.rows = 1;
    if (selected)
        put_fill(&wb->palette, at, STYLE_SELECTED);
    snprintf(text, sizeof text, "%s%s%s%s",
             row->heading ? ""
             : selected   ? ">"
                          : " ",
             row->heading   ? ""
             : row->current ? "*"
                            : " ",
             row->mark ? row->mark : "", row->text);
    text_shorten(text, sizeof text, at.columns, dialog->list->keys[0].request ? "" : " ...");
    if (dialog->list->style && !selected)
        put_styled(wb, dialog->list, at, row, text, row->heading ? 0 : MARGIN);
    else
        put(&wb->palette, at.row, at.column, at.columns, style, text);
    return 1;
}

void list_draw(struct workbench *wb, struct dialog *dialog)
{
    int n = rows_find(wb, dialog), i;
    struct list_place place = place_of(wb, dialog, n);
    struct rect rect = place.rect;
    int lines = place.lines, line = rect.row + 1;
    struct rect at = {line + dialog->list->filter, rect.column + 1, lines, rect.columns - 2};
    const char *more;
    char title[128];

    if (dialog->list->open) {
        if (dialog->selected < dialog->top)
            dialog->top = dialog->selected;
        if (dialog->selected >= dialog->top + lines)
            dialog->top = dialog->selected - lines + 1;
    }
    put_fill(&wb->palette, rect, STYLE_PLAIN);
    if (dialog->list->filter)
        putf(&wb->palette, line++, rect.column + 2, rect.columns - 4, STYLE_KEY,
             "type to filter: %s_", dialog->text);
    /* The rows from the top one on that fit. */
    if (list_is_plotted(wb, dialog->list)) {
        at.column++;
        at.columns -= 2;
        dialog->list->plot(wb, at, dialog->selected < n ? shown[dialog->selected]->item : -1);
        at.rows = 0;
    }
    for (i = dialog->top; i < n && at.rows > 0; i++) {
        int used;

        if (row_lines(dialog, shown[i], rect.columns) > at.rows)
            break;
        used = list_row_draw(wb, dialog, at, shown[i], i == dialog->selected);
        at.row += used;
        at.rows -= used;
    }
    more = list_is_plotted(wb, dialog->list) ? ""
           : i < n                           ? " (more below)"
           : dialog->top > 0                 ? " (more above)"
                                             : "";
    if (more[0] && text_width(dialog->list->title) + text_width(more) > rect.columns - 6)
        more = " (more)";
    snprintf(title, sizeof title, "%s", dialog->list->title);
    text_shorten(title, sizeof title, rect.columns - 6 - text_width(more), "");
    ca_text_add(title, sizeof title, "%s", more);
    put_box(&wb->palette, rect, title, true);
    if (n == 0)
        put(&wb->palette, line, rect.column + 3, rect.columns - 5, STYLE_PLAIN, "no match");
    if (!place.detail && !dialog->message[0])
        return;
    lines = place.detail ? place.detail : 1; /* without detail a message covers a row */
    rect =
        (struct rect){rect.row + rect.rows - 1 - lines, rect.column + 2, lines, rect.columns - 4};
    put_fill(&wb->palette, rect, STYLE_PLAIN);
    put_wrapped(&wb->palette, rect, dialog->message[0] ? STYLE_ALARM : STYLE_PLAIN,
                dialog->message[0]     ? dialog->message
                : dialog->selected < n ? shown[dialog->selected]->detail
                                       : "");
}
