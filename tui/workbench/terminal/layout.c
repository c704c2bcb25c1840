/* SPDX-License-Identifier: MIT */
/* This file arranges the screen. It does not use curses and is tested for all sizes. */
#include "tui/workbench/terminal/layout.h"

#include <math.h>
#include <string.h>

/* The screen width from which there are two columns, and the limits of the least width of the right
 * one, three eighths of it. */
#define TWO_COLUMNS 72
#define SIDE_MIN 32
#define SIDE_MAX 48

/* The screen from which on it has room for all panels. */
#define ALL_COLUMNS 160
#define ALL_ROWS 40
/* The columns of a panel of lines of text. */
#define TEXT_COLUMNS 40

/* From so many rows of a lattice's inside on its last one is the legend. */
#define LEGEND_ROWS 6
/* The least width of a lattice, and that with which it keeps its title and legend; the share of the
 * screen's rows that it has at least. */
#define LATTICE_COLUMNS 20
#define LATTICE_TEXT 48
#define LATTICE_SHARE 3
/* The share of them that a row of panels has, if they have a use for it. */
#define STRIP_SHARE 4
/* Columns of a cell, beyond which a picture does not grow. */
#define CELL_COLUMNS 16
/* Pictures one below the other are so much larger than side by side, where they are compared more
 * easily. */
#define STACKED_LARGER 1.1
#define STACKED_MIN 6 /* rows of one of them */
/* A picture that is larger by less than this is as large. */
#define AS_LARGE 1.001

/* The least sides of a second slice, its caption among them, and the share of its scale that the
 * first keeps beside one of the same scale. */
#define SECOND_COLUMNS 12
#define SECOND_ROWS 5
#define TWO_SHARE 0.8

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
            height[i] = table->place[i]->least;
            left -= height[i];
            if (rest < 0 || table->place[i]->grows > table->place[rest]->grows)
                rest = i;
        }
    if (rest < 0)
        return;
    for (int i = 0; i < table->count; i++) {
        int most = table->place[i]->most, more = in[i] && most ? most - height[i] : 0;

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

void layout_wants(int rows, int columns, const struct panel_table *table, bool wanted[PANELS_MAX])
{
    for (int i = PANEL_MAIN + 1; i < table->count; i++)
        wanted[i] = table->place[i]->always || (rows >= ALL_ROWS && columns >= ALL_COLUMNS);
}

/* --- panels in a column ----------------------------------------------------------------------- */

/* Finds for each panel of a column the narrow one before it with which it shares a row, -1: none.
 * There are such pairs where the column is wide, and has a panel that is not narrow. Sets which
 * panels begin a row. */
static void column_pairs(const struct panel_table *table, const bool in[PANELS_MAX], int columns,
                         int partner[PANELS_MAX], bool first[PANELS_MAX])
{
    int alone = -1; /* the narrow one that has no partner yet */
    bool broad = false;

    for (int i = 0; i < table->count; i++)
        broad |= in[i] && !table->place[i]->narrow;
    for (int i = 0; i < table->count; i++) {
        bool narrow = in[i] && table->place[i]->narrow && broad && columns >= 2 * TEXT_COLUMNS;

        partner[i] = narrow ? alone : -1;
        first[i] = in[i] && partner[i] < 0;
        if (narrow)
            alone = alone < 0 ? i : -1;
    }
}

static bool column_fits(const struct panel_table *table, const bool in[PANELS_MAX], int rows,
                        int columns)
{
    int partner[PANELS_MAX];
    bool first[PANELS_MAX];

    column_pairs(table, in, columns, partner, first);
    return layout_fits(table, first, rows);
}

static void column_stack(struct layout *layout, const struct panel_table *table,
                         const bool in[PANELS_MAX], struct rect area)
{
    int partner[PANELS_MAX];
    bool first[PANELS_MAX];

    column_pairs(table, in, area.columns, partner, first);
    stack(layout, table, first, area);
    for (int i = 0; i < table->count; i++)
        if (partner[i] >= 0) {
            struct rect *left = &layout->panel[partner[i]], *right = &layout->panel[i];

            *right = *left;
            left->columns /= 2;
            right->column += left->columns;
            right->columns -= left->columns;
        }
}

/* --- panels side by side ---------------------------------------------------------------------- */

static int panels_in(const struct panel_table *table, const bool in[PANELS_MAX])
{
    int count = 0;

    for (int i = 0; i < table->count; i++)
        count += in[i];
    return count;
}

/* Of panels that lie in `stacks` columns side by side, those of column `at`: in turn, so that
 * each has one of the most important ones. */
static void strip_part(const struct panel_table *table, const bool in[PANELS_MAX], int stacks,
                       int at, bool part[PANELS_MAX])
{
    for (int i = 0, n = 0; i < table->count; i++) {
        part[i] = in[i] && n % stacks == at;
        n += in[i];
    }
}

/* The columns of panels that a strip of this width may have. */
static int strip_stacks(const struct panel_table *table, const bool in[PANELS_MAX], int columns)
{
    int count = panels_in(table, in), most = columns / TEXT_COLUMNS;

    most = most > count ? count : most;
    return most < 1 ? 1 : most;
}

/* The rows that a strip of panels needs or, with `most`, has a use for. */
static int strip_rows(const struct panel_table *table, const bool in[PANELS_MAX], int stacks,
                      bool most)
{
    int rows = 0;

    for (int at = 0; at < stacks; at++) {
        bool part[PANELS_MAX];
        int sum = 0;

        strip_part(table, in, stacks, at, part);
        for (int i = 0; i < table->count; i++)
            if (part[i]) {
                const struct panel_place *place = table->place[i];

                sum += most && place->most > place->least ? place->most : place->least;
            }
        rows = sum > rows ? sum : rows;
    }
    return rows;
}

static void strip_lay(struct layout *layout, const struct panel_table *table,
                      const bool in[PANELS_MAX], int stacks, struct rect area)
{
    for (int at = 0; at < stacks; at++) {
        int begin = area.columns * at / stacks, end = area.columns * (at + 1) / stacks;
        bool part[PANELS_MAX];

        strip_part(table, in, stacks, at, part);
        stack(layout, table, part,
              (struct rect){area.row, area.column + begin, area.rows, end - begin});
    }
}

/* --- the place of the lattice ----------------------------------------------------------------- */

struct rect layout_pictures(struct rect inner)
{
    if (inner.rows >= LEGEND_ROWS)
        inner.rows--;
    return inner;
}

/* Columns of the screen that a cell takes in the largest picture of a slice in this area. Two
 * columns are as wide as a row is high. */
static double slice_scale(int rows, int columns, double width, double height)
{
    double scale = fmin(columns / fmax(width, 1), 2.0 * rows / fmax(height, 1));

    return fmin(scale, CELL_COLUMNS);
}

/* The same in a panel of this size, borders included. */
static double lattice_scale(int rows, int columns, struct layout_slice slice)
{
    struct rect inner = layout_pictures((struct rect){0, 0, rows - 2, columns - 2});

    return slice_scale(inner.rows, inner.columns, (double)slice.width, (double)slice.height);
}

static int rounded_up(double value)
{
    int whole = (int)value;

    return value - whole > 1e-6 ? whole + 1 : whole;
}

/* Takes from a lattice the columns that its picture leaves empty, where panels beside it have them
 * (at most half of the screen, and not those that its title and legend need), and the rows, where
 * panels are below it. */
static void lattice_shrink(struct rect *lattice, struct layout_slice slice, double scale,
                           struct rect area, bool beside, bool below)
{
    int columns = rounded_up(scale * (double)slice.width) + 2;
    int rows = rounded_up(scale * (double)slice.height / 2) + 3; /* with the legend */

    rows = rows > LEGEND_ROWS + 2 ? rows : LEGEND_ROWS + 2;
    columns = columns > (area.columns + 1) / 2 ? columns : (area.columns + 1) / 2;
    columns = columns > LATTICE_TEXT ? columns : LATTICE_TEXT;
    rows = rows > area.rows / LATTICE_SHARE ? rows : area.rows / LATTICE_SHARE;
    if (beside && columns < lattice->columns)
        lattice->columns = columns;
    if (below && rows < lattice->rows)
        lattice->rows = rows;
}

/* A way to place the panels: which are beside the lattice, in a column of a least width, and which
 * below it, in a strip of a least height. */
struct way {
    bool beside[PANELS_MAX], below[PANELS_MAX];
    int side_columns, strip_rows; /* 0: there are none */
    int stacks;                   /* columns of panels in the strip */
    struct rect lattice;          /* with all that these leave; rows = 0: none is to be shown */
    double scale;                 /* of its picture, 0: there is no room for all */
};

static void way_measure(struct way *way, const struct panel_table *table, struct rect area,
                        struct layout_slice slice)
{
    way->lattice = area;
    way->lattice.columns -= way->side_columns;
    way->lattice.rows -= way->strip_rows;
    way->scale = 0;
    if (way->lattice.columns < LATTICE_COLUMNS ||
        way->lattice.rows < table->place[PANEL_MAIN]->least ||
        !column_fits(table, way->beside, area.rows, way->side_columns))
        return;
    way->scale = lattice_scale(way->lattice.rows, way->lattice.columns, slice);
}

static void way_lay(const struct way *way, struct layout *layout, const struct panel_table *table,
                    struct rect area, struct layout_slice slice)
{
    struct rect *lattice = &layout->panel[PANEL_MAIN], rest = area;

    *lattice = way->lattice;
    lattice_shrink(lattice, slice, way->scale, area, way->side_columns > 0, way->strip_rows > 0);
    if (way->side_columns > 0) {
        rest.column += lattice->columns;
        rest.columns -= lattice->columns;
        layout->side = rest;
        column_stack(layout, table, way->beside, rest);
    }
    if (way->strip_rows > 0) {
        rest = *lattice;
        rest.row += lattice->rows;
        rest.rows = area.rows - lattice->rows;
        strip_lay(layout, table, way->below, way->stacks, rest);
    }
}

/* The height of a strip of panels side by side: what they need, and on a high screen a quarter of
 * it as far as they have a use for that. */
static int strip_height(const struct panel_table *table, const bool in[PANELS_MAX], int stacks,
                        int all_rows)
{
    int least = strip_rows(table, in, stacks, false), most = strip_rows(table, in, stacks, true);
    int rows = all_rows / STRIP_SHARE;

    rows = rows < most ? rows : most;
    return rows > least ? rows : least;
}

/* The ways, of which the first of several with equal pictures is the best: all beside, in a narrow
 * column or in one in which two share a row; those below that belong there, all others beside; all
 * below. */
enum way_kind { WAY_BESIDE, WAY_PAIRS, WAY_BOTH, WAY_BELOW, WAYS };

static struct way way_of(enum way_kind kind, const struct panel_table *table,
                         const bool shown[PANELS_MAX], struct rect area, struct layout_slice slice)
{
    int side = area.columns * 3 / 8;
    struct way way = {.scale = 0};

    for (int i = PANEL_MAIN + 1; i < table->count; i++) {
        bool below =
            kind == WAY_BELOW || (kind == WAY_BOTH && (int)table->place[i]->at == PLACE_BELOW);

        way.below[i] = shown[i] && below;
        way.beside[i] = shown[i] && !below;
    }
    if (panels_in(table, way.beside) > 0)
        way.side_columns = kind == WAY_PAIRS ? 2 * TEXT_COLUMNS
                           : side < SIDE_MIN ? SIDE_MIN
                           : side > SIDE_MAX ? SIDE_MAX
                                             : side;
    way.stacks = kind == WAY_BELOW ? strip_stacks(table, way.below, area.columns) : 1;
    if (panels_in(table, way.below) > 0)
        way.strip_rows =
            strip_height(table, way.below, way.stacks,
                         kind == WAY_BELOW && area.columns >= TWO_COLUMNS ? area.rows : 0);
    if (way.side_columns == 0 ||
        area.columns >= (kind == WAY_PAIRS ? 4 * TEXT_COLUMNS : TWO_COLUMNS))
        way_measure(&way, table, area, slice);
    return way;
}

/* Lays out the lattice and the other panels that are shown the way in which its picture is the
 * largest. False: there is no room for all of them. */
static bool lay_largest(struct layout *layout, const struct panel_table *table,
                        const bool shown[PANELS_MAX], struct rect area, struct layout_slice slice)
{
    struct way best = {.scale = 0};

    for (enum way_kind kind = WAY_BESIDE; kind < WAYS; kind++) {
        struct way way = way_of(kind, table, shown, area, slice);

        if (way.scale > best.scale * AS_LARGE)
            best = way;
    }
    if (best.scale > 0)
        way_lay(&best, layout, table, area, slice);
    return best.scale > 0;
}

/* The same without a lattice: in as few columns as have room for all. */
static bool lay_panels(struct layout *layout, const struct panel_table *table,
                       const bool shown[PANELS_MAX], struct rect area)
{
    int stacks = strip_stacks(table, shown, area.columns);

    if (column_fits(table, shown, area.rows, area.columns)) {
        column_stack(layout, table, shown, area);
        return true;
    }
    if (strip_rows(table, shown, stacks, false) > area.rows)
        return false;
    strip_lay(layout, table, shown, stacks, area);
    return true;
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

/* Removes the panels that have no room where the lattice is, with a log below it, in one of two
 * columns and they in the other; or, on a narrow screen, above them. */
static void shown_of(const struct panel_table *table, const bool wanted[PANELS_MAX],
                     struct rect area, bool shown[PANELS_MAX])
{
    bool left[PANELS_MAX] = {false}, right[PANELS_MAX] = {false};

    memcpy(shown, wanted, PANELS_MAX * sizeof *shown);
    if (area.columns < TWO_COLUMNS) {
        layout_drop(table, shown, shown, area.rows);
        return;
    }
    for (int i = 0; i < table->count; i++)
        *(table->place[i]->at == PLACE_BESIDE ? &right[i] : &left[i]) = wanted[i];
    layout_drop(table, left, right, area.rows);
    for (int i = 0; i < table->count; i++)
        shown[i] = left[i] || right[i];
}

struct layout layout_make(int rows, int columns, const struct panel_table *table,
                          const bool wanted[PANELS_MAX], int full, struct layout_slice slice)
{
    struct rect area;
    struct layout layout = lines_of(rows, columns, &area);
    bool shown[PANELS_MAX];
    int last = table->count - 1;

    if (layout.too_small)
        return layout;
    if (full >= 0) {
        layout.panel[full] = area;
        return layout;
    }
    shown_of(table, wanted, area, shown);
    while (!(shown[PANEL_MAIN] ? lay_largest(&layout, table, shown, area, slice)
                               : lay_panels(&layout, table, shown, area)))
        shown[last--] = false;
    return layout;
}

/* Cuts an area in two: the first has this many columns or, where these are 0, rows. */
static void cut_in_two(struct rect area, int columns, int rows, struct rect at[2])
{
    at[0] = at[1] = area;
    if (columns > 0) {
        at[0].columns = columns;
        at[1].column += columns + LAYOUT_GAP;
        at[1].columns -= columns + LAYOUT_GAP;
    } else {
        at[0].rows = rows;
        at[1].row += rows;
        at[1].rows -= rows;
    }
}

static bool has_room(struct rect at, int rows)
{
    return at.columns >= SECOND_COLUMNS && at.rows >= rows;
}

bool layout_two(struct rect area, struct layout_slice first, struct layout_slice second,
                double least, struct rect at[2])
{
    double w = (double)first.width, h = (double)first.height;
    double v = (double)second.width, d = (double)second.height;
    double alone = slice_scale(area.rows, area.columns, w, h);
    double across = fmin(slice_scale(area.rows, area.columns - LAYOUT_GAP, w + v, h),
                         slice_scale(area.rows - 1, area.columns, v, d));
    double down = slice_scale(area.rows - 1, area.columns, fmax(w, v), h + d);
    double scale = fmax(across, down);
    struct rect below[2];

    if (scale >= fmin(TWO_SHARE * alone, least)) {
        if (across >= down)
            cut_in_two(area, (int)fmax(lround(across * w), 1), 0, at);
        else
            cut_in_two(area, 0, (int)fmax(lround(down * h / 2), 1), at);
        if (has_room(at[1], 2))
            return true;
    }
    least = fmin(least, alone);
    cut_in_two(area, rounded_up(least * w), 0, at);
    cut_in_two(area, 0, rounded_up(least * h / 2), below);
    if (!has_room(at[1], SECOND_ROWS) ||
        (has_room(below[1], SECOND_ROWS) && slice_scale(below[1].rows - 1, below[1].columns, v, d) >
                                                slice_scale(at[1].rows - 1, at[1].columns, v, d))) {
        at[0] = below[0];
        at[1] = below[1];
    }
    if (has_room(at[1], SECOND_ROWS))
        return true;
    at[0] = area;
    return false;
}

/* The inside of a lattice of a split screen has no legend. */
static double half_scale(struct rect half, struct layout_slice slice)
{
    return slice_scale(half.rows - 2, half.columns - 2, (double)slice.width, (double)slice.height);
}

struct layout layout_split(int rows, int columns, int lines, struct layout_slice slice)
{
    struct rect area, beside, stacked;
    struct layout layout = lines_of(rows, columns, &area);

    if (layout.too_small)
        return layout;
    lines += 2;
    if (lines > area.rows - LATTICE_SPLIT_MIN)
        lines = area.rows - LATTICE_SPLIT_MIN;
    if (lines < COMPARE_MIN)
        lines = 1;
    beside = stacked = (struct rect){area.row, area.column, area.rows - lines, area.columns};
    beside.columns /= 2;
    stacked.rows /= 2;
    layout.compare = (struct rect){area.row + beside.rows, area.column, lines, area.columns};
    layout.panel[PANEL_MAIN] = layout.other = beside;
    layout.other.column += beside.columns;
    if (stacked.rows >= STACKED_MIN &&
        half_scale(stacked, slice) > STACKED_LARGER * half_scale(beside, slice)) {
        layout.panel[PANEL_MAIN] = layout.other = stacked;
        layout.other.row += stacked.rows;
    }
    return layout;
}

struct rect layout_inner(const struct layout *layout, int panel)
{
    struct rect rect = layout->panel[panel];

    if (rect.rows < 3 || rect.columns < 3)
        return (struct rect){0};
    return (struct rect){rect.row + 1, rect.column + 1, rect.rows - 2, rect.columns - 2};
}
