/* SPDX-License-Identifier: MIT */
/* The screen is saved to a file: its characters alone, or with SGR sequences, so that `cat` shows
 * the picture. A row ends in the terminal's own colours and without trailing blanks. */
#include "tui/workbench/panels/screen_file.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/panels/screen.h"

struct look {
    bool bold, reverse, lines; /* `lines`: a letter of the VT100's set of line drawing */
    int front, back;           /* numbers of colours, -1: the terminal's own */
};

static const struct look ordinary = {.front = -1, .back = -1};

struct cell {
    wchar_t text[CCHARW_MAX + 1]; /* a character, and those that combine with it */
    struct look look;
};

/* The screen before the last prompt, without and with colours. */
static struct {
    char *text[2];
    size_t bytes[2];
    int rows, columns;
} kept;

static bool same_look(struct look a, struct look b)
{
    return a.bold == b.bold && a.reverse == b.reverse && a.lines == b.lines && a.front == b.front &&
           a.back == b.back;
}

/* Reads a cell of stdscr; returns its width. */
static int read_cell(int row, int column, struct cell *cell)
{
    attr_t attributes = 0;
    short pair = 0;
    int whole = 0, width;
    cchar_t wide;

    memset(cell, 0, sizeof *cell);
    cell->look = ordinary;
    mvin_wch(row, column, &wide);
    getcchar(&wide, cell->text, &attributes, &pair, &whole);
    cell->look.bold = attributes & A_BOLD;
    cell->look.reverse = attributes & A_REVERSE;
    cell->look.lines = attributes & A_ALTCHARSET;
    if (whole > 0)
        extended_pair_content(whole, &cell->look.front, &cell->look.back);
    if (!cell->text[0])
        cell->text[0] = L' ';
    width = wcwidth(cell->text[0]);
    return width > 0 ? width : 1;
}

static void put_text(FILE *out, const struct cell *cell, bool colour)
{
    static const char letters[] = "lkmjqx", ascii[] = "++++-|";
    const char *letter = cell->text[0] < 128 ? strchr(letters, (int)cell->text[0]) : NULL;

    if (cell->look.lines && !colour)
        fputc(letter ? ascii[letter - letters] : '?', out);
    else
        fprintf(out, "%ls", cell->text);
}

static void put_colour(FILE *out, int number, int base)
{
    if (number >= 16)
        fprintf(out, ";%d;5;%d", base + 8, number);
    else if (number >= 0)
        fprintf(out, ";%d", number + (number < 8 ? base : base + 60 - 8));
}

/* From one look to another. */
static void put_look(FILE *out, struct look before, struct look look)
{
    if (same_look(before, look))
        return;
    if (before.lines != look.lines)
        fputs(look.lines ? "\033(0" : "\033(B", out);
    fprintf(out, "\033[0%s%s", look.bold ? ";1" : "", look.reverse ? ";7" : "");
    put_colour(out, look.front, 30);
    put_colour(out, look.back, 40);
    fputc('m', out);
}

static bool is_blank(const struct cell *cell, bool colour)
{
    return cell->text[0] == L' ' && !cell->text[1] && (!colour || same_look(cell->look, ordinary));
}

static void screen_file_put_row(FILE *out, int row, int columns, bool colour)
{
    struct look look = ordinary;
    struct cell cell;
    int end = 0;

    for (int column = 0, width; column < columns; column += width) {
        width = read_cell(row, column, &cell);
        if (!is_blank(&cell, colour))
            end = column + width;
    }
    for (int column = 0; column < end; column += read_cell(row, column, &cell)) {
        read_cell(row, column, &cell);
        if (colour)
            put_look(out, look, cell.look);
        put_text(out, &cell, colour);
        look = cell.look;
    }
    if (colour)
        put_look(out, look, ordinary);
    fputc('\n', out);
}

void screen_keep(struct workbench *wb)
{
    screen_compose(wb);
    kept.rows = wb->layout.rows;
    kept.columns = wb->layout.columns;
    for (int colour = 0; colour < 2; colour++) {
        FILE *out;

        free(kept.text[colour]);
        kept.text[colour] = NULL;
        out = open_memstream(&kept.text[colour], &kept.bytes[colour]);
        for (int row = 0; out && row < kept.rows; row++)
            screen_file_put_row(out, row, kept.columns, colour);
        if (out && fclose(out) != 0) {
            free(kept.text[colour]);
            kept.text[colour] = NULL;
        }
    }
}

bool screen_path(const char *path)
{
    const struct ca_format *format = ca_format_of(path);

    return format && format->screen;
}

enum ca_status screen_write(struct workbench *wb, const char *path, struct ca_error *error)
{
    int colour = ca_format_of(path)->colour;
    struct ca_file_writer writer;

    if (!kept.text[colour])
        return ca_fail(error, CA_NO_MEMORY, "%.300s: there is no memory for the screen", path);
    CA_TRY(ca_file_begin(&writer, path, error));
    fwrite(kept.text[colour], 1, kept.bytes[colour], writer.stream);
    CA_TRY(ca_file_commit(&writer, error));
    message_show(wb, "wrote %s, the screen of %dx%d", path, kept.columns, kept.rows);
    return CA_OK;
}
