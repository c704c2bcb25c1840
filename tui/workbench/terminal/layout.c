/* SPDX-License-Identifier: MIT */
/* This file arranges the screen. It does not use curses and is tested for all sizes. */
#include "tui/workbench/terminal/layout.h"

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

/* Heights with borders: the least useful one, and the one beyond which nothing more is shown
 * (0: unlimited). */
static const struct {
    int least, most;
} heights[PANEL_COUNT] = {
    [PANEL_LATTICE] = {6, 0}, [PANEL_TIMING] = {5, 11}, [PANEL_OBSERVABLES] = {5, 10},
    [PANEL_DEVICE] = {5, 11}, [PANEL_LOG] = {4, 8},
};

/* The least height of a lattice with a log below it. */
#define LATTICE_OVER_LOG 14
/* The least heights of the lattices of a split screen, and of the box below them: if it gets less,
 * it is a line. */
#define LATTICE_SPLIT_MIN 8
#define COMPARE_MIN 6

static int layout_least(enum panel panel, const bool in[PANEL_COUNT])
{
    if (panel == PANEL_LATTICE && in[PANEL_LOG])
        return LATTICE_OVER_LOG;
    return heights[panel].least;
}

/* Removes panels of one column, least important first, until the others fit. */
static void layout_drop(bool in[PANEL_COUNT], int rows)
{
    for (int last = PANEL_COUNT - 1; last >= 0; last--) {
        int sum = 0;

        for (int i = 0; i < PANEL_COUNT; i++)
            sum += in[i] ? layout_least((enum panel)i, in) : 0;
        if (sum <= rows)
            return;
        in[last] = false;
    }
}

/* The panel of a column that takes the remaining height. */
static int filler(const bool in[PANEL_COUNT])
{
    static const enum panel order[] = {PANEL_LATTICE, PANEL_OBSERVABLES, PANEL_LOG, PANEL_TIMING,
                                       PANEL_DEVICE};

    for (int i = 0; i < PANEL_COUNT; i++)
        if (in[order[i]])
            return (int)order[i];
    return -1;
}

/* Stacks the panels of a column: each gets its least height, then more up to its most, and one of
 * them gets the rest. */
static void stack(struct layout *layout, const bool in[PANEL_COUNT], struct rect area)
{
    int height[PANEL_COUNT] = {0}, left = area.rows, rest = filler(in), row = area.row;

    for (int i = 0; i < PANEL_COUNT; i++)
        if (in[i]) {
            height[i] = layout_least((enum panel)i, in);
            left -= height[i];
        }
    if (rest < 0)
        return;
    for (int i = 0; i < PANEL_COUNT; i++) {
        int more = in[i] && heights[i].most ? heights[i].most - height[i] : 0;

        /* Below a lattice each panel gets at most a third of what is left. */
        if (rest == PANEL_LATTICE && more > left / 3)
            more = left / 3;
        more = more < left ? more : left;
        height[i] += more;
        left -= more;
    }
    height[rest] += left;
    for (int i = 0; i < PANEL_COUNT; i++)
        if (in[i]) {
            layout->panel[i] = (struct rect){row, area.column, height[i], area.columns};
            row += height[i];
        }
}

bool layout_is_wide(int rows, int columns) { return rows >= WIDE_ROWS && columns >= WIDE_COLUMNS; }

void layout_wants(int rows, int columns, bool wanted[PANEL_COUNT])
{
    wanted[PANEL_TIMING] = wanted[PANEL_OBSERVABLES] = true;
    wanted[PANEL_DEVICE] = wanted[PANEL_LOG] = rows >= ALL_ROWS && columns >= ALL_COLUMNS;
}

/* The panels beside the lattice of a wide screen: timing and device share the upper part, and the
 * plots get the rest. False: there are too few of them for the width. */
static bool wide_columns(struct layout *layout, const bool wanted[PANEL_COUNT], struct rect area)
{
    bool both = wanted[PANEL_TIMING] && wanted[PANEL_DEVICE];
    bool in[PANEL_COUNT] = {[PANEL_TIMING] = wanted[PANEL_TIMING],
                            [PANEL_OBSERVABLES] = wanted[PANEL_OBSERVABLES],
                            [PANEL_DEVICE] = wanted[PANEL_DEVICE] && !both,
                            [PANEL_LOG] = wanted[PANEL_LOG]};
    int most = area.columns / 2, width = area.columns - 2 * area.rows;
    struct rect *timing = &layout->panel[PANEL_TIMING], *device = &layout->panel[PANEL_DEVICE];

    width = width > most ? most : width < SIDE_MAX ? SIDE_MAX : width;
    if (!wanted[PANEL_LATTICE])
        width = area.columns;
    if ((!wanted[PANEL_OBSERVABLES] && !wanted[PANEL_LOG]) || (both && width < 2 * TEXT_COLUMNS))
        return false;
    layout->side = (struct rect){area.row, area.column + area.columns - width, area.rows, width};
    stack(layout, in, layout->side);
    if (wanted[PANEL_LATTICE])
        layout->panel[PANEL_LATTICE] =
            (struct rect){area.row, area.column, area.rows, area.columns - width};
    if (both) {
        *device = *timing;
        timing->columns /= 2;
        device->column += timing->columns;
        device->columns -= timing->columns;
    }
    return true;
}

static void two_columns(struct layout *layout, const bool wanted[PANEL_COUNT], struct rect area)
{
    bool left[PANEL_COUNT] = {
        [PANEL_LATTICE] = wanted[PANEL_LATTICE], [PANEL_LOG] = wanted[PANEL_LOG]};
    bool right[PANEL_COUNT] = {0};
    bool side = false;
    int width = area.columns * 3 / 8;
    struct rect at = area;

    width = width < SIDE_MIN ? SIDE_MIN : width > SIDE_MAX ? SIDE_MAX : width;
    for (int i = PANEL_TIMING; i <= PANEL_DEVICE; i++)
        right[i] = wanted[i];
    layout_drop(right, area.rows);
    for (int i = PANEL_TIMING; i <= PANEL_DEVICE; i++) {
        side = side || right[i];
        if (wanted[i] && !right[i])
            left[PANEL_LOG] = false; /* panels are removed in the same order in both columns */
    }
    layout_drop(left, area.rows);
    if (!left[PANEL_LATTICE] && !left[PANEL_LOG])
        width = area.columns;
    at.columns -= side ? width : 0;
    stack(layout, left, at);
    at.column += at.columns;
    at.columns = width;
    if (side)
        stack(layout, right, at);
}

/* The status, message and hints of a screen; the rest of it is `area`. */
static struct layout lines_of(int rows, int columns, struct rect *area)
{
    struct layout layout = {.too_small = rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN};

    *area = (struct rect){1, 0, rows - 3, columns};
    if (layout.too_small)
        return layout;
    layout.status = (struct rect){0, 0, 1, columns};
    layout.message = (struct rect){rows - 2, 0, 1, columns};
    layout.hints = (struct rect){rows - 1, 0, 1, columns};
    return layout;
}

struct layout layout_make(int rows, int columns, const bool wanted[PANEL_COUNT], int full)
{
    struct rect area;
    struct layout layout = lines_of(rows, columns, &area);
    bool in[PANEL_COUNT];

    if (layout.too_small)
        return layout;
    if (full >= 0) {
        layout.panel[full] = area;
        return layout;
    }
    if (layout_is_wide(rows, columns) && wide_columns(&layout, wanted, area))
        return layout;
    if (columns >= TWO_COLUMNS && (wanted[PANEL_LATTICE] || wanted[PANEL_LOG])) {
        two_columns(&layout, wanted, area);
        return layout;
    }
    for (int i = 0; i < PANEL_COUNT; i++)
        in[i] = wanted[i];
    layout_drop(in, area.rows);
    stack(&layout, in, area);
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
    layout.panel[PANEL_LATTICE] = layout.other = left;
    layout.other.column += left.columns;
    layout.compare = (struct rect){area.row + left.rows, area.column, lines, area.columns};
    return layout;
}

struct rect layout_inner(const struct layout *layout, enum panel panel)
{
    struct rect rect = layout->panel[panel];

    if (rect.rows < 3 || rect.columns < 3)
        return (struct rect){0};
    return (struct rect){rect.row + 1, rect.column + 1, rect.rows - 2, rect.columns - 2};
}
