/* SPDX-License-Identifier: MIT */
/* A field becomes a frame: a point is a block of cells of the slice, or of all slices, all of which
 * count. A block more on each side is summed, so that what is computed from neighbouring blocks
 * does not depend on where the frame ends. */
#include "core/sim/view_field.h"

#include <math.h>
#include <stdlib.h>

#include "core/model/field.h"

static struct ca_blocks blocks_of(const struct ca_view *view, const struct ca_field *field,
                                  struct ca_size size)
{
    int64_t wide = view->zoom, high = ca_view_down(view);
    int64_t across = view->columns + 2, down = view->lines + 2;
    int64_t x = view->x - wide, y = view->y - high, deep = 1, from = view->slice;
    int64_t width, height, slices;

    ca_view_extent(size, view->axis, &width, &height, &slices);
    if (field->through) {
        deep = slices;
        from = 0;
    }
    switch (view->axis) {
    case CA_XY:
        return (struct ca_blocks){size, {wide, high, deep}, {across, down, 1}, x, y, from};
    case CA_XZ:
        return (struct ca_blocks){size, {wide, deep, high}, {across, 1, down}, x, from, y};
    default:
        return (struct ca_blocks){size, {deep, wide, high}, {1, across, down}, from, x, y};
    }
}

/* The block of a point: its coordinates along the three axes. */
static void block_at(const struct ca_view *view, int column, int line, int64_t at[3])
{
    at[0] = view->axis == CA_YZ ? 0 : column + 1;
    at[1] = view->axis == CA_XY ? line + 1 : view->axis == CA_XZ ? 0 : column + 1;
    at[2] = view->axis == CA_XY ? 0 : line + 1;
}

/* Returns the drawn value of a block: NaN where the field has no value. */
static double view_field_value_of(const struct ca_field *field, const struct ca_block_means *means,
                                  const int64_t at[3])
{
    double value[CA_COMPONENTS_MAX];

    field->value(means, at[0], at[1], at[2], value);
    return field->components == 1 ? value[0] : sqrt(value[0] * value[0] + value[1] * value[1]);
}

static void view_field_reduce(struct ca_frame *frame, const struct ca_field *field,
                              const struct ca_block_means *means, double *values)
{
    const struct ca_view *view = &frame->view;

    for (int l = 0, i = 0; l < view->lines; l++)
        for (int c = 0; c < view->columns; c++, i++) {
            int64_t at[3];

            block_at(view, c, l, at);
            frame->code[i] = CA_VIEW_OUTSIDE;
            values[i] = NAN;
            if (ca_block_cells(&means->blocks, at[0], at[1], at[2]) == 0)
                continue;
            values[i] = view_field_value_of(field, means, at);
            frame->code[i] = isnan(values[i]) ? CA_VIEW_NO_VALUE : CA_VIEW_VALUE;
        }
}

enum ca_status view_field_draw(struct ca_frame *frame, double *values,
                               struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_field *field;
    struct ca_blocks blocks;
    enum ca_status status;
    size_t count, neighbours;
    double *sums;

    CA_TRY(ca_field_find(&field, setup->model, frame->view.field, error));
    blocks = blocks_of(&frame->view, field, setup->size);
    count = (size_t)ca_cells(blocks.count) * (size_t)ca_block_sums(setup->model);
    neighbours = (size_t)ca_cells(blocks.count) * (size_t)ca_neighbour_sums_count(setup->model);
    sums = calloc(count + neighbours, sizeof *sums);
    if (!sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu sums of blocks", count + neighbours);
    status = ca_simulation_blocks(simulation, &blocks, sums, error);
    if (status == CA_OK && field->neighbours)
        status = ca_simulation_neighbours(simulation, &blocks, sums + count, error);
    if (status == CA_OK)
        view_field_reduce(frame, field,
                          &(struct ca_block_means){setup, blocks, sums, sums + count, 1}, values);
    free(sums);
    return status;
}
