/* SPDX-License-Identifier: MIT */
/* A picture is composed of characters from points: glyph sets, colours, magnification. */
#include "tui/workbench/terminal/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS_MAX 8
#define JOINED 2                    /* so many characters of one colour at most */
#define STEADY_MAX (256 / RAMP * 2) /* of a level's 256 */
#define STEADY_SHARE 32             /* of so many points one may change its colour */
#define BUSY_SHARE 8                /* of so many points one may change its colour by more */
#define BUSY_FRAMES 4               /* in so many each point is drawn anew */

/* The dots of a character, of sets that have several. */
static const struct {
    int across, down;
} dots_in[] = {[GLYPHS_HALF] = {1, 2},
               [GLYPHS_BRAILLE] = {2, 4},
               [GLYPHS_PIXEL] = {8, 16},
               [GLYPHS_PIXEL_COARSE] = {4, 8},
               [GLYPHS_PIXEL_COARSEST] = {2, 4}};

struct raster raster_of(enum glyphs glyphs, int magnify)
{
    int side = glyphs_are_pixels(glyphs) ? 1 + magnify * (magnify + 1) / 2 : magnify + 1;

    if (glyphs >= GLYPHS_HALF)
        return (struct raster){.across = dots_in[glyphs].across,
                               .down = dots_in[glyphs].down,
                               .wide = side,
                               .high = side};
    return (struct raster){.across = 1,
                           .down = 1,
                           .wide = magnify ? 2 * magnify : 1,
                           .high = magnify ? magnify : 1,
                           .tall = magnify == 0};
}

enum glyphs picture_pixels(int coarse, struct rect rect)
{
    int glyphs = GLYPHS_PIXEL + coarse;

    while (glyphs < GLYPHS_PIXEL_COARSEST &&
           (rect.columns * dots_in[glyphs].across > CA_VIEW_SIDE_MAX ||
            rect.rows * dots_in[glyphs].down > CA_VIEW_SIDE_MAX))
        glyphs++;
    return (enum glyphs)glyphs;
}

int picture_magnify(enum glyphs glyphs)
{
    int magnify = 0;

    if (glyphs < GLYPHS_HALF)
        return 1;
    while (glyphs_are_pixels(glyphs) &&
           raster_of(glyphs, magnify).wide + 1 < dots_in[glyphs].across)
        magnify++;
    return magnify;
}

/* Whether on and off are enough: for two states, and for levels beside which nothing is solid. */
static bool needs_colours(const struct ca_model *model, enum ca_drawn drawn)
{
    if (drawn == CA_CHANGE)
        return false;
    if (drawn == CA_FIELD) /* a cell may have no value */
        return true;
    for (const struct ca_state_appearance *state = ca_draw_of(model)->states; state->name; state++)
        if (state->colour == CA_COLOUR_SOLID)
            return true;
    return drawn != CA_DENSITY && ca_states_count(model) > 2;
}

enum glyphs picture_glyphs(enum glyphs wanted, const struct palette *palette,
                           const struct ca_model *model, enum ca_drawn drawn)
{
    bool blocks = wanted == GLYPHS_HALF || wanted == GLYPHS_BRAILLE;

    if ((wanted == GLYPHS_AUTO || wanted == GLYPHS_PIXEL) && palette->shades > 0 && palette->pixels)
        return GLYPHS_PIXEL;
    if (wanted == GLYPHS_AUTO || wanted == GLYPHS_PIXEL)
        return palette->utf8 && palette->shades > 0 ? GLYPHS_HALF : GLYPHS_STATES;
    if (blocks && (!palette->utf8 || (palette->shades == 0 && needs_colours(model, drawn))))
        return GLYPHS_STATES;
    return wanted;
}

void raster_points(const struct raster *raster, struct rect rect, int *columns, int *lines)
{
    *columns = rect.columns * raster->across / raster->wide;
    *lines = rect.rows * raster->down / raster->high;
    *columns = *columns < 1 ? 1 : *columns > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : *columns;
    *lines = *lines < 1 ? 1 : *lines > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : *lines;
}

void picture_size(struct ca_view *view, int magnify, enum glyphs glyphs, struct rect rect)
{
    struct raster raster = raster_of(glyphs, magnify);

    raster_points(&raster, rect, &view->columns, &view->lines);
    view->tall = raster.tall;
}

/* The points that the slice takes from its first cell on. */
static void points_of(const struct ca_view *view, struct ca_size size, int64_t *across,
                      int64_t *down)
{
    int64_t width, height, slices;

    ca_view_extent(size, view->axis, &width, &height, &slices);
    *across = ca_divide_up(width, view->zoom);
    *down = ca_divide_up(height, ca_view_down(view));
}

static bool picture_is_whole(struct ca_view *view, int magnify, enum glyphs glyphs,
                             struct ca_size size, struct rect rect)
{
    int64_t across, down;

    picture_size(view, magnify, glyphs, rect);
    points_of(view, size, &across, &down);
    return across <= view->columns && down <= view->lines;
}

void picture_unshare(struct ca_view *view, struct scale *scale)
{
    view->width = view->height = 0;
    scale->across = scale->down = 0;
}

/* The largest whole magnification or the smallest zoom with which all of the slice is seen. */
static void fit_whole(struct ca_view *view, int *magnify, enum glyphs glyphs, struct ca_size size,
                      struct rect rect)
{
    int64_t across, down;

    view->zoom = 1;
    for (*magnify = MAGNIFY_MAX; *magnify > 0; --*magnify)
        if (picture_is_whole(view, *magnify, glyphs, size, rect))
            return;
    if (picture_is_whole(view, 0, glyphs, size, rect))
        return;
    points_of(view, size, &across, &down);
    across = ca_divide_up(across, view->columns);
    down = ca_divide_up(down, view->lines);
    view->zoom = across > down ? across : down;
}

/* Shares `dots` dots among the cells of a side: points of several cells each, or cells of several
 * dots. Returns the points. */
static int points_in(int64_t cells, int dots)
{
    int64_t points = cells < dots ? cells : dots;

    return points < CA_VIEW_SIDE_MAX ? (int)points : CA_VIEW_SIDE_MAX;
}

static int dots_of(double dots, int most)
{
    return dots < 1 ? 1 : dots > most ? most : (int)lround(dots);
}

/* A whole number of cells a point, or of dots a cell, does for a picture whose sides have at least
 * these shares of what there is room for: cells of equal size look better, the more so the larger
 * they are. */
#define ZOOM_DOES 0.95
#define MAGNIFIED_DOES 0.85

void picture_fit(struct ca_view *view, struct scale *scale, enum glyphs glyphs, struct ca_size size,
                 struct rect rect)
{
    const struct raster dot = raster_of(glyphs, 0);
    const int most[2] = {rect.columns * dot.across, rect.rows * dot.down};
    const double high = dot.tall ? 2 : 1; /* of a dot, in its width */
    int64_t width, height, slices;
    struct raster whole;
    double across, down, side; /* dots of a cell */

    *scale = (struct scale){0};
    view->x = view->y = view->width = view->height = 0;
    fit_whole(view, &scale->magnify, glyphs, size, rect);
    whole = raster_of(glyphs, scale->magnify);
    ca_view_extent(size, view->axis, &width, &height, &slices);
    across = most[0] / (double)width;
    down = most[1] * high / (double)height;
    side = across < down ? across : down;
    if (glyphs_are_pixels(glyphs)) { /* no cell is larger than as half blocks */
        side = fmin(side, (MAGNIFY_MAX + 1) * dot.across);
        side = floor(side) >= side * MAGNIFIED_DOES ? floor(side) : side;
    } else if (scale->magnify == MAGNIFY_MAX) {
        return;
    }
    if (whole.wide / (double)view->zoom >=
        side * (view->zoom == 1 && side >= 1 ? MAGNIFIED_DOES : ZOOM_DOES))
        return;
    scale->across = dots_of((double)width * side, most[0]);
    scale->down = dots_of((double)height * side / high, most[1]);
    view->columns = points_in(width, scale->across);
    view->lines = points_in(height, scale->down);
    view->width = width;
    view->height = height;
}

struct rect picture_extent(const struct ca_view *view, struct scale scale, enum glyphs glyphs,
                           struct ca_size size, struct rect rect)
{
    struct raster r = raster_of(glyphs, scale.magnify);
    int64_t across, down;

    points_of(view, size, &across, &down);
    across = ca_divide_up(scale.across > 0 ? scale.across : across * r.wide, r.across);
    down = ca_divide_up(scale.down > 0 ? scale.down : down * r.high, r.down);
    rect.columns = across < rect.columns ? (int)across : rect.columns;
    rect.rows = down < rect.rows ? (int)down : rect.rows;
    return rect;
}

struct picture picture_of(const struct ca_frame *frame, const struct ca_model *model,
                          struct ca_size size, enum glyphs glyphs, struct scale scale)
{
    const struct ca_view *view = &frame->view;
    struct picture picture = {.frame = frame,
                              .model = model,
                              .glyphs = glyphs,
                              .raster = raster_of(glyphs, scale.magnify),
                              .columns = view->columns,
                              .lines = view->lines};
    int64_t width, height, slices, columns, lines;

    /* While a frame is of the view before, one of the two has shares and the other has none. */
    picture.across = view->width > 0 ? scale.across : 0;
    picture.down = view->height > 0 ? scale.down : 0;
    ca_view_extent(size, frame->view.axis, &width, &height, &slices);
    picture.upward = ca_draw_of(model)->z_is_height && frame->view.axis != CA_XY;
    lines = height > view->y ? ca_view_line_of(view, height - 1) + 1 : 0;
    if (lines < picture.lines)
        picture.lines = (int)lines;
    columns = width > view->x ? ca_view_column_of(view, width - 1) + 1 : 0;
    if (columns < picture.columns)
        picture.columns = (int)columns;
    return picture;
}

/* The line of the frame that is drawn as the n-th from above, and the other way round. */
static int turned(const struct picture *picture, int line)
{
    return picture->upward ? picture->lines - 1 - line : line;
}

/* The first dot of point i on a side, and the point with a dot: of `points` that share `shared`
 * dots or, without these, have `each`. */
static int first_dot(int points, int shared, int each, int i)
{
    return shared > 0 ? (int)((int64_t)i * shared / points) : i * each;
}

static int point_with(int points, int shared, int each, int dot)
{
    return shared > 0 ? (int)((((int64_t)dot + 1) * points - 1) / shared) : dot / each;
}

struct rect picture_point(const struct picture *picture, struct rect rect, int64_t column,
                          int64_t line)
{
    const struct raster *r = &picture->raster;
    int columns = picture->frame->view.columns, lines = picture->frame->view.lines, x, y, wide,
        high;

    if (column < 0 || line < 0 || column >= picture->frame->view.columns || line >= picture->lines)
        return (struct rect){0};
    line = turned(picture, (int)line);
    x = first_dot(columns, picture->across, r->wide, (int)column);
    y = first_dot(lines, picture->down, r->high, (int)line);
    wide = first_dot(columns, picture->across, r->wide, (int)column + 1) - x;
    high = first_dot(lines, picture->down, r->high, (int)line + 1) - y;
    if (wide == 0 || high == 0)
        return (struct rect){0};
    rect.columns -= x / r->across;
    rect.rows -= y / r->down;
    if (rect.columns <= 0 || rect.rows <= 0)
        return (struct rect){0};
    rect.column += x / r->across;
    rect.row += y / r->down;
    x = (x % r->across + wide + r->across - 1) / r->across;
    y = (y % r->down + high + r->down - 1) / r->down;
    rect.columns = x < rect.columns ? x : rect.columns;
    rect.rows = y < rect.rows ? y : rect.rows;
    return rect;
}

void picture_at(const struct picture *picture, struct rect rect, int row, int at, int *column,
                int *line)
{
    const struct raster *r = &picture->raster;
    const struct ca_view *view = &picture->frame->view;

    bool middle = glyphs_are_pixels(picture->glyphs); /* of the character */
    int x = (at - rect.column) * r->across + middle * r->across / 2;
    int y = (row - rect.row) * r->down + middle * r->down / 2;

    *column = point_with(view->columns, picture->across, r->wide, x);
    *line = turned(picture, point_with(view->lines, picture->down, r->high, y));
}

/* --- characters ------------------------------------------------------------------------------- */

/* The colour of a point on a terminal that has many, or -1. */
static int colour_of(const struct picture *picture, const struct palette *palette,
                     const struct ca_point *point)
{
    int last = palette->shades - 1, steps = palette->ramp_steps;
    bool below = picture->frame->low < 0;

    if (point->by_level && steps > 0) {
        if (last >= 0 && picture->raster.down == 1)
            return palette->letter[below][point->level * LETTERS / 256];
        steps = below && steps == 3 ? 5 : steps;
        return palette->ramp[below][point->level * steps / 256];
    }
    if (last < 0)
        return -1;
    return palette
        ->shade[point->colour][ca_is_shaded(picture->model) && point->colour != CA_COLOUR_SOLID
                                   ? (point->level * last + 127) / 255
                                   : last];
}

static struct ink ink_of(const struct picture *picture, const struct palette *palette,
                         const struct ca_point *point)
{
    int colour = colour_of(picture, palette, point);

    return (struct ink){.coloured = colour >= 0,
                        .style = (enum style)(point->by_level ? CA_COLOUR_STRONG : point->colour),
                        .front = colour,
                        .back = -1};
}

/* The point under dot (x, y) of the picture. */
static struct ca_point point_at(const struct picture *picture, bool by_level, int x, int y)
{
    const struct ca_view *view = &picture->frame->view;
    int column = point_with(view->columns, picture->across, picture->raster.wide, x);
    int line = point_with(view->lines, picture->down, picture->raster.high, y);

    if (column >= view->columns || line >= picture->lines)
        return (struct ca_point){.glyph = ' ', .colour = CA_COLOUR_PLAIN, .outside = true};
    line = turned(picture, line);
    return ca_frame_point(picture->frame, picture->model, by_level,
                          (size_t)line * (size_t)view->columns + (size_t)column);
}

/* Whether a dot is on that can only be on or off: by ordered dithering (Bayer), which does not
 * shimmer, so that as many of 16 neighbours are on as its level says. */
static bool is_on(const struct ca_point *point, int x, int y)
{
    static const uint8_t bayer[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

    if (point->outside)
        return false;
    if (point->colour == CA_COLOUR_SOLID)
        return true;
    return point->level > (bayer[y & 3][x & 3] * 255 + 127) / 16;
}

/* The colour of one of two dots; the terminal's own beyond the lattice and for empty states. */
static int half_colour(const struct picture *picture, const struct palette *palette,
                       const struct ca_point *point)
{
    return point->outside || (!point->by_level && point->colour == CA_COLOUR_QUIET)
               ? -1
               : colour_of(picture, palette, point);
}

/* Two dots of one character. Where there are colours enough, each has its own; the one with the
 * higher number is in front, so that both ways of two colours have one ink. */
static struct character half(const struct picture *picture, const struct palette *palette,
                             const struct ca_point dot[DOTS_MAX], int x, int y)
{
    bool on[2] = {is_on(&dot[0], x, y), is_on(&dot[1], x, y + 1)};

    if (palette->shades > 0) {
        int upper = half_colour(picture, palette, &dot[0]);
        int lower = half_colour(picture, palette, &dot[1]);
        struct ink ink = {.coloured = true,
                          .front = upper > lower ? upper : lower,
                          .back = upper > lower ? lower : upper};

        if (ink.front < 0)
            return (struct character){L' ', {.style = STYLE_PLAIN}};
        if (upper == lower)
            ink.back = -1;
        return (struct character){upper == lower ? L'█' : upper > lower ? L'▀' : L'▄', ink};
    }
    if (!on[0] && !on[1])
        return (struct character){L' ', {.style = STYLE_PLAIN}};
    return (struct character){on[0] && on[1] ? L'█'
                              : on[0]        ? L'▀'
                                             : L'▄',
                              ink_of(picture, palette, &dot[on[0] ? 0 : 1])};
}

/* One or two characters of one colour take the ink of the one before them, if that has the colour,
 * in front or behind: so few inks follow each other, which is what most bytes of a coloured row are
 * for. More of them are a run of their own, which stays as it is when something before it changes.
 */
static void half_join(struct character line[], int columns)
{
    for (int i = 1, n; i < columns; i += n) {
        struct ink before = line[i - 1].ink, ink = line[i].ink;

        for (n = 1; i + n < columns && line[i].text == L'█' && line[i + n].text == L'█' &&
                    ink_equal(line[i + n].ink, ink);)
            n++;
        if (n > JOINED || line[i].text != L'█' || !ink.coloured || !before.coloured ||
            (before.front != ink.front && before.back != ink.front))
            continue;
        for (int k = i; k < i + n; k++)
            line[k] = (struct character){before.front == ink.front ? L'█' : L' ', before};
    }
}

/* Eight dots of one character, which has the colour of its brightest. */
static struct character braille(const struct picture *picture, const struct palette *palette,
                                const struct ca_point dot[DOTS_MAX], int x, int y)
{
    static const uint8_t bit[DOTS_MAX] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    const struct ca_point *brightest = NULL;
    unsigned bits = 0;

    for (int i = 0; i < DOTS_MAX; i++)
        if (is_on(&dot[i], x + i % 2, y + i / 2)) {
            bits |= bit[i];
            if (!brightest || dot[i].level > brightest->level)
                brightest = &dot[i];
        }
    if (!brightest)
        return (struct character){L' ', {.style = STYLE_PLAIN}};
    return (struct character){(wchar_t)(0x2800 + bits), ink_of(picture, palette, brightest)};
}

/* A character of a picture in pixels where these are not shown, as in a file: the two halves have
 * the colours of the dots in their middle. */
static struct character sampled(const struct picture *picture, const struct palette *palette,
                                bool by_level, int row, int column)
{
    const struct raster *r = &picture->raster;
    int x = column * r->across + r->across / 2, y = row * r->down + r->down / 4;
    struct ca_point dot[DOTS_MAX] = {point_at(picture, by_level, x, y),
                                     point_at(picture, by_level, x, y + r->down / 2)};

    return half(picture, palette, dot, column, 2 * row);
}

static struct character character_at(const struct picture *picture, const struct palette *palette,
                                     bool by_level, int row, int column)
{
    const struct raster *r = &picture->raster;
    int x = column * r->across, y = row * r->down;
    struct ca_point dot[DOTS_MAX] = {{0}};

    if (glyphs_are_pixels(picture->glyphs))
        return sampled(picture, palette, by_level, row, column);
    for (int i = 0; i < r->across * r->down; i++)
        dot[i] = point_at(picture, by_level, x + i % r->across, y + i / r->across);
    if (picture->glyphs == GLYPHS_HALF)
        return half(picture, palette, dot, x, y);
    if (picture->glyphs == GLYPHS_BRAILLE)
        return braille(picture, palette, dot, x, y);
    return (struct character){(wchar_t)(unsigned char)dot[0].glyph,
                              ink_of(picture, palette, &dot[0])};
}

/* Characters of one ink in one call. A blank without a background continues the present run, since
 * it looks the same in every ink. */
static void picture_row_draw(const struct palette *palette, int row, int column,
                             const struct character line[], int n)
{
    wchar_t text[CA_VIEW_SIDE_MAX];
    int first = 0;

    for (int i = 0; i <= n; i++) {
        if (i < n)
            text[i] = line[i].text;
        if (i == 0 ||
            (i < n && (ink_equal(line[i].ink, line[first].ink) ||
                       (text[i] == L' ' && (!line[i].ink.coloured || line[i].ink.back < 0) &&
                        (!line[first].ink.coloured || line[first].ink.back < 0)))))
            continue;
        ink_set(palette, line[first].ink);
        mvaddnwstr(row, column + first, text + first, i - first);
        first = i;
    }
}

struct character picture_sample(const struct picture *picture, const struct palette *palette,
                                struct ca_point point)
{
    bool blocks = picture->glyphs >= GLYPHS_HALF;
    bool on =
        point.by_level ? palette->shades > 0 || point.level > 127 : point.colour != CA_COLOUR_QUIET;

    return (struct character){blocks ? (on ? L'█' : L' ') : (wchar_t)(unsigned char)point.glyph,
                              ink_of(picture, palette, &point)};
}

static bool is_by_level(const struct picture *picture)
{
    return ca_frame_by_level(picture->frame, picture->model, picture->glyphs == GLYPHS_RAMP10);
}

void picture_row(const struct picture *picture, const struct palette *palette, int row, int columns,
                 struct character line[])
{
    bool by_level = is_by_level(picture);

    for (int i = 0; i < columns; i++)
        line[i] = character_at(picture, palette, by_level, row, i);
    if ((picture->glyphs == GLYPHS_HALF || glyphs_are_pixels(picture->glyphs)) &&
        palette->shades > 0)
        half_join(line, columns);
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* The number of a point's colour; 0 beyond the lattice and for empty states. */
static uint8_t pixel_of(const struct picture *picture, const struct ca_point *point)
{
    bool shaded = ca_is_shaded(picture->model) && point->colour != CA_COLOUR_SOLID;

    if (point->outside || (!point->by_level && point->colour == CA_COLOUR_QUIET))
        return 0;
    if (point->by_level)
        return (uint8_t)pixel_of_step(picture->frame->low < 0, point->level * RAMP / 256);
    return (uint8_t)pixel_of_shade(point->colour,
                                   shaded ? (point->level * (SHADES - 1) + 127) / 255 : SHADES - 1);
}

/* The dots of a row; those of one point are looked at once. */
static void dots_of_row(const struct picture *picture, bool by_level, int y, int width,
                        uint8_t *dot)
{
    int columns = picture->frame->view.columns, last = -1;

    for (int x = 0; x < width; x++) {
        int column = point_with(columns, picture->across, picture->raster.wide, x);
        struct ca_point point;

        if (column == last) {
            dot[x] = dot[x - 1];
            continue;
        }
        point = point_at(picture, by_level, x, y);
        dot[x] = pixel_of(picture, &point);
        last = column;
    }
}

/* False where the terminal shows no pixels, or not so many. */
static bool pixels_draw(const struct picture *picture, const struct palette *palette,
                        struct rect rect)
{
    const struct ca_view *view = &picture->frame->view;
    const struct raster *r = &picture->raster;
    int wide = first_dot(view->columns, picture->across, r->wide, picture->columns);
    int high = first_dot(view->lines, picture->down, r->high, picture->lines), last = -1;
    struct bitmap *bitmap;

    wide = (wide + r->across - 1) / r->across;
    high = (high + r->down - 1) / r->down;
    rect.columns = wide < rect.columns ? wide : rect.columns;
    rect.rows = high < rect.rows ? high : rect.rows;
    bitmap = palette->pixels
                 ? pixels_add(palette->pixels, rect, rect.columns * r->across, rect.rows * r->down)
                 : NULL;
    if (!bitmap)
        return false;
    for (int y = 0; y < bitmap->height; y++) {
        uint8_t *dot = bitmap->dot + (size_t)y * (size_t)bitmap->width;
        int line = point_with(view->lines, picture->down, r->high, y);

        if (line == last)
            memcpy(dot, dot - bitmap->width, (size_t)bitmap->width);
        else
            dots_of_row(picture, is_by_level(picture), y, bitmap->width, dot);
        last = line;
    }
    pixels_cells(palette->pixels);
    return true;
}

void picture_invert(const struct picture *picture, const struct palette *palette, int64_t column,
                    int64_t line)
{
    const struct ca_view *view = &picture->frame->view;
    const struct raster *r = &picture->raster;
    struct bitmap *bitmap = palette->pixels ? pixels_last(palette->pixels) : NULL;
    int row = turned(picture, (int)line);

    if (!bitmap)
        return;
    for (int y = first_dot(view->lines, picture->down, r->high, row);
         y < first_dot(view->lines, picture->down, r->high, row + 1) && y < bitmap->height; y++)
        for (int x = first_dot(view->columns, picture->across, r->wide, (int)column);
             x < first_dot(view->columns, picture->across, r->wide, (int)column + 1) &&
             x < bitmap->width;
             x++)
            bitmap->dot[(size_t)y * (size_t)bitmap->width + (size_t)x] |= PIXELS_INVERTED;
}

void picture_draw(const struct picture *picture, const struct palette *palette, struct rect rect)
{
    struct character line[CA_VIEW_SIDE_MAX];
    int columns = rect.columns < CA_VIEW_SIDE_MAX ? rect.columns : CA_VIEW_SIDE_MAX;

    if (glyphs_are_pixels(picture->glyphs) && pixels_draw(picture, palette, rect))
        return;
    for (int row = 0; row < rect.rows; row++) {
        picture_row(picture, palette, row, columns, line);
        picture_row_draw(palette, rect.row + row, rect.column, line, columns);
    }
}

static bool is_same_step(uint8_t a, uint8_t b) { return a * RAMP / 256 == b * RAMP / 256; }

/* How much a level changes, if its step of a ramp does. */
static int level_change(const struct ca_frame *frame, const struct ca_frame *last, int i)
{
    uint8_t now = frame->level[i], before = last->level[i];

    return is_same_step(now, before) ? 0 : abs(now - before);
}

/* How much a level has to change at least, so that not too many do. */
static int steady_change(const struct ca_frame *frame, const struct ca_frame *last, int points)
{
    int changed[STEADY_MAX + 1] = {0}, least = STEADY_MAX, sum;

    for (int i = 0; i < points; i++) {
        int change = level_change(frame, last, i);

        changed[change < STEADY_MAX ? change : STEADY_MAX]++;
    }
    for (sum = changed[least]; least > 1; least--) {
        sum += changed[least - 1];
        if (sum > points / STEADY_SHARE)
            break;
    }
    return least;
}

/* In how many frames all points are drawn anew, so that not too many are in one. It is a power of
 * two: where it differs from frame to frame, no row waits for longer. */
static int busy_frames(const struct ca_frame *frame, const struct ca_frame *last, int points)
{
    int changed = 0, frames = 1;

    for (int i = 0; i < points; i++)
        changed += frame->code[i] != last->code[i] || level_change(frame, last, i) > 0;
    while (frames < BUSY_FRAMES && changed > points / BUSY_SHARE * frames)
        frames *= 2;
    return frames;
}

/* Rows of characters take turns: most have two lines of points. */
static void busy_rows_wait(struct ca_frame *frame, const struct ca_frame *last, unsigned number,
                           int frames)
{
    size_t columns = (size_t)frame->view.columns;

    for (int line = 0; line < frame->view.lines; line++)
        if (((unsigned)line / 2 + number) % (unsigned)frames > 0) {
            memcpy(frame->code + (size_t)line * columns, last->code + (size_t)line * columns,
                   columns);
            memcpy(frame->level + (size_t)line * columns, last->level + (size_t)line * columns,
                   columns);
        }
}

void picture_steady(struct ca_frame *frame, const struct ca_frame *last, unsigned number)
{
    const struct ca_view *view = &frame->view, *before = &last->view;
    int points = view->columns * view->lines, least;

    if (points == 0 || !ca_view_same_cells(view, before) || view->drawn != before->drawn ||
        strcmp(view->field, before->field) != 0 || frame->low != last->low ||
        frame->high != last->high)
        return;
    least = steady_change(frame, last, points);
    for (int i = 0; i < points; i++)
        if (level_change(frame, last, i) < least)
            frame->level[i] = last->level[i];
    busy_rows_wait(frame, last, number, busy_frames(frame, last, points));
}
