/* SPDX-License-Identifier: MIT */
/* Owns how a screen is read as boxes and lines. */
#include "tests/support/whole_screen.h"

#include <check.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

#define ROWS_MAX 256
#define COLUMNS_MAX 512

struct box {
    int row, column, last_row, last_column;
};

/* Corners and sides, in lines and in ASCII. */
enum corner { UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT };

static bool is_corner(uint32_t c, enum corner corner)
{
    static const uint32_t lines[] = {0x250c, 0x2510, 0x2514, 0x2518};

    return c == '+' || c == lines[corner];
}

static bool is_side(uint32_t c) { return c == '|' || c == 0x2502; }

static bool sides(struct screen *screen, const struct box *box, int column)
{
    for (int row = box->row + 1; row < box->last_row; row++)
        if (!is_side(screen_character(screen, row, column)))
            return false;
    return true;
}

/* The box with this upper left corner. */
static bool box_at(struct screen *screen, int row, int column, struct box *box)
{
    const int rows = screen_rows(screen), columns = screen_columns(screen);
    int last = row + 1;

    if (!is_corner(screen_character(screen, row, column), UPPER_LEFT))
        return false;
    while (last < rows && is_side(screen_character(screen, last, column)))
        last++;
    if (last == rows || !is_corner(screen_character(screen, last, column), LOWER_LEFT))
        return false;
    *box = (struct box){row, column, last, column};
    for (int right = column + 1; right < columns; right++) {
        box->last_column = right;
        if (is_corner(screen_character(screen, row, right), UPPER_RIGHT) &&
            is_corner(screen_character(screen, last, right), LOWER_RIGHT) &&
            sides(screen, box, right))
            return true;
    }
    return false;
}

/* --- what is broken --------------------------------------------------------------------------- */

static char fault[256];

static const char *broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *broken(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(fault, sizeof fault, format, list);
    va_end(list);
    return fault;
}

#define PATTERNS_MAX 8

static bool matches(const char *text, const char *pattern)
{
    static struct {
        char text[200];
        regex_t regex;
    } known[PATTERNS_MAX];
    static int count;
    int i = 0;

    while (i < count && strcmp(known[i].text, pattern) != 0)
        i++;
    if (i == count) {
        ck_assert_int_lt(count, PATTERNS_MAX);
        snprintf(known[i].text, sizeof known[i].text, "%s", pattern);
        ck_assert_int_eq(regcomp(&known[count++].regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    }
    return regexec(&known[i].regex, text, 0, NULL, 0) == 0;
}

/* What line 1 ends with. */
static const char state[] = " (RUN|PAUSE|BUSY|HUNG)$";

/* What line 1 of a split says of the comparison. */
static bool is_split(struct screen *screen)
{
    char pattern[160];

    snprintf(pattern, sizeof pattern,
             "  (opening|not compared|comparing|= EQUAL at .*|DIFFER.*|NOT DETERMINISTIC.*) %s",
             state);
    return matches(screen_row(screen, 0), pattern);
}

static const char *status_fault(struct screen *screen)
{
    char pattern[160];

    snprintf(pattern, sizeof pattern, "[0-9]  .*%s%s",
             screen_columns(screen) < 80 ? "" : "  (max|[0-9.]+/frame|every [0-9.]+ frames)",
             state);
    return is_split(screen) || matches(screen_row(screen, 0), pattern)
               ? NULL
               : broken("the status has no pace or state");
}

static const char *hints_fault(struct screen *screen)
{
    const char *hints = screen_row(screen, -1);

    return hints[0] == ' ' && hints[1] > ' ' ? NULL : broken("the last line has no hints");
}

static const char *leftover_fault(struct screen *screen)
{
    const char *text = screen_text(screen);

    if (matches(text, "\\[[?>]?[0-9]+(;[0-9]+)*[A-Za-z~]|\033|lqqq|qqqk|mqqq|qqqj"))
        return broken("remains of a sequence");
    return strstr(text, "\357\277\275") ? broken("a character that is none") : NULL; /* U+FFFD */
}

/* What stands in an edge of a box ends with a blank, or a title in focus with its bracket. */
static bool ends_well(struct screen *screen, const struct box *box, int row)
{
    const uint32_t line = screen_character(screen, row, box->column + 1);
    int column = box->last_column - 1;
    uint32_t last;

    while (column > box->column && screen_character(screen, row, column) == line)
        column--;
    last = screen_character(screen, row, column);
    return column == box->column || last == ' ' || last == ']';
}

/* A message that is longer than its line is in a box without a title, above the panels. */
static bool is_message(struct screen *screen)
{
    const int last = screen_rows(screen) - 3;
    struct box box;

    for (int row = 1; row < last; row++)
        if (box_at(screen, row, 0, &box) && box.last_row >= last - 1 &&
            box.last_column == screen_columns(screen) - 1 &&
            screen_character(screen, row, 2) == screen_character(screen, row, 1))
            return true;
    return false;
}

/* All cells between the status and the message are in boxes. The comparison of a split may be a
 * line, above the message. */
static const char *boxes_fault(struct screen *screen)
{
    static bool covered[ROWS_MAX][COLUMNS_MAX];
    const int columns = screen_columns(screen);
    const int rows = screen_rows(screen) - 2;
    struct box box;

    memset(covered, 0, sizeof covered);
    for (int row = 1; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            if (covered[row][column])
                continue;
            if (row == rows - 1 && column == 0 && is_split(screen))
                return NULL;
            if (!box_at(screen, row, column, &box) || box.last_row >= rows)
                return broken("no whole box at row %d, column %d", row, column);
            if (!ends_well(screen, &box, box.row) || !ends_well(screen, &box, box.last_row))
                return broken("a text is cut in an edge of the box at row %d, column %d", row,
                              column);
            for (int i = box.row; i <= box.last_row; i++)
                for (int j = box.column; j <= box.last_column; j++) {
                    if (covered[i][j])
                        return broken("two boxes at row %d, column %d", i, j);
                    covered[i][j] = true;
                }
        }
    return NULL;
}

/* The frame of what lies above the panels: its title is in brackets. */
static const char *dialog_fault(struct screen *screen)
{
    struct box box;

    for (int row = 0; row < screen_rows(screen); row++)
        for (int column = 0; column < screen_columns(screen) - 2; column++)
            if (screen_character(screen, row, column + 2) == '[' &&
                box_at(screen, row, column, &box))
                return NULL;
    return broken("no list with a whole frame");
}

/* --- units ------------------------------------------------------------------------------------ */

static bool is_unit(const char *word, size_t length, bool *is_part)
{
    static const char *const more[] = {"ups",   "kups", "Mups",  "Gups", "GB/s", "MB/s", "KiB",
                                       "MiB",   "GiB",  "frame", "s",    "ms",   "us",   "ns",
                                       "place", "MHz",  "GHz",   "W",    "J",    "C",    NULL};

    for (int i = 0; more[i]; i++) {
        if (strncmp(more[i], word, length) != 0)
            continue;
        if (strlen(more[i]) == length)
            return true;
        *is_part = true;
    }
    for (int m = 0; ca_models[m]; m++)
        for (const struct ca_observable *o = ca_observables(ca_models[m]); o->name; o++) {
            if (!o->unit || strncmp(o->unit, word, length) != 0)
                continue;
            if (strlen(o->unit) == length)
                return true;
            *is_part = true;
        }
    return false;
}

/* A number, and at the border the beginning of a unit. */
static const char *unit_fault(struct screen *screen)
{
    for (int row = 1; row < screen_rows(screen) - 2; row++) {
        char line[COLUMNS_MAX + 1] = "";

        for (int column = 0; column < screen_columns(screen); column++) {
            uint32_t c = screen_character(screen, row, column);

            line[column] = (char)(is_side(c) ? '|' : c < 127 ? c : '~');
        }
        for (char *end = strchr(line, '|'); end; end = strchr(end + 1, '|')) {
            char *word = end;
            bool is_part = false;

            while (word > line && word[-1] != ' ' && word[-1] != '|')
                word--;
            if (word == end || word < line + 2 || word[-1] != ' ' || word[-2] < '0' ||
                word[-2] > '9')
                continue;
            if (!is_unit(word, (size_t)(end - word), &is_part) && is_part)
                return broken("the unit '%.*s' in row %d is cut", (int)(end - word), word, row);
        }
    }
    return NULL;
}

const char *whole_screen(struct screen *screen)
{
    const char *why = status_fault(screen);

    if (!why)
        why = hints_fault(screen);
    if (!why)
        why = leftover_fault(screen);
    if (!why && whole_dialog(screen) && !whole_prompt(screen))
        why = dialog_fault(screen);
    if (!why && !whole_dialog(screen) && !is_message(screen) &&
        !screen_shows(screen, "All panels are hidden"))
        why = boxes_fault(screen);
    return why ? why : unit_fault(screen);
}

bool whole_prompt(struct screen *screen) { return screen_row_shows(screen, -1, "esc cancel"); }

bool whole_dialog(struct screen *screen)
{
    return whole_prompt(screen) || matches(screen_row(screen, -1), " (esc|q) (close|back)");
}

/* Blanks what stands in a box. */
static void hide(struct snapshot *snapshot, const struct box *box)
{
    for (int row = box->row + 1; row < box->last_row; row++)
        for (int column = box->column + 1; column < box->last_column; column++)
            snapshot->cells[row * snapshot->columns + column] = ' ';
}

static bool is_named(struct screen *screen, const struct box *box, const char *name)
{
    for (int i = 0; name[i]; i++)
        if (screen_character(screen, box->row, box->column + 5 + i) != (uint32_t)name[i])
            return false;
    return true;
}

struct snapshot snapshot_take(struct screen *screen)
{
    struct snapshot snapshot = {.rows = screen_rows(screen), .columns = screen_columns(screen)};
    const int changing = is_split(screen) ? 3 : 2; /* the hints, the message, a line of a split */
    struct box box;

    snapshot.message = is_message(screen);
    snapshot.text = strdup(screen_text(screen));
    snapshot.cells =
        calloc((size_t)snapshot.rows * (size_t)snapshot.columns, sizeof *snapshot.cells);
    ck_assert(snapshot.text && snapshot.cells);
    for (int row = 0; row < snapshot.rows; row++)
        for (int column = 0; column < snapshot.columns; column++)
            snapshot.cells[row * snapshot.columns + column] =
                row < snapshot.rows - changing ? screen_character(screen, row, column) : ' ';
    for (int column = 0; column < snapshot.columns; column++)
        snapshot.cells[(snapshot.rows - 1) * snapshot.columns + column] =
            screen_character(screen, snapshot.rows - 1, column);
    for (int row = 1; row < snapshot.rows; row++)
        for (int column = 0; column < snapshot.columns - 8; column++)
            if (box_at(screen, row, column, &box) &&
                (is_named(screen, &box, "device") || is_named(screen, &box, "log") ||
                 (is_split(screen) && box.last_row == snapshot.rows - 3)))
                hide(&snapshot, &box);
    return snapshot;
}

bool snapshot_equal(const struct snapshot *a, const struct snapshot *b)
{
    return a->rows == b->rows && a->columns == b->columns &&
           memcmp(a->cells, b->cells, (size_t)a->rows * (size_t)a->columns * sizeof *a->cells) == 0;
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot->cells);
    free(snapshot->text);
    *snapshot = (struct snapshot){0};
}
