/* SPDX-License-Identifier: MIT */
/* The workbench's layout over all terminal sizes and all sets of panels, and how much of a panel
 * its picture fills: CALAB_AREAS=1 prints that for forty terminals and eight lattices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

#define ROWS_MAX 200
#define COLUMNS_MAX 500

/* The panels of the workbench. */
enum { LATTICE, TIMING, OBSERVABLES, DEVICE, LOG };

static struct panel_table table;

/* Slices from very wide to very high. */
static const struct layout_slice slices[] = {{512, 512}, {512, 256}, {256, 20},   {100, 1},
                                             {32, 32},   {20, 300},  {3000, 900}, {1, 1}};
#define SQUARE (&slices[0])

static struct layout layout_for(int rows, int columns, const bool wanted[PANELS_MAX], int full,
                                const struct layout_slice *slice)
{
    return layout_make(rows, columns, &table, wanted, full, *slice);
}

static struct layout layout_of(int rows, int columns, const bool wanted[PANELS_MAX], int full)
{
    return layout_for(rows, columns, wanted, full, SQUARE);
}

static bool inside(struct rect r, int rows, int columns)
{
    return r.row >= 0 && r.column >= 0 && r.rows > 0 && r.columns > 0 && r.row + r.rows <= rows &&
           r.column + r.columns <= columns;
}

static bool apart(struct rect a, struct rect b)
{
    return a.row + a.rows <= b.row || b.row + b.rows <= a.row || a.column + a.columns <= b.column ||
           b.column + b.columns <= a.column;
}

static void wanted_of(unsigned mask, bool wanted[PANELS_MAX])
{
    for (int i = 0; i < PANELS_MAX; i++)
        wanted[i] = mask >> i & 1;
}

/* Every shown panel was wanted, lies on the screen and overlaps no other one. */
static void check_layout(int rows, int columns, unsigned mask, int full,
                         const struct layout_slice *slice)
{
    bool wanted[PANELS_MAX];
    struct rect shown[PANELS_MAX + 3];
    struct layout layout;
    int count = 0;
    char where[120];

    wanted_of(mask, wanted);
    snprintf(where, sizeof where, "%dx%d, panels %#x, full %d, slice %dx%d", columns, rows, mask,
             full, (int)slice->width, (int)slice->height);
    layout = layout_for(rows, columns, wanted, full, slice);
    if (rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN) {
        must_hold(layout.too_small, "%s is too small", where);
        return;
    }
    must_hold(!layout.too_small, "%s is large enough", where);
    shown[count++] = layout.status;
    shown[count++] = layout.message;
    shown[count++] = layout.hints;
    for (int i = 0; i < table.count; i++) {
        if (layout.panel[i].rows == 0)
            continue;
        must_hold(full >= 0 ? i == full : wanted[i], "%s shows panel %d", where, i);
        must_hold(layout.panel[i].rows >= 3 && layout.panel[i].columns >= 20,
                  "%s squeezes panel %d", where, i);
        shown[count++] = layout.panel[i];
    }
    for (int i = 0; i < count; i++) {
        must_hold(inside(shown[i], rows, columns), "%s: rectangle %d leaves the screen", where, i);
        for (int j = 0; j < i; j++)
            must_hold(apart(shown[i], shown[j]), "%s: rectangles %d and %d overlap", where, i, j);
    }
    /* Panels are removed in this order. */
    for (int i = 1; i < table.count && full < 0; i++)
        for (int j = 0; j < i; j++)
            must_hold(!(layout.panel[i].rows > 0 && wanted[j] && layout.panel[j].rows == 0),
                      "%s shows panel %d but not panel %d", where, i, j);
}

START_TEST(all_sizes)
{
    for (int rows = 1; rows <= ROWS_MAX; rows++)
        for (int columns = 1; columns <= COLUMNS_MAX; columns++) {
            const struct layout_slice *slice = &slices[(rows + columns) % (int)COUNT(slices)];

            check_layout(rows, columns, 0x1f, -1, slice);
            check_layout(rows, columns, 0x07, -1, slice);
        }
}
END_TEST

START_TEST(all_sets_of_panels)
{
    for (unsigned mask = 0; mask < 1u << table.count; mask++)
        for (int rows = 1; rows <= 70; rows++)
            for (int columns = 30; columns <= 210; columns += 3)
                check_layout(rows, columns, mask, -1, &slices[columns / 3 % (int)COUNT(slices)]);
}
END_TEST

START_TEST(full_screen)
{
    for (int full = 0; full < table.count; full++)
        for (int rows = 1; rows <= 70; rows += 3)
            for (int columns = 30; columns <= 210; columns += 9)
                check_layout(rows, columns, 0x1f, full, SQUARE);
}
END_TEST

/* Panels more, of each kind, are as much in order. */
START_TEST(more_panels)
{
    static const struct panel_place more[] = {
        {.at = PLACE_BESIDE, .narrow = true, .least = 4, .most = 6, .grows = 1},
        {.at = PLACE_BELOW, .least = 4, .most = 8},
        {.at = PLACE_BESIDE, .always = true, .least = 3, .grows = 9}};

    for (size_t i = 0; i < COUNT(more); i++) {
        table.place[table.count++] = &more[i];
        for (int rows = 1; rows <= 70; rows++)
            for (int columns = 30; columns <= 210; columns += 3)
                for (unsigned mask = 0x1f; mask < 1u << table.count; mask += 0x10)
                    check_layout(rows, columns, mask, -1, &slices[rows % (int)COUNT(slices)]);
    }
}
END_TEST

/* A panel that is wanted alone is shown on the smallest usable screen. */
START_TEST(smallest)
{
    for (int i = 0; i < table.count; i++) {
        bool wanted[PANELS_MAX] = {false};
        struct layout layout;

        wanted[i] = true;
        layout = layout_of(LAYOUT_ROWS_MIN, LAYOUT_COLUMNS_MIN, wanted, -1);
        ck_assert_msg(layout.panel[i].rows > 0, "panel %d alone is dropped", i);
    }
}
END_TEST

/* The panels on a terminal of the usual size. */
/* Sizes at which one row more or less makes a difference. */
START_TEST(limits)
{
    bool wanted[PANELS_MAX] = {false};
    struct layout layout;

    layout_wants(40, 160, &table, wanted);
    ck_assert(wanted[DEVICE] && wanted[LOG]);
    layout_wants(39, 160, &table, wanted);
    ck_assert(!wanted[DEVICE] && !wanted[LOG]);
    layout_wants(40, 159, &table, wanted);
    ck_assert(!wanted[DEVICE] && !wanted[LOG]);
    /* three panels of five rows, and the three lines of a screen */
    wanted[LATTICE] = wanted[DEVICE] = true;
    layout = layout_of(18, 80, wanted, -1);
    ck_assert_int_eq(layout.panel[DEVICE].rows, 5);
    layout = layout_of(17, 80, wanted, -1);
    ck_assert_int_eq(layout.panel[DEVICE].rows, 0);
    /* A log needs a lattice of 14 rows beside it. */
    memset(wanted, 0, sizeof wanted);
    wanted[LATTICE] = wanted[LOG] = true;
    ck_assert_int_eq(layout_of(21, 80, wanted, -1).panel[LOG].columns, 32);
    ck_assert_int_eq(layout_of(20, 80, wanted, -1).panel[LOG].rows, 0);
}
END_TEST

START_TEST(ordinary)
{
    static const bool wanted[PANELS_MAX] = {true, true, true, true, false};
    struct layout layout = layout_of(24, 80, wanted, -1);

    /* A square of 36 columns has 18 rows, and the legend one; its title needs more columns. */
    ck_assert_int_eq(layout.panel[LATTICE].columns, 48);
    ck_assert_int_eq(layout.panel[TIMING].columns, 32);
    ck_assert_int_eq(layout_of(24, 120, wanted, -1).panel[LATTICE].columns, 60);
    ck_assert_int_gt(layout.panel[TIMING].rows, 0);
    ck_assert_int_gt(layout.panel[OBSERVABLES].rows, 0);
    ck_assert_int_gt(layout.panel[DEVICE].rows, 0);
    /* The panels fill all rows but the three lines. */
    ck_assert_int_eq(layout.panel[LATTICE].rows, 21);
    ck_assert_int_eq(
        layout.panel[TIMING].rows + layout.panel[OBSERVABLES].rows + layout.panel[DEVICE].rows, 21);
}
END_TEST

/* A wide screen: the lattice gets what its slice needs, and the rest has all panels. */
START_TEST(wide)
{
    static const bool all[PANELS_MAX] = {true, true, true, true, true};
    static const struct layout_slice broader = {1024, 128};
    struct layout l = layout_of(60, 200, all, -1);
    const struct rect *p = l.panel;

    ck_assert_int_eq(p[LATTICE].rows, 57);
    ck_assert_int_eq(p[LATTICE].columns, 2 * 54 + 2);
    ck_assert_int_eq(l.side.columns, 200 - 110);
    ck_assert_int_eq(p[TIMING].row, p[DEVICE].row);
    ck_assert_int_eq(p[TIMING].columns + p[DEVICE].columns, l.side.columns);
    ck_assert_int_ge(p[OBSERVABLES].rows, 30);
    ck_assert_int_eq(p[OBSERVABLES].columns, l.side.columns);
    ck_assert_int_eq(p[TIMING].rows + p[OBSERVABLES].rows + p[LOG].rows, 57);
    /* Timing and device lie side by side as soon as each has 40 columns. */
    l = layout_of(45, 160, all, -1);
    ck_assert_int_eq(l.side.columns, 80);
    ck_assert_int_eq(p[TIMING].row, p[DEVICE].row);
    l = layout_of(46, 160, all, -1);
    ck_assert_int_eq(l.side.columns, 78);
    ck_assert_int_ne(p[TIMING].row, p[DEVICE].row);
    /* A wide slice has all columns, a row of panels is below it, and each has 40 columns. */
    l = layout_for(60, 200, all, -1, &slices[1]);
    ck_assert_int_eq(l.side.rows, 0);
    ck_assert_int_eq(p[LATTICE].columns, 200);
    ck_assert_int_ge(p[LATTICE].rows, 44);
    for (int i = TIMING; i <= LOG; i++) {
        ck_assert_int_eq(p[i].row, 1 + p[LATTICE].rows);
        ck_assert_int_eq(p[i].columns, 50);
    }
    /* A much wider one leaves rows empty, which panels get, but for a third. */
    l = layout_for(60, 200, all, -1, &broader);
    ck_assert_int_eq(p[LATTICE].rows, 19);
    ck_assert_int_eq(p[TIMING].rows, 38);
    /* A high one has half of the screen at least. */
    l = layout_for(60, 200, all, -1, &slices[5]);
    ck_assert_int_eq(p[LATTICE].columns, 100);
    for (int rows = LAYOUT_ROWS_MIN; rows <= ROWS_MAX; rows++)
        for (int columns = 120; columns <= COLUMNS_MAX; columns++) {
            l = layout_of(rows, columns, all, -1);
            must_hold(p[LATTICE].columns * 2 >= columns, "%dx%d: lattice of %d columns", columns,
                      rows, p[LATTICE].columns);
            must_hold(rows < 24 || p[LOG].rows > 0, "%dx%d lacks a panel", columns, rows);
        }
}
END_TEST

/* Where two slices of a lattice are: within the area, apart, and the first no smaller than four
 * fifths of what it is alone or than it must be; the second has a caption and a row at least. */
START_TEST(two_slices)
{
    for (int rows = 1; rows <= 60; rows++)
        for (int columns = 1; columns <= 200; columns++)
            for (size_t i = 0; i < COUNT(slices) * COUNT(slices); i++) {
                struct rect area = {3, 5, rows, columns}, at[2] = {{0}};
                const struct layout_slice *first = &slices[i / COUNT(slices)];
                double alone =
                    fmin(columns / (double)first->width, 2.0 * rows / (double)first->height);
                double least = alone * (double)(columns % 3 + 1) / 4, kept;

                if (!layout_two(area, *first, slices[i % COUNT(slices)], least, at)) {
                    must_hold(memcmp(&at[0], &area, sizeof area) == 0, "the first has not all");
                    continue;
                }
                must_hold(at[1].rows >= 2 && at[1].columns >= 12, "%dx%d: squeezed", columns, rows);
                must_hold(at[0].rows > 0 && at[0].columns > 0 && apart(at[0], at[1]),
                          "%dx%d: overlap", columns, rows);
                for (int k = 0; k < 2; k++)
                    must_hold(at[k].row >= 3 && at[k].column >= 5 &&
                                  at[k].row + at[k].rows <= 3 + rows &&
                                  at[k].column + at[k].columns <= 5 + columns,
                              "%dx%d: slice %d leaves the area", columns, rows, k);
                alone = fmin(alone, 16);
                kept = fmin((at[0].columns + 1) / (double)first->width,
                            (2.0 * at[0].rows + 1) / (double)first->height);
                must_hold(kept >= fmin(0.8 * alone, least), "%dx%d: the first has %g of %g",
                          columns, rows, kept, alone);
            }
}
END_TEST

/* --- how large pictures are ------------------------------------------------------------------- */

/* The lattice in columns of fixed widths: at least as large is what its picture must be in those
 * that are chosen by it. */
static struct rect fixed_lattice(int rows, int columns, const struct layout *layout)
{
    struct rect rect = {1, 0, rows - 3, columns};
    bool log = layout->panel[LOG].rows > 0, beside = false;
    bool pair = layout->panel[TIMING].rows > 0 && layout->panel[DEVICE].rows > 0;
    int side = columns * 3 / 8, left = rect.rows - 6, sum = 0;

    for (int i = TIMING; i <= DEVICE; i++) {
        beside |= layout->panel[i].rows > 0;
        sum += layout->panel[i].rows > 0 ? table.place[i]->least : 0;
    }
    side = side < 32 ? 32 : side > 48 ? 48 : side;
    if (rows >= 24 && columns >= 120 && (log || layout->panel[OBSERVABLES].rows > 0)) {
        int rest = columns - 2 * rect.rows;

        rest = rest > columns / 2 ? columns / 2 : rest < 48 ? 48 : rest;
        if (!pair || rest >= 80) {
            rect.columns -= rest;
            return rect;
        }
    }
    if (columns >= 72) {
        rect.columns -= beside ? side : 0;
        rect.rows -= log ? 4 + ((rect.rows - 18) / 3 < 4 ? (rect.rows - 18) / 3 : 4) : 0;
        return rect;
    }
    left -= sum + (log ? 12 : 0);
    rect.rows -= sum + (log ? 4 : 0);
    for (int i = TIMING; i <= LOG; i++) {
        int more = table.place[i]->most - table.place[i]->least;

        if (layout->panel[i].rows == 0)
            continue;
        more = more < left / 3 ? more : left / 3;
        rect.rows -= more;
        left -= more;
    }
    return rect;
}

/* The scale of the largest picture in a lattice's rectangle. */
static double scale_in(struct rect lattice, const struct layout_slice *slice)
{
    struct rect inner = layout_pictures((struct rect){0, 0, lattice.rows - 2, lattice.columns - 2});

    return fmin(
        fmin(inner.columns / (double)slice->width, 2.0 * inner.rows / (double)slice->height), 16);
}

START_TEST(no_picture_is_smaller_than_in_fixed_columns)
{
    for (int rows = LAYOUT_ROWS_MIN; rows <= ROWS_MAX; rows += rows < 70 ? 1 : 7)
        for (int columns = LAYOUT_COLUMNS_MIN; columns <= COLUMNS_MAX;
             columns += columns < 170 ? 1 : 9)
            for (unsigned mask = 1; mask < 1u << table.count; mask += 2)
                for (size_t i = 0; i < COUNT(slices); i++) {
                    bool wanted[PANELS_MAX];
                    struct layout l;
                    double now, fixed;

                    wanted_of(mask, wanted);
                    l = layout_for(rows, columns, wanted, -1, &slices[i]);
                    now = scale_in(l.panel[LATTICE], &slices[i]);
                    fixed = scale_in(fixed_lattice(rows, columns, &l), &slices[i]);
                    must_hold(now >= fixed * 0.998, "%dx%d, panels %#x, slice %d: %g, not %g",
                              columns, rows, mask, (int)i, now, fixed);
                }
}
END_TEST

static const struct {
    const char *name;
    struct ca_size size;
} lattices[] = {{"512x512", {512, 512, 1}}, {"512x256", {512, 256, 1}}, {"256x256", {256, 256, 1}},
                {"32x32", {32, 32, 1}},     {"256x20", {256, 20, 1}},   {"640x160", {640, 160, 1}},
                {"120x300", {120, 300, 1}}, {"47x31", {47, 31, 1}}};

/* The share of the largest rectangle of the slice's shape in a panel that a picture takes; and its
 * area in characters. */
static double area_used(struct rect lattice, const struct ca_size *size, bool whole, double *area)
{
    struct rect inner = layout_pictures((struct rect){0, 0, lattice.rows - 2, lattice.columns - 2});
    const struct layout_slice slice = {size->w, size->h};
    const struct raster dot = raster_of(GLYPHS_HALF, 0);
    double allowed = fmin(scale_in(lattice, &slice), 9); /* as far as cells are magnified */
    struct ca_view view = {.zoom = 1};
    struct scale scale;
    double across, down;

    picture_fit(&view, &scale, GLYPHS_HALF, *size, inner);
    if (whole)
        picture_unshare(&view, &scale);
    across = scale.across;
    down = scale.down;
    if (scale.across == 0) {
        across = (double)size->w * (scale.magnify + 1) / (double)view.zoom;
        down = (double)size->h * (scale.magnify + 1) / (double)view.zoom;
    }
    *area = across / dot.across * down / dot.down;
    return fmin(*area / (allowed * (double)size->w * allowed * (double)size->h / 2), 1);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#define TERMINALS 40
#define AREAS (TERMINALS * (int)COUNT(lattices))

/* Over forty terminals, from 40x12 on, and eight lattices. "fixed" are columns of fixed widths and
 * whole numbers of cells a point. */
START_TEST(pictures_fill_their_panels)
{
    static double used[AREAS], fixed[AREAS], gain[AREAS];
    bool print = getenv("CALAB_AREAS") != NULL;
    int n = 0;

    for (size_t i = 0; i < COUNT(lattices) && print; i++)
        printf("%s%17s", i ? "" : "terminal", lattices[i].name);
    for (int t = 0; t < TERMINALS; t++) {
        static const int columns[] = {40, 60, 80, 100, 120, 140, 160, 200};
        static const int rows[] = {12, 24, 36, 48, 60};
        int c = columns[t % 8], r = rows[t / 8];
        bool wanted[PANELS_MAX] = {true};

        layout_wants(r, c, &table, wanted);
        if (print)
            printf("\n%3dx%-3d ", c, r);
        for (size_t i = 0; i < COUNT(lattices); i++, n++) {
            const struct layout_slice slice = {lattices[i].size.w, lattices[i].size.h};
            struct layout l = layout_for(r, c, wanted, -1, &slice);
            double now, before;

            used[n] = area_used(l.panel[LATTICE], &lattices[i].size, false, &now);
            fixed[n] = area_used(fixed_lattice(r, c, &l), &lattices[i].size, true, &before);
            gain[n] = now / before;
            if (print)
                printf("   %3.0f -> %3.0f %% x%3.1f", 100 * fixed[n], 100 * used[n], gain[n]);
            must_hold(used[n] >= 0.72, "%s on %dx%d fills %g", lattices[i].name, c, r, used[n]);
            must_hold(gain[n] >= 0.97, "%s on %dx%d has shrunk to %g", lattices[i].name, c, r,
                      gain[n]);
        }
    }
    qsort(used, AREAS, sizeof *used, by_number);
    qsort(fixed, AREAS, sizeof *fixed, by_number);
    qsort(gain, AREAS, sizeof *gain, by_number);
    if (print)
        printf("\nused: median %.1f %%, least %.1f %%, tenth %.1f %%; fixed: median %.1f %%, least "
               "%.1f %%; area x%.2f at the median, x%.2f at most\n",
               100 * used[AREAS / 2], 100 * used[0], 100 * used[AREAS / 10], 100 * fixed[AREAS / 2],
               100 * fixed[0], gain[AREAS / 2], gain[AREAS - 1]);
    fflush(stdout);
    ck_assert_double_ge(used[AREAS / 2], 0.95);
    ck_assert_double_ge(used[AREAS / 10], 0.8);
    ck_assert_double_ge(gain[AREAS / 2], 1.2);
}
END_TEST

/* --- split ------------------------------------------------------------------------------------ */

static const struct layout_slice halves[] = {{512, 512}, {512, 128}, {128, 512}};

/* How large a picture is in a lattice of this size. */
static double half_picture(int rows, int columns, struct layout_slice slice)
{
    return fmin((columns - 2) / (double)slice.width, 2.0 * (rows - 2) / (double)slice.height);
}

START_TEST(split_of_all_sizes)
{
    for (int rows = 1; rows <= ROWS_MAX; rows++)
        for (int columns = 1; columns <= COLUMNS_MAX; columns++)
            for (int lines = 5; lines <= 20; lines += 5) {
                const struct layout_slice slice = halves[(rows + columns) % COUNT(halves)];
                struct layout layout = layout_split(rows, columns, lines, slice);
                bool stacked = layout.other.row > layout.panel[LATTICE].row;
                const struct rect *a = &layout.panel[LATTICE], *b = &layout.other;
                const struct rect shown[] = {
                    *a, *b, layout.compare, layout.status, layout.message, layout.hints};
                int height = layout.compare.rows;

                if (layout.too_small)
                    continue;
                must_hold(a->rows == b->rows && a->columns == b->columns, "%dx%d: unequal", columns,
                          rows);
                must_hold(a->rows >= (stacked ? 6 : 8) && a->columns >= 20,
                          "%dx%d squeezes a lattice", columns, rows);
                must_hold(stacked ? b->row == a->row + a->rows && a->columns == columns
                                  : b->column == a->column + a->columns,
                          "%dx%d: B is not beside A", columns, rows);
                must_hold(stacked || rows - 3 - height < 12 ||
                              half_picture((rows - 3 - height) / 2, columns, slice) <=
                                  1.11 * half_picture(a->rows, a->columns, slice),
                          "%dx%d: larger one below the other", columns, rows);
                must_hold(!stacked || half_picture(a->rows, a->columns, slice) >
                                          half_picture(rows - 3 - height, columns / 2, slice),
                          "%dx%d: larger side by side", columns, rows);
                must_hold(height == 1 || (height >= 6 && height <= lines + 2), "%dx%d: %d rows",
                          columns, rows, height);
                must_hold((stacked ? 2 * a->rows : a->rows) + height >= rows - 3 - stacked,
                          "%dx%d leaves rows empty", columns, rows);
                for (int i = 0; i < (int)COUNT(shown); i++) {
                    must_hold(inside(shown[i], rows, columns), "%dx%d: %d is outside", columns,
                              rows, i);
                    for (int j = 0; j < i; j++)
                        must_hold(apart(shown[i], shown[j]), "%dx%d: %d meets %d", columns, rows, i,
                                  j);
                }
            }
}
END_TEST

/* The usual terminal shows both lattices and all lines, the smallest one line. */
START_TEST(split_ordinary)
{
    const struct layout_slice square = halves[0], broad = halves[1], high = halves[2];

    ck_assert_int_eq(layout_split(24, 80, 5, square).compare.rows, 7);
    ck_assert_int_eq(layout_split(24, 80, 5, square).other.columns, 40);
    ck_assert_int_eq(layout_split(24, 80, 5, square).other.rows, 14);
    ck_assert_int_eq(layout_split(60, 200, 14, square).compare.rows, 16);
    ck_assert_int_eq(layout_split(12, 40, 5, square).compare.rows, 1);
    ck_assert_int_eq(layout_split(12, 40, 5, square).other.rows, 8);
    ck_assert(layout_split(11, 80, 5, square).too_small);
    /* A wide lattice is larger above another, and so is any where the screen is high. */
    ck_assert_int_eq(layout_split(24, 80, 5, (struct layout_slice){512, 64}).other.columns, 80);
    ck_assert_int_eq(layout_split(24, 80, 5, (struct layout_slice){512, 64}).other.row, 8);
    ck_assert_int_eq(layout_split(60, 200, 14, broad).other.columns, 200);
    ck_assert_int_eq(layout_split(60, 60, 5, square).other.columns, 60);
    ck_assert_int_eq(layout_split(60, 200, 14, square).other.columns, 100);
    ck_assert_int_eq(layout_split(60, 200, 14, high).other.columns, 100);
}
END_TEST

int main(void)
{
    static const char *const names[] = {"lattice", "timing", "observables", "device", "log"};

    for (int i = 0; workbench_parts[i]; i++)
        if (workbench_parts[i]->draw && table.count <= LOG &&
            strcmp(workbench_parts[i]->name, names[table.count]) == 0)
            table.place[table.count++] = &workbench_parts[i]->place;
    return RUN_TESTS(.test = {all_sizes, all_sets_of_panels, full_screen, more_panels, smallest,
                              limits, ordinary, wide, two_slices,
                              no_picture_is_smaller_than_in_fixed_columns,
                              pictures_fill_their_panels, split_of_all_sizes, split_ordinary});
}
