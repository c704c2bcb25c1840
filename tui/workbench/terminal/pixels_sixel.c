/* SPDX-License-Identifier: MIT */
/*
 * Sixel graphics: a picture is a string (DCS) of bands that are six pixels high. A band has a row
 * of characters for each colour that stands in it, and the six bits of a character are the pixels
 * below each other. What is sent begins and ends with whole cells of the screen, since writing a
 * character is what takes the pixels of its cell away: cells without text over them hold a space of
 * their own, which curses writes nowhere else, and rectangles of them are sent, so that no text is
 * painted over.
 */
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "tui/workbench/terminal/pixels_inside.h"

/* Spaces that pictures alone have, each of the same width in a terminal: U+2000 ... U+2008. */
#define SPACE 0x2000
#define SPACES 9
#define BAND 6
#define REPEAT_LEAST 4 /* "!4x" is no longer than "xxxx" */

/* How many colours there are, and how large a picture may be. */
void sixel_ask(FILE *out) { fputs("\033[?1;1;0S\033[?2;1;0S", out); }

/* --- cells ------------------------------------------------------------------------------------ */

/* Rows that curses took for alike it would scroll, and write their cells anew. */
void sixel_cells(const struct pixels *pixels)
{
    const struct rect at = pixels->picture[pixels->count - 1].at;

    for (int row = 0; row < at.rows; row++) {
        const wchar_t text[2] = {SPACE + (at.row + row) % SPACES, 0};
        cchar_t cell;

        setcchar(&cell, text, A_NORMAL, 0, NULL);
        for (int column = 0; column < at.columns; column++)
            mvadd_wch(at.row + row, at.column + column, &cell);
    }
}

static bool is_space(const wchar_t *text)
{
    return text[0] >= SPACE && text[0] < SPACE + SPACES && !text[1];
}

void pixels_look(struct pixels *pixels)
{
    int row, column;

    if (pixels->protocol != PIXELS_SIXEL)
        return;
    getyx(stdscr, row, column);
    for (int i = 0; i < pixels->count; i++) {
        struct pixels_picture *picture = &pixels->picture[i];
        const struct rect at = picture->at;

        for (int cell = 0; picture->open && cell < at.rows * at.columns; cell++) {
            wchar_t text[CCHARW_MAX + 1] = {0};
            attr_t attributes;
            short pair;
            cchar_t wide;

            picture->open[cell] =
                mvin_wch(at.row + cell / at.columns, at.column + cell % at.columns, &wide) == OK &&
                getcchar(&wide, text, &attributes, &pair, NULL) == OK && is_space(text);
        }
    }
    move(row, column);
}

int pixels_spaces(const char *bytes, size_t count, char last[2])
{
    int spaces = 0;

    for (size_t i = 0; i < count; i++) {
        const unsigned char byte = (unsigned char)bytes[i];

        spaces += last[0] == '\xe2' && last[1] == '\x80' && byte >= 0x80 && byte < 0x80 + SPACES;
        last[0] = last[1];
        last[1] = bytes[i];
    }
    return spaces;
}

/* --- colours ---------------------------------------------------------------------------------- */

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;

    for (int shift = 0; shift < 24; shift += 8) {
        int by = (int)(a >> shift & 255) - (int)(b >> shift & 255);

        sum += by * by;
    }
    return sum;
}

/* The colours that the terminal has registers for: those of most dots. A colour is told by the
 * register at its number, `of`, which of those that are left out is that of the nearest. */
struct registers {
    int count;
    uint8_t colour[PIXELS_COLOURS], of[PIXELS_COLOURS];
};

static void registers_make(struct registers *registers, const struct pixels *pixels,
                           const struct bitmap *bitmap)
{
    int most = pixels->registers < PIXELS_COLOURS ? pixels->registers : PIXELS_COLOURS;
    size_t dots[PIXELS_COLOURS] = {0};

    memset(registers, 0, sizeof *registers);
    for (size_t i = 0; i < (size_t)bitmap->width * (size_t)bitmap->height; i++)
        dots[bitmap->dot[i] % PIXELS_COLOURS]++;
    for (; registers->count < most; registers->count++) {
        int next = 0;

        for (int i = 1; i < PIXELS_COLOURS; i++)
            next = dots[i] > dots[next] ? i : next;
        if (dots[next] == 0)
            return;
        dots[next] = 0;
        registers->colour[registers->count] = (uint8_t)next;
        registers->of[next] = (uint8_t)registers->count;
    }
    for (int i = 0; i < PIXELS_COLOURS; i++)
        for (int r = 0; dots[i] > 0 && r < registers->count; r++)
            if (distance(pixels->colours[i], pixels->colours[registers->colour[r]]) <
                distance(pixels->colours[i], pixels->colours[registers->colour[registers->of[i]]]))
                registers->of[i] = (uint8_t)r;
}

static int percent(uint32_t colour, int shift)
{
    return (int)(((colour >> shift & 255) * 100 + 127) / 255);
}

/* --- bands ------------------------------------------------------------------------------------ */

/* A part of a picture, in pixels. */
struct pixel_part {
    const struct bitmap *bitmap;
    int left, top, width, height;
    int whole_width, whole_height; /* of the picture */
};

/* The registers of a row's pixels. */
static void row_make(const struct pixel_part *part, const struct registers *registers, int y,
                     uint8_t *row)
{
    const struct bitmap *b = part->bitmap;
    const uint8_t *dot =
        b->dot +
        (size_t)((int64_t)(part->top + y) * b->height / part->whole_height) * (size_t)b->width;

    for (int x = 0; x < part->width; x++)
        row[x] = registers->of[dot[(int64_t)(part->left + x) * b->width / part->whole_width] %
                               PIXELS_COLOURS];
}

static void run_put(int bits, int length, FILE *out)
{
    if (length >= REPEAT_LEAST)
        fprintf(out, "!%d", length), length = 1;
    while (length-- > 0)
        fputc('?' + bits, out);
}

/* The pixels of a band that are of one colour; of the last ones, which are not, nothing is said. */
static void colour_put(const uint8_t *rows, int width, int height, int colour, FILE *out)
{
    int run = 0, last = 0;

    for (int x = 0; x < width; x++) {
        int bits = 0;

        for (int y = 0; y < height; y++)
            bits |= (rows[(size_t)y * (size_t)width + (size_t)x] == colour) << y;
        if (bits != last) {
            run_put(last, run, out);
            run = 0;
        }
        last = bits;
        run++;
    }
    if (last)
        run_put(last, run, out);
}

static void band_put(const uint8_t *rows, int width, int height, int colours, FILE *out)
{
    bool has[PIXELS_COLOURS] = {false}, first = true;

    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        has[rows[i]] = true;
    for (int colour = 0; colour < colours; colour++)
        if (has[colour]) {
            fprintf(out, first ? "#%d" : "$#%d", colour);
            colour_put(rows, width, height, colour, out);
            first = false;
        }
}

/* Sends a part of a picture. All of its pixels have a colour: where the background shone through,
 * so would the picture before. */
static void part_put(const struct pixels *pixels, const struct pixel_part *part,
                     const struct registers *registers, FILE *out)
{
    uint8_t *rows = malloc((size_t)BAND * (size_t)part->width);

    if (!rows)
        return;
    fprintf(out, "\033P0;1q\"1;1;%d;%d", part->width, part->height);
    for (int i = 0; i < registers->count; i++) {
        uint32_t colour = pixels->colours[registers->colour[i]];

        fprintf(out, "#%d;2;%d;%d;%d", i, percent(colour, 16), percent(colour, 8),
                percent(colour, 0));
    }
    for (int y = 0; y < part->height; y += BAND) {
        int height = part->height - y < BAND ? part->height - y : BAND;

        for (int i = 0; i < height; i++)
            row_make(part, registers, y + i, rows + (size_t)i * (size_t)part->width);
        if (y > 0)
            fputc('-', out);
        band_put(rows, part->width, height, registers->count, out);
    }
    fputs("\033\\", out);
    free(rows);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The end of a run of cells of a row without text over them, which goes to the next multiple of
 * `most` columns at most. */
static int run_end(const struct pixels_picture *picture, int row, int column, int most)
{
    const uint8_t *open = picture->open + (size_t)row * (size_t)picture->at.columns;
    int end = column;

    while (end < picture->at.columns && (end == column || end % most != 0) && open[end])
        end++;
    return end;
}

/* Whether a row has exactly this run of cells. */
static bool has_run(const struct pixels_picture *picture, int row, int from, int end, int most)
{
    const uint8_t *open = picture->open + (size_t)row * (size_t)picture->at.columns;

    return (from == 0 || !open[from - 1] || from % most == 0) &&
           run_end(picture, row, from, most) == end;
}

/* The rows of cells whose dots the terminal does not have; all of them where it has none, or might
 * lose the first parts that it was sent. */
static void rows_due(const struct pixels *pixels, const struct pixels_picture *picture, int *first,
                     int *last)
{
    const struct bitmap *b = &picture->bitmap;
    const size_t row = (size_t)(b->height / picture->at.rows) * (size_t)b->width;

    *first = 0;
    *last = picture->at.rows - 1;
    if (!picture->has || picture->sent_width != b->width || picture->sent_height != b->height ||
        pixels->parts - picture->sent_part >= PIXELS_PARTS_KEPT)
        return;
    while (*first < *last &&
           memcmp(b->dot + (size_t)*first * row, picture->sent + (size_t)*first * row, row) == 0)
        ++*first;
    while (*last > *first &&
           memcmp(b->dot + (size_t)*last * row, picture->sent + (size_t)*last * row, row) == 0)
        --*last;
}

/* Sends the rectangles of cells of some rows, each as low as its run of cells goes on. */
void sixel_put(struct pixels *pixels, int number, FILE *out)
{
    struct pixels_picture *picture = &pixels->picture[number];
    const struct rect at = picture->at;
    const int wide = pixels->cell_width, high = pixels->cell_height;
    const int columns_most = pixels->most_width >= wide ? pixels->most_width / wide : at.columns;
    const int rows_most = pixels->most_height >= high ? pixels->most_height / high : at.rows;
    struct registers registers;
    int first, last, rows;

    rows_due(pixels, picture, &first, &last);
    if (first == 0 && last == at.rows - 1)
        picture->sent_part = pixels->parts;
    registers_make(&registers, pixels, &picture->bitmap);
    for (int row = first; row <= last; row++)
        for (int column = 0, end; column<at.columns; column = end> column ? end : column + 1) {
            end = run_end(picture, row, column, columns_most);
            if (end == column || (row > first && (row - first) % rows_most != 0 &&
                                  has_run(picture, row - 1, column, end, columns_most)))
                continue; /* this run belongs to the one above */
            for (rows = 1; row + rows <= last && (row + rows - first) % rows_most != 0 &&
                           has_run(picture, row + rows, column, end, columns_most);
                 rows++)
                ;
            fprintf(out, "\033[%d;%dH", at.row + row + 1, at.column + column + 1);
            part_put(pixels,
                     &(struct pixel_part){&picture->bitmap, column * wide, row * high,
                                          (end - column) * wide, rows * high, at.columns * wide,
                                          at.rows * high},
                     &registers, out);
            pixels->parts++;
        }
}
