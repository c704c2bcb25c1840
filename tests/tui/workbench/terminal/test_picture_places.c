/* SPDX-License-Identifier: MIT */
/* Where pictures draw cells: which characters a point has, whatever the glyphs, the zoom and the
 * rectangle, and which point is at a character. */
#include <stdlib.h>

#include "tests/support/support.h"
#include "tui/workbench/terminal/picture.h"

/* Each character belongs to the point that is said to be there, and cells are square. */
START_TEST(points_and_characters)
{
    enum glyphs glyphs = (enum glyphs)(GLYPHS_STATES + _i % 4);
    int magnify = _i / 4;
    const struct rect rect = {3, 5, 12, 34};
    struct raster r = raster_of(glyphs, magnify);
    struct ca_frame frame = {.view = {.zoom = 1, .tall = r.tall}};
    const struct ca_size size = {200, 200, 1};
    struct picture picture;
    int covered = 0;

    raster_points(&r, rect, &frame.view.columns, &frame.view.lines);
    picture =
        picture_of(&frame, test_model("anneal"), size, glyphs, (struct scale){.magnify = magnify});
    /* The width and, a character being twice as high as wide, the height of a point that stands for
     * as many cells each way; tall ones stand for twice as many down. */
    ck_assert_int_eq((r.tall ? 2 : 1) * r.wide * r.down, 2 * r.high * r.across);
    for (int line = 0; line < frame.view.lines; line++)
        for (int column = 0; column < frame.view.columns; column++) {
            struct rect at = picture_point(&picture, rect, column, line);
            int back[2];

            ck_assert_int_ge(at.rows, 1);
            ck_assert_int_ge(at.row, rect.row);
            ck_assert_int_le(at.row + at.rows, rect.row + rect.rows);
            ck_assert_int_le(at.column + at.columns, rect.column + rect.columns);
            picture_at(&picture, rect, at.row, at.column, &back[0], &back[1]);
            ck_assert_int_le(back[0], column);
            ck_assert_int_le(back[1], line);
            ck_assert_int_le(column - back[0], r.across - 1);
            ck_assert_int_le(line - back[1], r.down - 1);
            covered += at.rows * at.columns;
        }
    ck_assert_int_ge(covered, (rect.rows - r.high) * (rect.columns - r.wide));
    ck_assert_int_eq(picture_point(&picture, rect, -1, 0).rows, 0);
    ck_assert_int_eq(picture_point(&picture, rect, 0, frame.view.lines).rows, 0);
    ck_assert_int_eq(picture_point(&picture, rect, frame.view.columns, 0).rows, 0);
}
END_TEST

/* The characters that these dots of a row of so many have a part in. */
static struct rect characters(int from, int dots, int a_character, int there)
{
    int first = from / a_character, last = (from + dots - 1) / a_character;

    last = last < there ? last : there - 1;
    return (struct rect){.column = first, .columns = last - first + 1};
}

/* Where each point is drawn, and which one is at a character, on a lattice that is larger than the
 * picture or ends within it; one whose height is drawn has its first line at the bottom. */
START_TEST(points_have_their_characters)
{
    enum glyphs glyphs = (enum glyphs)(GLYPHS_STATES + _i % 4);
    int magnify = _i / 4 % 4, high = _i / 16 % 2, upward = _i / 32;
    const struct rect rect = {3, 5, 12, 34};
    const struct ca_model *model = test_model(upward ? "cloud" : "anneal");
    struct raster r = raster_of(glyphs, magnify);
    struct ca_frame frame = {
        .view = {.zoom = 1, .tall = r.tall, .axis = upward ? CA_XZ : CA_XY, .y = 2}};
    const struct ca_size size = {200, high ? 200 : 7, upward ? (high ? 200 : 7) : 1};
    struct picture picture;

    raster_points(&r, rect, &frame.view.columns, &frame.view.lines);
    picture = picture_of(&frame, model, size, glyphs, (struct scale){.magnify = magnify});
    ck_assert_int_eq(picture.upward, upward);
    ck_assert_int_eq(picture.lines, high || frame.view.lines < (r.tall ? 3 : 5) ? frame.view.lines
                                    : r.tall                                    ? 3
                                                                                : 5);
    for (int line = 0; line < picture.lines; line++)
        for (int column = 0; column < frame.view.columns; column++) {
            struct rect at = picture_point(&picture, rect, column, line);
            int y = upward ? picture.lines - 1 - line : line, back[2], half[2];
            struct rect across = characters(column * r.wide, r.wide, r.across, rect.columns);
            struct rect down = characters(y * r.high, r.high, r.down, rect.rows);

            ck_assert_int_eq(at.column, rect.column + across.column);
            ck_assert_int_eq(at.columns, across.columns);
            ck_assert_int_eq(at.row, rect.row + down.column);
            ck_assert_int_eq(at.rows, down.columns);
            picture_at(&picture, rect, at.row, at.column, &back[0], &back[1]);
            half[0] = across.column * r.across / r.wide;
            half[1] = down.column * r.down / r.high;
            ck_assert_int_eq(back[0], half[0]);
            ck_assert_int_eq(back[1], upward ? picture.lines - 1 - half[1] : half[1]);
        }
}
END_TEST

static int64_t divided_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

/* Whether a slice is in the picture as a whole; of its points there are so many. */
static bool is_in(const struct ca_size *size, const struct raster *r, const struct rect *rect,
                  int64_t zoom, int64_t points[2])
{
    int columns, lines;

    raster_points(r, *rect, &columns, &lines);
    points[0] = divided_up(size->w, zoom);
    points[1] = divided_up(size->h, zoom * (r->tall ? 2 : 1));
    return points[0] <= columns && points[1] <= lines;
}

/* A picture all of whose points share cells, or all of whose cells share dots: as large as squares
 * allow, with at least a cell for each point and a dot for each cell. */
static void check_shared(const struct ca_view *view, struct scale scale, enum glyphs glyphs,
                         const struct ca_size *size, const struct rect *rect, const char *where)
{
    struct raster dot = raster_of(glyphs, 0);
    int most[2] = {rect->columns * dot.across, rect->rows * dot.down};
    double high = dot.tall ? 2 : 1, across = most[0] / (double)size->w;
    double down = most[1] * high / (double)size->h, dots = across < down ? across : down;

    ck_assert_msg(view->width == size->w && view->height == size->h, "%s: not all cells", where);
    ck_assert_msg(scale.across == most[0] || scale.down == most[1], "%s: a gap on both sides",
                  where);
    ck_assert_msg(scale.across <= most[0] && scale.down <= most[1], "%s: too large", where);
    ck_assert_msg(fabs(scale.across - dots * (double)size->w) <= 0.5 || scale.across == 1,
                  "%s: %d dots across, not %g", where, scale.across, dots * (double)size->w);
    ck_assert_msg(fabs(scale.down - dots * (double)size->h / high) <= 0.5 || scale.down == 1,
                  "%s: %d dots down, not %g", where, scale.down, dots * (double)size->h / high);
    ck_assert_int_eq(view->columns, scale.across < size->w ? scale.across : size->w);
    ck_assert_int_eq(view->lines, scale.down < size->h ? scale.down : size->h);
}

/* The largest picture of all of a slice: magnified as often as it fits, or of the fewest cells a
 * point, if that is nearly as large as squares allow; else of shared cells. */
/* A view that goes to cells shows each as the smallest that its glyphs have: a dot of a character,
 * or two letters, which are square. */
START_TEST(a_cell_is_a_dot)
{
    ck_assert_int_eq(picture_magnify(GLYPHS_HALF), 0);
    ck_assert_int_eq(picture_magnify(GLYPHS_BRAILLE), 0);
    ck_assert_int_eq(picture_magnify(GLYPHS_STATES), 1);
    ck_assert_int_eq(picture_magnify(GLYPHS_RAMP10), 1);
    ck_assert_int_gt(picture_magnify(GLYPHS_PIXEL), 1);
}
END_TEST

START_TEST(fits_the_whole_slice)
{
    static const struct rect rects[] = {{0, 0, 12, 34}, {2, 1, 5, 31}, {1, 1, 19, 76}};
    /* among them those that just fit, and one more */
    static const int widths[] = {1, 2, 3, 15, 31, 34, 35, 62, 63, 68, 76, 136, 152, 153, 304, 399};
    static const int heights[] = {1, 2, 5, 6, 10, 11, 12, 20, 24, 25, 38, 39, 40, 76, 96, 240, 399};
    enum glyphs glyphs = (enum glyphs)(GLYPHS_STATES + _i % 4);
    const struct rect *rect = &rects[_i / 4];
    int of_shares = 0;

    for (size_t i = 0; i < COUNT(widths); i++)
        for (size_t j = 0; j < COUNT(heights); j++) {
            int w = widths[i], h = heights[j];
            const struct ca_size size = {w, h, 1};
            struct ca_view view = {.zoom = 5, .x = 3, .y = 4, .width = 9, .height = 9};
            struct raster r = raster_of(glyphs, MAGNIFY_MAX), dot = raster_of(glyphs, 0);
            double share[2], whole;
            int magnify = MAGNIFY_MAX;
            int64_t zoom = 1, points[2];
            struct rect extent;
            struct scale fitted;
            char where[80];

            while (magnify > 0 && !is_in(&size, &r, rect, 1, points))
                r = raster_of(glyphs, --magnify);
            while (!is_in(&size, &r, rect, zoom, points))
                zoom++;
            picture_fit(&view, &fitted, glyphs, size, *rect);
            snprintf(where, sizeof where, "%dx%d in %dx%d, glyphs %d", w, h, rect->columns,
                     rect->rows, (int)glyphs);
            ck_assert_msg(fitted.magnify == magnify && view.zoom == zoom && view.x == 0 &&
                              view.y == 0,
                          "%s: magnified %d, zoom %d; not %d, %d", where, fitted.magnify,
                          (int)view.zoom, magnify, (int)zoom);
            whole = r.wide / (double)zoom;
            share[0] = whole * w / (rect->columns * dot.across);
            share[1] = whole * h / (rect->rows * dot.down * (dot.tall ? 2 : 1));
            ck_assert_msg(view.width > 0 || magnify == MAGNIFY_MAX || share[0] >= 0.84 ||
                              share[1] >= 0.84,
                          "%s: fills %g and %g", where, share[0], share[1]);
            extent = picture_extent(&view, fitted, glyphs, size, *rect);
            if (view.width > 0) {
                check_shared(&view, fitted, glyphs, &size, rect, where);
                points[0] = divided_up(fitted.across, r.across);
                points[1] = divided_up(fitted.down, r.down);
                of_shares++;
            } else {
                points[0] = divided_up(points[0] * r.wide, r.across);
                points[1] = divided_up(points[1] * r.high, r.down);
            }
            points[1] = points[1] < rect->rows ? points[1] : rect->rows; /* of a single cell */
            ck_assert_msg(extent.row == rect->row && extent.column == rect->column &&
                              extent.columns == points[0] && extent.rows == points[1],
                          "%s: takes %dx%d", where, extent.columns, extent.rows);
            picture_unshare(&view, &fitted);
            ck_assert(view.width == 0 && view.height == 0 && fitted.across == 0 &&
                      fitted.down == 0);
        }
    ck_assert_int_gt(of_shares, 40);
}
END_TEST

/* Of points that share dots, that with this dot: by going through all of them. */
static int point_of_dot(int points, int dots, int dot)
{
    for (int i = 0; i < points; i++)
        if (dot >= i * dots / points && dot < (i + 1) * dots / points)
            return i;
    return -1;
}

/* In a picture that shares cells and dots each cell is drawn in a point's characters, which lead
 * back to that point, and nowhere else. */
START_TEST(every_cell_has_its_characters)
{
    static const struct ca_size sizes[] = {
        {129, 67, 67}, {47, 31, 31}, {20, 90, 90}, {300, 20, 20}};
    const struct rect rect = {3, 5, 13, 37};
    enum glyphs glyphs = (enum glyphs)(_i % 4);
    struct ca_size size = sizes[_i / 4 % COUNT(sizes)];
    bool upward = _i / 4 / COUNT(sizes) != 0;
    const struct ca_model *model = test_model(upward ? "cloud" : "anneal");
    struct ca_view view = {.axis = upward ? CA_XZ : CA_XY};
    struct raster r = raster_of(glyphs, 0);
    uint8_t code[64 * 64] = {0}, level[64 * 64] = {0};
    struct ca_frame frame = {.code = code, .level = level, .high = 1};
    int64_t width, height, slices;
    struct picture picture;
    struct palette palette;
    struct scale scale;

    if (!upward)
        size.d = 1;
    palette_make(&palette, "default", 0, false, true);
    picture_fit(&view, &scale, glyphs, size, rect);
    ck_assert_int_gt(view.width, 0);
    ca_view_extent(size, view.axis, &width, &height, &slices);
    frame.view = view;
    ck_assert_int_le(view.columns * view.lines, (int)COUNT(code));
    picture = picture_of(&frame, model, size, glyphs, scale);
    ck_assert_int_eq(picture.lines, view.lines);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            int column = (int)ca_view_column_of(&view, x), line = (int)ca_view_line_of(&view, y);
            struct rect at = picture_point(&picture, rect, column, line);

            ck_assert_int_ge(at.rows, 1);
            ck_assert_int_ge(at.columns, 1);
            for (int i = at.row; i < at.row + at.rows; i++)
                for (int j = at.column; j < at.column + at.columns; j++) {
                    int u = (j - rect.column) * r.across, v = (i - rect.row) * r.down, back[2];
                    int c = point_of_dot(view.columns, scale.across, u);
                    int l = point_of_dot(view.lines, scale.down, v);

                    picture_at(&picture, rect, i, j, &back[0], &back[1]);
                    ck_assert_int_eq(back[0], c);
                    ck_assert_int_eq(back[1], upward ? view.lines - 1 - l : l);
                    if (r.across == 1)
                        ck_assert_int_eq(c, column);
                    if (r.down == 1)
                        ck_assert_int_eq(back[1], line);
                    ck_assert(ca_view_column(&view, column) <= x &&
                              x < ca_view_column(&view, column + 1));
                    ck_assert(ca_view_line(&view, line) <= y && y < ca_view_line(&view, line + 1));
                }
        }
    /* A single point that is drawn has these characters and no others. */
    for (int i = 0; i < view.columns * view.lines; i += 1 + i / 40) {
        struct rect at = picture_point(&picture, rect, i % view.columns, i / view.columns);
        int drawn = 0;

        code[i] = (uint8_t)(ca_states_count(model) - 1);
        level[i] = 255;
        for (int row = 0; row < rect.rows; row++) {
            struct character line[64];

            picture_row(&picture, &palette, row, rect.columns, line);
            for (int column = 0; column < rect.columns; column++) {
                bool there = row + rect.row >= at.row && row + rect.row < at.row + at.rows &&
                             column + rect.column >= at.column &&
                             column + rect.column < at.column + at.columns;
                bool on = line[column].text != L' ' && line[column].text != L'.' &&
                          line[column].text != 0x2800;

                if (on && !there)
                    ck_abort_msg("point %d is drawn at %d,%d, too", i, column, row);
                drawn += on;
            }
        }
        ck_assert_msg(drawn > 0, "point %d of %dx%d is not drawn", i, view.columns, view.lines);
        code[i] = level[i] = 0;
    }
}
END_TEST

/* While a frame is still of the view before, no point is outside of the picture's memory. */
START_TEST(a_frame_of_another_size)
{
    static const struct ca_view views[] = {
        {.zoom = 1, .columns = 50, .lines = 40, .width = 50, .height = 40},
        {.zoom = 3, .columns = 50, .lines = 40},
        {.zoom = 1, .columns = 1, .lines = 1, .width = 400, .height = 300}};
    const struct rect rect = {3, 5, 12, 34};
    uint8_t bytes[2 * 50 * 40] = {0};

    for (size_t i = 0; i < COUNT(views); i++)
        for (int dots = 0; dots < 4; dots++) {
            struct ca_frame frame = {
                .view = views[i], .code = bytes, .level = bytes + 50 * 40, .high = 1};
            struct picture picture =
                picture_of(&frame, test_model("anneal"), (struct ca_size){400, 300, 1}, GLYPHS_HALF,
                           (struct scale){.across = dots * 17, .down = dots * 7});
            struct character line[34];
            struct palette palette;
            int column, row;

            palette_make(&palette, "default", 256, false, true);
            for (int y = 0; y < rect.rows; y++)
                picture_row(&picture, &palette, y, 34, line);
            for (int y = 0; y < views[i].lines; y++)
                for (int x = 0; x < views[i].columns; x++) {
                    struct rect at = picture_point(&picture, rect, x, y);

                    ck_assert_int_le(at.row + at.rows, rect.row + rect.rows);
                    ck_assert_int_le(at.column + at.columns, rect.column + rect.columns);
                }
            picture_at(&picture, rect, rect.row, rect.column, &column, &row);
            ck_assert(column >= 0 && column < views[i].columns && row >= 0 && row < views[i].lines);
        }
}
END_TEST

/* Of a slice that is larger than the picture all characters are taken. */
START_TEST(extent_is_within_the_rectangle)
{
    const struct rect rect = {2, 1, 5, 31};
    struct ca_view view = {.zoom = 1, .tall = true};
    struct rect extent = picture_extent(&view, (struct scale){0}, GLYPHS_STATES,
                                        (struct ca_size){400, 300, 1}, rect);

    ck_assert_mem_eq(&extent, &rect, sizeof rect);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_frame_of_another_size, extent_is_within_the_rectangle,
                              a_cell_is_a_dot},
                     .table = {{points_and_characters, 4 * 4},
                               {points_have_their_characters, 4 * 4 * 2 * 2},
                               {fits_the_whole_slice, 4 * 3},
                               {every_cell_has_its_characters, 4 * 4 * 2}});
}
