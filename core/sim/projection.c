/* SPDX-License-Identifier: MIT */
/* This file projects a lattice along lines of sight, and counts the cells of its slices. */
#include "core/sim/projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LAYERS 4 /* that are read first: most lines of sight end soon in a dense state */

/* The blocks along a side of a view or along its line of sight. */
struct view_side {
    struct ca_block_axis axis;
    int64_t count;
};

static struct view_side view_side_of(struct ca_block_axis axis, int points, int margin)
{
    margin = axis.sharing == 1 ? margin : 0;
    axis.from -= margin * axis.block;
    return (struct view_side){axis, points + 2 * margin};
}

struct ca_blocks ca_view_blocks(const struct ca_view *view, struct ca_size size, int margin,
                                int64_t from, int64_t deep, int64_t layers)
{
    const struct view_side across = view_side_of(ca_view_across_of(view, 0), view->columns, margin);
    const struct view_side down = view_side_of(ca_view_down_of(view, 0), view->lines, margin);
    const struct view_side along = {ca_block_axis_of(0, from, deep, 1), layers};
    const struct view_side *x = view->axis == CA_YZ ? &along : &across;
    const struct view_side *y = view->axis == CA_XY   ? &down
                                : view->axis == CA_XZ ? &along
                                                      : &across;
    const struct view_side *z = view->axis == CA_XY ? &along : &down;

    return (struct ca_blocks){.size = size,
                              .block = {x->axis.block, y->axis.block, z->axis.block},
                              .count = {x->count, y->count, z->count},
                              .x = x->axis.from,
                              .y = y->axis.from,
                              .z = z->axis.from,
                              .sharing = {x->axis.sharing, y->axis.sharing, z->axis.sharing}};
}

/* The block of a point of the view in the n-th layer of blocks. */
static void view_block(enum ca_axis axis, int64_t column, int64_t line, int64_t n, int64_t at[3])
{
    at[0] = axis == CA_YZ ? n : column;
    at[1] = axis == CA_XY ? line : axis == CA_XZ ? n : column;
    at[2] = axis == CA_XY ? n : line;
}

int64_t ca_view_nearest(const struct ca_model *model, const struct ca_view *view, int64_t slices)
{
    return ca_draw_of(model)->z_is_height && view->axis == CA_XY ? slices - 1 : 0;
}

/* --- sums of layers --------------------------------------------------------------------------- */

struct projection {
    struct ca_frame *frame;
    double *values;
    struct ca_simulation *simulation;
    const struct ca_setup *setup;
    const struct ca_field *field; /* NULL: of states */
    const struct ca_seen *seen;
    int64_t slices;
    int64_t deep;                /* layers of each of those that were read */
    struct ca_block_means means; /* those of the layers that were read last */
    double *sums;
    size_t capacity;
};

static enum ca_status layers_read(struct projection *p, int64_t from, int64_t deep, int64_t layers,
                                  struct ca_error *error)
{
    const struct ca_view *view = &p->frame->view;
    size_t count = (size_t)view->columns * (size_t)view->lines * (size_t)layers *
                   (size_t)ca_block_sums(p->setup->model);

    if (count > p->capacity) {
        free(p->sums);
        p->sums = malloc(count * sizeof *p->sums);
        p->capacity = p->sums ? count : 0;
        if (!p->sums)
            return ca_fail(error, CA_NO_MEMORY, "no memory for %zu sums of a projection", count);
    }
    p->deep = deep;
    memset(p->sums, 0, count * sizeof *p->sums);
    p->means = (struct ca_block_means){
        .setup = p->setup,
        .field = p->field,
        .blocks = ca_view_blocks(view, p->setup->size, 0, from, deep, layers),
        .sums = p->sums,
        .states = 1};
    return ca_simulation_blocks(p->simulation, &p->means.blocks, p->sums, error);
}

/* A sight says what the layers that were read hold along the line of sight of one point. */
struct sight {
    bool inside;  /* the lattice */
    uint8_t code; /* the highest one of the cells that are seen, 0: there are none */
    double value; /* the number of those of the first kind, or the value of the field */
    double area;  /* in cells */
};

static bool is_hit(const struct sight *sight)
{
    return sight->code || sight->value > 0 || sight->value < 0;
}

static struct sight sight_of(const struct projection *p, int i, int64_t n)
{
    const struct ca_view *view = &p->frame->view;
    const struct ca_blocks *blocks = &p->means.blocks;
    struct sight sight = {.inside = false};
    double value[CA_COMPONENTS_MAX];
    const double *sums;
    int64_t at[3], cells;

    view_block(view->axis, i % view->columns, i / view->columns, n, at);
    cells = ca_block_cells(blocks, at[0], at[1], at[2]);
    if (cells == 0)
        return sight;
    sight.inside = true;
    sight.area = (double)cells / (double)p->deep;
    if (p->field) {
        p->field->value(&p->means, at[0], at[1], at[2], value);
        sight.value =
            p->field->components == 1 ? value[0] : sqrt(value[0] * value[0] + value[1] * value[1]);
        return sight;
    }
    sums = ca_block_sums_at(&p->means, at[0], at[1], at[2]);
    for (const struct ca_seen *seen = p->seen; seen->code; seen++)
        sight.code = sums[seen->plane] > 0 ? seen->code : sight.code;
    sight.value = sums[p->seen->plane];
    return sight;
}

static int points_of(const struct projection *p)
{
    return p->frame->view.columns * p->frame->view.lines;
}

/* --- layers, from the viewer on ----------------------------------------------------------------*/

typedef int take_layer(struct projection *p, int64_t n, int64_t distance);

/* Hands layer after layer to `take`, until it has no point left to which another could add. */
static enum ca_status layers_walk(struct projection *p, take_layer *take, int left,
                                  struct ca_error *error)
{
    int64_t bytes = (int64_t)sizeof *p->sums * points_of(p) * ca_block_sums(p->setup->model);
    int64_t most = CA_PROJECTION_BYTES / bytes < 1 ? 1 : CA_PROJECTION_BYTES / bytes;
    bool ahead = ca_view_nearest(p->setup->model, &p->frame->view, p->slices) == 0;

    for (int64_t done = 0, count = FIRST_LAYERS; done < p->slices && left > 0; count *= 2) {
        count = count < most ? count : most;
        count = count < p->slices - done ? count : p->slices - done;
        CA_TRY(layers_read(p, ahead ? done : p->slices - done - count, 1, count, error));
        for (int64_t k = 0; k < count && left > 0; k++)
            left = take(p, ahead ? k : count - 1 - k, done + k);
        done += count;
    }
    return CA_OK;
}

/* --- kinds of projections --------------------------------------------------------------------- */

static int take_depth(struct projection *p, int64_t n, int64_t distance)
{
    int left = 0;

    for (int i = 0; i < points_of(p); i++) {
        struct sight sight;

        if (p->frame->code[i] != CA_VIEW_VALUE || !isnan(p->values[i]))
            continue;
        sight = sight_of(p, i, n);
        if (is_hit(&sight))
            p->values[i] = (double)distance;
        else
            left++;
    }
    return left;
}

/* The layer in which each line of sight meets a cell first. Those that meet any are marked by their
 * sums as a whole. */
static enum ca_status draw_depth(struct projection *p, struct ca_error *error)
{
    struct ca_frame *frame = p->frame;
    int left = 0;

    CA_TRY(layers_read(p, 0, p->slices, 1, error));
    for (int i = 0; i < points_of(p); i++) {
        struct sight sight = sight_of(p, i, 0);

        frame->code[i] = !sight.inside    ? CA_VIEW_OUTSIDE
                         : is_hit(&sight) ? CA_VIEW_VALUE
                                          : CA_VIEW_NOTHING;
        left += frame->code[i] == CA_VIEW_VALUE;
        p->values[i] = NAN;
    }
    return layers_walk(p, take_depth, left, error);
}

/* The cells along a line of sight; of a field the sum of its means over the layers. */
static enum ca_status draw_count(struct projection *p, struct ca_error *error)
{
    CA_TRY(layers_read(p, 0, p->slices, 1, error));
    for (int i = 0; i < points_of(p); i++) {
        struct sight sight = sight_of(p, i, 0);

        p->values[i] = !sight.inside ? NAN
                       : p->field    ? sight.value * (double)p->slices
                                     : sight.value / sight.area;
        p->frame->code[i] = !sight.inside                          ? CA_VIEW_OUTSIDE
                            : p->values[i] > 0 || p->values[i] < 0 ? CA_VIEW_VALUE
                                                                   : CA_VIEW_NOTHING;
    }
    return CA_OK;
}

static int take_maximum(struct projection *p, int64_t n, int64_t distance)
{
    (void)distance;
    for (int i = 0; i < points_of(p); i++)
        if (p->frame->code[i] != CA_VIEW_OUTSIDE) {
            struct sight sight = sight_of(p, i, n);

            p->values[i] = fmax(p->values[i], sight.value); /* of a number and NaN the number */
            if (!isnan(p->values[i]))
                p->frame->code[i] = CA_VIEW_VALUE;
        }
    return points_of(p);
}

/* The brightness of a cell that has the bit of this plane alone. */
static double level_of(const struct ca_model *model, const struct ca_seen *seen)
{
    int bits = ca_plane_bits(model);
    uint8_t cell[CA_PLANES_MAX] = {0};
    const void *planes[CA_PLANES_MAX];
    struct ca_appearance look = {0};

    for (int p = 0; p < CA_PLANES_MAX; p++)
        planes[p] = &cell[p];
    cell[seen->plane / bits] = (uint8_t)(1 << seen->plane % bits);
    ca_draw_of(model)->cell(model, planes, 0, 0, 1, &look);
    return look.level * ca_draw_of(model)->level_full;
}

/* The highest value of a field along a line of sight; of states the highest that is met. */
static enum ca_status draw_maximum(struct projection *p, struct ca_error *error)
{
    double level[UINT8_MAX + 1] = {0};

    for (const struct ca_seen *seen = p->seen; seen->code; seen++)
        level[seen->code] = level_of(p->setup->model, seen);
    CA_TRY(layers_read(p, 0, p->slices, 1, error));
    for (int i = 0; i < points_of(p); i++) {
        struct sight sight = sight_of(p, i, 0);

        p->values[i] = !sight.inside || p->field ? NAN : level[sight.code];
        p->frame->code[i] = !sight.inside ? CA_VIEW_OUTSIDE
                            : p->field    ? CA_VIEW_NOTHING
                                          : sight.code;
    }
    return p->field ? layers_walk(p, take_maximum, points_of(p), error) : CA_OK;
}

enum ca_status view_projection_draw(struct ca_frame *frame, double *values,
                                    struct ca_simulation *simulation, struct ca_error *error)
{
    static enum ca_status (*const draw[])(struct projection *,
                                          struct ca_error *) = {[CA_VIEW_DEPTH] = draw_depth,
                                                                [CA_VIEW_COUNT] = draw_count,
                                                                [CA_VIEW_MAXIMUM] = draw_maximum};
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    struct projection p = {.frame = frame,
                           .values = values,
                           .simulation = simulation,
                           .setup = setup,
                           .seen = ca_seen_of(setup->model)};
    int64_t width, height;
    enum ca_status status;

    if (frame->view.drawn == CA_FIELD)
        CA_TRY(ca_field_find(&p.field, setup->model, frame->view.field, error));
    ca_view_extent(setup->size, frame->view.axis, &width, &height, &p.slices);
    status = draw[frame->view.projection](&p, error);
    free(p.sums);
    return status;
}

void ca_view_depth_levels(struct ca_frame *frame)
{
    double nearest = frame->low;

    for (int i = 0; i < frame->view.columns * frame->view.lines; i++)
        if (frame->code[i] == CA_VIEW_VALUE)
            frame->level[i] =
                (uint8_t)(255 - ((255 - CA_DEPTH_LEVEL_LEAST) * frame->level[i] + 127) / 255);
    frame->low = frame->high;
    frame->high = nearest;
}

/* --- lines of sight through a block ----------------------------------------------------------- */

/* Whether the sums of a block have a cell that can be seen. */
static bool sums_are_seen(const struct ca_model *model, const double *sums)
{
    for (const struct ca_seen *seen = ca_seen_of(model); seen->code; seen++)
        if (sums[seen->plane] > 0)
            return true;
    return false;
}

/* Reads the sums of blocks into memory of their own. */
static enum ca_status sums_read(double **sums, struct ca_simulation *simulation,
                                const struct ca_blocks *blocks, struct ca_error *error)
{
    size_t count = (size_t)ca_cells(blocks->count) *
                   (size_t)ca_block_sums(ca_simulation_setup(simulation)->model);
    enum ca_status status;

    *sums = calloc(count, sizeof **sums);
    if (!*sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu sums along a line of sight", count);
    status = ca_simulation_blocks(simulation, blocks, *sums, error);
    if (status != CA_OK) {
        free(*sums);
        *sums = NULL;
    }
    return status;
}

/* The first cell that can be seen of a block, row by row. */
static enum ca_status sight_begin(struct ca_sight *sight, struct ca_simulation *simulation,
                                  struct ca_blocks cells, struct ca_error *error)
{
    const struct ca_model *model = ca_simulation_setup(simulation)->model;
    const int64_t w = cells.count.w, h = cells.count.h;
    double *sums;

    CA_TRY(sums_read(&sums, simulation, &cells, error));
    for (int64_t i = 0; i < ca_cells(cells.count) && !sight->met; i++)
        if (sums_are_seen(model, sums + i * ca_block_sums(model))) {
            sight->met = true;
            sight->at[0] = cells.x + i % w;
            sight->at[1] = cells.y + i / w % h;
            sight->at[2] = cells.z + i / (w * h);
        }
    free(sums);
    return CA_OK;
}

static void size_along(struct ca_size *size, enum ca_axis axis, int64_t cells)
{
    *(axis == CA_XY ? &size->d : axis == CA_XZ ? &size->h : &size->w) = cells;
}

enum ca_status ca_sight_along(struct ca_sight *sight, struct ca_simulation *simulation,
                              enum ca_axis axis, const int64_t at[3], struct ca_size block,
                              struct ca_error *error)
{
    static const struct ca_size one = {1, 1, 1};
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_view view = {.axis = axis};
    struct ca_blocks layers = {.size = setup->size, .block = block, .count = one, .sharing = one};
    struct ca_blocks cells = {.size = setup->size, .block = one, .count = block, .sharing = one};
    int64_t *const along[] = {[CA_XY] = &cells.z, [CA_XZ] = &cells.y, [CA_YZ] = &cells.x};
    int64_t from[] = {at[0], at[1], at[2]}, width, height, slices, nearest, first = -1;
    double *sums;

    *sight = (struct ca_sight){.met = false};
    ca_view_extent(setup->size, axis, &width, &height, &slices);
    nearest = ca_view_nearest(setup->model, &view, slices);
    from[2 - (int)axis] = 0;
    layers.x = from[0], layers.y = from[1], layers.z = from[2];
    size_along(&layers.block, axis, 1);
    size_along(&layers.count, axis, slices);
    CA_TRY(sums_read(&sums, simulation, &layers, error));
    for (int64_t i = 0; i < slices; i++) {
        int64_t n = nearest > 0 ? nearest - i : i;
        const double *layer = sums + n * ca_block_sums(setup->model);

        sight->count += layer[ca_seen_of(setup->model)->plane];
        if (first < 0 && sums_are_seen(setup->model, layer))
            first = n;
    }
    free(sums);
    if (first < 0)
        return CA_OK;
    cells.x = from[0], cells.y = from[1], cells.z = from[2];
    *along[axis] = first;
    size_along(&cells.count, axis, 1);
    return sight_begin(sight, simulation, cells, error);
}

/* --- slices ----------------------------------------------------------------------------------- */

enum ca_status ca_slices_count(struct ca_simulation *simulation, enum ca_axis axis, double counts[],
                               struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    int each = ca_block_sums(setup->model);
    int64_t width, height, slices;
    struct ca_view view = {.axis = axis, .columns = 1, .lines = 1};
    struct ca_blocks blocks;
    enum ca_status status;
    double *sums;

    ca_view_extent(setup->size, axis, &width, &height, &slices);
    view.zoom = width > height ? width : height;
    blocks = ca_view_blocks(&view, setup->size, 0, 0, 1, slices);
    sums = calloc((size_t)slices * (size_t)each, sizeof *sums);
    if (!sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the sums of %lld slices",
                       (long long)slices);
    status = ca_simulation_blocks(simulation, &blocks, sums, error);
    for (int64_t n = 0; n < slices; n++) {
        counts[n] = 0;
        for (const struct ca_seen *seen = ca_seen_of(setup->model); seen->code; seen++)
            counts[n] += sums[n * each + seen->plane];
    }
    free(sums);
    return status;
}

int64_t ca_slice_fullest(const double counts[], int64_t slices)
{
    int64_t best = 0;

    for (int64_t n = 1; n < slices; n++)
        best = counts[n] > counts[best] ? n : best;
    return counts[best] > 0 ? best : -1;
}

int64_t ca_slice_next(const double counts[], int64_t slices, int64_t after)
{
    for (int64_t i = 1; i <= slices; i++)
        if (counts[(after + i) % slices] > 0)
            return (after + i) % slices;
    return -1;
}
