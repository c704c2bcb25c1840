/* SPDX-License-Identifier: MIT */
/* This file draws text, boxes and colours on stdscr. */
#include "tui/workbench/terminal/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "core/sim/frame_text.h"

#define DEFAULT_COLOUR (-1)

/* A foreground is never blue or black, because many terminals show these illegibly. */
struct scheme_style {
    short colour;
    attr_t attributes;
};

#define INTERFACE(key, title)                                                                      \
    [STYLE_BAR] = {DEFAULT_COLOUR, A_REVERSE}, [STYLE_KEY] = {key, A_BOLD},                        \
    [STYLE_TITLE] = {title, A_NORMAL}, [STYLE_FOCUS] = {title, A_BOLD},                            \
    [STYLE_SELECTED] = {DEFAULT_COLOUR, A_REVERSE}, [STYLE_ALARM] = {COLOR_RED, A_BOLD}

static const struct {
    const char *name, *help;
    enum ca_tone tone;
    bool plain; /* no colours */
    struct scheme_style style[STYLE_COUNT];
} schemes[] = {
    {"default",
     "8 colours, quiet ones where there are 256, for a dark background",
     CA_TONE_DARK,
     false,
     {[STYLE_QUIET] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_PLAIN] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_STRONG] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_WARM] = {COLOR_YELLOW, A_NORMAL},
      [STYLE_COLD] = {COLOR_CYAN, A_NORMAL},
      [STYLE_GREEN] = {COLOR_GREEN, A_NORMAL},
      [STYLE_SOLID] = {COLOR_MAGENTA, A_NORMAL},
      INTERFACE(COLOR_CYAN, COLOR_GREEN)}},
    {"mono",
     "no colours, only bold and reverse, as with NO_COLOR",
     CA_TONE_DARK,
     true,
     {[STYLE_QUIET] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_PLAIN] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_STRONG] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_WARM] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_COLD] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_GREEN] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_SOLID] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_BAR] = {DEFAULT_COLOUR, A_REVERSE},
      [STYLE_KEY] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_TITLE] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_FOCUS] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_SELECTED] = {DEFAULT_COLOUR, A_REVERSE},
      [STYLE_ALARM] = {DEFAULT_COLOUR, A_BOLD | A_REVERSE}}},
    {"light",
     "darker colours, for a light background",
     CA_TONE_LIGHT,
     false,
     {[STYLE_QUIET] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_PLAIN] = {DEFAULT_COLOUR, A_NORMAL},
      [STYLE_STRONG] = {DEFAULT_COLOUR, A_BOLD},
      [STYLE_WARM] = {COLOR_RED, A_NORMAL},
      [STYLE_COLD] = {COLOR_MAGENTA, A_NORMAL},
      [STYLE_GREEN] = {COLOR_RED, A_NORMAL}, /* green is too light on white */
      [STYLE_SOLID] = {DEFAULT_COLOUR, A_BOLD},
      INTERFACE(COLOR_MAGENTA, COLOR_RED)}},
    {"high-contrast",
     "bold and bright colours",
     CA_TONE_STARK,
     false,
     {[STYLE_QUIET] = {COLOR_WHITE, A_NORMAL},
      [STYLE_PLAIN] = {COLOR_WHITE, A_BOLD},
      [STYLE_STRONG] = {COLOR_YELLOW, A_BOLD},
      [STYLE_WARM] = {COLOR_YELLOW, A_BOLD},
      [STYLE_COLD] = {COLOR_CYAN, A_BOLD},
      [STYLE_GREEN] = {COLOR_GREEN, A_BOLD},
      [STYLE_SOLID] = {COLOR_WHITE, A_BOLD | A_REVERSE},
      INTERFACE(COLOR_YELLOW, COLOR_YELLOW)}},
};

#define SCHEMES ((int)(sizeof schemes / sizeof *schemes))

const char *scheme_name(int index) { return index < SCHEMES ? schemes[index].name : NULL; }
const char *scheme_help(int index) { return schemes[index].help; }

/* The colours of pictures. Of 16 colours, which a user may have chosen, only the greys are known to
 * be in an order, and cyan and yellow to be apart. */
static void pictures_make(struct palette *palette, enum ca_tone tone, bool plain, int colours)
{
    static const int few[2][5] = {{8, 7, 15}, {14, 6, 8, 3, 11}};

    palette->shades = palette->ramp_steps = 0;
    if (plain || colours < 16)
        return;
    if (colours < 256) {
        palette->ramp_steps = tone == CA_TONE_LIGHT ? 0 : 3;
        memcpy(palette->ramp[0], few[0], sizeof few[0]);
        memcpy(palette->ramp[1], few[1], sizeof few[1]);
        return;
    }
    palette->shades = SHADES;
    palette->ramp_steps = RAMP;
    for (int c = 0; c < CA_COLOUR_COUNT; c++)
        for (int i = 0; i < SHADES; i++)
            palette->shade[c][i] =
                ca_colour_of_class((enum ca_colour)c, (double)i / (SHADES - 1), tone, colours);
    for (int d = 0; d < 2; d++) {
        for (int i = 0; i < RAMP; i++)
            palette->ramp[d][i] = ca_colour_of_ramp((double)i / (RAMP - 1), d, tone, colours);
        for (int i = 0; i < LETTERS; i++)
            palette->letter[d][i] =
                ca_colour_of_letter((double)i / (LETTERS - 1), d, tone, colours);
    }
}

_Static_assert(1 + CA_COLOUR_COUNT * SHADES + 2 * RAMP <= PIXELS_INVERTED,
               "the complements of all colours of pictures have numbers");

/* The same colours as a terminal of all colours has them, for pixels, and their complements. */
static void dots_make(struct palette *palette, enum ca_tone tone)
{
    uint32_t *dot = palette->dot;

    dot[0] = tone == CA_TONE_LIGHT ? 0xffffff : 0;
    for (int c = 0; c < CA_COLOUR_COUNT; c++)
        for (int i = 0; i < SHADES; i++)
            dot[pixel_of_shade(c, i)] = (uint32_t)ca_colour_of_class(
                (enum ca_colour)c, (double)i / (SHADES - 1), tone, CA_COLOURS_DIRECT);
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < RAMP; i++)
            dot[pixel_of_step(d, i)] =
                (uint32_t)ca_colour_of_ramp((double)i / (RAMP - 1), d, tone, CA_COLOURS_DIRECT);
    for (int i = 0; i < PIXELS_INVERTED; i++)
        dot[PIXELS_INVERTED + i] = 0xffffff - dot[i];
}

void palette_make(struct palette *palette, const char *scheme, int colours, bool ascii, bool utf8)
{
    int chosen = 0;

    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(schemes[i].name, colours < 8 ? "mono" : scheme) == 0)
            chosen = i;
    palette->pixels = NULL;
    palette->ascii = ascii;
    palette->utf8 = utf8;
    pictures_make(palette, schemes[chosen].tone, schemes[chosen].plain, colours);
    dots_make(palette, schemes[chosen].tone);
    for (int i = 0; i < STYLE_COUNT; i++) {
        struct scheme_style style = schemes[chosen].style[i];

        palette->attributes[i] = style.attributes;
        palette->pair[i] = 0;
        /* Styles of one colour share a pair, so that neighbours form one run in the output. */
        if (style.colour != DEFAULT_COLOUR && colours >= 8) {
            palette->pair[i] = (short)(style.colour + 1);
            if (init_pair(palette->pair[i], style.colour, -1) == ERR)
                init_pair(palette->pair[i], style.colour, COLOR_BLACK);
        }
    }
}

void style_set(const struct palette *palette, enum style style)
{
    attr_set(palette->attributes[style], palette->pair[style], NULL);
}

bool ink_equal(struct ink a, struct ink b)
{
    if (a.coloured != b.coloured)
        return false;
    return a.coloured ? a.front == b.front && a.back == b.back : a.style == b.style;
}

void ink_set(const struct palette *palette, struct ink ink)
{
    int pair;

    if (!ink.coloured) {
        style_set(palette, ink.style);
        return;
    }
    pair = alloc_pair(ink.front, ink.back);
    attr_set(A_NORMAL, (short)(pair & 0x7fff), pair >= 0 ? &pair : NULL);
}

/* Decodes the next character of a text; one that cannot be shown becomes '?'. */
static const char *next_wide(const char *text, mbstate_t *state, wchar_t *wide, int *width)
{
    size_t n = mbrtowc(wide, text, strlen(text), state);

    if (n == 0 || n > (size_t)-3) {
        memset(state, 0, sizeof *state);
        n = 1;
        *wide = L'?';
    }
    *width = ca_steers((uint32_t)*wide) ? -1 : wcwidth(*wide);
    if (*width < 0) {
        *wide = L'?';
        *width = 1;
    }
    return text + n;
}

int text_width(const char *text)
{
    mbstate_t state = {0};
    int sum = 0, width;
    wchar_t wide;

    while (*text) {
        text = next_wide(text, &state, &wide, &width);
        sum += width;
    }
    return sum;
}

void text_shorten(char *text, size_t size, int width, const char *mark)
{
    char *end, *start = text + strspn(text, " ");

    if (text_width(text) <= width)
        return;
    width -= text_width(mark);
    while (text_width(text) > width && (end = strrchr(start, ' '))) {
        while (end > start && end[-1] == ' ')
            end--;
        *end = 0;
    }
    ca_text_add(text, size, "%s", mark);
}

int put(const struct palette *palette, int row, int column, int width, enum style style,
        const char *text)
{
    mbstate_t state = {0};
    wchar_t wide[1024];
    int used = 0, count = 0, w;

    while (*text && count < 1023) {
        text = next_wide(text, &state, &wide[count], &w);
        if (used + w > width)
            break;
        used += w;
        count++;
    }
    if (count == 0)
        return 0;
    style_set(palette, style);
    mvaddnwstr(row, column, wide, count);
    return used;
}

int putf(const struct palette *palette, int row, int column, int width, enum style style,
         const char *format, ...)
{
    char text[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return put(palette, row, column, width, style, text);
}

void put_fill(const struct palette *palette, struct rect rect, enum style style)
{
    style_set(palette, style);
    for (int i = 0; i < rect.rows; i++)
        mvhline(rect.row + i, rect.column, ' ', rect.columns);
}

static void line(const struct palette *palette, int row, int column, const cchar_t *wide,
                 char ascii, int n, bool down)
{
    if (n <= 0)
        return;
    if (palette->ascii && down)
        mvvline(row, column, (chtype)ascii, n);
    else if (palette->ascii)
        mvhline(row, column, (chtype)ascii, n);
    else if (down)
        mvvline_set(row, column, wide, n);
    else
        mvhline_set(row, column, wide, n);
}

void put_box(const struct palette *palette, struct rect rect, const char *title, bool focused)
{
    int bottom = rect.row + rect.rows - 1, right = rect.column + rect.columns - 1;
    int width = rect.columns - 4;
    char words[512];

    if (rect.rows < 2 || rect.columns < 2)
        return;
    style_set(palette, STYLE_QUIET);
    line(palette, rect.row, rect.column, WACS_HLINE, '-', rect.columns, false);
    line(palette, bottom, rect.column, WACS_HLINE, '-', rect.columns, false);
    line(palette, rect.row, rect.column, WACS_VLINE, '|', rect.rows, true);
    line(palette, rect.row, right, WACS_VLINE, '|', rect.rows, true);
    line(palette, rect.row, rect.column, WACS_ULCORNER, '+', 1, false);
    line(palette, rect.row, right, WACS_URCORNER, '+', 1, false);
    line(palette, bottom, rect.column, WACS_LLCORNER, '+', 1, false);
    line(palette, bottom, right, WACS_LRCORNER, '+', 1, false);
    if (!title || width < 3)
        return;
    snprintf(words, sizeof words, "%s", title);
    text_shorten(words, sizeof words, width - 2, "");
    putf(palette, rect.row, rect.column + 2, width, focused ? STYLE_FOCUS : STYLE_TITLE, "%s%s%s",
         focused ? "[" : " ", words, focused ? "]" : " ");
}

/* Draws the lines from number `skip` on. Returns their count, limited by the rectangle. */
static int wrapped(const struct palette *palette, struct rect rect, int skip, enum style style,
                   const char *text)
{
    int lines = -skip;

    while (*text && lines < rect.rows) {
        char part[512];
        int n = 0, blank = 0;

        for (; text[n] && text[n] != '\n' && n < rect.columns && n < 511; n++)
            if (text[n] == ' ')
                blank = n;
        if (text[n] && text[n] != '\n' && text[n] != ' ' && blank > 0)
            n = blank;
        snprintf(part, sizeof part, "%.*s", n, text);
        if (palette && lines == rect.rows - 1 && text[n]) { /* the text is cut here */
            static const char cut[] = " ...";
            int skipped = rect.columns < 4 ? 4 - rect.columns : 0, room = (int)sizeof part - 5;
            int at = rect.columns - 4 + skipped;

            at = n < at ? n : at;
            at = at < room ? at : room;
            snprintf(part + at, sizeof cut, "%s", cut + skipped);
        }
        if (palette && lines >= 0)
            put(palette, rect.row + lines, rect.column, rect.columns, style, part);
        lines++;
        text += n;
        while (*text == ' ' || *text == '\n')
            text++;
    }
    return lines < 0 ? 0 : lines;
}

int put_wrapped(const struct palette *palette, struct rect rect, enum style style, const char *text)
{
    return wrapped(palette, rect, 0, style, text);
}

bool words_fit(struct rect rect, const char *text)
{
    const struct rect higher = {rect.row, rect.column, rect.rows + 1, rect.columns};

    for (const char *word = text; *word; word += strcspn(word, " "), word += *word == ' ')
        if ((int)strcspn(word, " ") > rect.columns)
            return false;
    return put_wrapped(NULL, higher, STYLE_PLAIN, text) <= rect.rows;
}

void put_boxed(const struct palette *palette, struct rect line, enum style style, const char *text)
{
    int rows = put_wrapped(NULL, (struct rect){0, 0, 6, line.columns - 4}, style, text);
    struct rect box = {line.row - rows - 2, line.column, rows + 2, line.columns};

    put_fill(palette, box, STYLE_PLAIN);
    put_box(palette, box, NULL, false);
    put_wrapped(palette, (struct rect){box.row + 1, box.column + 2, rows, box.columns - 4}, style,
                text);
}

int put_hanging(const struct palette *palette, struct rect rect, int indent, int skip,
                enum style style, const char *text)
{
    int lines;

    if (indent > rect.columns * 2 / 3 || indent > (int)strlen(text))
        indent = 0;
    if (palette && skip == 0)
        putf(palette, rect.row, rect.column, indent, style, "%.*s", indent, text);
    rect.column += indent;
    rect.columns -= indent;
    lines = wrapped(palette, rect, skip, style, text + indent);
    return lines > 0 ? lines : 1;
}
