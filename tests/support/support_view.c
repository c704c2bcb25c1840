/* SPDX-License-Identifier: MIT */
#include "tests/support/support_view.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"

static struct ca_error error;

struct pair {
    struct ca_simulation *a, *b;
};

/* Generation 3. */
static struct ca_simulation *opened(struct ca_experiment *experiment)
{
    struct ca_simulation *simulation;

    ck_assert_ok(ca_simulation_open(&simulation, experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 3, &error));
    return simulation;
}

const struct ca_frame *view_draw(struct ca_viewer *viewer, struct ca_simulation *simulation,
                                 const struct ca_view *view)
{
    const struct ca_frame *frame = NULL;

    ck_assert_ok(ca_viewer_draw(viewer, simulation, view, &frame, &error));
    return frame;
}

static void compare(const struct pair *pair, struct ca_viewer *const viewers[2],
                    const struct ca_view *view)
{
    const struct ca_frame *a = view_draw(viewers[0], pair->a, view);
    const struct ca_frame *b = view_draw(viewers[1], pair->b, view);
    const struct ca_experiment *e = ca_simulation_experiment(pair->b);

    ck_assert_int_eq(a->sampled, b->sampled);
    ck_assert_int_eq(a->generation, b->generation);
    for (int i = 0; i < view->columns * view->lines; i++)
        must_hold(a->code[i] == b->code[i] && a->level[i] == b->level[i],
                  "%s %s, axis %s, %s of %s, slice %lld, zoom %lld, at %lld,%lld: character %d "
                  "is code %u, level %u, but %u, %u by %s",
                  e->model->name, e->backend->name, ca_axis_names[view->axis],
                  ca_reduce_names[view->reduce], ca_drawn_names[view->drawn],
                  (long long)view->slice, (long long)view->zoom, (long long)view->x,
                  (long long)view->y, i, b->code[i], b->level[i], a->code[i], a->level[i],
                  ca_simulation_experiment(pair->a)->backend->name);
}

/* A view of both with viewers of their own; of changes the second time, a generation on. */
static void check_view(const struct pair *pair, const struct ca_view *view)
{
    struct ca_viewer *const viewers[2] = {ca_viewer_new(), ca_viewer_new()};

    compare(pair, viewers, view);
    if (view->drawn == CA_CHANGE) {
        ck_assert_ok(ca_simulation_step(pair->a, 1, &error));
        ck_assert_ok(ca_simulation_step(pair->b, 1, &error));
        compare(pair, viewers, view);
    }
    ca_viewer_free(viewers[0]);
    ca_viewer_free(viewers[1]);
}

#define ZOOMS 6
#define SHARED (ZOOMS - 1)

static void check_axis(const struct pair *pair, enum ca_axis axis, struct ca_size size)
{
    static const int64_t zooms[ZOOMS] = {1, 2, 7, 16, 50, 1},
                         origins[][2] = {{0, 0}, {-9, 4}, {500, 500}};
    const struct ca_model *model = ca_simulation_setup(pair->a)->model;
    bool floats = model->type == CA_F32; /* which add up in another order */
    int64_t width, height, slices;

    ca_view_extent(size, axis, &width, &height, &slices);
    /* Five zooms, and points that share all cells; the last of them all: of a field. */
    for (int i = 0; i < ZOOMS * 3 * 3 * 3 + (floats ? 0 : ZOOMS * 3); i++) {
        const int64_t *origin = origins[i / ZOOMS % 3];
        struct ca_view view = {.axis = axis,
                               .reduce = (enum ca_reduce)(i / ZOOMS / 3 % 3),
                               .drawn = (enum ca_drawn)(i / ZOOMS / 9),
                               .slice = slices / 2,
                               .x = origin[0],
                               .y = origin[1],
                               .zoom = zooms[i % ZOOMS]};

        snprintf(view.field, sizeof view.field, "%s", ca_fields(model)[0].name);
        view.columns = (int)(width / view.zoom) + 2;
        view.lines = (int)(height / view.zoom) + 2;
        if (i % ZOOMS == SHARED) {
            view.columns = (int)(width < 11 ? width : 11);
            view.lines = (int)(height < 3 ? height : 3);
            view.width = width;
            view.height = height;
        }
        check_view(pair, &view);
        for (int p = CA_VIEW_DEPTH; model->dimensions == 3 && p <= CA_VIEW_MAXIMUM; p++) {
            view.projection = (enum ca_view_projection)p;
            if (view.reduce == CA_ANY && (view.drawn == CA_STATE || view.drawn == CA_FIELD))
                check_view(pair, &view);
        }
    }
}

void view_check_same(struct ca_experiment *a, struct ca_experiment *b)
{
    struct pair pair = {opened(a), opened(b)};

    for (enum ca_axis axis = CA_XY; axis <= CA_YZ; axis++)
        check_axis(&pair, axis, a->size);
    ca_simulation_close(pair.a);
    ca_simulation_close(pair.b);
}
