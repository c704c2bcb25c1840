/* SPDX-License-Identifier: MIT */
/*
 * The engines of two panes in lock step as sides of a comparison (core/compare/side.h): an
 * operation is a round with one request, and has ended when its reply has come.
 */
#include <math.h>
#include <stdlib.h>

#include "core/engine/interference_json.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/split_inside.h"

static enum ca_status side_ask(void *self, enum split_phase phase, const char *op, json_t *body)
{
    struct split_side *side = self;

    side->count = 0;
    split_round(side->wb, phase);
    split_ask(side->wb, side->index, op, body);
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

static double split_side_value_at(const json_t *values, size_t i)
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
                    (float)split_side_value_at(values, i);
            else
                bytes[(size_t)p * count + i] = byte_of(split_side_value_at(values, i));
    }
    return bytes;
}

static enum ca_status split_side_result(void *self, struct ca_side_result *result,
                                        struct ca_error *error)
{
    struct split_side *side = self;
    const json_t *answer = split_of(side->wb)->answer[side->index];

    result->seconds = ca_burst_from_json(&result->others, answer);
    result->digest = strtoull(ca_wire_text(answer, "digest"), NULL, 16);
    if (side->count == 0)
        return CA_OK;
    side->cells = cells_of(side->wb->panes[0].experiment.model, json_object_get(answer, "planes"),
                           side->count);
    result->cells = side->cells;
    return side->cells ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");
}

void split_sides(struct workbench *wb, struct ca_side side[2])
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
