/* SPDX-License-Identifier: MIT */
/* Projections and counts of slices: against a walk over all cells, of each way to keep a state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/frame_text.h"
#include "core/sim/projection.h"
#include "kernels/cloud/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"
#include "tests/support/support_view.h"

static struct ca_error error;
static struct ca_lattice state;

static bool bit(int plane, int64_t x, int64_t y, int64_t z)
{
    return ((uint8_t *)state.plane[plane])[(z * state.size.h + y) * state.size.w + x];
}

static bool is_cloud_model;

/* The cells that are counted, and the highest code of those that are seen. */
static bool counted(int64_t x, int64_t y, int64_t z)
{
    return bit(is_cloud_model ? CLOUD_CLD : 0, x, y, z);
}
static int code_at(int64_t x, int64_t y, int64_t z)
{
    return !is_cloud_model ? bit(0, x, y, z) : bit(CLOUD_ACT, x, y, z) ? 3 : 2 * counted(x, y, z);
}

/* What the cells of a point are in one layer. */
struct layer {
    int cells, count, code;
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static struct layer layer_of(const struct ca_view *view, int column, int line, int64_t k)
{
    struct layer layer = {0};
    int64_t width, height, slices, left, right, bottom;

    ca_view_extent(state.size, view->axis, &width, &height, &slices);
    left = most(ca_view_column(view, column), 0);
    right = least(ca_view_column(view, column + 1), width);
    bottom = least(ca_view_line(view, line + 1), height);
    for (int64_t v = most(ca_view_line(view, line), 0); v < bottom; v++)
        for (int64_t u = left; u < right; u++) {
            int64_t x = view->axis == CA_YZ ? k : u;
            int64_t y = view->axis == CA_XY ? v : view->axis == CA_XZ ? k : u;
            int64_t z = view->axis == CA_XY ? k : v;

            layer.cells++;
            layer.count += counted(x, y, z);
            layer.code = code_at(x, y, z) > layer.code ? code_at(x, y, z) : layer.code;
        }
    return layer;
}

/* Compares a point of a frame with what the cells along its line of sight say. */
static void check_point(const struct ca_frame *frame, int i)
{
    const struct ca_view *view = &frame->view;
    int column = i % view->columns, line = i / view->columns, code = 0, count = 0, cells = 0;
    int64_t width, height, slices, distance = -1;
    double greatest = 0, expected, level;
    bool of_field = view->drawn == CA_FIELD;

    ca_view_extent(state.size, view->axis, &width, &height, &slices);
    for (int64_t n = 0; n < slices; n++) {
        int64_t k = is_cloud_model && view->axis == CA_XY ? slices - 1 - n : n;
        struct layer layer = layer_of(view, column, line, k);

        cells = layer.cells;
        count += layer.count;
        code = layer.code > code ? layer.code : code;
        greatest = cells ? fmax(greatest, (double)layer.count / cells) : 0;
        if (distance < 0 && (of_field ? layer.count : layer.code) > 0)
            distance = n;
    }
    if (cells == 0) {
        ck_assert_int_eq(frame->code[i], CA_VIEW_OUTSIDE);
        return;
    }
    switch (view->projection) {
    case CA_VIEW_DEPTH:
        ck_assert_int_eq(frame->code[i], distance < 0 ? CA_VIEW_NOTHING : CA_VIEW_VALUE);
        expected = ((double)distance - frame->high) / (frame->low - frame->high);
        level = distance < 0 ? 0 : 255 - 191 * fmin(1, expected);
        break;
    case CA_VIEW_COUNT:
        ck_assert_int_eq(frame->code[i], count ? CA_VIEW_VALUE : CA_VIEW_NOTHING);
        level = 255 * fmin(1, ((double)count / cells - frame->low) / (frame->high - frame->low));
        break;
    default:
        ck_assert_int_eq(frame->code[i], of_field ? CA_VIEW_VALUE : code);
        if (!of_field)
            return;
        level = 255 * fmin(1, (greatest - frame->low) / (frame->high - frame->low));
    }
    must_hold(fabs(frame->level[i] - level) <= 1.0 + 1e-6,
              "%s along %s, zoom %lld, tall %d: point %d,%d has level %d, not %g",
              ca_view_projection_names[view->projection], ca_axis_names[view->axis],
              (long long)view->zoom, view->tall, column, line, frame->level[i], level);
}

static void check_views(struct ca_simulation *simulation, enum ca_axis axis)
{
    static const int64_t zooms[] = {1, 2, 5, 100, 1}, origins[][2] = {{0, 0}, {-3, 2}, {4, -7}};
    struct ca_viewer *viewer = ca_viewer_new();

    for (int i = 0; i < 3 * 2 * 2 * 3 * 5; i++) {
        struct ca_view view = {.axis = axis,
                               .projection = (enum ca_view_projection)(1 + i % 3),
                               .drawn = i / 3 % 2 ? CA_FIELD : CA_STATE,
                               .tall = i / 6 % 2,
                               .x = origins[i / 12 % 3][0],
                               .y = origins[i / 12 % 3][1],
                               .zoom = zooms[i / 36],
                               .columns = 17,
                               .lines = 13};
        const struct ca_frame *frame;

        if (i / 36 == 4) { /* points that share all cells of a slice, and as many around it */
            int64_t slices;

            ca_view_extent(state.size, axis, &view.width, &view.height, &slices);
            view.columns = (int)(view.width < 5 ? view.width : 5);
            view.lines = (int)(view.height < 4 ? view.height : 4);
        }
        snprintf(view.field, sizeof view.field, "%s", is_cloud_model ? "cover" : "density");
        frame = view_draw(viewer, simulation, &view);
        ck_assert(!frame->sampled);
        for (int point = 0; point < view.columns * view.lines; point++)
            check_point(frame, point);
    }
    ca_viewer_free(viewer);
}

static void check_slices(struct ca_simulation *simulation, enum ca_axis axis)
{
    double counts[128];
    int64_t width, height, slices;

    ca_view_extent(state.size, axis, &width, &height, &slices);
    ck_assert_ok(ca_slices_count(simulation, axis, counts, &error));
    for (int64_t k = 0; k < slices; k++) {
        double expected = 0;

        for (int64_t i = 0; i < width * height; i++) {
            int64_t u = i % width, v = i / width;
            int64_t x = axis == CA_YZ ? k : u, y = axis == CA_XY ? v : axis == CA_XZ ? k : u;
            int64_t z = axis == CA_XY ? k : v;

            expected += counted(x, y, z) + (is_cloud_model && bit(CLOUD_ACT, x, y, z));
        }
        ck_assert_double_eq(counts[k], expected);
    }
}

static const struct {
    const char *model, *backend, *size, *settings;
} runs[] = {
    {"life3d", "reference", "13x7x5", "density=0.05"},
    {"life3d", "reference", "7x9x11", "density=0.05 ranks=3"},
    {"life3d", "threads", "11x13x1", "density=0.3"},
    {"life3d", "bitslice", "67x11x9", "density=0.04 rule=3D0..26/"},
    {"life3d", "bitslice", "67x11x9", "density=0.002 rule=3D0..26/ ranks=3"},
    {"life3d", "bitslice", "1x5x31", "density=0"},
    {"cloud", "reference", "13x7x5", "p_ext=0.1 p_hum=0.2 p_act=0.1"},
    {"cloud", "reference", "9x7x11", "act0=0.02 ranks=2"},
    {"cloud", "bitslice", "65x7x5", "act0=0.02 p_ext=0.1 p_hum=0.2 p_act=0.02"},
    {"cloud", "bitslice", "65x9x12", "act0=0.001 ranks=3"},
};

/* The first cell that is met through each of some blocks, and how many are along it, by a walk. */
static void check_sights(struct ca_simulation *simulation, enum ca_axis axis)
{
    const int64_t sides[] = {state.size.w, state.size.h, state.size.d};
    const int along = 2 - (int)axis;

    for (int64_t i = 0; i < 60; i++) {
        const int64_t at[] = {i * 5 % sides[0], i * 3 % sides[1], i * 7 % sides[2]};
        int64_t extent[] = {1 + i % 3, 1 + i / 2 % 3, 1 + i / 3 % 2}, met[3] = {-1}, c[3], k[3];
        struct ca_sight sight;
        double count = 0;

        for (int a = 0; a < 3; a++)
            extent[a] = extent[a] > sides[a] - at[a] ? sides[a] - at[a] : extent[a];
        ck_assert_ok(ca_sight_along(&sight, simulation, axis, at,
                                    (struct ca_size){extent[0], extent[1], extent[2]}, &error));
        extent[along] = sides[along];
        for (k[along] = 0; k[along] < sides[along]; k[along]++)
            for (int64_t j = 0; j < extent[along == 2 ? 1 : 2]; j++)
                for (int64_t l = 0; l < extent[along == 0 ? 1 : 0]; l++) {
                    c[along] = is_cloud_model && along == 2 ? sides[2] - 1 - k[2] : k[along];
                    c[along == 2 ? 1 : 2] = at[along == 2 ? 1 : 2] + j;
                    c[along == 0 ? 1 : 0] = at[along == 0 ? 1 : 0] + l;
                    count += counted(c[0], c[1], c[2]);
                    if (met[0] < 0 && code_at(c[0], c[1], c[2]) > 0)
                        memcpy(met, c, sizeof met);
                }
        ck_assert_double_eq(sight.count, count);
        ck_assert_int_eq(sight.met, met[0] >= 0);
        if (sight.met)
            ck_assert_mem_eq(sight.at, met, sizeof met);
    }
}

START_TEST(every_cell_along_a_line_is_seen)
{
    struct ca_experiment e = kernel_experiment(runs[_i].model, runs[_i].backend, runs[_i].size,
                                               NULL, test_seed(), runs[_i].settings);
    struct ca_simulation *simulation;

    is_cloud_model = strcmp(runs[_i].model, "cloud") == 0;
    ck_assert_ok(ca_simulation_open(&simulation, &e, &error));
    ck_assert_ok(ca_simulation_step(simulation, 2, &error));
    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    for (enum ca_axis axis = CA_XY; axis <= CA_YZ; axis++) {
        check_views(simulation, axis);
        check_slices(simulation, axis);
        check_sights(simulation, axis);
    }
    ca_lattice_free(&state);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(slices_with_cells)
{
    static const double counts[] = {0, 3, 0, 7, 7, 0}, none[3] = {0};

    ck_assert_int_eq(ca_slice_fullest(counts, 6), 3); /* of two the lower */
    ck_assert_int_eq(ca_slice_fullest(none, 3), -1);
    ck_assert_int_eq(ca_slice_next(counts, 6, 0), 1);
    ck_assert_int_eq(ca_slice_next(counts, 6, 1), 3);
    ck_assert_int_eq(ca_slice_next(counts, 6, 4), 1);
    ck_assert_int_eq(ca_slice_next(counts, 2, 1), 1); /* itself, where no other has any */
    ck_assert_int_eq(ca_slice_next(none, 3, 1), -1);
}
END_TEST

/* What cannot be projected, and what is said of it. */
static const struct {
    const char *model, *text;
    struct ca_view view;
} refused[] = {
    {"anneal",
     "projection 'depth': anneal is two-dimensional, a slice alone",
     {.projection = CA_VIEW_DEPTH}},
    {"life3d",
     "projection 'count' of changes: a state, its density or a field is allowed",
     {.projection = CA_VIEW_COUNT, .drawn = CA_CHANGE}},
    {"life3d",
     "a projection has no digests: only a slice has",
     {.projection = CA_VIEW_MAXIMUM, .digests = true}},
};

START_TEST(projections_that_are_not_allowed)
{
    struct ca_view view = refused[_i].view;
    const struct ca_model *model = test_model(refused[_i].model);

    view.zoom = 1;
    view.columns = view.lines = 4;
    ck_assert_int_eq(ca_view_check(&view, model, model->default_size, &error), CA_USAGE);
    ck_assert_str_eq(error.text, refused[_i].text);
}
END_TEST

/* The numbers of a legend say what they are of. */
static const struct {
    const char *model, *text;
    enum ca_axis axis;
    enum ca_view_projection projection;
    double low, high;
} legends[] = {
    {"life3d", "30 ... 0 cells deep along x", CA_YZ, CA_VIEW_DEPTH, 30, 0},
    {"cloud", "19 ... 0 cells deep along z", CA_XY, CA_VIEW_DEPTH, 19, 0},
    {"life3d", "0 ... 8 live cells along z", CA_XY, CA_VIEW_COUNT, 0, 8},
    {"cloud", "0 ... 10 cloud cells along y", CA_XZ, CA_VIEW_COUNT, 0, 10},
};

START_TEST(legends_of_projections)
{
    const struct ca_frame frame = {
        .view = {.axis = legends[_i].axis, .projection = legends[_i].projection},
        .low = legends[_i].low,
        .high = legends[_i].high};
    char text[96];

    ca_frame_range_text(&frame, test_model(legends[_i].model), text, sizeof text);
    ck_assert_str_eq(text, legends[_i].text);
    ck_assert(ca_frame_by_level(&frame, test_model(legends[_i].model), false));
}
END_TEST

START_TEST(nothing_is_dark)
{
    uint8_t code[] = {CA_VIEW_NOTHING, CA_VIEW_VALUE}, level[] = {0, CA_DEPTH_LEVEL_LEAST};
    const struct ca_frame frame = {
        .view = {.projection = CA_VIEW_DEPTH}, .code = code, .level = level};
    struct ca_point nothing = ca_frame_point(&frame, test_model("life3d"), true, 0);
    struct ca_point farthest = ca_frame_point(&frame, test_model("life3d"), true, 1);

    ck_assert_int_eq(nothing.glyph, ' ');
    ck_assert(!nothing.by_level && nothing.colour == CA_COLOUR_QUIET);
    ck_assert_int_ne(farthest.glyph, ' ');
    ck_assert(farthest.by_level);
}
END_TEST

/* A legend lists what a picture may show, from the last code to the first, each at its brightest.
 */
START_TEST(entries_of_legends)
{
    const struct ca_model *model = ca_models[_i];
    const struct ca_frame frame = {.view = {.drawn = CA_STATE}};
    int states = ca_states_count(model);

    ck_assert_int_ge(states, 2);
    for (int i = 0; i < states; i++) {
        struct ca_point point;
        const char *name;

        ck_assert(ca_frame_entry(&frame, model, i, &point, &name));
        ck_assert_int_eq(point.code, states - 1 - i);
        ck_assert_int_eq(point.level, 255);
        ck_assert_int_eq(point.glyph, ca_draw_of(model)->states[states - 1 - i].glyph);
        ck_assert_int_eq(point.colour, ca_draw_of(model)->states[states - 1 - i].colour);
        ck_assert_str_eq(name, ca_draw_of(model)->states[states - 1 - i].name);
        ck_assert(!point.by_level && !point.outside);
    }
    ck_assert(!ca_frame_entry(&frame, model, states, &(struct ca_point){0}, &(const char *){0}));
}
END_TEST

/* Ten characters share 256 levels. */
START_TEST(ramp)
{
    for (int level = 0; level < 256; level++)
        ck_assert_int_eq(ca_ramp_glyph((uint8_t)level), " .:-=+*#%@"[level * 10 / 256]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {slices_with_cells, nothing_is_dark, ramp},
                     .table = {{every_cell_along_a_line_is_seen, COUNT(runs)},
                               {projections_that_are_not_allowed, COUNT(refused)},
                               {legends_of_projections, COUNT(legends)},
                               {entries_of_legends, test_models()}});
}
