/* SPDX-License-Identifier: MIT */
/*
 * The engines of two panes in lock step as sides of a comparison (core/compare/side.h): an
 * operation is a round with one request, and has ended when its reply has come.
 */
#include <math.h>
#include <stdlib.h>

#include "core/engine/interference_json.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"

static enum ca_status side_ask(void *self, enum split_phase phase, const char *op, json_t *body)
{
    struct split_side *side = self;

    side->count = 0;
    split_round(side->wb, phase);
    split_send(side->wb, side->index, op, body, NULL, 0);
    return CA_OK;
}

static enum ca_status side_step(void *self, uint64_t generations, struct ca_error *error)
{
    (void)error;
    return side_ask(self, SPLIT_FIND, "step",
                    json_pack("{s:I,s:b}", "n", (json_int_t)generations, "hash", 1));
}

static enum ca_status split_side_burst(void *self, uint64_t generations, uint64_t calls,
                                       struct ca_error *error)
{
    (void)error;
    return side_ask(
        self, SPLIT_BURST, "burst",
        json_pack("{s:I,s:I}", "n", (json_int_t)generations, "calls", (json_int_t)calls));
}

static enum ca_status side_back(void *self, struct ca_error *error)
{
    (void)error;
    return side_ask(self, SPLIT_FIND, "back", NULL);
}

static enum ca_status side_digest(void *self, int64_t first, int64_t rows, struct ca_error *error)
{
    (void)error;
    return side_ask(self, SPLIT_FIND, "digest",
                    json_pack("{s:I,s:I}", "first", (json_int_t)first, "rows", (json_int_t)rows));
}

/* A row counts through the layers of a lattice. */
static enum ca_status side_cells(void *self, const struct ca_block_of_cells *block,
                                 struct ca_error *error)
{
    struct split_side *side = self;
    int64_t h = side->wb->panes[0].experiment.size.h;

    (void)error;
    side_ask(self, SPLIT_FIND, "cells",
             json_pack("{s:I,s:I,s:I,s:I,s:I}", "x", (json_int_t)block->x, "y",
                       (json_int_t)(block->first % h), "z", (json_int_t)(block->first / h), "width",
                       (json_int_t)block->columns, "height", (json_int_t)block->rows));
    side->count = (size_t)(block->rows * block->columns);
    return CA_OK;
}

static enum ca_status split_side_result(void *self, struct ca_side_result *result,
                                        struct ca_error *error)
{
    struct split_side *side = self;
    const struct ca_model *model = side->wb->panes[0].experiment.model;
    const json_t *answer = split_of(side->wb)->answer[side->index];
    uint8_t *bytes;

    result->seconds = ca_burst_from_json(&result->others, answer);
    result->digest = strtoull(ca_json_member(answer, "digest"), NULL, 16);
    if (side->count == 0)
        return CA_OK;
    bytes = malloc(side->count * (size_t)model->planes * ca_type_bytes(model->type));
    result->cells = side->cells = bytes;
    if (!bytes)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    /* Plane after plane, of the model's type. */
    for (int p = 0; p < model->planes; p++) {
        const json_t *values =
            json_object_get(json_object_get(answer, "planes"), model->plane_names[p]);

        for (size_t i = 0; i < side->count; i++) {
            const json_t *one = json_array_get(values, i);
            double value = json_is_number(one) ? json_number_value(one) : NAN;
            size_t at = (size_t)p * side->count + i;

            /* A value that no cell can have, also NaN, becomes a byte that no cell has. */
            if (model->type == CA_F32)
                ((float *)(void *)bytes)[at] = (float)value;
            else
                bytes[at] = value >= 0 && value <= UINT8_MAX ? (uint8_t)value : UINT8_MAX;
        }
    }
    return CA_OK;
}

static void split_sides(struct workbench *wb, struct ca_side side[2])
{
    for (int i = 0; i < 2; i++) {
        struct split_side *self = &split_of(wb)->side[i];

        self->wb = wb;
        self->index = i;
        side[i] = (struct ca_side){.self = self,
                                   .step = side_step,
                                   .burst = split_side_burst,
                                   .back = side_back,
                                   .digest = side_digest,
                                   .cells = side_cells,
                                   .result = split_side_result};
    }
}

/* --- the first difference --------------------------------------------------------------------- */

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
        start.hash[i] = strtoull(ca_json_member(s->answer[i], "hash"), NULL, 16);
    ca_differ_begin(&s->differ, &start);
    s->find = FIND_UNDER_WAY;
}

bool find_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_error ignored; /* a request is refused by its reply */
    struct ca_side side[2];
    char text[CA_TEXT_MAX];

    if (s->find != FIND_UNDER_WAY)
        return false;
    if (ca_differ_next(&s->differ).verb == CA_DIFFER_DONE) {
        s->find = FIND_DONE;
        if (s->hidden)
            /* The message is for screens without the panel that shows it. */
            message_warn(wb, "%s",
                         ca_differ_sentence(text, sizeof text, &s->differ.result,
                                            s->differ.start.model,
                                            wb->panes[0].experiment.backend->name,
                                            wb->panes[1].experiment.backend->name));
        view_layout(wb); /* the box grows */
        view_changed(&wb->panes[0]);
        return false;
    }
    split_sides(wb, side);
    ca_differ_ask(&s->differ, side, &ignored);
    return true;
}

void find_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_error no_memory;
    struct ca_side side[2];

    split_sides(wb, side);
    if (ca_differ_answer(&s->differ, side, &no_memory) != CA_OK)
        s->find = FIND_IMPOSSIBLE;
    for (int i = 0; i < 2; i++) {
        free(s->side[i].cells);
        s->side[i].cells = NULL;
    }
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

/* --- the ratio -------------------------------------------------------------------------------- */

void ratio_restart(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->measured = false;
    s->no_ratio[0] = 0;
    s->samples[0].count = s->samples[1].count = 0;
    s->ratio = (struct ca_ratio){0};
}

bool ratio_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    const int64_t cells[2] = {ca_cells(wb->panes[0].experiment.size),
                              ca_cells(wb->panes[1].experiment.size)};
    struct ca_error ignored; /* a request is refused by its reply */
    struct ca_ratio_request next;
    struct ca_side side[2];

    if (s->measured)
        return false;
    for (int i = 0; i < 2; i++)
        if (figures_timing(&wb->panes[i])->emulated) {
            snprintf(s->no_ratio, sizeof s->no_ratio, "%c is " CA_NOT_A_SPEED, 'A' + i);
            s->measured = true;
            wb->dirty = true;
            return false;
        }
    if (s->ratio.side[0].calls == 0)
        ca_ratio_begin(&s->ratio, cells, 0);
    if (!ca_ratio_next(&s->ratio, &next)) {
        s->measured = true;
        wb->dirty = true;
        return false;
    }
    split_sides(wb, side);
    ca_ratio_ask(&s->ratio, side, &ignored);
    return true;
}

void ratio_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_ratio_request next;
    struct split_samples *samples;
    struct ca_interference others;
    const json_t *list, *value;
    struct ca_side side[2];
    struct ca_error error;
    size_t i;

    if (s->measured || !ca_ratio_next(&s->ratio, &next))
        return;
    samples = &s->samples[next.side];
    list = json_object_get(s->answer[next.side], "seconds");
    ca_burst_from_json(&others, s->answer[next.side]);
    if (!next.warm_up && ca_interference_judge(&others, s->ratio.best_speed) != CA_DISTURBED)
        json_array_foreach(list, i, value) samples->step_s[samples->count++ % SPLIT_SAMPLES] =
            json_number_value(value) / (double)next.generations;
    split_sides(wb, side);
    if (ca_ratio_answer(&s->ratio, side, &error) != CA_OK) {
        snprintf(s->no_ratio, sizeof s->no_ratio, "%c: %.400s", 'A' + next.side, error.text);
        s->measured = true;
    }
}
