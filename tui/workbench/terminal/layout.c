/* SPDX-License-Identifier: MIT */
/* This file arranges the screen. It does not use curses and is tested for all sizes. */
#include "tui/workbench/terminal/layout.h"

#include <string.h>

/* The screen width from which there are two columns, and the limits of the right one's width. */
#define TWO_COLUMNS 72
#define SIDE_MIN 32
#define SIDE_MAX 48

/* The screen from which on the panels beside the lattice get all columns that a square of cells
 * does not need, with timing and device side by side. */
#define WIDE_COLUMNS 120
#define WIDE_ROWS 24
/* The screen from which on it has room for all panels. */
#define ALL_COLUMNS 160
#define ALL_ROWS 40
/* The columns of a panel of lines of text. */
#define TEXT_COLUMNS 40

/* The least height of a lattice with a log below it. */
#define LATTICE_OVER_LOG 14
/* The least heights of the lattices of a split screen, and of the box below them: if it gets less,
 * it is a line. */
#define LATTICE_SPLIT_MIN 8
#define COMPARE_MIN 6

/* The first wanted panel that has this place, -1: there is none. */
static int first_at(const struct panel_table *table, const bool in[PANELS_MAX], int at)
{
    for (int i = 0; i < table->count; i++)
        if (in[i] && (int)table->place[i]->at == at)
            return i;
    return -1;
}

static int layout_least(const struct panel_table *table, int panel, const bool in[PANELS_MAX])
{
    if (table->place[panel]->at == PLACE_MAIN && first_at(table, in, PLACE_BELOW) >= 0)
        return LATTICE_OVER_LOG;
    return table->place[panel]->least;
}

static bool layout_fits(const struct panel_table *table, const bool in[PANELS_MAX], int rows)
{
    int sum = 0;

    for (int i = 0; i < table->count; i++)
        sum += in[i] ? layout_least(table, i, in) : 0;
    return sum <= rows;
}

/* Removes panels, least important first, until both columns fit. */
static void layout_drop(const struct panel_table *table, bool left[PANELS_MAX],
                        bool right[PANELS_MAX], int rows)
{
    for (int i = table->count - 1;
         !layout_fits(table, left, rows) || !layout_fits(table, right, rows); i--)
        left[i] = right[i] = false;
}

/* Stacks the panels of a column: each gets its least height, then more up to its most, and one of
 * them gets the rest. */
static void stack(struct layout *layout, const struct panel_table *table, const bool in[PANELS_MAX],
                  struct rect area)
{
    int height[PANELS_MAX] = {0}, left = area.rows, rest = -1, row = area.row;

    for (int i = 0; i < table->count; i++)
        if (in[i]) {
            height[i] = layout_least(table, i, in);
            left -= height[i];
            if (rest < 0 || table->place[i]->grows > table->place[rest]->grows)
                rest = i;
        }
    if (rest < 0)
        return;
    for (int i = 0; i < table->count; i++) {
        int most = table->place[i]->most, more = in[i] && most ? most - height[i] : 0;

        /* Below a lattice each panel gets at most a third of what is left. */
        if (table->place[rest]->at == PLACE_MAIN && more > left / 3)
            more = left / 3;
        more = more < left ? more : left;
        height[i] += more;
        left -= more;
    }
    height[rest] += left;
    for (int i = 0; i < table->count; i++)
        if (in[i]) {
            layout->panel[i] = (struct rect){row, area.column, height[i], area.columns};
            row += height[i];
        }
}

static bool layout_is_wide(int rows, int columns)
{
    return rows >= WIDE_ROWS && columns >= WIDE_COLUMNS;
}

void layout_wants(int rows, int columns, const struct panel_table *table, bool wanted[PANELS_MAX])
{
    for (int i = PANEL_MAIN + 1; i < table->count; i++)
        wanted[i] = table->place[i]->always || (rows >= ALL_ROWS && columns >= ALL_COLUMNS);
}

/* The panels beside the lattice of a wide screen: two narrow ones share a row, and the others get
 * the rest. False: there are too few of them for the width. */
static bool wide_columns(struct layout *layout, const struct panel_table *table,
                         const bool wanted[PANELS_MAX], struct rect area)
{
    bool in[PANELS_MAX] = {false}, broad = false, both = false;
    int partner[PANELS_MAX], alone = -1; /* the narrow one that has no partner yet */
    int most = area.columns / 2, width = area.columns - 2 * area.rows;

    for (int i = PANEL_MAIN + 1; i < table->count; i++) {
        bool pairs = wanted[i] && table->place[i]->narrow && alone >= 0;

        partner[i] = pairs ? alone : -1;
        in[i] = wanted[i] && !pairs;
        both |= pairs;
        broad |= wanted[i] && !table->place[i]->narrow;
        if (wanted[i] && table->place[i]->narrow)
            alone = pairs ? -1 : i;
    }
    width = width > most ? most : width < SIDE_MAX ? SIDE_MAX : width;
    if (!wanted[PANEL_MAIN])
        width = area.columns;
    if (!broad || (both && width < 2 * TEXT_COLUMNS) || !layout_fits(table, in, area.rows))
        return false;
    layout->side = (struct rect){area.row, area.column + area.columns - width, area.rows, width};
    stack(layout, table, in, layout->side);
    if (wanted[PANEL_MAIN])
        layout->panel[PANEL_MAIN] =
            (struct rect){area.row, area.column, area.rows, area.columns - width};
    for (int i = PANEL_MAIN + 1; i < table->count; i++)
        if (partner[i] >= 0) {
            struct rect *left = &layout->panel[partner[i]], *right = &layout->panel[i];

            *right = *left;
            left->columns /= 2;
            right->column += left->columns;
            right->columns -= left->columns;
        }
    return true;
}

static void two_columns(struct layout *layout, const struct panel_table *table,
                        const bool wanted[PANELS_MAX], struct rect area)
{
    bool left[PANELS_MAX] = {false}, right[PANELS_MAX] = {false}, side;
    int width = area.columns * 3 / 8;
    struct rect at = area;

    width = width < SIDE_MIN ? SIDE_MIN : width > SIDE_MAX ? SIDE_MAX : width;
    for (int i = 0; i < table->count; i++)
        *(table->place[i]->at == PLACE_BESIDE ? &right[i] : &left[i]) = wanted[i];
    layout_drop(table, left, right, area.rows);
    side = first_at(table, right, PLACE_BESIDE) >= 0;
    if (!left[PANEL_MAIN] && first_at(table, left, PLACE_BELOW) < 0)
        width = area.columns;
    at.columns -= side ? width : 0;
    stack(layout, table, left, at);
    at.column += at.columns;
    at.columns = width;
    if (side)
        stack(layout, table, right, at);
}

/* The status, message and hints of a screen; the rest of it is `area`. */
static struct layout lines_of(int rows, int columns, struct rect *area)
{
    struct layout layout = {.rows = rows,
                            .columns = columns,
                            .too_small = rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN};

    *area = (struct rect){1, 0, rows - 3, columns};
    if (layout.too_small)
        return layout;
    layout.status = (struct rect){0, 0, 1, columns};
    layout.message = (struct rect){rows - 2, 0, 1, columns};
    layout.hints = (struct rect){rows - 1, 0, 1, columns};
    return layout;
}

struct layout layout_make(int rows, int columns, const struct panel_table *table,
                          const bool wanted[PANELS_MAX], int full)
{
    struct rect area;
    struct layout layout = lines_of(rows, columns, &area);
    bool in[PANELS_MAX];

    if (layout.too_small)
        return layout;
    if (full >= 0) {
        layout.panel[full] = area;
        return layout;
    }
    if (layout_is_wide(rows, columns) && wide_columns(&layout, table, wanted, area))
        return layout;
    if (columns >= TWO_COLUMNS &&
        (wanted[PANEL_MAIN] || first_at(table, wanted, PLACE_BELOW) >= 0)) {
        two_columns(&layout, table, wanted, area);
        return layout;
    }
    memcpy(in, wanted, sizeof in);
    layout_drop(table, in, in, area.rows);
    stack(&layout, table, in, area);
    return layout;
}

struct layout layout_split(int rows, int columns, int lines)
{
    struct rect area, left;
    struct layout layout = lines_of(rows, columns, &area);

    if (layout.too_small)
        return layout;
    lines += 2;
    if (lines > area.rows - LATTICE_SPLIT_MIN)
        lines = area.rows - LATTICE_SPLIT_MIN;
    if (lines < COMPARE_MIN)
        lines = 1;
    left = (struct rect){area.row, area.column, area.rows - lines, area.columns / 2};
    layout.panel[PANEL_MAIN] = layout.other = left;
    layout.other.column += left.columns;
    layout.compare = (struct rect){area.row + left.rows, area.column, lines, area.columns};
    return layout;
}

struct rect layout_inner(const struct layout *layout, int panel)
{
    struct rect rect = layout->panel[panel];

    if (rect.rows < 3 || rect.columns < 3)
        return (struct rect){0};
    return (struct rect){rect.row + 1, rect.column + 1, rect.rows - 2, rect.columns - 2};
}
