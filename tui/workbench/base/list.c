/* SPDX-License-Identifier: MIT */
/* A list is a picker that filters as you type, an editor, or a text with search. */
#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog_inside.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"

#define BESIDE_COLUMNS 80 /* that a table of measurements needs */
#define ROWS_MAX 512
#define ROW_LINES_MAX 8

/* Whether a row contains the filter, in its name (the first word) or anywhere. */
static bool list_passes(const struct list_row *row, const char *filter, bool name_alone)
{
    const char *text = row->text + strspn(row->text, " ");
    char name[64];

    if (row->heading)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    return name_alone ? strcasestr(name, filter) != NULL
                      : strcasestr(row->text, filter) || strcasestr(row->detail, filter);
}

static int filtered(struct workbench *wb, struct dialog *dialog, int shown[ROWS_MAX],
                    bool name_alone)
{
    int count = dialog->list->count(wb), n = 0;

    for (int i = 0; i < count && n < ROWS_MAX; i++) {
        struct list_row row = {0};

        if (dialog->list->filter && dialog->text[0]) {
            dialog->list->row(wb, i, &row);
            if (!list_passes(&row, dialog->text, name_alone))
                continue;
        }
        shown[n++] = i;
    }
    return n;
}

/* The rows whose names contain the filter. If there are none and the filter has three letters or
 * more, the rows that contain it anywhere. Returns their number. */
static int rows_shown(struct workbench *wb, struct dialog *dialog, int shown[ROWS_MAX])
{
    int n = filtered(wb, dialog, shown, true);

    return n > 0 || strlen(dialog->text) < 3 ? n : filtered(wb, dialog, shown, false);
}

static bool selectable(struct workbench *wb, struct dialog *dialog, int index)
{
    struct list_row row = {0};

    dialog->list->row(wb, index, &row);
    return !row.heading;
}

/* Moves the selection to the nearest selectable row, in direction `step` first. */
static void settle(struct workbench *wb, struct dialog *dialog, const int shown[], int n, int step)
{
    int at;

    dialog->selected = dialog->selected >= n ? n - 1 : dialog->selected;
    dialog->selected = dialog->selected < 0 ? 0 : dialog->selected;
    if (!dialog->list->open)
        return;
    for (int pass = 0; pass < 2; pass++, step = -step)
        for (at = dialog->selected; at >= 0 && at < n; at += step)
            if (selectable(wb, dialog, shown[at])) {
                dialog->selected = at;
                return;
            }
}

/* Selects the current row, or the first one that passes the filter. */
void list_select(struct workbench *wb, struct dialog *dialog)
{
    int shown[ROWS_MAX], n = rows_shown(wb, dialog, shown);

    dialog->selected = 0;
    for (int i = 0; i < n; i++) {
        struct list_row row = {0};

        dialog->list->row(wb, shown[i], &row);
        if (row.current && !dialog->text[0])
            dialog->selected = i;
    }
    settle(wb, dialog, shown, n, 1);
}

/* Rows of a text are wrapped; rows that can be chosen have one line each. */
static int row_put(const struct palette *palette, struct rect at, const struct list_row *row)
{
    int margin = row->heading ? 0 : 2;

    at.column += margin;
    at.columns -= margin;
    return put_hanging(palette, at, row->indent, 0, row->heading ? STYLE_FOCUS : STYLE_PLAIN,
                       row->text);
}

static int row_lines(struct workbench *wb, const struct dialog *dialog, int index, int columns)
{
    struct list_row row = {0};

    if (dialog->list->open)
        return 1;
    dialog->list->row(wb, index, &row);
    return row_put(NULL, (struct rect){0, 0, ROW_LINES_MAX, columns - 2}, &row);
}

/* Tables of measurements are beside the lattice where a screen is wide. */
static bool is_beside(const struct workbench *wb, const struct dialog *dialog)
{
    return wb->layout.side.columns >= BESIDE_COLUMNS && wb->layout.panel[PANEL_MAIN].rows > 0 &&
           dialog->list->is_table;
}

static int list_columns(const struct workbench *wb, const struct dialog *dialog)
{
    int most = wb->layout.columns - 4;

    return is_beside(wb, dialog) ? wb->layout.side.columns : most > 104 ? 104 : most;
}

/* Lines of detail, at most a third of the screen. They stay as many while the selection moves, so
 * all rows are asked. */
static int detail_lines(struct workbench *wb, const struct dialog *dialog)
{
    const struct list_source *list = dialog->list;
    const struct rect most = {0, 0, list->detail_most, list_columns(wb, dialog) - 4};
    int lines = list->detail, third = (wb->layout.rows - 4) / 3,
        count = most.rows ? list->count(wb) : 0;

    for (int i = 0; i < count; i++) {
        struct list_row row = {0};
        int needed;

        list->row(wb, i, &row);
        needed = put_wrapped(NULL, most, STYLE_PLAIN, row.detail);
        lines = needed > lines ? needed : lines;
    }
    return lines > third ? third : lines;
}

/* Lines besides the rows: the box, the filter, the detail and a blank line above it. */
static int frame_lines(struct workbench *wb, const struct dialog *dialog)
{
    int detail = detail_lines(wb, dialog);

    return 2 + (dialog->list->filter ? 1 : 0) + (detail ? detail + 1 : 0);
}

static struct rect list_rect(struct workbench *wb, struct dialog *dialog, int n)
{
    struct rect side = wb->layout.side;
    int rows = frame_lines(wb, dialog), columns = list_columns(wb, dialog);

    for (int i = 0; i < n; i++)
        rows += row_lines(wb, dialog, i, columns);
    if (rows > wb->layout.rows - 3)
        rows = wb->layout.rows - 3;
    if (dialog->list->filter && rows < 10)
        rows = 10 > wb->layout.rows - 3 ? wb->layout.rows - 3 : 10;
    if (is_beside(wb, dialog))
        return (struct rect){side.row, side.column, rows, columns};
    return (struct rect){1 + (wb->layout.rows - 3 - rows) / 2, (wb->layout.columns - columns) / 2,
                         rows, columns};
}

/* Lines for the rows in the rectangle of a list. */
static int list_lines(struct workbench *wb, const struct dialog *dialog, struct rect rect)
{
    return rect.rows - frame_lines(wb, dialog);
}

/* Moves the selection; a text, which has no selection, is scrolled. */
static void move_by(struct workbench *wb, struct dialog *dialog, int by)
{
    int shown[ROWS_MAX], n = rows_shown(wb, dialog, shown);

    if (!dialog->list->open) {
        struct rect rect = list_rect(wb, dialog, n);
        int lines = list_lines(wb, dialog, rect), most = n;

        while (most > 0 && (lines -= row_lines(wb, dialog, most - 1, rect.columns)) >= 0)
            most--;
        dialog->top = dialog->top + by > most ? most : dialog->top + by;
        dialog->top = dialog->top < 0 ? 0 : dialog->top;
        return;
    }
    dialog->selected += by;
    settle(wb, dialog, shown, n, by > 0 ? 1 : -1);
}

static void list_search(struct workbench *wb, int direction)
{
    struct dialog *dialog = dialog_top(wb);
    int shown[ROWS_MAX], n, at;

    if (!dialog || !dialog->list || !dialogs_search(wb)[0])
        return;
    n = rows_shown(wb, dialog, shown);
    at = dialog->list->open ? dialog->selected : dialog->top;
    for (int i = 1; i <= n; i++) {
        int next = ((at + direction * i) % n + n) % n;
        struct list_row row = {0};

        dialog->list->row(wb, shown[next], &row);
        if (!strcasestr(row.text, dialogs_search(wb)) || (dialog->list->open && row.heading))
            continue;
        dialog->selected = dialog->top = next;
        if (!dialog->list->open)
            move_by(wb, dialog, 0);
        return;
    }
    snprintf(dialog->message, sizeof dialog->message, "'%s' was not found", dialogs_search(wb));
}

static bool search_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item, (void)error;
    snprintf(dialogs_search(wb), DIALOGS_SEARCH, "%s", text);
    dialog_close(wb);
    list_search(wb, 1);
    return false; /* already closed, so that the search finds the list on top */
}

static const struct prompt_source search_source = {.label = "/", .accept = search_accept};

int list_index(struct workbench *wb, struct dialog *dialog)
{
    int shown[ROWS_MAX], n = rows_shown(wb, dialog, shown);

    return dialog->selected < n ? shown[dialog->selected] : -1;
}

static void list_accept(struct workbench *wb, struct dialog *dialog)
{
    int shown[ROWS_MAX], n = rows_shown(wb, dialog, shown), depth = dialogs_depth(wb);

    if (!dialog->list->open || n == 0)
        return;
    if (!selectable(wb, dialog, shown[dialog->selected]))
        return;
    if (dialog->list->open(wb, shown[dialog->selected]) && dialogs_depth(wb) >= depth) {
        /* Removes this list, but keeps a dialog that it has opened. */
        dialog_remove(wb, depth - 1);
    }
}

/* Whether the key has changed the filter. */
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

/* Whether the key is the one that marks rows, in a list that has marks. Behind other letters of a
 * filter it is one of them, as in "GPU 1". */
static bool mark_key(struct workbench *wb, struct dialog *dialog, int code)
{
    int index = list_index(wb, dialog);
    const char *why = NULL;

    if (!dialog->list->mark || dialog->text[0] ||
        keymap_find(&wb->keys, KEYS_LIST, code) != REQUEST_LIST_MARK)
        return false;
    if (index >= 0)
        why = dialog->list->mark(wb, index);
    snprintf(dialog->message, sizeof dialog->message, "%s", why ? why : "");
    return true;
}

void list_key(struct workbench *wb, struct dialog *dialog, int code)
{
    struct rect rect = list_rect(wb, dialog, dialog->list->count(wb));
    int page = list_lines(wb, dialog, rect);

    dialog->message[0] = 0;
    if (mark_key(wb, dialog, code))
        return;
    if (dialog->list->filter && filter_key(wb, dialog, code))
        return;
    if (code == 27) {
        dialog_close(wb);
        return;
    }
    switch (keymap_find(&wb->keys, KEYS_LIST, code)) {
    case REQUEST_LIST_UP:
        move_by(wb, dialog, -1);
        break;
    case REQUEST_LIST_DOWN:
        move_by(wb, dialog, 1);
        break;
    case REQUEST_LIST_PAGE_UP:
        move_by(wb, dialog, -page);
        break;
    case REQUEST_LIST_PAGE_DOWN:
        move_by(wb, dialog, page);
        break;
    case REQUEST_LIST_TOP:
        move_by(wb, dialog, -ROWS_MAX);
        break;
    case REQUEST_LIST_BOTTOM:
        move_by(wb, dialog, ROWS_MAX);
        break;
    case REQUEST_LIST_OPEN:
        list_accept(wb, dialog);
        break;
    case REQUEST_LIST_DEFAULT:
        if (dialog->list->restore && list_index(wb, dialog) >= 0)
            dialog->list->restore(wb, list_index(wb, dialog));
        break;
    case REQUEST_LIST_DEFAULTS:
        if (dialog->list->restore)
            dialog->list->restore(wb, -1);
        break;
    case REQUEST_LIST_CLOSE:
        dialog_close(wb);
        break;
    case REQUEST_SEARCH:
        prompt_open(wb, &search_source, 0, "", NULL);
        break;
    case REQUEST_SEARCH_NEXT:
        list_search(wb, 1);
        break;
    case REQUEST_SEARCH_PREVIOUS:
        list_search(wb, -1);
        break;
    default:
        break;
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
    text_shorten(text, sizeof text, at.columns, dialog->list->keys ? "" : " ...");
    put(&wb->palette, at.row, at.column, at.columns, style, text);
    return 1;
}

/* Draws the rows from `top` on that fit. Returns whether the last row was drawn. */
static bool rows_draw(struct workbench *wb, const struct dialog *dialog, struct rect at,
                      const int shown[], int n)
{
    int i;

    for (i = dialog->top; i < n && at.rows > 0; i++) {
        struct list_row row = {0};
        int used;

        if (row_lines(wb, dialog, shown[i], at.columns + 2) > at.rows)
            break;
        dialog->list->row(wb, shown[i], &row);
        used = list_row_draw(wb, dialog, at, &row, i == dialog->selected);
        at.row += used;
        at.rows -= used;
    }
    return i >= n;
}

void list_draw(struct workbench *wb, struct dialog *dialog)
{
    int shown[ROWS_MAX], n = rows_shown(wb, dialog, shown);
    struct rect rect = list_rect(wb, dialog, n);
    int lines = list_lines(wb, dialog, rect), line = rect.row + 1;
    int detail = detail_lines(wb, dialog);
    struct list_row row = {0};
    char title[128];
    const char *more;
    bool all;

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
    all = rows_draw(wb, dialog, (struct rect){line, rect.column + 1, lines, rect.columns - 2},
                    shown, n);
    more = !all ? " (more below)" : dialog->top > 0 ? " (more above)" : "";
    if (more[0] && text_width(dialog->list->title) + text_width(more) > rect.columns - 6)
        more = " (more)";
    snprintf(title, sizeof title, "%s", dialog->list->title);
    text_shorten(title, sizeof title, rect.columns - 6 - text_width(more), "");
    snprintf(title + strlen(title), sizeof title - strlen(title), "%s", more);
    put_box(&wb->palette, rect, title, true);
    if (n == 0)
        put(&wb->palette, line, rect.column + 3, rect.columns - 5, STYLE_PLAIN, "no match");
    if (!detail && !dialog->message[0])
        return;
    line = rect.row + rect.rows - 1 - detail;
    row = (struct list_row){0};
    if (n > 0 && dialog->selected < n)
        dialog->list->row(wb, shown[dialog->selected], &row);
    rect = (struct rect){detail ? line : line - 1, rect.column + 2, detail ? detail : 1,
                         rect.columns - 4};
    put_fill(&wb->palette, rect, STYLE_PLAIN); /* without detail it covers a row */
    put_wrapped(&wb->palette, rect, dialog->message[0] ? STYLE_ALARM : STYLE_PLAIN,
                dialog->message[0] ? dialog->message : row.detail);
}
