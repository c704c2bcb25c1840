/* SPDX-License-Identifier: MIT */
/* This file answers the requests that read the state: single cells, blocks of them, and digests of
 * rows. */
#include "core/engine/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/sim/projection.h"

#define PARTS_MAX 4096 /* digests of a reply */

struct block {
    struct ca_place at;
    struct ca_size size;
};

/* --- cells ------------------------------------------------------------------------------------ */

/* By the backend itself: only the cells move. */
static enum ca_status gather_block(struct ca_simulation *simulation, const struct block *block,
                                   struct ca_lattice *cells, struct ca_error *error)
{
    int64_t h = ca_simulation_setup(simulation)->size.h, rows = ca_rows(block->size);
    int64_t *at = malloc((size_t)(block->size.w + rows) * sizeof *at);
    struct ca_gather_points points;
    enum ca_status status;

    if (!at)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a block of cells");
    points = (struct ca_gather_points){at, at + block->size.w, block->size.w, rows};
    for (int64_t i = 0; i < block->size.w; i++)
        at[i] = block->at.x + i;
    for (int64_t r = 0; r < rows; r++)
        at[block->size.w + r] =
            (block->at.z + r / block->size.h) * h + block->at.y + r % block->size.h;
    status = ca_simulation_gather(simulation, &points, cells->plane, error);
    free(at);
    return status;
}

static enum ca_status pick_block(struct ca_simulation *simulation, const struct block *block,
                                 struct ca_lattice *cells, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    size_t bytes = ca_type_bytes(setup->model->type);
    struct ca_lattice row;
    enum ca_status status = CA_OK;

    CA_TRY(ca_lattice_alloc(&row, (struct ca_size){setup->size.w, 1, 1}, setup->model->type,
                            setup->model->planes, error));
    for (int64_t r = 0; r < ca_rows(block->size) && status == CA_OK; r++) {
        int64_t y = block->at.y + r % block->size.h, z = block->at.z + r / block->size.h;
        void *to[CA_PLANES_MAX];

        status = ca_simulation_rows(simulation, row.plane, z * setup->size.h + y, 1, error);
        ca_lattice_at(cells, r, to);
        for (int p = 0; p < cells->planes; p++)
            memcpy(to[p], (const char *)row.plane[p] + (size_t)block->at.x * bytes,
                   (size_t)block->size.w * bytes);
    }
    ca_lattice_free(&row);
    return status;
}

enum ca_status ca_engine_read_block(struct ca_simulation *simulation, struct ca_place at,
                                    struct ca_size size, struct ca_lattice *cells,
                                    struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct block block = {at, size};
    enum ca_status status;

    CA_TRY(ca_lattice_alloc(cells, size, setup->model->type, setup->model->planes, error));
    status = ca_simulation_stepper(simulation)->draw
                 ? gather_block(simulation, &block, cells, error)
                 : pick_block(simulation, &block, cells, error);
    if (status != CA_OK)
        ca_lattice_free(cells);
    return status;
}

static json_t *cells_value_of(const struct ca_lattice *cells, int plane, int64_t i)
{
    return ca_wire_number(cells->type == CA_F32 ? (double)((float *)cells->plane[plane])[i]
                                                : ((uint8_t *)cells->plane[plane])[i]);
}

enum ca_status ca_engine_place(const struct ca_engine *engine, const json_t *request,
                               struct ca_place *place, struct ca_error *error)
{
    struct ca_size size = ca_simulation_setup(engine->simulation)->size;

    *place = (struct ca_place){0};
    CA_TRY(ca_request_int(request, "x", 0, size.w - 1, &place->x, error));
    CA_TRY(ca_request_int(request, "y", 0, size.h - 1, &place->y, error));
    return ca_request_int(request, "z", 0, size.d - 1, &place->z, error);
}

enum ca_status ca_engine_block_size(const struct ca_engine *engine, const json_t *request,
                                    struct ca_place at, struct ca_size *size,
                                    struct ca_error *error)
{
    struct ca_size all = ca_simulation_setup(engine->simulation)->size;
    char text[64];

    *size = (struct ca_size){1, 1, 1};
    CA_TRY(ca_request_int(request, "width", 1, all.w - at.x, &size->w, error));
    CA_TRY(ca_request_int(request, "height", 1, all.h - at.y, &size->h, error));
    CA_TRY(ca_request_int(request, "depth", 1, all.d - at.z, &size->d, error));
    if (ca_cells(*size) > CA_BLOCK_MAX)
        return ca_fail(error, CA_USAGE, "%s: %s are %" PRId64 " cells: at most %d are allowed",
                       json_string_value(json_object_get(request, "op")),
                       ca_size_format(text, *size, 3), ca_cells(*size), CA_BLOCK_MAX);
    return CA_OK;
}

/* Moves a place to the first cell that is met along an axis through a block that begins there. */
static enum ca_status place_met(struct ca_engine *engine, const json_t *request,
                                struct ca_place *place, bool *met, json_t *answer,
                                struct ca_error *error)
{
    const int64_t at[] = {place->x, place->y, place->z};
    struct ca_sight sight;
    struct ca_size size;
    int axis = CA_XY;

    CA_TRY(ca_request_choice(request, "along", ca_axis_names, &axis, error));
    CA_TRY(ca_engine_block_size(engine, request, *place, &size, error));
    CA_TRY(ca_sight_along(&sight, engine->simulation, (enum ca_axis)axis, at, size, error));
    *met = sight.met;
    if (sight.met)
        *place = (struct ca_place){sight.at[0], sight.at[1], sight.at[2]};
    json_object_set_new(answer, "cells", ca_wire_number(sight.count));
    return CA_OK;
}

/* The states of a cell's parts, by number and by name. */
static void add_parts(json_t *answer, const struct ca_model *model, uint8_t byte)
{
    json_t *parts = json_object();
    char names[CA_TEXT_MAX] = "";

    for (const struct ca_part *part = model->parts; part->name; part++) {
        int state = ca_part_state(part, byte);

        json_object_set_new(parts, part->name, json_integer(state));
        ca_text_add(names, sizeof names, "%s%s", names[0] ? ", " : "",
                    state < part->states ? ca_draw_of(model)->states[part->first + state].name
                                         : "none");
    }
    json_object_set_new(answer, "parts", parts);
    json_object_set_new(answer, "state", json_string(names));
}

enum ca_status ca_engine_cell(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    bool along = json_object_get(request, "along"), met = true;
    const struct ca_model *model = ca_simulation_setup(engine->simulation)->model;
    struct ca_place at;
    struct ca_appearance appearance = {0};
    struct ca_lattice cell;
    float low, high;
    json_t *planes;

    CA_TRY(ca_engine_place(engine, request, &at, error));
    if (along)
        CA_TRY(place_met(engine, request, &at, &met, answer, error));
    if (!met)
        return CA_OK;
    CA_TRY(ca_engine_read_block(engine->simulation, at, (struct ca_size){1, 1, 1}, &cell, error));
    ca_simulation_range(engine->simulation, &low, &high);
    ca_draw_of(model)->cell(model, (const void *const *)cell.plane, 0, low, high, &appearance);
    planes = json_object();
    for (int p = 0; p < model->planes; p++)
        json_object_set_new(planes, model->plane_names[p], cells_value_of(&cell, p, 0));
    if (along)
        json_object_set_new(
            answer, "at",
            json_pack("[I,I,I]", (json_int_t)at.x, (json_int_t)at.y, (json_int_t)at.z));
    json_object_set_new(answer, "planes", planes);
    json_object_set_new(answer, "state",
                        json_string(ca_draw_of(model)->states[appearance.code].name));
    if (model->parts)
        add_parts(answer, model, *(const uint8_t *)cell.plane[0]);
    ca_lattice_free(&cell);
    return CA_OK;
}

enum ca_status ca_engine_slice(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    int axis = (int)engine->picture[0].view.axis;
    int64_t width, height, slices, after = -1, slice;
    enum ca_status status;
    double *counts;

    CA_TRY(ca_request_choice(request, "axis", ca_axis_names, &axis, error));
    ca_view_extent(ca_simulation_setup(engine->simulation)->size, (enum ca_axis)axis, &width,
                   &height, &slices);
    CA_TRY(ca_request_int(request, "after", 0, slices - 1, &after, error));
    counts = malloc((size_t)slices * sizeof *counts);
    if (!counts)
        return ca_fail(error, CA_NO_MEMORY, "no memory to count the cells of %" PRId64 " slices",
                       slices);
    status = ca_slices_count(engine->simulation, (enum ca_axis)axis, counts, error);
    if (status == CA_OK) {
        slice = after < 0 ? ca_slice_fullest(counts, slices) : ca_slice_next(counts, slices, after);
        json_object_set_new(answer, "slice", slice < 0 ? json_null() : json_integer(slice));
        json_object_set_new(answer, "cells", ca_wire_number(slice < 0 ? 0 : counts[slice]));
    }
    free(counts);
    return status;
}

enum ca_status ca_engine_cells(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(engine->simulation);
    struct ca_place at;
    struct ca_size size;
    struct ca_lattice cells;
    json_t *planes;

    CA_TRY(ca_engine_place(engine, request, &at, error));
    CA_TRY(ca_engine_block_size(engine, request, at, &size, error));
    CA_TRY(ca_engine_read_block(engine->simulation, at, size, &cells, error));
    planes = json_object();
    for (int p = 0; p < cells.planes; p++) {
        json_t *values = json_array();

        for (int64_t i = 0; i < ca_cells(size); i++)
            json_array_append_new(values, cells_value_of(&cells, p, i));
        json_object_set_new(planes, setup->model->plane_names[p], values);
    }
    json_object_set_new(answer, "planes", planes);
    ca_lattice_free(&cells);
    return CA_OK;
}

/* --- digests ---------------------------------------------------------------------------------- */

enum ca_status ca_engine_set_hash(struct ca_engine *engine, json_t *answer, struct ca_error *error)
{
    uint64_t hash;

    CA_TRY(ca_simulation_hash(engine->simulation, &hash, error));
    json_object_set_new(answer, "hash", ca_wire_digest(hash));
    return CA_OK;
}

enum ca_status ca_engine_hash(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    (void)request;
    return ca_engine_set_hash(engine, answer, error);
}

/* Part i of n has the rows from first + rows * i / n on. */
enum ca_status ca_engine_digest(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error)
{
    int64_t all = ca_rows(ca_simulation_setup(engine->simulation)->size);
    int64_t first = 0, rows, parts = 1;
    enum ca_status status = CA_OK;
    uint64_t total = 0;
    json_t *digests;

    CA_TRY(ca_request_int(request, "first", 0, all - 1, &first, error));
    rows = all - first;
    CA_TRY(ca_request_int(request, "rows", 1, all - first, &rows, error));
    CA_TRY(ca_request_int(request, "parts", 1, rows < PARTS_MAX ? rows : PARTS_MAX, &parts, error));
    digests = json_array();
    for (int64_t i = 0, from = 0, end; i < parts && status == CA_OK; i++, from = end) {
        struct ca_survey survey;

        end = rows / parts * (i + 1) + rows % parts * (i + 1) / parts;
        status = ca_simulation_survey(engine->simulation, CA_SURVEY_DIGEST, first + from,
                                      end - from, &survey, error);
        if (status != CA_OK)
            break;
        total += survey.digest;
        json_array_append_new(digests, ca_wire_digest(survey.digest));
    }
    json_object_set_new(answer, "digest", ca_wire_digest(total));
    json_object_set_new(answer, "digests", digests);
    return status;
}
