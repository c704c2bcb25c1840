/* SPDX-License-Identifier: MIT */
/* This file computes the ranges of frames and the levels under them. */
#include "core/sim/view_range.h"

#include <math.h>
#include <string.h>

#define KEPT 0.4 /* the least share of a range that values fill while it is kept */

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

static bool of_the_same(const struct ca_view_range *last, const struct ca_model *model,
                        const struct ca_view *view)
{
    return last->high > last->low && last->model == model && last->drawn == view->drawn &&
           (view->drawn != CA_FIELD || strcmp(last->field, view->field) == 0);
}

static void view_range_choose(struct ca_frame *frame, const struct ca_model *model, double least,
                              double most, bool with_sign, struct ca_view_range *last)
{
    const struct ca_view *view = &frame->view;
    double reach = with_sign ? 2 * fmax(fabs(least), fabs(most)) : most - least;

    if (view->range != CA_RANGE_AUTO || !of_the_same(last, model, view) || least < last->low ||
        most > last->high || reach < KEPT * (last->high - last->low)) {
        last->model = model;
        last->drawn = view->drawn;
        memcpy(last->field, view->field, sizeof last->field);
        ca_view_range_round(least, most, with_sign, &last->low, &last->high);
    }
    frame->low = last->low;
    frame->high = last->high;
}

static void range_of(struct ca_frame *frame, const struct ca_model *model, const double *values,
                     struct ca_view_range *last)
{
    const struct ca_view *view = &frame->view;
    int count = view->columns * view->lines;
    const struct ca_field *field = NULL;
    double least = NAN, most = NAN;
    struct ca_error ignored;

    frame->low = 0;
    frame->high = view->drawn == CA_CHANGE ? 1 : (double)ca_draw_of(model)->level_full;
    if (view->range == CA_RANGE_FIXED) {
        frame->low = view->low;
        frame->high = view->high;
        return;
    }
    if (view->drawn == CA_CHANGE || (view->drawn != CA_FIELD && view->range == CA_RANGE_FULL))
        return;
    if (view->drawn == CA_FIELD && ca_field_find(&field, model, view->field, &ignored) != CA_OK)
        return;                       /* ca_view_check has found it */
    for (int i = 0; i < count; i++) { /* of a number and NaN the number */
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    if (isnan(least))
        least = most = 0;
    view_range_choose(frame, model, least, most,
                      field && field->is_signed && field->components == 1, last);
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
