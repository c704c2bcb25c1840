/* SPDX-License-Identifier: MIT */
#include "tests/support/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

#define FRONT 0xd0d0d0 /* the terminal's own colours */
#define BACK 0x101014

enum { W = SVG_CELL_WIDTH, H = SVG_CELL_HEIGHT };

/* --- colours ---------------------------------------------------------------------------------- */

static const unsigned basic[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x3465c8, 0xcd00cd,
                                   0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff5555, 0x55ff55, 0xffff55,
                                   0x7ba2ff, 0xff55ff, 0x55ffff, 0xffffff};

unsigned svg_colour(int number)
{
    static const unsigned levels[6] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};

    if (number < 16)
        return basic[number];
    if (number >= 232)
        return 0x010101 * (8 + 10 * (unsigned)(number - 232));
    number -= 16;
    return levels[number / 36] << 16 | levels[number / 6 % 6] << 8 | levels[number % 6];
}

static unsigned front_of(const struct cell *cell)
{
    if (cell->reverse)
        return cell->back < 0 ? BACK : svg_colour(cell->back);
    return cell->front < 0 ? FRONT : svg_colour(cell->front);
}

static unsigned back_of(const struct cell *cell)
{
    if (cell->reverse)
        return cell->front < 0 ? FRONT : svg_colour(cell->front);
    return cell->back < 0 ? BACK : svg_colour(cell->back);
}

/* --- shapes, a path for each colour ----------------------------------------------------------- */

#define COLOURS_MAX 280

struct path {
    unsigned colour;
    FILE *file;
    char *text;
    size_t count;
    int x, y, width, height; /* the last rectangle, which may grow to the right */
};

struct paths {
    struct path path[COLOURS_MAX];
    int count;
};

static void path_end_rectangle(struct path *path)
{
    if (path->width)
        fprintf(path->file, "M%d %dh%dv%dH%dz", path->x, path->y, path->width, path->height,
                path->x);
    path->width = 0;
}

static struct path *path_of(struct paths *paths, unsigned colour)
{
    for (int i = 0; i < paths->count; i++)
        if (paths->path[i].colour == colour)
            return &paths->path[i];
    ck_assert_int_lt(paths->count, COLOURS_MAX);
    struct path *path = &paths->path[paths->count++];

    path->colour = colour;
    path->file = open_memstream(&path->text, &path->count);
    ck_assert_ptr_nonnull(path->file);
    return path;
}

static void rectangle(struct paths *paths, unsigned colour, int x, int y, int width, int height)
{
    struct path *path = path_of(paths, colour);

    if (path->width && path->y == y && path->height == height && path->x + path->width == x) {
        path->width += width;
        return;
    }
    path_end_rectangle(path);
    path->x = x;
    path->y = y;
    path->width = width;
    path->height = height;
}

static void paths_write(struct paths *paths, FILE *out)
{
    for (int i = 0; i < paths->count; i++) {
        struct path *path = &paths->path[i];

        path_end_rectangle(path);
        fclose(path->file);
        fprintf(out, "<path fill=\"#%06x\" d=\"%s\"/>\n", path->colour, path->text);
        free(path->text);
    }
}

/* --- characters that are shapes --------------------------------------------------------------- */

/* The arms of a line from the middle of its cell: up, right, down, left. */
static const struct {
    uint32_t character;
    char arms[5];
} lines[] = {{0x2500, ".r.l"}, {0x2502, "u.d."}, {0x250c, ".rd."}, {0x2510, "..dl"},
             {0x2514, "ur.."}, {0x2518, "u..l"}, {0x251c, "urd."}, {0x2524, "u.dl"},
             {0x252c, ".rdl"}, {0x2534, "ur.l"}, {0x253c, "urdl"}};

static bool draw_line(struct paths *paths, const struct cell *cell, int x, int y)
{
    const unsigned colour = front_of(cell);

    for (size_t i = 0; i < COUNT(lines); i++) {
        const char *arms = lines[i].arms;

        if (lines[i].character != cell->character)
            continue;
        if (arms[3] == 'l') /* which goes on with the cell before */
            rectangle(paths, colour, x, y + H / 2, W / 2, 1);
        if (arms[0] == 'u')
            rectangle(paths, colour, x + W / 2, y, 1, H / 2);
        if (arms[2] == 'd')
            rectangle(paths, colour, x + W / 2, y + H / 2, 1, H / 2);
        if (arms[1] == 'r')
            rectangle(paths, colour, x + W / 2, y + H / 2, W / 2, 1);
        return true;
    }
    return false;
}

static bool draw_braille(struct paths *paths, const struct cell *cell, int x, int y)
{
    static const char places[8] = {0, 2, 4, 1, 3, 5, 6, 7}; /* 2 * row + column, by bit */

    if (cell->character < 0x2800 || cell->character > 0x28ff)
        return false;
    for (int bit = 0; bit < 8; bit++)
        if ((cell->character - 0x2800) >> bit & 1)
            rectangle(paths, front_of(cell), x + places[bit] % 2 * W / 2 + 1,
                      y + places[bit] / 2 * H / 4 + 1, 2, 2);
    return true;
}

static bool draw_block(struct paths *paths, const struct cell *cell, int x, int y)
{
    const uint32_t c = cell->character;
    const unsigned colour = front_of(cell);

    if (c == 0x2580)
        rectangle(paths, colour, x, y, W, H / 2);
    else if (c >= 0x2581 && c <= 0x2588)
        rectangle(paths, colour, x, y + H - (int)(c - 0x2580) * H / 8, W,
                  (int)(c - 0x2580) * H / 8);
    else if (c >= 0x2589 && c <= 0x258f)
        rectangle(paths, colour, x, y, (int)(0x2590 - c) * W / 8, H);
    else if (c == 0x2590)
        rectangle(paths, colour, x + W / 2, y, W / 2, H);
    else
        return false;
    return true;
}

static bool is_text(uint32_t c)
{
    if (c <= ' ' || (c >= 0x2580 && c <= 0x2590) || (c >= 0x2800 && c <= 0x28ff))
        return false;
    for (size_t i = 0; i < COUNT(lines); i++)
        if (lines[i].character == c)
            return false;
    return true;
}

/* --- text ------------------------------------------------------------------------------------- */

static void put_character(FILE *out, uint32_t c)
{
    if (c == '&')
        fputs("&amp;", out);
    else if (c == '<')
        fputs("&lt;", out);
    else if (c < 0x80)
        fputc((int)c, out);
    else
        fprintf(out, "&#%u;", c);
}

static bool is_alike(const struct cell *a, const struct cell *b)
{
    return front_of(a) == front_of(b) && a->bold == b->bold;
}

/* Writes words from a cell on, as far as they look the same. Returns how many cells they have. */
static int put_run(FILE *out, const struct cell *cell, int most, int x, int y)
{
    int count = 1;

    while (count < most && is_alike(&cell[count], cell) &&
           (is_text(cell[count].character) ||
            (cell[count].character == ' ' && count + 1 < most &&
             is_text(cell[count + 1].character) && is_alike(&cell[count + 1], cell))))
        count++;
    fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s>", x, y + H - 4,
            count * W, front_of(cell), cell->bold ? " font-weight=\"bold\"" : "");
    for (int i = 0; i < count; i++)
        put_character(out, cell[i].character);
    fputs("</text>\n", out);
    return count;
}

const char *svg_of(const struct cells *cells, const char *title)
{
    static struct paths backs, fronts;
    char *text = NULL;
    size_t count;
    FILE *out = open_memstream(&text, &count);
    const int width = cells->columns * W, height = cells->rows * H;

    ck_assert_ptr_nonnull(out);
    memset(&backs, 0, sizeof backs);
    memset(&fronts, 0, sizeof fronts);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" role=\"img\">\n"
            "<title>%s</title>\n"
            "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n"
            "<g transform=\"translate(%d %d)\" shape-rendering=\"crispEdges\">\n",
            width + 2 * SVG_MARGIN, height + 2 * SVG_MARGIN, title, BACK, SVG_MARGIN, SVG_MARGIN);
    for (int i = 0; i < cells->rows * cells->columns; i++) {
        const struct cell *cell = &cells->cell[i];
        const int x = i % cells->columns * W, y = i / cells->columns * H;

        if (back_of(cell) != BACK)
            rectangle(&backs, back_of(cell), x, y, W, H);
        if (!draw_line(&fronts, cell, x, y) && !draw_braille(&fronts, cell, x, y))
            draw_block(&fronts, cell, x, y);
    }
    paths_write(&backs, out);
    paths_write(&fronts, out);
    fprintf(out,
            "</g>\n<g transform=\"translate(%d %d)\" xml:space=\"preserve\" font-size=\"13\" "
            "font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\">\n",
            SVG_MARGIN, SVG_MARGIN);
    for (int row = 0; row < cells->rows; row++)
        for (int column = 0; column < cells->columns; column++) {
            const struct cell *cell = &cells->cell[row * cells->columns + column];

            if (is_text(cell->character))
                column += put_run(out, cell, cells->columns - column, column * W, row * H) - 1;
        }
    fputs("</g>\n</svg>\n", out);
    fclose(out);
    return test_keep(text);
}
