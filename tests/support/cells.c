/* SPDX-License-Identifier: MIT */
/* Owns how tests look at the cells of libvterm. */
#include "tests/support/cells.h"

#include <check.h>
#include <stdlib.h>
#include <vterm.h>

#include "tests/support/support.h"

static int colour(const VTermColor *colour)
{
    if (VTERM_COLOR_IS_DEFAULT_FG(colour) || VTERM_COLOR_IS_DEFAULT_BG(colour))
        return -1;
    must_hold(VTERM_COLOR_IS_INDEXED(colour), "a colour that is no index");
    return colour->indexed.idx;
}

static struct cells cells_in(const VTermScreen *screen, int rows, int columns)
{
    struct cells cells = {rows, columns,
                          calloc((size_t)rows * (size_t)columns, sizeof *cells.cell)};

    ck_assert_ptr_nonnull(cells.cell);
    for (int i = 0; i < rows * columns; i++) {
        VTermScreenCell cell = {.width = 1};

        vterm_screen_get_cell(screen, (VTermPos){i / columns, i % columns}, &cell);
        cells.cell[i] = (struct cell){.character = cell.chars[0] ? cell.chars[0] : ' ',
                                      .front = colour(&cell.fg),
                                      .back = colour(&cell.bg),
                                      .bold = cell.attrs.bold,
                                      .underline = cell.attrs.underline,
                                      .reverse = cell.attrs.reverse};
    }
    return cells;
}

struct cells cells_of(struct screen *screen)
{
    return cells_in(screen_terminal(screen), screen_rows(screen), screen_columns(screen));
}

#define FULL_BLOCK 0x2588

/* The front of a blank is seen where something is drawn in it alone, and the back of a block where
 * it is the front. */
static bool shows_front(struct cell cell)
{
    return (cell.character != 0 && cell.character != ' ') || cell.underline || cell.reverse;
}

static bool shows_back(struct cell cell) { return cell.character != FULL_BLOCK || cell.reverse; }

static bool is_same(struct cell a, struct cell b)
{
    return a.character == b.character && (!shows_front(a) || a.front == b.front) &&
           (!shows_back(a) || a.back == b.back) && a.bold == b.bold && a.underline == b.underline &&
           a.reverse == b.reverse;
}

bool cells_equal(const struct cells *a, const struct cells *b)
{
    if (a->rows != b->rows || a->columns != b->columns)
        return false;
    for (int i = 0; i < a->rows * a->columns; i++)
        if (!is_same(a->cell[i], b->cell[i]))
            return false;
    return true;
}

void cells_expect_equal(const struct cells *found, const struct cells *expected)
{
    ck_assert_int_eq(found->rows, expected->rows);
    ck_assert_int_eq(found->columns, expected->columns);
    for (int i = 0; i < found->rows * found->columns; i++) {
        struct cell a = found->cell[i], b = expected->cell[i];

        must_hold(is_same(a, b),
                  "row %d, column %d: U+%04X in %d on %d%s%s, expected U+%04X in %d on %d%s%s",
                  i / found->columns, i % found->columns, a.character, a.front, a.back,
                  a.bold ? " bold" : "", a.reverse ? " reverse" : "", b.character, b.front, b.back,
                  b.bold ? " bold" : "", b.reverse ? " reverse" : "");
    }
}

int cells_coloured(const struct cells *cells)
{
    int count = 0;

    for (int i = 0; i < cells->rows * cells->columns; i++)
        count += cells->cell[i].front >= 0 || cells->cell[i].back >= 0;
    return count;
}

void cells_free(struct cells *cells)
{
    free(cells->cell);
    *cells = (struct cells){0};
}

/* --- fed terminals ---------------------------------------------------------------------------- */

struct fed {
    VTerm *vterm;
    int rows, columns;
};

struct fed *fed_new(int rows, int columns, bool utf8)
{
    struct fed *fed = malloc(sizeof *fed);

    ck_assert_ptr_nonnull(fed);
    *fed = (struct fed){vterm_new(rows, columns), rows, columns};
    vterm_set_utf8(fed->vterm, utf8);
    vterm_screen_enable_altscreen(vterm_obtain_screen(fed->vterm), 1);
    vterm_screen_reset(vterm_obtain_screen(fed->vterm), 1);
    return fed;
}

void fed_bytes(struct fed *fed, const char *bytes, size_t count)
{
    vterm_input_write(fed->vterm, bytes, count);
}

void fed_resize(struct fed *fed, int rows, int columns)
{
    fed->rows = rows;
    fed->columns = columns;
    vterm_set_size(fed->vterm, rows, columns);
}

struct cells fed_cells(struct fed *fed)
{
    return cells_in(vterm_obtain_screen(fed->vterm), fed->rows, fed->columns);
}

void fed_free(struct fed *fed)
{
    vterm_free(fed->vterm);
    free(fed);
}
