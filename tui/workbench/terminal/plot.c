/* SPDX-License-Identifier: MIT */
/* This file makes plots of series: ticks at round numbers, dots of lines, and their characters. */
#include "tui/workbench/terminal/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE_MAX 1024 /* dots of a plot */
#define HIGH_MAX 512
#define ROWS_MAX 128
#define COLUMNS_MAX 512
#define ALIKE 1e-8      /* values that differ by less, relative to themselves, are one */
#define SIGN_EVERY 16   /* columns from a sign on a line of many points to the next */
#define SPARSE 6        /* columns that a point has where each has its sign */
#define LABEL_COLUMNS 9 /* that a tick of the horizontal axis is given, with a blank */

/* --- ticks ------------------------------------------------------------------------------------ */

/* The multiples of a step from low to high: their count, and the factor of the first. */
static double multiples(double low, double high, double step, double *first)
{
    *first = ceil(low / step - 1e-9);
    return floor(high / step + 1e-9) - *first + 1;
}

/* The least step of 1, 2 or 5 times a power of ten of which at most `most` multiples lie there. */
static void ticks_even(struct plot_ticks *ticks, double low, double high, int most)
{
    static const int factors[] = {1, 2, 5};
    int power = (int)floor(log10((high - low) / (most + 1)));
    double first, count;

    for (int i = 0;; i++) {
        double unit = pow(10, abs(power + i / 3));

        ticks->step = power + i / 3 < 0 ? factors[i % 3] / unit : factors[i % 3] * unit;
        count = multiples(low, high, ticks->step, &first);
        if (count <= most)
            break;
    }
    for (int i = 0; i < (int)count; i++)
        ticks->at[ticks->count++] = (first + i) * ticks->step;
}

/* Powers of ten, every one or every n-th, or these and twice and five times as much. False: there
 * is none. */
static bool ticks_log(struct plot_ticks *ticks, double low, double high, int most)
{
    static const int factors[] = {1, 2, 5};
    int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9);
    int each = last > first ? 1 : 3, every = 1, count = 0;
    double all[3 * 3];

    if (each == 1) {
        while (last - first >= most * every)
            every++;
        for (int power = first; power <= last; power++)
            if (power % every == 0)
                ticks->at[ticks->count++] = pow(10, power);
        return true;
    }
    for (int i = 0; i < 3 * 3; i++) { /* at most one power lies there */
        int power = last - (last == first) + i / 3;
        double value = factors[i % 3] * pow(10, power);

        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
            all[count++] = value;
    }
    for (int i = 0; i < count; i += (count + most - 1) / most)
        ticks->at[ticks->count++] = all[i];
    return count > 0;
}

/* Leaves out what is no whole number. */
static void ticks_whole(struct plot_ticks *ticks)
{
    int count = 0;

    for (int i = 0; i < ticks->count; i++)
        if (fabs(ticks->at[i] - round(ticks->at[i])) < 1e-9)
            ticks->at[count++] = round(ticks->at[i]);
    ticks->count = count;
    ticks->step = fmax(ticks->step, 1);
}

void plot_ticks(struct plot_ticks *ticks, enum plot_scale scale, double low, double high, int most)
{
    *ticks = (struct plot_ticks){0};
    most = most < 1 ? 1 : most > PLOT_TICKS_MAX ? PLOT_TICKS_MAX : most;
    if (!isfinite(low) || !isfinite(high) || !isfinite(high - low) || low > high)
        return;
    if (!(low < high)) {
        ticks->at[ticks->count++] = low;
        return;
    }
    if (scale == PLOT_LOG && low > 0 && ticks_log(ticks, low, high, most))
        return;
    /* A coarse step may have no multiple there, but then a finer one has. */
    for (int allowed = most; ticks->count == 0 && allowed <= PLOT_TICKS_MAX; allowed++)
        ticks_even(ticks, low, high, allowed);
    ticks->count = ticks->count > most ? most : ticks->count;
    if (scale == PLOT_WHOLE)
        ticks_whole(ticks);
    if (ticks->count == 0) {
        ticks->at[ticks->count++] = low;
        ticks->step = 0;
    }
}

char *plot_label(char text[PLOT_LABEL_TEXT], const struct plot_ticks *ticks, int i)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P"};
    double value = ticks->at[i], most = fabs(value), digits;
    int group = 0;

    for (int k = 0; k < ticks->count && ticks->step > 0; k++)
        most = fmax(most, fabs(ticks->at[k]));
    /* Four digits need no prefix. */
    while (most >= (group ? 999.9999 : 9999.9999) && group < 5) {
        most /= 1000;
        group++;
    }
    digits = ticks->step > 0 ? -floor(log10(ticks->step / pow(1000, group)) + 1e-9) : -1;
    value /= pow(1000, group);
    if (value == 0)
        snprintf(text, PLOT_LABEL_TEXT, "0");
    else if (digits < 0 || digits > 9) /* as many as tell neighbours apart */
        snprintf(text, PLOT_LABEL_TEXT, "%.*g%s",
                 digits < 0 ? 6 : (int)(digits + floor(log10(most) + 1e-9)) + 1, value,
                 prefixes[group]);
    else
        snprintf(text, PLOT_LABEL_TEXT, "%.*f%s", (int)digits, value, prefixes[group]);
    return text;
}

/* --- scales ----------------------------------------------------------------------------------- */

struct scale {
    enum plot_scale kind;
    bool known;
    double low, high;
};

/* Where a value lies from 0 to 1; NAN: nowhere. */
static double scale_part(const struct scale *s, double value)
{
    if (!s->known || !isfinite(value) || (s->kind == PLOT_LOG && value <= 0))
        return NAN;
    if (!(s->low < s->high))
        return 0.5;
    if (s->kind == PLOT_LOG)
        return log(value / s->low) / log(s->high / s->low);
    return (value - s->low) / (s->high - s->low);
}

static void scale_take(struct scale *s, double value)
{
    if (!isfinite(value) || (s->kind == PLOT_LOG && value <= 0))
        return;
    s->low = s->known ? fmin(s->low, value) : value;
    s->high = s->known ? fmax(s->high, value) : value;
    s->known = true;
}

/* Where a value is on so many dots, -1: nowhere. */
static int scale_dot(const struct scale *s, double value, int dots)
{
    double part = scale_part(s, value);

    return part >= -1e-9 && part <= 1 + 1e-9 ? (int)lround(part * (dots - 1)) : -1;
}

static struct scale scale_across(const struct plot *plot)
{
    struct scale s = {.kind = plot->across};

    for (int k = 0; k < plot->count; k++)
        for (int i = 0; i < plot->series[k].count; i++)
            scale_take(&s, plot->series[k].point[i].x);
    if (plot->names && plot->named > 0)
        s = (struct scale){PLOT_LINEAR, true, -0.5, plot->named - 0.5};
    return s;
}

/* The vertical scale of a series, which it may share. */
static struct scale scale_up(const struct plot *plot, int series)
{
    struct scale s = {.kind = plot->up};

    for (int k = 0; k < plot->count; k++) {
        const struct plot_series *from = &plot->series[k];

        for (int i = 0; (k == series || !plot->apart) && i < from->count; i++)
            if (isfinite(from->point[i].mean) && isfinite(from->point[i].x)) {
                scale_take(&s, from->point[i].mean);
                scale_take(&s, from->point[i].low);
                scale_take(&s, from->point[i].high);
            }
    }
    if (s.high - s.low <= ALIKE * fmax(fabs(s.low), fabs(s.high)))
        s.low = s.high;
    return s;
}

/* --- the sheet -------------------------------------------------------------------------------- */

struct sheet {
    const struct plot *plot;
    int rows, columns;
    struct plot_cell *cell;
    struct rect area;    /* of the lines */
    int heading, footer; /* rows */
    struct scale across, up[PLOT_SERIES];
    int wide, high; /* dots of the area */
};

/* The mean and the range of series k, as bits of a dot. */
#define DOT_MEAN(k) (1u << (k))
#define DOT_RANGE(k) (4u << (k))
#define DOT_OF(k) (DOT_MEAN(k) | DOT_RANGE(k))

static uint8_t dots[HIGH_MAX][WIDE_MAX];

static void cell_set(struct sheet *s, int row, int column, enum style style, const char *text)
{
    struct plot_cell *cell;

    if (row < 0 || column < 0 || row >= s->rows || column >= s->columns)
        return;
    cell = &s->cell[row * s->columns + column];
    snprintf(cell->text, sizeof cell->text, "%s", text);
    cell->style = style;
}

/* A text of ASCII, cut at the right edge. */
static void cell_text(struct sheet *s, int row, int column, enum style style, const char *text)
{
    for (; *text; text++, column++)
        cell_set(s, row, column, style, (char[]){*text >= ' ' && *text < 127 ? *text : '?', 0});
}

static bool cell_is_blank(const struct sheet *s, int row, int column)
{
    return column < 0 || column >= s->columns || s->cell[row * s->columns + column].text[0] == ' ';
}

static int rows_of_axis(const struct plot *plot, int rows)
{
    return !plot->axis ? 0 : rows >= 6 ? 2 : rows >= 3 ? 1 : 0;
}

/* The ticks of a series in so many rows, at most one in two. */
static struct plot_ticks ticks_up(const struct scale *s, int rows)
{
    struct plot_ticks ticks = {0};

    if (s->known)
        plot_ticks(&ticks, s->kind, s->low, s->high, (rows + 1) / 2);
    return ticks;
}

void plot_margins(const struct plot *plot, int rows, int *left, int *right)
{
    rows -= (plot->unit != NULL) + rows_of_axis(plot, rows);
    for (int k = 0; k < (plot->apart && plot->count > 1 ? 2 : 1); k++) {
        struct scale s = scale_up(plot, k);
        struct plot_ticks ticks = ticks_up(&s, rows);
        int *margin = k ? right : left;

        for (int i = 0; i < ticks.count; i++) {
            char text[PLOT_LABEL_TEXT];
            int width = (int)strlen(plot_label(text, &ticks, i)) + 1; /* and the axis */

            *margin = width > *margin ? width : *margin;
        }
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The line from the last point to this one. */
static void dots_join(int x0, int y0, int x1, int y1, unsigned bit)
{
    int wide = abs(x1 - x0), high = abs(y1 - y0), n = wide > high ? wide : high;

    for (int i = 0; i <= n; i++) {
        double part = n > 0 ? (double)i / n : 0;

        dots[lround(y0 + part * (y1 - y0))][lround(x0 + part * (x1 - x0))] |= (uint8_t)bit;
    }
}

static int row_of(const struct sheet *s, int k, double value)
{
    int up = scale_dot(&s->up[k], value, s->high);

    return up < 0 ? -1 : s->high - 1 - up;
}

static void series_draw(const struct sheet *s, int k)
{
    const struct plot_series *series = &s->plot->series[k];
    int last_x = -1, last_y = -1;

    for (int i = 0; i < series->count; i++) {
        const struct plot_point *p = &series->point[i];
        int x = scale_dot(&s->across, p->x, s->wide), y = row_of(s, k, p->mean);

        if (x < 0 || y < 0) {
            last_x = -1;
            continue;
        }
        for (int at = row_of(s, k, p->high); at >= 0 && at <= row_of(s, k, p->low); at++)
            dots[at][x] |= DOT_RANGE(k);
        dots_join(last_x < 0 ? x : last_x, last_x < 0 ? y : last_y, x, y, DOT_MEAN(k));
        last_x = x;
        last_y = y;
    }
}

/* --- characters ------------------------------------------------------------------------------- */

/* A character of braille in UTF-8. */
static void braille(char text[4], unsigned bits)
{
    text[0] = (char)0xe2;
    text[1] = (char)(0xa0 | bits >> 6);
    text[2] = (char)(0x80 | (bits & 0x3f));
    text[3] = 0;
}

static enum style style_of(const struct sheet *s, unsigned bits)
{
    bool first = bits & DOT_OF(0), second = bits & DOT_OF(1);

    return first && second ? STYLE_STRONG : s->plot->series[second].style;
}

/* The dots of a character, drawn where there are any. */
static void cell_lines(struct sheet *s, int row, int column)
{
    static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int across = s->plot->fine ? 2 : 1, down = s->plot->fine ? 4 : 1;
    unsigned shape = 0, all = 0;
    char text[4] = "";

    for (int y = 0; y < down; y++)
        for (int x = 0; x < across; x++) {
            unsigned dot = dots[row * down + y][column * across + x];

            shape |= dot ? bit[y][x] : 0;
            all |= dot;
        }
    if (!all)
        return;
    if (s->plot->fine)
        braille(text, shape);
    else if ((all & DOT_MEAN(0)) && (all & DOT_MEAN(1)))
        text[0] = '&';
    else if (all & (DOT_MEAN(0) | DOT_MEAN(1)))
        text[0] = s->plot->series[(all & DOT_MEAN(1)) != 0].sign;
    else
        text[0] = ':';
    cell_set(s, s->area.row + row, s->area.column + column, style_of(s, all), text);
}

/* Puts a sign on a line; where the other series has its own, both are one. */
static void sign_put(struct sheet *s, int k, int row, int column)
{
    const struct plot_series *series = &s->plot->series[k];
    const char *there = s->cell[row * s->columns + column].text;
    bool taken = k > 0 && (there[0] == s->plot->series[0].sign || there[0] == '&');

    cell_set(s, row, column, taken ? STYLE_STRONG : series->style,
             (char[]){taken ? '&' : series->sign, 0});
}

/* On a line of many points, in columns that differ from those of the other series. */
static void signs_dense(struct sheet *s, int k)
{
    int start = SIGN_EVERY / 4 + k * SIGN_EVERY / 2;

    for (int column = start; column < s->area.columns; column += SIGN_EVERY)
        for (int y = 0; y < s->high; y++)
            if (dots[y][2 * column] & DOT_MEAN(k)) {
                sign_put(s, k, s->area.row + y / 4, s->area.column + column);
                break;
            }
}

/* In ASCII a line consists of its sign. */
static void signs_draw(struct sheet *s, int k)
{
    const struct plot_series *series = &s->plot->series[k];
    bool sparse = series->count * SPARSE <= s->area.columns;

    if (!s->plot->fine)
        return;
    if (!sparse && s->plot->count > 1)
        signs_dense(s, k);
    for (int i = 0; sparse && i < series->count; i++) {
        int x = scale_dot(&s->across, series->point[i].x, s->wide);
        int y = row_of(s, k, series->point[i].mean);

        if (x >= 0 && y >= 0)
            sign_put(s, k, s->area.row + y / 4, s->area.column + x / 2);
    }
}

/* --- axes ------------------------------------------------------------------------------------- */

struct line_signs {
    const char *down, *across, *tick_left, *tick_right, *tick_below, *corner_left, *corner_right;
};
static const struct line_signs line_signs[] = {
    {"|", "-", "+", "+", "+", "+", "+"},
    {"│", "─", "┤", "├", "┬", "└", "┘"},
};

/* The vertical axis of series k, with its labels on its outer side. */
static void axis_up(struct sheet *s, int k)
{
    const struct line_signs *signs = &line_signs[s->plot->fine];
    int column = k ? s->area.column + s->area.columns : s->area.column - 1;
    enum style style = s->plot->apart ? s->plot->series[k].style : STYLE_QUIET;
    struct plot_ticks ticks = ticks_up(&s->up[k], s->area.rows);
    int last = -1;

    for (int row = 0; row < s->area.rows; row++)
        cell_set(s, s->area.row + row, column, STYLE_QUIET, signs->down);
    for (int i = 0; i < ticks.count; i++) {
        int row = s->area.row + row_of(s, k, ticks.at[i]) * s->area.rows / s->high;
        char text[PLOT_LABEL_TEXT];

        if (row == last)
            continue;
        last = row;
        plot_label(text, &ticks, i);
        cell_text(s, row, k ? column + 1 : column - (int)strlen(text), style, text);
        cell_set(s, row, column, STYLE_QUIET, k ? signs->tick_right : signs->tick_left);
    }
}

/* Puts a label below a column, if neither it nor a blank beside it would cover another. */
static bool label_put(struct sheet *s, int column, enum style style, const char *text)
{
    int row = s->rows - 1, width = (int)strlen(text), at = column - width / 2;

    at = at + width > s->columns ? s->columns - width : at;
    at = at < 0 ? 0 : at;
    if (at + width > s->columns)
        return false;
    for (int i = at - 1; i <= at + width; i++)
        if (!cell_is_blank(s, row, i))
            return false;
    cell_text(s, row, at, style, text);
    return true;
}

/* The column of the sheet in which an x lies, -1: none. */
static int column_of(const struct sheet *s, double x)
{
    int dot = scale_dot(&s->across, x, s->wide);

    return dot < 0 ? -1 : s->area.column + dot * s->area.columns / s->wide;
}

static void tick_put(struct sheet *s, double x, enum style style, const char *text)
{
    int column = column_of(s, x);

    if (column >= 0 && label_put(s, column, style, text) && s->footer > 1)
        cell_set(s, s->rows - 2, column, STYLE_QUIET, line_signs[s->plot->fine].tick_below);
}

/* The unit lies in the line of the axis, or beside the labels where there is no such line. */
static void unit_across(struct sheet *s)
{
    const char *unit = s->plot->across_unit;
    int width = (int)strlen(unit), right = s->area.column + s->area.columns;

    if (width == 0 || 2 * width >= s->columns)
        return;
    if (s->footer > 1)
        cell_text(s, s->rows - 2, right - width - 2, STYLE_QUIET, unit);
    else
        cell_text(s, s->rows - 1, right - width, STYLE_QUIET, unit);
}

/* The name under the cursor goes first, so that it is there in any case. */
static void axis_across(struct sheet *s)
{
    const struct plot *plot = s->plot;
    const struct line_signs *signs = &line_signs[plot->fine];
    int left = s->area.column - 1, right = s->area.column + s->area.columns;
    int named = plot->names ? plot->named : 0;
    struct plot_ticks ticks = {0};

    for (int column = left; s->footer > 1 && column <= right; column++)
        if (column < right || (plot->apart && plot->count > 1))
            cell_set(s, s->rows - 2, column, STYLE_QUIET,
                     column == left    ? signs->corner_left
                     : column == right ? signs->corner_right
                                       : signs->across);
    if (s->footer == 1)
        unit_across(s);
    for (int i = 0; i < named; i++)
        if (i == plot->cursor)
            tick_put(s, i, STYLE_KEY, plot->names[i]);
    for (int i = 0; i < named; i++)
        tick_put(s, i, STYLE_QUIET, plot->names[i]);
    if (named == 0 && s->across.known)
        plot_ticks(&ticks, s->across.kind, s->across.low, s->across.high,
                   s->area.columns / LABEL_COLUMNS);
    for (int i = 0; i < ticks.count; i++) {
        char text[PLOT_LABEL_TEXT];

        tick_put(s, ticks.at[i], STYLE_QUIET, plot_label(text, &ticks, i));
    }
    if (s->footer > 1)
        unit_across(s);
}

/* The unit, the series with their signs, the caption. */
static void heading_draw(struct sheet *s)
{
    const struct plot *plot = s->plot;
    int column = 0;

    cell_text(s, 0, 0, STYLE_QUIET, plot->unit);
    column = (int)strlen(plot->unit) + 2;
    column = column < s->area.column ? s->area.column : column;
    for (int k = 0; k < plot->count; k++) {
        const struct plot_series *series = &plot->series[k];

        if (!series->name)
            continue;
        cell_set(s, 0, column, series->style, (char[]){series->sign, 0});
        cell_text(s, 0, column + 2, series->style, series->name);
        column += 4 + (int)strlen(series->name);
    }
    if (plot->caption)
        cell_text(s, 0, column, STYLE_PLAIN, plot->caption);
}

/* A line down through what is blank. */
static void cursor_draw(struct sheet *s)
{
    int column = column_of(s, s->plot->cursor);

    for (int row = 0; column >= 0 && row < s->area.rows; row++)
        if (cell_is_blank(s, s->area.row + row, column))
            cell_set(s, s->area.row + row, column, STYLE_KEY, line_signs[s->plot->fine].down);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Divides the rectangle. False: it has no place for a line. */
static bool sheet_lay_out(struct sheet *s)
{
    const struct plot *plot = s->plot;
    int left = plot->left, right = plot->right;

    plot_margins(plot, s->rows, &left, &right);
    s->footer = rows_of_axis(plot, s->rows);
    s->heading = plot->unit != NULL && s->rows > 1;
    s->area = (struct rect){s->heading, left, s->rows - s->heading - s->footer,
                            s->columns - left - right};
    s->across = scale_across(plot);
    s->wide = s->area.columns * (plot->fine ? 2 : 1);
    s->high = s->area.rows * (plot->fine ? 4 : 1);
    return s->area.rows > 0 && s->area.columns > 1 && s->wide <= WIDE_MAX && s->high <= HIGH_MAX;
}

void plot_cells(const struct plot *plot, int rows, int columns, struct plot_cell *cell)
{
    struct sheet s = {.plot = plot, .rows = rows, .columns = columns, .cell = cell};

    for (int i = 0; i < rows * columns; i++)
        cell[i] = (struct plot_cell){" ", STYLE_PLAIN};
    if (!sheet_lay_out(&s))
        return;
    for (int y = 0; y < s.high; y++)
        memset(dots[y], 0, (size_t)s.wide);
    for (int k = 0; k < plot->count; k++) {
        s.up[k] = scale_up(plot, k);
        series_draw(&s, k);
    }
    for (int row = 0; row < s.area.rows; row++)
        for (int column = 0; column < s.area.columns; column++)
            cell_lines(&s, row, column);
    for (int k = 0; k < plot->count; k++)
        signs_draw(&s, k);
    for (int k = 0; k < (plot->apart ? plot->count : 1); k++)
        axis_up(&s, k);
    if (s.footer > 0)
        axis_across(&s);
    if (s.heading > 0)
        heading_draw(&s);
    cursor_draw(&s);
}

bool plot_is_fine(const struct palette *palette) { return palette->utf8 && !palette->ascii; }

/* Characters of one style in one call. */
void plot_put(const struct palette *palette, struct rect area, const struct plot *plot)
{
    static struct plot_cell cell[ROWS_MAX * COLUMNS_MAX];
    int rows = area.rows < ROWS_MAX ? area.rows : ROWS_MAX;
    int columns = area.columns < COLUMNS_MAX ? area.columns : COLUMNS_MAX;

    if (rows < 1 || columns < 1)
        return;
    plot_cells(plot, rows, columns, cell);
    for (int row = 0; row < rows; row++) {
        const struct plot_cell *line = &cell[row * columns];

        for (int from = 0, to; from < columns; from = to) {
            char text[3 * COLUMNS_MAX + 1];
            size_t used = 0;

            for (to = from; to < columns && line[to].style == line[from].style; to++) {
                strcpy(text + used, line[to].text);
                used += strlen(line[to].text);
            }
            put(palette, area.row + row, area.column + from, to - from, line[from].style, text);
        }
    }
}
