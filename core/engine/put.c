/* SPDX-License-Identifier: MIT */
/* This file answers the request that changes cells: to values, to the next of the model's brushes,
 * or to those of a pattern in a file. Only the rows that have such cells move, one at a time. */
#include "core/engine/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"

/* Cells and where they go; planes that are not in the set stay. */
struct patch {
    struct ca_place at;
    struct ca_lattice cells;
    unsigned planes;
};

/* --- loading ---------------------------------------------------------------------------------- */

/* Reads row `row` of the lattice and puts what the patch has for it in its place. */
static enum ca_status patched_row(struct ca_simulation *simulation, const struct patch *patch,
                                  int64_t r, struct ca_lattice *row, int64_t *at,
                                  struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    size_t bytes = ca_type_bytes(setup->model->type);
    struct ca_size size = patch->cells.size;
    void *from[CA_PLANES_MAX];

    *at = (patch->at.z + r / size.h) * setup->size.h + patch->at.y + r % size.h;
    CA_TRY(ca_simulation_rows(simulation, row->plane, *at, 1, error));
    ca_lattice_at(&patch->cells, r, from);
    for (int p = 0; p < row->planes; p++)
        if (patch->planes >> p & 1)
            memcpy((char *)row->plane[p] + (size_t)patch->at.x * bytes, from[p],
                   (size_t)size.w * bytes);
    if (setup->model->check_state &&
        setup->model->check_state(setup, row->plane, *at, 1, error) != CA_OK) {
        error->status = CA_USAGE;
        return CA_USAGE;
    }
    return CA_OK;
}

/* All rows are checked before the first one is loaded. */
static enum ca_status load_patch(struct ca_simulation *simulation, const struct patch *patch,
                                 struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    int64_t rows = ca_rows(patch->cells.size), at = 0;
    enum ca_status status = CA_OK;
    struct ca_lattice row;

    CA_TRY(ca_lattice_alloc(&row, (struct ca_size){setup->size.w, 1, 1}, setup->model->type,
                            setup->model->planes, error));
    for (int64_t r = 0; r < 2 * rows && status == CA_OK; r++) {
        status = patched_row(simulation, patch, r % rows, &row, &at, error);
        if (status == CA_OK && r >= rows)
            status =
                ca_simulation_load_rows(simulation, (const void *const *)row.plane, at, 1, error);
    }
    ca_lattice_free(&row);
    if (status == CA_OK)
        status = ca_simulation_loaded(simulation, ca_simulation_generation(simulation), error);
    return status;
}

static void set_value(const struct ca_lattice *cells, int plane, int64_t i, double value)
{
    if (cells->type == CA_F32)
        ((float *)cells->plane[plane])[i] = (float)value;
    else
        ((uint8_t *)cells->plane[plane])[i] = (uint8_t)value;
}

/* --- the forms of the request ----------------------------------------------------------------- */

static enum ca_status patch_of_values(const struct ca_engine *engine, const json_t *request,
                                      struct patch *patch, struct ca_error *error)
{
    const struct ca_model *model = ca_simulation_setup(engine->simulation)->model;
    const json_t *planes = json_object_get(request, "planes"), *values;
    const char *name;
    struct ca_size size;

    if (!json_is_object(planes) || json_object_size(planes) == 0)
        return ca_fail(error, CA_USAGE,
                       "put: one of \"planes\" (lists by name), \"next\" and \"file\" is needed");
    CA_TRY(ca_engine_block_size(engine, request, patch->at, &size, error));
    CA_TRY(ca_lattice_alloc(&patch->cells, size, model->type, model->planes, error));
    json_object_foreach((json_t *)planes, name, values)
    {
        int p = 0;

        while (p < model->planes && strcmp(model->plane_names[p], name) != 0)
            p++;
        if (p == model->planes)
            return ca_fail(error, CA_USAGE, "put: %s has no plane '%.60s'", model->name, name);
        if (!json_is_array(values) ||
            (int64_t)json_array_size(values) != ca_cells(patch->cells.size))
            return ca_fail(error, CA_USAGE, "put: \"%s\" is not a list of %" PRId64 " numbers",
                           name, ca_cells(patch->cells.size));
        for (int64_t i = 0; i < ca_cells(patch->cells.size); i++) {
            const json_t *value = json_array_get(values, (size_t)i);
            double number = json_number_value(value);

            if (!json_is_number(value) ||
                (model->type == CA_U8 &&
                 (!json_is_integer(value) || number < 0 || number > model->max_value)))
                return ca_fail(error, CA_USAGE, "put: \"%s\", value %" PRId64 " is not %s", name, i,
                               model->type == CA_U8 ? "among those of the model" : "a number");
            set_value(&patch->cells, p, i, number);
        }
        patch->planes |= 1U << p;
    }
    return CA_OK;
}

static double put_value_at(const struct ca_lattice *cell, int plane)
{
    return cell->type == CA_F32 ? (double)*(float *)cell->plane[plane]
                                : *(uint8_t *)cell->plane[plane];
}

static double brushed(const struct ca_brush *brush, const struct ca_lattice *cell, int p)
{
    float value = brush->value[p];

    return brush->over ? (double)(float)((float)put_value_at(cell, 0) + value) : (double)value;
}

static bool is_brushed(const struct ca_brush *brush, const struct ca_lattice *cell)
{
    for (int p = 0; p < cell->planes; p++)
        if (brush->planes >> p & 1 && put_value_at(cell, p) != brushed(brush, cell, p))
            return false;
    return true;
}

/* A cell that no brush has made gets the first. */
static enum ca_status patch_of_next(const struct ca_engine *engine, struct patch *patch,
                                    const char **name, struct ca_error *error)
{
    const struct ca_brush *brushes = ca_simulation_setup(engine->simulation)->model->brushes;
    int next = 0;

    CA_TRY(ca_engine_read_block(engine->simulation, patch->at, (struct ca_size){1, 1, 1},
                                &patch->cells, error));
    for (int i = 0; brushes[i].name; i++)
        if (is_brushed(&brushes[i], &patch->cells))
            next = brushes[i + 1].name ? i + 1 : 0;
    for (int p = 0; p < patch->cells.planes; p++)
        if (brushes[next].planes >> p & 1)
            set_value(&patch->cells, p, 0, brushed(&brushes[next], &patch->cells, p));
    patch->planes = brushes[next].planes;
    *name = brushes[next].name;
    return CA_OK;
}

/* --- patterns --------------------------------------------------------------------------------- */

/* A picture: 1 is a live cell, or a solid node. */
static enum ca_status read_picture(const char *path, const struct ca_model *model,
                                   struct patch *patch, struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(&patch->cells);
    uint8_t mask = ca_draw_of(model)->picture_mask, one = mask ? mask : 1;

    CA_TRY(ca_pbm_read(path, &sink, error));
    for (int64_t i = 0; i < ca_cells(patch->cells.size); i++)
        ((uint8_t *)patch->cells.plane[0])[i] *= one;
    return CA_OK;
}

/* A grid: how much more than plane 0 the plane of the brushes is: water over the ground. */
static enum ca_status read_depths(const struct ca_engine *engine, const char *path,
                                  struct patch *patch, struct ca_error *error)
{
    int64_t w = patch->cells.size.w, width = ca_simulation_setup(engine->simulation)->size.w;
    float *plane = patch->cells.plane[__builtin_ctz(patch->planes)];
    struct ca_size size;
    struct ca_lattice row;
    enum ca_status status;
    float *depth;

    CA_TRY(ca_asc_read(path, "", &depth, &size, error));
    status =
        ca_lattice_alloc(&row, (struct ca_size){width, 1, 1}, CA_F32, patch->cells.planes, error);
    for (int64_t y = 0; y < size.h && status == CA_OK; y++) {
        status = ca_simulation_rows(engine->simulation, row.plane, patch->at.y + y, 1, error);
        for (int64_t x = 0; x < w && status == CA_OK; x++)
            plane[y * w + x] = ((float *)row.plane[0])[patch->at.x + x] + depth[y * w + x];
    }
    ca_lattice_free(&row);
    free(depth);
    return status;
}

enum pattern { PATTERN_STATE, PATTERN_PICTURE, PATTERN_DEPTHS };

static enum ca_status pattern_of(const char *path, const struct ca_model *model,
                                 enum pattern *pattern, struct ca_size *size,
                                 struct ca_error *error)
{
    size_t length = strlen(path);
    const char *ending = length > 4 ? path + length - 4 : "";
    char allowed[CA_TEXT_MAX];

    *size = (struct ca_size){1, 1, 1};
    if (strcmp(ending, ".pbm") == 0 && model->type == CA_U8 && model->planes == 1) {
        *pattern = PATTERN_PICTURE;
        return ca_pbm_size(path, size, error);
    }
    if (strcmp(ending, ".asc") == 0 && model->brushes->over) {
        *pattern = PATTERN_DEPTHS;
        return ca_asc_size(path, size, error);
    }
    *pattern = PATTERN_STATE;
    if (ca_state_is_file(path, model))
        return ca_pattern_size(path, model, size, error);
    return ca_fail(error, CA_USAGE, "put: '%.300s' is not a pattern of %s: allowed are %s%s", path,
                   model->name, ca_format_endings(allowed, model, ca_format_restores),
                   model->brushes->over ? ", .asc"
                   : model->planes == 1 ? ", .pbm"
                                        : "");
}

static enum ca_status patch_of_file(const struct ca_engine *engine, const char *path,
                                    struct patch *patch, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(engine->simulation);
    const struct ca_model *model = setup->model;
    struct ca_size all = setup->size, size;
    char given[64], wanted[64];
    enum pattern pattern;

    CA_TRY(pattern_of(path, model, &pattern, &size, error));
    if (size.w > all.w - patch->at.x || size.h > all.h - patch->at.y ||
        size.d > all.d - patch->at.z)
        return ca_fail(error, CA_USAGE,
                       "put: '%.300s' is %s, and at %" PRId64 ",%" PRId64 ",%" PRId64
                       " does not fit into the lattice %s",
                       path, ca_size_format(given, size, model->dimensions), patch->at.x,
                       patch->at.y, patch->at.z, ca_size_format(wanted, all, model->dimensions));
    patch->planes = pattern == PATTERN_DEPTHS ? model->brushes->planes : (1U << model->planes) - 1;
    if (pattern == PATTERN_STATE)
        return ca_pattern_read(path, model, &patch->cells, error);
    CA_TRY(ca_lattice_alloc(&patch->cells, size, model->type, model->planes, error));
    return pattern == PATTERN_PICTURE ? read_picture(path, model, patch, error)
                                      : read_depths(engine, path, patch, error);
}

enum ca_status ca_engine_put(struct ca_engine *engine, const json_t *request, json_t *answer,
                             struct ca_error *error)
{
    struct patch patch = {0};
    const char *path = NULL, *name = NULL;
    bool next = false;
    enum ca_status status;

    CA_TRY(ca_engine_place(engine, request, &patch.at, error));
    CA_TRY(ca_request_bool(request, "next", &next, error));
    CA_TRY(ca_request_text(request, "file", &path, error));
    status = next   ? patch_of_next(engine, &patch, &name, error)
             : path ? patch_of_file(engine, path, &patch, error)
                    : patch_of_values(engine, request, &patch, error);
    if (status == CA_OK)
        status = load_patch(engine->simulation, &patch, error);
    if (status == CA_OK) {
        ca_simulation_unmark(engine->simulation); /* a burst would go back to it */
        ca_engine_state_changed(engine, true);
        json_object_set_new(answer, "width", json_integer((json_int_t)patch.cells.size.w));
        json_object_set_new(answer, "height", json_integer((json_int_t)patch.cells.size.h));
        json_object_set_new(answer, "depth", json_integer((json_int_t)patch.cells.size.d));
        if (name)
            json_object_set_new(answer, "state", json_string(name));
    }
    ca_lattice_free(&patch.cells);
    return status;
}
