/* SPDX-License-Identifier: MIT */
/* View: which cells a frame shows and how blocks are reduced, on lattices made by hand. */
#include <math.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/support_view.h"

static struct ca_error error;

static struct ca_simulation *open_model(const char *name, struct ca_size size)
{
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    const struct ca_model *model = test_model(name);

    ca_experiment_default(&experiment, model);
    ca_experiment_backend(&experiment, model->backends, CA_FROM_COMMAND_LINE);
    experiment.size = size;
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    return simulation;
}

static void load_cells(struct ca_simulation *simulation, uint8_t (*cell)(int64_t, int64_t, int64_t))
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    struct ca_lattice lattice;
    int64_t i = 0;

    ck_assert_ok(ca_lattice_alloc(&lattice, setup->size, CA_U8, setup->model->planes, &error));
    for (int64_t z = 0; z < setup->size.d; z++)
        for (int64_t y = 0; y < setup->size.h; y++)
            for (int64_t x = 0; x < setup->size.w; x++)
                ((uint8_t *)lattice.plane[0])[i++] = cell(x, y, z);
    ck_assert_ok(ca_simulation_load(simulation, &lattice, 0, &error));
    ca_lattice_free(&lattice);
}

/* The codes as a text: a letter a character ('x' outside), '/' between lines. */
static const char *picture(const struct ca_frame *frame)
{
    static char text[4096];
    char *end = text;

    for (int l = 0, i = 0; l < frame->view.lines; l++) {
        if (l)
            *end++ = '/';
        for (int c = 0; c < frame->view.columns; c++, i++)
            *end++ = frame->code[i] == CA_VIEW_OUTSIDE ? 'x' : (char)('0' + frame->code[i]);
    }
    *end = 0;
    return text;
}

/* One cell, at (1, 2, 0), and the whole corner column x = 4, y = 3. */
static uint8_t two_things(int64_t x, int64_t y, int64_t z)
{
    return (x == 1 && y == 2 && z == 0) || (x == 4 && y == 3);
}

static uint8_t nothing(int64_t x, int64_t y, int64_t z) { return 0 * (uint8_t)(x + y + z); }

static uint8_t corner(int64_t x, int64_t y, int64_t z) { return x == 0 && y == 0 && z == 0; }

START_TEST(extents)
{
    static const struct {
        enum ca_axis axis;
        int64_t width, height, slices;
    } cases[] = {{CA_XY, 5, 4, 3}, {CA_XZ, 5, 3, 4}, {CA_YZ, 4, 3, 5}};
    int64_t width, height, slices;

    ca_view_extent((struct ca_size){5, 4, 3}, cases[_i].axis, &width, &height, &slices);
    ck_assert_int_eq(width, cases[_i].width);
    ck_assert_int_eq(height, cases[_i].height);
    ck_assert_int_eq(slices, cases[_i].slices);
}
END_TEST

static const struct {
    struct ca_view view; /* axis, reduce, drawn, slice, x, y, zoom, columns, lines */
    const char *picture;
} pictures[] = {
    /* the three axes at 1:1 of a 5 x 4 x 3 lattice */
    {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 1, 5, 4}, "00000/00000/01000/00001"},
    {{CA_XY, CA_ANY, CA_STATE, 2, 0, 0, 1, 5, 4}, "00000/00000/00000/00001"},
    {{CA_XZ, CA_ANY, CA_STATE, 2, 0, 0, 1, 5, 3}, "01000/00000/00000"},
    {{CA_XZ, CA_ANY, CA_STATE, 3, 0, 0, 1, 5, 3}, "00001/00001/00001"},
    {{CA_YZ, CA_ANY, CA_STATE, 1, 0, 0, 1, 4, 3}, "0010/0000/0000"},
    {{CA_YZ, CA_ANY, CA_STATE, 4, 0, 0, 1, 4, 3}, "0001/0001/0001"},
    /* part of it, beyond it on every side, far off */
    {{CA_XY, CA_ANY, CA_STATE, 0, 1, 2, 1, 2, 2}, "10/00"},
    {{CA_XY, CA_ANY, CA_STATE, 0, -1, -1, 1, 7, 6},
     "xxxxxxx/x00000x/x00000x/x01000x/x00001x/xxxxxxx"},
    {{CA_YZ, CA_ANY, CA_STATE, 4, -1, 2, 1, 6, 2}, "x0001x/xxxxxx"},
    {{CA_XY, CA_ANY, CA_STATE, 0, 100, 0, 1, 2, 1}, "xx"},
    {{CA_XY, CA_ANY, CA_STATE, 0, -(INT64_C(1) << 50), 0, INT64_C(1) << 50, 2, 1}, "x1"},
    /* zoomed out; blocks at the edge are the part of them that is inside */
    {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 2, 3, 2}, "000/101"},
    {{CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 2, 3, 2}, "000/001"},
    {{CA_XY, CA_SAMPLE, CA_STATE, 0, 0, 0, 2, 3, 2}, "000/000"},
    {{CA_XY, CA_SAMPLE, CA_STATE, 0, 1, 0, 2, 3, 2}, "00x/10x"},
    {{CA_XY, CA_SAMPLE, CA_STATE, 0, -1, 0, 3, 2, 2}, "00/00"},
    {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 9, 2, 2}, "1x/xx"},
    {{CA_YZ, CA_ANY, CA_STATE, 4, 0, 0, 2, 2, 2}, "01/01"},
    /* without a frame before nothing has changed */
    {{CA_XY, CA_ANY, CA_CHANGE, 0, -1, 2, 1, 3, 1}, "x00"},
};

START_TEST(slices_and_zooms)
{
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){5, 4, 3});
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;

    load_cells(simulation, two_things);
    frame = view_draw(viewer, simulation, &pictures[_i].view);
    ck_assert_str_eq(picture(frame), pictures[_i].picture);
    ck_assert_int_eq(frame->sampled,
                     pictures[_i].view.zoom > (pictures[_i].view.reduce == CA_SAMPLE ? 1 : 16));
    for (int i = 0; i < frame->view.columns * frame->view.lines; i++)
        if (frame->code[i] == CA_VIEW_OUTSIDE)
            ck_assert_uint_eq(frame->level[i], 0);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        struct ca_view view;
        const char *text;
    } cases[] = {
        {{CA_XY, CA_ANY, CA_STATE, 3, 0, 0, 1, 5, 4}, "slice z = 3: 0 ... 2 are allowed"},
        {{CA_XZ, CA_ANY, CA_STATE, 4, 0, 0, 1, 5, 4}, "slice y = 4: 0 ... 3 are allowed"},
        {{CA_YZ, CA_ANY, CA_STATE, -1, 0, 0, 1, 5, 4}, "slice x = -1: 0 ... 4 are allowed"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 0, 5, 4}, "zoom 0: at least 1"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 1, 0, 4}, "0 columns and 4 lines: 1 ... 1000"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 1, 1001, 4}, "1001 columns"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 1, 5, -2}, "-2 lines"},
        {{CA_XY, CA_ANY, CA_STATE, 0, INT64_MAX, 0, 1, 5, 4}, "too far"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, INT64_MIN, 1, 5, 4}, "too far"},
        {{CA_XY, CA_ANY, CA_STATE, 0, 0, 0, INT64_MAX, 5, 4}, "zoom"},
        {{.zoom = 1, .columns = 5, .lines = 4, .width = 4}, "5 columns cannot share 4 cells"},
        {{.zoom = 1, .columns = 5, .lines = 4, .width = -1}, "5 columns cannot share -1 cells"},
        {{.zoom = 1, .columns = 5, .lines = 4, .width = INT64_MAX}, "5 columns cannot share"},
        {{.zoom = 1, .columns = 5, .lines = 4, .height = 3}, "4 lines cannot share 3 cells"},
        {{.zoom = 1, .columns = 5, .lines = 4, .height = INT64_MIN}, "4 lines cannot share"},
        {{.zoom = 1, .columns = 5, .lines = 4, .height = INT64_MAX}, "4 lines cannot share"},
        {{.zoom = 1, .columns = 5, .lines = 4, .range = CA_RANGE_FIXED, .low = 2, .high = 2},
         "range 2 ... 2: the first number must be below the second"},
        {{.zoom = 1, .columns = 5, .lines = 4, .range = CA_RANGE_FIXED, .low = NAN, .high = 2},
         "range"},
    };
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){5, 4, 3});
    struct ca_viewer *viewer = ca_viewer_new();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ca_frame *frame;

        ck_assert_int_eq(ca_viewer_draw(viewer, simulation, &cases[i].view, &frame, &error),
                         CA_USAGE);
        ck_assert_contains(error.text, cases[i].text);
    }
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* Points that share cells have the same number of them or one more, and each cell is of one point:
 * of every column and line the first cell, and of every cell its column and line. */
START_TEST(points_share_cells)
{
    for (int cells = 1; cells <= 130; cells++)
        for (int points = 1; points <= cells; points++) {
            const struct ca_view view = {.x = 3,
                                         .y = -2,
                                         .zoom = 99,
                                         .columns = points,
                                         .lines = points,
                                         .width = cells,
                                         .height = cells};
            int64_t least = cells / points, at = 0;

            for (int i = 0; i < points; i++) {
                int64_t end = (int64_t)(i + 1) * cells / points;

                if (ca_view_column(&view, i) != 3 + at || ca_view_line(&view, i) != at - 2 ||
                    end - at < least || end - at > least + 1)
                    ck_abort_msg("point %d of %d in %d cells begins at %d,%d", i, points, cells,
                                 (int)ca_view_column(&view, i), (int)ca_view_line(&view, i));
                for (; at < end; at++)
                    if (ca_view_column_of(&view, 3 + at) != i ||
                        ca_view_line_of(&view, at - 2) != i)
                        ck_abort_msg("cell %d is in column %d of %d, not %d", (int)at,
                                     (int)ca_view_column_of(&view, 3 + at), points, i);
            }
            ck_assert_int_eq(ca_view_widest(&view), least + (cells % points > 0));
            ck_assert_int_eq(ca_view_highest(&view), least + (cells % points > 0));
        }
}
END_TEST

static uint8_t scattered(int64_t x, int64_t y, int64_t z)
{
    return (x * 7 + y * 5 + z * 3) % 11 < 4;
}

/* Each point's mean is that of the cells that it has, however many they are. */
START_TEST(means_of_unequal_points)
{
    const struct ca_size size = {31, 23, 13};
    struct ca_simulation *simulation = open_model("life3d", size);
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {(enum ca_axis)(_i % 3), CA_MEAN, CA_DENSITY, 4, 0, 0, 1, 9, 5};
    const struct ca_frame *frame;
    int64_t width, height, slices;

    load_cells(simulation, scattered);
    ca_view_extent(size, view.axis, &width, &height, &slices);
    view.width = width;
    view.height = height;
    view.range = _i / 3 ? CA_RANGE_AUTO : CA_RANGE_FULL;
    frame = view_draw(viewer, simulation, &view);
    for (int i = 0; i < 9 * 5; i++) {
        int64_t x0 = i % 9 * width / 9, x1 = (i % 9 + 1) * width / 9;
        int64_t y0 = i / 9 * height / 5, y1 = (i / 9 + 1) * height / 5;
        int live = 0, cells = 0;
        double share;

        for (int64_t y = y0; y < y1; y++)
            for (int64_t x = x0; x < x1; x++, cells++)
                live += view.axis == CA_XY   ? scattered(x, y, 4)
                        : view.axis == CA_XZ ? scattered(x, 4, y)
                                             : scattered(4, x, y);
        ck_assert_uint_eq(frame->code[i], 2 * live >= cells);
        share = (live / (double)cells - frame->low) / (frame->high - frame->low);
        ck_assert_int_eq(frame->level[i], lround(255 * fmin(fmax(share, 0), 1)));
    }
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(levels)
{
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){4, 4, 1});
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_MEAN, CA_DENSITY, 0, 0, 0, 4, 1, 1};
    uint8_t live, empty;

    load_cells(simulation, corner);
    view.zoom = 1;
    view.columns = 2;
    live = view_draw(viewer, simulation, &view)->level[0];
    empty = view_draw(viewer, simulation, &view)->level[1];
    ck_assert_uint_gt(live, empty);
    view.zoom = 4;
    view.columns = 1;
    ck_assert_uint_eq(view_draw(viewer, simulation, &view)->level[0],
                      (unsigned)((live + 15 * empty) / 16.0 + 0.5));
    ck_assert_uint_eq(view_draw(viewer, simulation, &view)->code[0], 0);
    view.reduce = CA_ANY;
    ck_assert_uint_eq(view_draw(viewer, simulation, &view)->level[0], live);
    ck_assert_uint_eq(view_draw(viewer, simulation, &view)->code[0], 1);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(change)
{
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){5, 4, 3});
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_ANY, CA_STATE, 0, 0, 0, 1, 5, 4};
    const struct ca_frame *frame;

    load_cells(simulation, nothing);
    view_draw(viewer, simulation, &view);
    view.drawn = CA_CHANGE;
    load_cells(simulation, two_things);
    frame = view_draw(viewer, simulation, &view);
    ck_assert_str_eq(picture(frame), "00000/00000/01000/00001");
    ck_assert_uint_eq(frame->level[11], 255);
    /* the same again: nothing has changed any more */
    ck_assert_str_eq(picture(view_draw(viewer, simulation, &view)), "00000/00000/00000/00000");
    /* another place: there is nothing to compare with */
    load_cells(simulation, nothing);
    view.x = 1;
    ck_assert_str_eq(picture(view_draw(viewer, simulation, &view)), "0000x/0000x/0000x/0000x");
    load_cells(simulation, corner);
    view.x = 0;
    view.slice = 1;
    ck_assert_str_eq(picture(view_draw(viewer, simulation, &view)), "00000/00000/00000/00000");
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* Zoomed out: any cell that has changed, or most of them, with their share. */
START_TEST(change_of_blocks)
{
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){5, 4, 3});
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_ANY, CA_CHANGE, 0, 0, 0, 2, 3, 2};
    const struct ca_frame *frame;

    load_cells(simulation, nothing);
    view_draw(viewer, simulation, &view);
    load_cells(simulation, two_things);
    ck_assert_str_eq(picture(view_draw(viewer, simulation, &view)), "000/101");
    view.reduce = CA_MEAN;
    load_cells(simulation, nothing);
    frame = view_draw(viewer, simulation, &view);
    ck_assert_str_eq(picture(frame), "000/001");
    ck_assert_uint_eq(frame->level[3], 64);  /* one of four */
    ck_assert_uint_eq(frame->level[5], 128); /* one of the two inside */
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* At most 16 x 16 samples of a large block are looked at, evenly spread from end to end. */
static uint8_t grid(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return x % 10 == 0 && y % 10 == 0;
}

static uint8_t off_grid(int64_t x, int64_t y, int64_t z) { return !grid(x, y, z); }

START_TEST(samples)
{
    struct ca_simulation *simulation = open_model("anneal", (struct ca_size){151, 151, 1});
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 151, 1, 1};
    const struct ca_frame *frame;

    load_cells(simulation, grid);
    frame = view_draw(viewer, simulation, &view);
    ck_assert(frame->sampled);
    ck_assert_uint_eq(frame->code[0], 1); /* 256 of the 22801 cells, but all of those looked at */
    load_cells(simulation, off_grid);
    ck_assert_uint_eq(view_draw(viewer, simulation, &view)->code[0], 0);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* East at x < 4, a wall at x = 4 and on the row y = 5, west beyond. */
static uint8_t flow(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    if (x == 4 || y == 5)
        return 128;
    return x < 4 ? 1 << 2 : 1 << 5;
}

/* East, with three stones. */
static uint8_t stone(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return y == 1 && x < 3 ? 128 : 1 << 2;
}

START_TEST(flow_of_blocks)
{
    struct ca_simulation *simulation = open_model("fhp", (struct ca_size){8, 8, 1});
    const struct ca_state_appearance *states =
        ca_draw_of(ca_simulation_setup(simulation)->model)->states;
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 1, 8, 1};
    const struct ca_frame *frame;

    load_cells(simulation, flow);
    frame = view_draw(viewer, simulation, &view);
    ck_assert_int_eq(states[frame->code[0]].glyph, '>');
    ck_assert_int_eq(states[frame->code[4]].glyph, '#');
    ck_assert_int_eq(states[frame->code[5]].glyph, '<');
    view.zoom = 4;
    view.columns = view.lines = 2;
    frame = view_draw(viewer, simulation, &view);
    ck_assert_int_eq(states[frame->code[0]].glyph, '>');
    ck_assert_int_eq(states[frame->code[1]].glyph, '#'); /* a wall of one cell crosses the block */
    ck_assert_int_eq(states[frame->code[2]].glyph, '#');
    view = (struct ca_view){CA_XY, CA_MEAN, CA_STATE, 0, 4, 2, 3, 1, 1};
    frame = view_draw(viewer, simulation, &view);
    ck_assert_int_eq(states[frame->code[0]].glyph, '#'); /* 3 of 9 */
    view = (struct ca_view){CA_XY, CA_MEAN, CA_STATE, 0, 5, 5, 3, 1, 1};
    view.y = 3;
    view.tall = true; /* 3 of 3 x 5 */
    ck_assert_int_eq(states[view_draw(viewer, simulation, &view)->code[0]].glyph, '#');
    load_cells(simulation, stone);
    view = (struct ca_view){CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 4, 1, 1};
    frame = view_draw(viewer, simulation, &view);
    ck_assert_int_eq(states[frame->code[0]].glyph, '>'); /* 3 of 16 are no wall */
    view.reduce = CA_ANY;
    ck_assert_int_eq(states[view_draw(viewer, simulation, &view)->code[0]].glyph, '#');
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* Of a point as high as a character: columns of one cell and lines of two. */
START_TEST(tall_points)
{
    static const struct {
        struct ca_view view;
        const char *picture;
    } cases[] = {
        {{.reduce = CA_ANY, .zoom = 1, .columns = 5, .lines = 2, .tall = true}, "00000/01001"},
        {{.reduce = CA_ANY, .zoom = 1, .columns = 5, .lines = 3, .tall = true},
         "00000/01001/xxxxx"},
        {{.reduce = CA_ANY, .zoom = 2, .columns = 3, .lines = 1, .tall = true}, "101"},
        {{CA_YZ, .slice = 4, .zoom = 1, .columns = 4, .lines = 2, .tall = true}, "0001/0001"},
    };
    struct ca_simulation *simulation = open_model("life3d", (struct ca_size){5, 4, 3});
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;
    struct ca_view view;

    load_cells(simulation, two_things);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(picture(view_draw(viewer, simulation, &cases[i].view)), cases[i].picture);
    view = cases[0].view;
    view.drawn = CA_FIELD;
    view.columns = 2;
    strcpy(view.field, "density");
    view.range = CA_RANGE_FIXED;
    view.high = 1;
    frame = view_draw(viewer, simulation, &view);
    ck_assert_uint_eq(frame->level[0], 0);
    ck_assert_uint_eq(frame->level[3], 128); /* one of two cells */
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

/* The last row of a lattice is looked at however many cells a point stands for. */
static uint8_t last_row(int64_t x, int64_t y, int64_t z)
{
    (void)x, (void)z;
    return y == 0 || y == 299 ? 128 : 1 << 2;
}

START_TEST(walls_at_the_edges_show)
{
    struct ca_simulation *simulation = open_model("fhp", (struct ca_size){300, 300, 1});
    const struct ca_state_appearance *states =
        ca_draw_of(ca_simulation_setup(simulation)->model)->states;
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 100, 3, 3};
    const struct ca_frame *frame;

    load_cells(simulation, last_row);
    frame = view_draw(viewer, simulation, &view);
    ck_assert_int_eq(states[frame->code[1]].glyph, '#');
    ck_assert_int_eq(states[frame->code[4]].glyph, '>');
    ck_assert_int_eq(states[frame->code[7]].glyph, '#');
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(floats)
{
    struct ca_simulation *simulation = open_model("water", (struct ca_size){64, 32, 1});
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = {CA_XY, CA_MEAN, CA_DENSITY, 0, 0, 0, 2, 32, 16};
    const struct ca_frame *frame;
    unsigned low = 255, high = 0;
    int changed = 0;

    ck_assert_ok(ca_simulation_step(simulation, 20, &error));
    frame = view_draw(viewer, simulation, &view);
    for (int i = 0; i < 32 * 16; i++) {
        low = frame->level[i] < low ? frame->level[i] : low;
        high = frame->level[i] > high ? frame->level[i] : high;
    }
    ck_assert_uint_lt(low, high);
    view.drawn = CA_CHANGE;
    frame = view_draw(viewer, simulation, &view);
    for (int i = 0; i < 32 * 16; i++)
        ck_assert_uint_eq(frame->code[i], 0);
    ck_assert_ok(ca_simulation_step(simulation, 1, &error));
    frame = view_draw(viewer, simulation, &view);
    for (int i = 0; i < 32 * 16; i++)
        changed += frame->code[i];
    ck_assert_int_gt(changed, 0);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(one_viewer_for_many_models)
{
    static const char *const names[] = {"cloud", "water", "anneal", "life3d", "cloud", "fhp"};
    static const struct ca_view views[] = {
        {CA_XY, CA_ANY, CA_CHANGE, 0, 0, 0, 3, 20, 9},
        {CA_XZ, CA_MEAN, CA_CHANGE, 3, -4, 0, 1, 40, 3},
        {CA_YZ, CA_MEAN, CA_STATE, 7, 0, -1, 1, 10, 10},
    };
    struct ca_viewer *viewer = ca_viewer_new();

    for (int i = 0; i < 18; i++) {
        bool flat = i % 6 == 1 || i % 6 == 2 || i % 6 == 5;
        struct ca_simulation *simulation =
            open_model(names[i % 6], (struct ca_size){21, 12, flat ? 1 : 7});

        view_draw(viewer, simulation, &views[i % 3]);
        ca_simulation_close(simulation);
    }
    ca_viewer_free(viewer);
    ca_viewer_free(NULL);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {refusals, points_share_cells, levels, change, change_of_blocks,
                              samples, flow_of_blocks, tall_points, walls_at_the_edges_show, floats,
                              one_viewer_for_many_models},
                     .table = {{extents, 3},
                               {means_of_unequal_points, 6},
                               {slices_and_zooms, COUNT(pictures)}});
}
