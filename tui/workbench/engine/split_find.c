/* SPDX-License-Identifier: MIT */
/* The search for the first difference between two panes carries out what core/compare/differ.h asks
 * for by requests to their engines, one at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"

void find_begin(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_differ_case start = {.model = wb->panes[0].experiment.model,
                                   .size = wb->panes[0].experiment.size,
                                   .mark = s->mark,
                                   .generations = s->call,
                                   .calls = s->mark_calls};

    s->find = FIND_IMPOSSIBLE;
    if (!s->marked || s->mark_calls == 0)
        return;
    for (int i = 0; i < 2; i++)
        start.hash[i] = strtoull(ca_wire_text(s->answer[i], "hash"), NULL, 16);
    ca_differ_begin(&s->differ, &start);
    s->find = FIND_UNDER_WAY;
    s->calls_done = 0;
    s->find_s = 0;
}

/* A row counts through the layers of a lattice. */
static json_t *block(const struct ca_experiment *e, const struct ca_differ_request *r)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "x", (json_int_t)r->x, "y",
                     (json_int_t)(r->first % e->size.h), "z", (json_int_t)(r->first / e->size.h),
                     "width", (json_int_t)r->columns, "height", (json_int_t)r->rows);
}

/* The message is for screens without the panel that shows it. */
static void show_difference(struct workbench *wb)
{
    char text[CA_TEXT_MAX];

    message_warn(wb, "%s",
                 ca_differ_sentence(text, sizeof text, &split_of(wb)->differ.result,
                                    split_of(wb)->differ.start.model,
                                    wb->panes[0].experiment.backend->name,
                                    wb->panes[1].experiment.backend->name));
}

bool find_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_differ_request r;

    if (s->find != FIND_UNDER_WAY)
        return false;
    r = ca_differ_next(&s->differ);
    if (r.verb == CA_DIFFER_DONE) {
        s->find = FIND_DONE;
        if (s->hidden)
            show_difference(wb);
        view_layout(wb); /* the box grows */
        view_changed(&wb->panes[0]);
        return false;
    }
    split_round(wb, SPLIT_FIND);
    switch (r.verb) {
    case CA_DIFFER_BACK:
        split_ask(wb, r.side, "back", NULL);
        break;
    case CA_DIFFER_STEP:
        split_ask(wb, r.side, "step",
                  json_pack("{s:I,s:b}", "n", (json_int_t)r.generations, "hash", 1));
        break;
    case CA_DIFFER_DIGEST:
        split_ask(wb, r.side, "digest",
                  json_pack("{s:I,s:I}", "first", (json_int_t)r.first, "rows", (json_int_t)r.rows));
        break;
    case CA_DIFFER_CELLS:
        split_ask(wb, r.side, "cells", block(&wb->panes[0].experiment, &r));
        break;
    default: /* every pair agrees to the last bit: there is no tolerance */
        s->find = FIND_IMPOSSIBLE;
        break;
    }
    return s->find == FIND_UNDER_WAY;
}

static double split_find_value_at(const json_t *values, size_t i)
{
    const json_t *value = json_array_get(values, i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A value that no cell can have, also NaN, becomes a byte that no cell has. */
static uint8_t byte_of(double value)
{
    return value >= 0 && value <= UINT8_MAX ? (uint8_t)value : UINT8_MAX;
}

/* Plane after plane, of the model's type. NULL without memory. */
static void *cells_of(const struct ca_model *model, const json_t *planes, size_t count)
{
    uint8_t *bytes = malloc(count * (size_t)model->planes * ca_type_bytes(model->type));

    for (int p = 0; bytes && p < model->planes; p++) {
        const json_t *values = json_object_get(planes, model->plane_names[p]);

        for (size_t i = 0; i < count; i++)
            if (model->type == CA_F32)
                ((float *)(void *)bytes)[(size_t)p * count + i] =
                    (float)split_find_value_at(values, i);
            else
                bytes[(size_t)p * count + i] = byte_of(split_find_value_at(values, i));
    }
    return bytes;
}

void find_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_differ_request r = ca_differ_next(&s->differ);
    const json_t *answer = s->answer[r.side];
    struct ca_differ_reply reply = {.seconds = 0};
    void *cells = NULL;

    s->find_s += ca_now() - s->asked;
    if (r.verb == CA_DIFFER_STEP && ++s->calls_done < r.calls)
        return;
    if (r.verb == CA_DIFFER_DIGEST)
        reply.digest = strtoull(ca_wire_text(answer, "digest"), NULL, 16);
    if (r.verb == CA_DIFFER_CELLS)
        cells = cells_of(s->differ.start.model, json_object_get(answer, "planes"),
                         (size_t)(r.rows * r.columns));
    reply.cells = cells;
    reply.seconds = s->find_s;
    if (r.verb != CA_DIFFER_CELLS || cells)
        ca_differ_take(&s->differ, &reply);
    else
        s->find = FIND_IMPOSSIBLE;
    free(cells);
    s->calls_done = 0;
    s->find_s = 0;
}

const struct ca_differ_result *split_placed(const struct workbench *wb)
{
    const struct ca_differ_result *result = &split_of(wb)->differ.result;

    return split_of(wb)->find == FIND_DONE && result->placed ? result : NULL;
}

int split_lines(const struct workbench *wb)
{
    const struct ca_differ_result *result = split_placed(wb);

    return result ? SPLIT_SENTENCE_LINES + 1 + result->rows : SPLIT_LINES;
}
