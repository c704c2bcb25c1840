/* SPDX-License-Identifier: MIT */
/*
 * Kitty's graphics protocol: a picture is sent as PNG, in base64, in sequences (APC) of at most
 * 4096 characters, for a virtual placement of so many rows and columns. Cells of the screen that
 * hold the placeholder U+10EEEE show a part of it each: its number is their colour, and diacritics
 * count row, column and the highest byte of the number.
 */
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <zlib.h>

#include "tui/workbench/terminal/base64.h"
#include "tui/workbench/terminal/pixels_inside.h"

#define PLACEHOLDER 0x10eeee
#define CHUNK 3072 /* bytes, that is 4096 characters */

uint32_t pixels_diacritic(int n)
{
    /* Those of combining class 230 in Unicode 6.0 that have no decomposition and take part in no
     * composition, as the protocol numbers them: the first of a run, and how many. */
    static const struct {
        uint32_t first;
        int count;
    } runs[] = {{0x305, 1},   {0x30d, 2},  {0x310, 1},   {0x312, 1},   {0x33d, 3},   {0x346, 1},
                {0x34a, 3},   {0x350, 3},  {0x357, 1},   {0x35b, 1},   {0x363, 13},  {0x483, 5},
                {0x592, 4},   {0x597, 3},  {0x59c, 6},   {0x5a8, 2},   {0x5ab, 2},   {0x5af, 1},
                {0x5c4, 1},   {0x610, 8},  {0x657, 5},   {0x65d, 2},   {0x6d6, 7},   {0x6df, 4},
                {0x6e4, 1},   {0x6e7, 2},  {0x6eb, 2},   {0x730, 1},   {0x732, 2},   {0x735, 2},
                {0x73a, 1},   {0x73d, 1},  {0x73f, 3},   {0x743, 1},   {0x745, 1},   {0x747, 1},
                {0x749, 2},   {0x7eb, 7},  {0x7f3, 1},   {0x816, 4},   {0x81b, 9},   {0x825, 3},
                {0x829, 5},   {0x951, 1},  {0x953, 2},   {0xf82, 2},   {0xf86, 2},   {0x135d, 3},
                {0x17dd, 1},  {0x193a, 1}, {0x1a17, 1},  {0x1a75, 8},  {0x1b6b, 1},  {0x1b6d, 7},
                {0x1cd0, 3},  {0x1cda, 2}, {0x1ce0, 1},  {0x1dc0, 2},  {0x1dc3, 7},  {0x1dcb, 2},
                {0x1dd1, 22}, {0x1dfe, 1}, {0x20d0, 2},  {0x20d4, 4},  {0x20db, 2},  {0x20e1, 1},
                {0x20e7, 1},  {0x20e9, 1}, {0x20f0, 1},  {0x2cef, 3},  {0x2de0, 32}, {0xa66f, 1},
                {0xa67c, 2},  {0xa6f0, 2}, {0xa8e0, 18}, {0xaab0, 1},  {0xaab2, 2},  {0xaab7, 2},
                {0xaabe, 2},  {0xaac1, 1}, {0xfe20, 7},  {0x10a0f, 1}, {0x10a38, 1}, {0x1d185, 5},
                {0x1d1aa, 4}, {0x1d242, 3}};
    size_t i = 0;

    for (; n >= runs[i].count; i++)
        n -= runs[i].count;
    return runs[i].first + (uint32_t)n;
}

void kitty_cells(const struct pixels *pixels)
{
    const struct rect at = pixels->picture[pixels->count - 1].at;
    const unsigned id = pixels->id + (unsigned)pixels->count - 1;
    int pair = alloc_pair((int)(id & 0xffffff), -1);
    wchar_t text[5] = {PLACEHOLDER, 0, 0, (wchar_t)pixels_diacritic((int)(id >> 24))};
    cchar_t cell;

    for (int row = 0; row < at.rows; row++)
        for (int column = 0; column < at.columns; column++) {
            text[1] = (wchar_t)pixels_diacritic(row);
            text[2] = (wchar_t)pixels_diacritic(column);
            setcchar(&cell, text, A_NORMAL, (short)(pair & 0x7fff), pair >= 0 ? &pair : NULL);
            mvadd_wch(at.row + row, at.column + column, &cell);
        }
}

void pixels_wrap(bool tmux, const char *text, FILE *out)
{
    if (!tmux) {
        fputs(text, out);
        return;
    }
    fputs("\033Ptmux;", out);
    for (; *text; text++)
        fprintf(out, *text == '\033' ? "\033%c" : "%c", *text);
    fputs("\033\\", out);
}

void kitty_ask(const struct pixels *pixels, FILE *out)
{
    char text[80];

    snprintf(text, sizeof text, "\033_Gi=%u,s=1,v=1,a=q,t=d,f=24;AAAA\033\\", pixels->id);
    pixels_wrap(pixels->tmux, text, out);
}

void kitty_delete(const struct pixels *pixels, int picture, FILE *out)
{
    char text[80];

    snprintf(text, sizeof text, "\033_Ga=d,d=I,i=%u,q=2\033\\", pixels->id + (unsigned)picture);
    pixels_wrap(pixels->tmux, text, out);
}

/* --- PNG -------------------------------------------------------------------------------------- */

static void put_number(FILE *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(number >> shift & 255), out);
}

static void chunk_put(FILE *out, const char *name, const uint8_t *bytes, size_t count)
{
    uLong sum = crc32(crc32(0, (const Bytef *)name, 4), bytes, (uInt)count);

    put_number(out, (uint32_t)count);
    fwrite(name, 1, 4, out);
    fwrite(bytes, 1, count, out);
    put_number(out, (uint32_t)sum);
}

/* The colours that a bitmap has, in the order of their numbers, and the place of each. */
static int colours_used(const struct bitmap *bitmap, uint8_t place[PIXELS_COLOURS],
                        uint8_t used[PIXELS_COLOURS])
{
    bool has[PIXELS_COLOURS] = {false};
    int count = 0;

    for (size_t i = 0; i < (size_t)bitmap->width * (size_t)bitmap->height; i++)
        has[bitmap->dot[i] % PIXELS_COLOURS] = true;
    for (int i = 0; i < PIXELS_COLOURS; i++)
        if (has[i]) {
            place[i] = (uint8_t)count;
            used[count++] = (uint8_t)i;
        }
    return count;
}

/* The picture in the terminal has the shape of its cells, else it would not fill them: where these
 * are not twice as high as wide, some lines or columns are there twice. */
static void shape_of(const struct pixels *pixels, const struct pixels_picture *picture, int *width,
                     int *height)
{
    double wide = (double)picture->at.columns * pixels->cell_width;
    double high = (double)picture->at.rows * pixels->cell_height;

    *width = picture->bitmap.width;
    *height = picture->bitmap.height;
    if (wide <= 0 || high <= 0)
        return;
    if (high / wide > (double)*height / *width)
        *height = (int)(*width * high / wide + 0.5);
    else
        *width = (int)(*height * wide / high + 0.5);
}

/* Rows of a picture as PNG has them: a filter, which is none, and numbers of `depth` bits. */
static uint8_t *rows_of(const struct bitmap *bitmap, const uint8_t place[PIXELS_COLOURS], int width,
                        int height, int depth, size_t *bytes)
{
    const size_t line = 1 + ((size_t)width * (size_t)depth + 7) / 8;
    uint8_t *rows = calloc((size_t)height, line);

    *bytes = (size_t)height * line;
    for (int y = 0; rows && y < height; y++) {
        const uint8_t *dot =
            bitmap->dot + (size_t)((int64_t)y * bitmap->height / height) * (size_t)bitmap->width;
        uint8_t *row = rows + (size_t)y * line + 1;

        for (int x = 0; x < width; x++) {
            unsigned value = place[dot[(int64_t)x * bitmap->width / width] % PIXELS_COLOURS];

            row[x * depth / 8] |= (uint8_t)(value << (8 - depth - x * depth % 8));
        }
    }
    return rows;
}

static void png_head(const struct pixels *pixels, int width, int height, int depth, int colours,
                     const uint8_t used[PIXELS_COLOURS], FILE *out)
{
    static const uint8_t clear = 0;
    uint8_t head[13] = {0}, palette[3 * PIXELS_COLOURS];

    for (int i = 0; i < 4; i++) {
        head[i] = (uint8_t)(width >> (24 - 8 * i));
        head[4 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    head[8] = (uint8_t)depth;
    head[9] = 3; /* a palette */
    for (int i = 0; i < 3 * colours; i++)
        palette[i] = (uint8_t)(pixels->colours[used[i / 3]] >> (16 - i % 3 * 8));
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
    chunk_put(out, "IHDR", head, sizeof head);
    chunk_put(out, "PLTE", palette, 3 * (size_t)colours);
    if (used[0] == 0)
        chunk_put(out, "tRNS", &clear, 1);
}

static void png_put(const struct pixels *pixels, const struct pixels_picture *picture, FILE *out)
{
    uint8_t place[PIXELS_COLOURS] = {0}, used[PIXELS_COLOURS] = {0}, *rows, *packed;
    int colours = colours_used(&picture->bitmap, place, used);
    int depth = colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8, width, height;
    size_t bytes;
    uLongf size;

    shape_of(pixels, picture, &width, &height);
    rows = rows_of(&picture->bitmap, place, width, height, depth, &bytes);
    size = compressBound(bytes);
    packed = malloc(size);
    if (rows && packed && compress2(packed, &size, rows, bytes, 6) == Z_OK) {
        png_head(pixels, width, height, depth, colours, used, out);
        chunk_put(out, "IDAT", packed, size);
        chunk_put(out, "IEND", (const uint8_t *)"", 0);
    }
    free(rows);
    free(packed);
}

/* --- pictures --------------------------------------------------------------------------------- */

void kitty_put(const struct pixels *pixels, int number, FILE *out)
{
    const struct pixels_picture *picture = &pixels->picture[number];
    char *png = NULL, text[BASE64_SIZE(CHUNK) + 128];
    size_t bytes = 0;
    FILE *file = open_memstream(&png, &bytes);

    if (!file)
        return;
    png_put(pixels, picture, file);
    if (fclose(file) != 0)
        bytes = 0;
    for (size_t i = 0; i < bytes; i += CHUNK) {
        size_t count = bytes - i < CHUNK ? bytes - i : CHUNK, used;
        int more = i + count < bytes;

        if (i == 0)
            used = (size_t)snprintf(
                text, sizeof text, "\033_Ga=T,U=1,q=2,f=100,i=%u,c=%d,r=%d,m=%d;",
                pixels->id + (unsigned)number, picture->at.columns, picture->at.rows, more);
        else
            used = (size_t)snprintf(text, sizeof text, "\033_Gm=%d,q=2;", more);
        used += base64(text + used, png + i, count);
        memcpy(text + used, "\033\\", 3);
        pixels_wrap(pixels->tmux, text, out);
    }
    free(png);
}
