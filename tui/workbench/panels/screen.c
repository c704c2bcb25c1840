/* SPDX-License-Identifier: MIT */
/* The screen is drawn as a whole: status line, panels, dialogs, messages, hints. */
#include "tui/workbench/panels/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/files/formats.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

/* In the lower border of a box: the words of a text that have room there. */
static void footer_draw(const struct workbench *wb, struct rect rect, enum style style,
                        const char *text)
{
    char words[256];

    snprintf(words, sizeof words, "%s", text);
    text_shorten(words, sizeof words, rect.columns - 6, "");
    putf(&wb->palette, rect.row + rect.rows - 1, rect.column + 2, rect.columns - 4, style, " %s ",
         words);
}

static void panel_draw(struct workbench *wb, int number)
{
    const struct part *panel = panel_at(wb, number);
    struct rect rect = panel_rect(wb, panel), inner = panel_inner(wb, panel);
    char title[160], heading[128] = "", footer[256] = "";

    if (inner.rows == 0)
        return;
    if (panel->heading)
        panel->heading(wb->pane, heading, sizeof heading);
    snprintf(title, sizeof title, "%d %s%s%s", number + 1, panel->name, heading[0] ? " " : "",
             heading);
    put_box(&wb->palette, rect, title, panel == panels_focused(wb));
    panel->draw(wb->pane, inner);
    if (panel->footer)
        panel->footer(wb->pane, footer, sizeof footer);
    if (footer[0])
        footer_draw(wb, rect, STYLE_FOCUS, footer);
}

/* One of the two lattices of a split, with how it runs as its title. */
static void half_draw(struct workbench *wb, int side)
{
    struct rect rect = side ? wb->layout.other : wb->layout.panel[PANEL_MAIN];
    struct rect inner = {rect.row + 1, rect.column + 1, rect.rows - 2, rect.columns - 2};
    struct pane *pane = &wb->panes[side];
    char title[CA_TEXT_MAX + 64], footer[256] = "";

    snprintf(title, sizeof title, "%c %s%s%s", 'A' + side, pane->host, pane->host[0] ? ":" : "",
             pane->experiment.backend->name);

    put_box(&wb->palette, rect, title, pane == wb->pane);
    lattice_draw(pane, inner);
    if (side == 1)
        snprintf(footer, sizeof footer, "view follows A");
    else if (cursor_is_on(pane))
        lattice_footer(pane, footer, sizeof footer);
    else
        lattice_heading(pane, footer, sizeof footer);
    footer_draw(wb, rect, cursor_is_on(pane) && side == 0 ? STYLE_FOCUS : STYLE_TITLE, footer);
}

/* --- the lines -------------------------------------------------------------------------------- */

static const char *state_name(const struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (silence_of(&wb->panes[i]) == SILENCE_HUNG)
            return "HUNG";
    for (int i = 0; i < wb->pane_count; i++)
        if (silence_of(&wb->panes[i]) == SILENCE_BUSY)
            return "BUSY";
    if (split_is_open(wb))
        return split_busy(wb) ? "RUN" : "PAUSE";
    if (!session_client(wb->pane))
        return "DEAD";
    return session_busy(wb->pane) ? "RUN" : "PAUSE";
}

/* Line 1 of a split. On a narrow screen the size goes first, then what A and B do. */
static void split_status_draw(const struct workbench *wb)
{
    const struct ca_experiment *e = &wb->panes[0].experiment;
    struct rect at = wb->layout.status;
    char size[64], generation[CA_QUANTITY_TEXT], headline[96], left[384], right[160];
    char label[CA_MODEL_LABEL];
    const char *lock = "   A | B in lock step";
    int width;

    put_fill(&wb->palette, at, STYLE_BAR);
    ca_size_format(size, e->size, e->model->dimensions);
    ca_model_label(label, e->model);
    ca_thousands(generation, session_generation(&wb->panes[0]));
    width =
        snprintf(right, sizeof right, "%s  %s ", compare_headline(wb, headline), state_name(wb));
    for (int part = 0; part < 4; part++) {
        snprintf(left, sizeof left, " %s %s%s%s%s%s", label, part < 2 ? size : "",
                 part < 2 ? "  " : "", part < 3 ? "gen " : "", part < 3 ? generation : "",
                 part < 1 ? lock : "");
        if (text_width(left) + 2 + width <= at.columns)
            break;
    }
    put(&wb->palette, at.row, at.column, at.columns - width - 1, STYLE_BAR, left);
    put(&wb->palette, at.row, at.column + at.columns - width, width, STYLE_BAR, right);
}

static void status_draw(const struct workbench *wb)
{
    const struct ca_experiment *e = &wb->pane->experiment;
    bool gpu = e->backend->device == CA_CUDA;
    struct rect at = wb->layout.status;
    const struct ca_wire_timing *timing = figures_timing(wb->pane);
    char size[64], speed[32], rate[CA_QUANTITY_TEXT] = "", device[CA_DEVICE_LABEL] = "cpu";
    char left[STATUS_TEXT], right[STATUS_TEXT], backend[128], label[CA_MODEL_LABEL];
    struct status status = {
        .model = ca_model_label(label, e->model),
        .size = size,
        .backend = backend,
        .device = device,
        .no_cuda = gpu || engine_fastest_on(wb->pane, CA_CUDA) ? NULL : engine_no_cuda(wb->pane),
        .generation = session_generation(wb->pane),
        .rate = rate,
        .pace = speed_format(wb, speed),
        .state = state_name(wb),
    };
    int width;

    /* The rate of the calls in the timing panel; before any, what the backend is able to. */
    if (timing->figures.count > 0 || timing->able.count > 0)
        timing_rate(rate, timing, timing->figures.count > 0 ? &timing->figures : &timing->able);
    put_fill(&wb->palette, at, STYLE_BAR);
    snprintf(backend, sizeof backend, "%.80s%s%s", wb->pane->host, wb->pane->host[0] ? ":" : "",
             e->backend->name);
    ca_size_format(size, e->size, e->model->dimensions);
    if (gpu)
        ca_device_label(device, &e->options);
    status_fit(&status, at.columns, left, right);
    width = at.columns - text_width(right);
    put(&wb->palette, at.row, at.column, width, STYLE_BAR, left);
    put(&wb->palette, at.row, at.column + width, at.columns - width, STYLE_BAR, right);
}

/* How to get a panel back, where all are hidden. */
static void blank_draw(const struct workbench *wb)
{
    struct rect at = {wb->layout.rows / 2 - 4, 2, 8, wb->layout.columns - 4};
    char key[16];

    for (int i = 0; i < panels_count(wb); i++)
        if (wb->layout.panel[i].rows > 0)
            return;
    at.row +=
        put_wrapped(&wb->palette, at, STYLE_PLAIN, "All panels are hidden. A key shows one again:");
    for (int i = 0; i < panels_count(wb); i++) {
        snprintf(key, sizeof key, "%d", i + 1); /* of a panel whose key is not in the table */
        if (REQUEST_PANEL_1 + i <= REQUEST_PANEL_5)
            keys_first(wb->keys.keys[REQUEST_PANEL_1 + i], key);
        putf(&wb->palette, at.row + i, 4, wb->layout.columns - 5, STYLE_KEY, "%s  %s", key,
             panel_at(wb, i)->name);
    }
}

/* What a terminal needs, in as many words as it has room for, and no word in two lines. */
static void too_small_draw(const struct workbench *wb)
{
    const struct rect at = {0, 0, wb->layout.rows, wb->layout.columns};
    char text[3][80];
    int i = 0;

    snprintf(text[0], sizeof text[0], "terminal is %dx%d, needs %dx%d; q quits", at.columns,
             at.rows, LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN);
    snprintf(text[1], sizeof text[1], "needs %dx%d; q quits", LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN);
    snprintf(text[2], sizeof text[2], "%dx%d", LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN);
    while (i < 2 && !words_fit(at, text[i]))
        i++;
    put_wrapped(&wb->palette, at, STYLE_PLAIN, text[i]);
}

static void screen_compose(struct workbench *wb)
{
    const struct dialog *top = dialog_top(wb);

    view_layout(wb);
    if (wb->palette.pixels)
        pixels_begin(wb->palette.pixels, wb->layout.rows);
    erase();
    if (wb->layout.too_small) {
        too_small_draw(wb);
    } else {
        if (split_is_shown(wb)) {
            split_status_draw(wb);
            for (int side = 0; side < 2; side++)
                half_draw(wb, side);
            compare_draw(wb, wb->layout.compare);
        } else {
            status_draw(wb);
            for (int i = 0; i < panels_count(wb); i++)
                panel_draw(wb, i);
            blank_draw(wb);
        }
        message_draw(wb);
        hints_draw(wb);
        dialogs_draw(wb);
    }
    /* A terminal that cannot hide its cursor has it where a prompt takes the next character, which
     * its drawing has set, and else in the last corner. */
    if (wb->layout.too_small || !top || !top->prompt)
        move(wb->layout.rows - 1, wb->layout.columns - 1);
}

void screen_draw(struct workbench *wb)
{
    screen_compose(wb);
    wnoutrefresh(stdscr);
    terminal_update(wb->terminal);
    wb->dirty = false;
}

/* --- the screen as a file --------------------------------------------------------------------- */

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

static void put_colour(FILE *out, int number, int base)
{
    if (number >= 16)
        fprintf(out, ";%d;5;%d", base + 8, number);
    else if (number >= 0)
        fprintf(out, ";%d", number + (number < 8 ? base : base + 60 - 8));
}

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

static void screen_file_put_row(FILE *out, int row, int columns, bool colour)
{
    static const char letters[] = "lkmjqx", ascii[] = "++++-|"; /* of lines */
    struct look look = ordinary;
    struct cell cell;
    int end = 0;

    for (int column = 0, width; column < columns; column += width) {
        width = read_cell(row, column, &cell);
        if (cell.text[0] != L' ' || cell.text[1] || (colour && !same_look(cell.look, ordinary)))
            end = column + width;
    }
    for (int column = 0; column < end; column += read_cell(row, column, &cell)) {
        read_cell(row, column, &cell);
        if (colour)
            put_look(out, look, cell.look);
        if (cell.look.lines && !colour) {
            const char *letter = cell.text[0] < 128 ? strchr(letters, (int)cell.text[0]) : NULL;

            fputc(letter ? ascii[letter - letters] : '?', out);
        } else {
            fprintf(out, "%ls", cell.text);
        }
        look = cell.look;
    }
    if (colour)
        put_look(out, look, ordinary);
    fputc('\n', out);
}

void screen_keep(struct workbench *wb)
{
    struct pixels *pixels = wb->palette.pixels;

    if (pixels) /* a file has characters */
        pixels->withheld = true;
    screen_compose(wb);
    if (pixels)
        pixels->withheld = false;
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

bool screen_or_rows_write(struct workbench *wb, const char *path,
                          void (*rows)(struct workbench *wb, FILE *out), struct ca_error *error)
{
    struct ca_file_writer writer;

    if (screen_path(path))
        return screen_write(wb, path, error) == CA_OK;
    if (ca_file_begin(&writer, path, error) != CA_OK)
        return false;
    rows(wb, writer.stream);
    if (ca_file_commit(&writer, error) != CA_OK)
        return false;
    message_show(wb, "wrote %s", path);
    return true;
}
