/* SPDX-License-Identifier: MIT */
/* This file computes the ranges of frames and the levels under them. */
#include "core/sim/view_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/field.h"
#include "core/sim/frame_text.h"
#include "core/sim/projection.h"

#define KEPT 0.5         /* the least share of a range that values fill while it is kept; */
#define KEPT_BESIDE 0.25 /* of one from 0, if the lowest values, too, are far from 0 */
#define BEYOND 0.05      /* the share of a range by which they may reach beyond it */
#define OUTLIERS 0.01    /* the share of all values that a range leaves out at each end */
#define COUNTED 65536    /* so many values, evenly spaced, are enough to find these */

static const double fine[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10, 0};
static const double coarse[] = {1, 2, 5, 10, 0};

/* The least of some numbers, times a power of ten, that is at least `most`; 1 for 0. */
static double round_up(double most, const double numbers[])
{
    double power;
    int i = 0;

    if (!(most > 0))
        return 1;
    power = pow(10, floor(log10(most)));
    while (numbers[i + 1] > 0 && numbers[i] * power < most)
        i++;
    return numbers[i] * power;
}

void ca_view_range_round(double least, double most, bool with_sign, double *low, double *high)
{
    double step;

    if (with_sign) {
        *high = round_up(fmax(fabs(least), fabs(most)), fine);
        *low = -*high;
        return;
    }
    *low = 0;
    *high = round_up(most, fine);
    if (least >= 0 && (most - least >= most / 2 || most - least < 1e-9 * most))
        return;
    step = round_up((most - least) / 4, coarse);
    *low = floor(least / step) * step;
    *high = ceil(most / step) * step;
    if (!(*high > *low))
        *high = *low + 1;
}

/* Whether levels are of all values that the model can have: brightness beside states, changes, and
 * whatever is to have its full range. */
static bool is_natural(const struct ca_frame *frame, const struct ca_model *model)
{
    const struct ca_view *view = &frame->view;

    if (view->drawn == CA_FIELD || view->projection == CA_VIEW_DEPTH ||
        view->projection == CA_VIEW_COUNT)
        return false;
    return view->drawn == CA_CHANGE || view->range == CA_RANGE_FULL ||
           (view->drawn == CA_STATE && !ca_frame_by_level(frame, model, false));
}

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return (one > other) - (one < other);
}

bool ca_view_range_inner(const double values[], int count, double *least, double *most)
{
    int stride = 1 + (count - 1) / COUNTED, n = 0, cut;
    double *sorted = malloc(((size_t)count / (size_t)stride + 1) * sizeof *sorted);

    *least = *most = NAN;
    for (int i = 0; i < count; i++) { /* of a number and NaN the number */
        *least = fmin(*least, values[i]);
        *most = fmax(*most, values[i]);
        if (sorted && i % stride == 0 && !isnan(values[i]))
            sorted[n++] = values[i];
    }
    if (n > 0) {
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        cut = (int)(OUTLIERS * n);
        if (sorted[cut] < sorted[n - 1 - cut]) {
            *least = sorted[cut];
            *most = sorted[n - 1 - cut];
        }
    }
    free(sorted);
    return !isnan(*least);
}

bool ca_view_range_fits(double low, double high, double least, double most, bool with_sign)
{
    double width = high - low, reach = most - least;

    if (least < low - BEYOND * width || most > high + BEYOND * width)
        return false;
    if (with_sign)
        return 2 * fmax(fabs(least), fabs(most)) >= KEPT * width;
    if (low == 0 && most >= KEPT * high)
        return reach >= KEPT_BESIDE * width || reach < 1e-9 * most;
    return reach >= KEPT * width;
}

void ca_range_scale(double *low, double *high, double factor)
{
    double middle = *low == 0 ? 0 : *high == 0 ? 0 : *low + (*high - *low) / 2;

    *low = middle + (*low - middle) * factor;
    *high = middle + (*high - middle) * factor;
}

static void range_of(struct ca_frame *frame, const struct ca_model *model, const double *values,
                     struct ca_view_range *last)
{
    const struct ca_view *view = &frame->view;
    const struct ca_field *field = NULL;
    double least, most;
    struct ca_error ignored;
    bool with_sign, of_the_same, any;

    frame->low = 0;
    frame->high = view->drawn == CA_CHANGE ? 1 : (double)ca_draw_of(model)->level_full;
    if (view->range == CA_RANGE_FIXED) {
        frame->low = view->low;
        frame->high = view->high;
        return;
    }
    if (is_natural(frame, model))
        return;
    if (view->drawn == CA_FIELD && ca_field_find(&field, model, view->field, &ignored) != CA_OK)
        return; /* ca_view_check has found it */
    any = ca_view_range_inner(values, view->columns * view->lines, &least, &most);
    with_sign = field && field->is_signed && field->components == 1;
    of_the_same = last->high > last->low && last->model == model && last->drawn == view->drawn &&
                  last->projection == view->projection &&
                  (view->drawn != CA_FIELD || strcmp(last->field, view->field) == 0);
    if (view->range != CA_RANGE_AUTO || !of_the_same ||
        (any && !ca_view_range_fits(last->low, last->high, least, most, with_sign))) {
        last->model = model;
        last->drawn = view->drawn;
        last->projection = view->projection;
        memcpy(last->field, view->field, sizeof last->field);
        ca_view_range_round(any ? least : 0, any ? most : 0, with_sign, &last->low, &last->high);
        /* More than half of all that can be is shown in the range of all, which does not change. */
        if (!field && !view->projection && last->low == 0 && last->high > frame->high / 2 &&
            most <= frame->high)
            last->high = frame->high;
    }
    frame->low = last->low;
    frame->high = last->high;
}

enum ca_status ca_range_parse(struct ca_view *view, const char *text, struct ca_error *error)
{
    char words[2][40];
    double ends[2];
    int used = 0;

    if (strcmp(text, "auto") == 0) {
        view->range = CA_RANGE_AUTO;
        return CA_OK;
    }
    if (sscanf(text, "%39s %39s %n", words[0], words[1], &used) != 2 || text[used] ||
        !ca_read_real(words[0], &ends[0]) || !ca_read_real(words[1], &ends[1]) ||
        !(ends[0] < ends[1]) || !isfinite(ends[1] - ends[0]))
        return ca_fail(error, CA_USAGE,
                       "range %.80s: allowed are auto, and two numbers of which the first is lower",
                       text);
    view->range = CA_RANGE_FIXED;
    view->low = ends[0];
    view->high = ends[1];
    return CA_OK;
}

char *ca_range_format(char *text, size_t size, const struct ca_view *view)
{
    snprintf(text, size, view->range == CA_RANGE_FIXED ? "%.6g %.6g" : "auto", view->low,
             view->high);
    return text;
}

void ca_view_levels(struct ca_frame *frame, const struct ca_model *model, const double *values,
                    struct ca_view_range *last)
{
    int count = frame->view.columns * frame->view.lines;

    range_of(frame, model, values, last);
    for (int i = 0; i < count; i++) {
        double share = (values[i] - frame->low) / (frame->high - frame->low);

        frame->level[i] = isnan(share) ? 0 : (uint8_t)lround(255 * fmin(fmax(share, 0), 1));
    }
}

/* --- fields ----------------------------------------------------------------------------------- */

static struct ca_blocks blocks_of(const struct ca_view *view, const struct ca_field *field,
                                  struct ca_size size)
{
    int64_t width, height, slices;

    ca_view_extent(size, view->axis, &width, &height, &slices);
    return field->through ? ca_view_blocks(view, size, 1, 0, slices, 1)
                          : ca_view_blocks(view, size, 1, view->slice, 1, 1);
}

enum ca_status view_field_draw(struct ca_frame *frame, double *values,
                               struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_view *view = &frame->view;
    const struct ca_field *field;
    struct ca_block_means means = {.setup = setup, .states = 1};
    const int before[2] = {ca_view_across_of(view, 0).sharing == 1,
                           ca_view_down_of(view, 0).sharing == 1};
    enum ca_status status;
    size_t count, neighbours;
    double *sums;

    CA_TRY(ca_field_find(&field, setup->model, view->field, error));
    means.field = field;
    means.blocks = blocks_of(view, field, setup->size);
    count = (size_t)ca_cells(means.blocks.count) * (size_t)ca_block_sums(setup->model);
    neighbours =
        (size_t)ca_cells(means.blocks.count) * (size_t)ca_neighbour_sums_count(setup->model);
    sums = calloc(count + neighbours, sizeof *sums);
    if (!sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu sums of blocks", count + neighbours);
    means.sums = sums;
    means.neighbours = sums + count;
    status = ca_simulation_blocks(simulation, &means.blocks, sums, error);
    if (status == CA_OK && field->neighbours)
        status = ca_simulation_neighbours(simulation, &means.blocks, sums + count, error);
    for (int i = 0; i < view->columns * view->lines && status == CA_OK; i++) {
        int64_t c = i % view->columns + before[0], l = i / view->columns + before[1];
        int64_t x = view->axis == CA_YZ ? 0 : c, z = view->axis == CA_XY ? 0 : l;
        int64_t y = view->axis == CA_XY ? l : view->axis == CA_XZ ? 0 : c;
        double value[CA_COMPONENTS_MAX];

        frame->code[i] = CA_VIEW_OUTSIDE;
        values[i] = NAN;
        if (ca_block_cells(&means.blocks, x, y, z) == 0)
            continue;
        field->value(&means, x, y, z, value); /* NaN where the field has none */
        values[i] =
            field->components == 1 ? value[0] : sqrt(value[0] * value[0] + value[1] * value[1]);
        frame->code[i] = isnan(values[i]) ? CA_VIEW_NO_VALUE : CA_VIEW_VALUE;
    }
    free(sums);
    return status;
}
