/* SPDX-License-Identifier: MIT */
/* The workbench's layout over all terminal sizes and all sets of panels. */
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/terminal/layout.h"

#define ROWS_MAX 200
#define COLUMNS_MAX 500

/* The panels of the workbench. */
enum { LATTICE, TIMING, OBSERVABLES, DEVICE, LOG };

static struct panel_table table;

static struct layout layout_of(int rows, int columns, const bool wanted[PANELS_MAX], int full)
{
    return layout_make(rows, columns, &table, wanted, full);
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

/* ck_assert_msg reports each success to the parent process, which is too slow for millions. */
#define must(condition, ...)                                                                       \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)

/* Every shown panel was wanted, lies on the screen and overlaps no other one. */
static void check_layout(int rows, int columns, unsigned mask, int full)
{
    bool wanted[PANELS_MAX];
    struct rect shown[PANELS_MAX + 3];
    struct layout layout;
    int count = 0;
    char where[80];

    wanted_of(mask, wanted);
    snprintf(where, sizeof where, "%dx%d, panels %#x, full %d", columns, rows, mask, full);
    layout = layout_of(rows, columns, wanted, full);
    if (rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN) {
        must(layout.too_small, "%s is too small", where);
        return;
    }
    must(!layout.too_small, "%s is large enough", where);
    shown[count++] = layout.status;
    shown[count++] = layout.message;
    shown[count++] = layout.hints;
    for (int i = 0; i < table.count; i++) {
        if (layout.panel[i].rows == 0)
            continue;
        must(full >= 0 ? i == full : wanted[i], "%s shows panel %d", where, i);
        must(layout.panel[i].rows >= 3 && layout.panel[i].columns >= 20, "%s squeezes panel %d",
             where, i);
        shown[count++] = layout.panel[i];
    }
    for (int i = 0; i < count; i++) {
        must(inside(shown[i], rows, columns), "%s: rectangle %d leaves the screen", where, i);
        for (int j = 0; j < i; j++)
            must(apart(shown[i], shown[j]), "%s: rectangles %d and %d overlap", where, i, j);
    }
    /* Panels are removed in this order. */
    for (int i = 1; i < table.count && full < 0; i++)
        for (int j = 0; j < i; j++)
            must(!(layout.panel[i].rows > 0 && wanted[j] && layout.panel[j].rows == 0),
                 "%s shows panel %d but not panel %d", where, i, j);
}

START_TEST(all_sizes)
{
    for (int rows = 1; rows <= ROWS_MAX; rows++)
        for (int columns = 1; columns <= COLUMNS_MAX; columns++) {
            check_layout(rows, columns, 0x1f, -1);
            check_layout(rows, columns, 0x07, -1);
        }
}
END_TEST

START_TEST(all_sets_of_panels)
{
    for (unsigned mask = 0; mask < 1u << table.count; mask++)
        for (int rows = 1; rows <= 70; rows++)
            for (int columns = 30; columns <= 210; columns += 3)
                check_layout(rows, columns, mask, -1);
}
END_TEST

START_TEST(full_screen)
{
    for (int full = 0; full < table.count; full++)
        for (int rows = 1; rows <= 70; rows += 3)
            for (int columns = 30; columns <= 210; columns += 9)
                check_layout(rows, columns, 0x1f, full);
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
                    check_layout(rows, columns, mask, -1);
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
    /* 27 rows, 14 of the lattice and 4 of the log: of the 9 that are left the log gets a third */
    memset(wanted, 0, sizeof wanted);
    wanted[LATTICE] = wanted[LOG] = true;
    layout = layout_of(30, 80, wanted, -1);
    ck_assert_int_eq(layout.panel[LOG].rows, 7);
    ck_assert_int_eq(layout.panel[LATTICE].rows, 20);
}
END_TEST

START_TEST(ordinary)
{
    static const bool wanted[PANELS_MAX] = {true, true, true, true, false};
    struct layout layout = layout_of(24, 80, wanted, -1);

    ck_assert_int_gt(layout.panel[LATTICE].columns, 40);
    ck_assert_int_gt(layout.panel[TIMING].rows, 0);
    ck_assert_int_gt(layout.panel[OBSERVABLES].rows, 0);
    ck_assert_int_gt(layout.panel[DEVICE].rows, 0);
    /* The panels fill all rows but the three lines. */
    ck_assert_int_eq(layout.panel[LATTICE].rows, 21);
    ck_assert_int_eq(
        layout.panel[TIMING].rows + layout.panel[OBSERVABLES].rows + layout.panel[DEVICE].rows, 21);
}
END_TEST

/* A wide screen: the lattice gets what a square of cells needs, and the rest has all panels. */
START_TEST(wide)
{
    static const bool all[PANELS_MAX] = {true, true, true, true, true};
    static const bool plots[PANELS_MAX] = {true, true, true};
    struct layout l = layout_of(60, 200, all, -1);
    const struct rect *p = l.panel;

    ck_assert_int_eq(p[LATTICE].rows, 57);
    ck_assert_int_eq(p[LATTICE].columns, 2 * 57);
    ck_assert_int_eq(l.side.columns, 200 - 2 * 57);
    ck_assert_int_eq(p[TIMING].row, p[DEVICE].row);
    ck_assert_int_eq(p[TIMING].columns + p[DEVICE].columns, l.side.columns);
    ck_assert_int_ge(p[OBSERVABLES].rows, 30);
    ck_assert_int_eq(p[OBSERVABLES].columns, l.side.columns);
    ck_assert_int_eq(p[TIMING].rows + p[OBSERVABLES].rows + p[LOG].rows, 57);
    /* Timing and device lie side by side as soon as each has 40 columns. */
    l = layout_of(43, 160, all, -1);
    ck_assert_int_eq(l.side.columns, 80);
    l = layout_of(44, 160, all, -1);
    ck_assert_int_eq(l.side.rows, 0);
    l = layout_of(24, 200, plots, -1);
    ck_assert_int_eq(p[LATTICE].columns, 100);
    ck_assert_int_eq(p[TIMING].rows + p[OBSERVABLES].rows, 21);
    for (int rows = LAYOUT_ROWS_MIN; rows <= ROWS_MAX; rows++)
        for (int columns = 120; columns <= COLUMNS_MAX; columns++) {
            l = layout_of(rows, columns, all, -1);
            must(p[LATTICE].columns * 2 >= columns, "%dx%d: lattice of %d columns", columns, rows,
                 p[LATTICE].columns);
            must(l.side.rows == 0 || p[LOG].rows > 0, "%dx%d lacks a panel", columns, rows);
        }
}
END_TEST

/* --- split ------------------------------------------------------------------------------------ */

START_TEST(split_of_all_sizes)
{
    for (int rows = 1; rows <= ROWS_MAX; rows++)
        for (int columns = 1; columns <= COLUMNS_MAX; columns++)
            for (int lines = 5; lines <= 20; lines += 5) {
                struct layout layout = layout_split(rows, columns, lines);
                const struct rect *a = &layout.panel[LATTICE], *b = &layout.other;
                const struct rect shown[] = {
                    *a, *b, layout.compare, layout.status, layout.message, layout.hints};
                int height = layout.compare.rows;

                if (layout.too_small)
                    continue;
                must(a->rows == b->rows && a->columns == b->columns, "%dx%d: unequal", columns,
                     rows);
                must(a->rows >= 8 && a->columns >= 20, "%dx%d squeezes a lattice", columns, rows);
                must(height == 1 || (height >= 6 && height <= lines + 2), "%dx%d: %d rows", columns,
                     rows, height);
                must(a->rows + height == rows - 3, "%dx%d leaves rows empty", columns, rows);
                for (int i = 0; i < (int)COUNT(shown); i++) {
                    must(inside(shown[i], rows, columns), "%dx%d: %d is outside", columns, rows, i);
                    for (int j = 0; j < i; j++)
                        must(apart(shown[i], shown[j]), "%dx%d: %d meets %d", columns, rows, i, j);
                }
            }
}
END_TEST

/* The usual terminal shows both lattices and all lines, the smallest one line. */
START_TEST(split_ordinary)
{
    ck_assert_int_eq(layout_split(24, 80, 5).compare.rows, 7);
    ck_assert_int_eq(layout_split(24, 80, 5).other.columns, 40);
    ck_assert_int_eq(layout_split(24, 80, 5).other.rows, 14);
    ck_assert_int_eq(layout_split(60, 200, 14).compare.rows, 16);
    ck_assert_int_eq(layout_split(12, 40, 5).compare.rows, 1);
    ck_assert_int_eq(layout_split(12, 40, 5).other.rows, 8);
    ck_assert(layout_split(11, 80, 5).too_small);
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
                              limits, ordinary, wide, split_of_all_sizes, split_ordinary});
}
