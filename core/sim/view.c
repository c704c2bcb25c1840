/* SPDX-License-Identifier: MIT */
/* A view turns a slice into a frame: it chooses which cells are sampled, reads them, and reduces
 * them.
 *
 * A frame is made in two passes. gather() copies the sampled cells, and only those, out of the rows
 * that hold them into `now`: for each line of samples the samples of its columns. Then a reducer
 * turns each bin of `now` into a code and a level. Since `now` is kept, changes since the last
 * frame are found by comparing cells.
 *
 * A backend on a device gathers by itself, and sums large bins too (core/model/view_bins.h), so
 * that only what a character needs is transferred. Then there is no `now`. */
#include "core/sim/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/projection.h"
#include "core/sim/view_range.h"

const char *const ca_axis_names[] = {"xy", "xz", "yz", NULL};
const char *const ca_reduce_names[] = {"any", "mean", "sample", NULL};
const char *const ca_drawn_names[] = {"state", "density", "change", "field", NULL};
const char *const ca_range_names[] = {"full", "auto", "fixed", NULL};
const char *const ca_view_projection_names[] = {"slice", "depth", "count", "maximum", NULL};

#define FAR ((int64_t)1 << 50)         /* a bound of origin and zoom, against overflow */
#define SAMPLES_MAX ((int64_t)1 << 22) /* of a frame */
#define CELLS_MAX ((int64_t)1 << 24)   /* of a frame, read to pick the samples from */
#define RUN_BYTES ((int64_t)1 << 18)   /* of a plane, read in one call */

/* The samples along one direction: bin b has at[first[b]] ... at[first[b + 1] - 1]. */
struct line {
    int64_t at[CA_VIEW_SIDE_MAX * CA_VIEW_SAMPLES];
    int first[CA_VIEW_SIDE_MAX + 1];
    int count;
};

struct samples {
    void *plane[CA_PLANES_MAX];
    size_t bytes; /* allocated for each */
};

struct ca_viewer {
    struct ca_frame frame;
    size_t frame_bytes;
    struct line across, down;
    struct samples now, before;
    struct samples rows; /* whole rows as they are read */
    struct ca_bin_sum
        *sums;      /* of the frame's bins as a device made them; NULL: they are made here */
    double *values; /* of the frame's points, of which the levels are made */
    struct ca_view_range range; /* of the last frame */
    /* The view, size and model that `now` belongs to; samples = 0: it holds nothing. */
    struct ca_view view;
    struct ca_size size;
    const struct ca_model *model;
    int samples;
};

void ca_view_extent(struct ca_size size, enum ca_axis axis, int64_t *width, int64_t *height,
                    int64_t *slices)
{
    *width = axis == CA_YZ ? size.h : size.w;
    *height = axis == CA_XY ? size.h : size.d;
    *slices = axis == CA_XY ? size.d : axis == CA_XZ ? size.h : size.w;
}

struct ca_viewer *ca_viewer_new(void) { return calloc(1, sizeof(struct ca_viewer)); }

static void samples_free(struct samples *samples)
{
    for (int p = 0; p < CA_PLANES_MAX; p++)
        free(samples->plane[p]);
    *samples = (struct samples){0};
}

void ca_viewer_free(struct ca_viewer *viewer)
{
    if (!viewer)
        return;
    free(viewer->frame.code);
    free(viewer->sums);
    free(viewer->values);
    samples_free(&viewer->now);
    samples_free(&viewer->before);
    samples_free(&viewer->rows);
    free(viewer);
}

/* Reserves `count` values in each plane of the model. Growing discards the values. */
static enum ca_status samples_reserve(struct samples *samples, const struct ca_model *model,
                                      int64_t count, struct ca_error *error)
{
    size_t bytes = (size_t)count * ca_type_bytes(model->type);

    if (bytes <= samples->bytes && samples->plane[model->planes - 1])
        return CA_OK;
    samples_free(samples);
    for (int p = 0; p < model->planes; p++) {
        samples->plane[p] = malloc(bytes ? bytes : 1);
        if (!samples->plane[p]) {
            samples_free(samples);
            return ca_fail(error, CA_NO_MEMORY, "no memory for a frame (%zu bytes)", bytes);
        }
    }
    samples->bytes = bytes;
    return CA_OK;
}

bool ca_view_same_cells(const struct ca_view *a, const struct ca_view *b)
{
    return a->axis == b->axis && a->slice == b->slice && a->x == b->x && a->y == b->y &&
           a->zoom == b->zoom && a->width == b->width && a->height == b->height &&
           a->tall == b->tall && a->projection == b->projection && a->columns == b->columns &&
           a->lines == b->lines;
}

enum ca_status ca_view_check(const struct ca_view *view, const struct ca_model *model,
                             struct ca_size size, struct ca_error *error)
{
    static const char *const letters[] = {"z", "y", "x"};
    const struct ca_field *field;
    int64_t width, height, slices;

    if (view->columns < 1 || view->columns > CA_VIEW_SIDE_MAX || view->lines < 1 ||
        view->lines > CA_VIEW_SIDE_MAX)
        return ca_fail(error, CA_USAGE, "view of %d columns and %d lines: 1 ... %d are allowed",
                       view->columns, view->lines, CA_VIEW_SIDE_MAX);
    if (view->zoom < 1 || view->zoom > FAR)
        return ca_fail(error, CA_USAGE, "zoom %" PRId64 ": at least 1 cell a character is allowed",
                       view->zoom);
    if (view->width < 0 || view->width > FAR || (view->width > 0 && view->width < view->columns))
        return ca_fail(error, CA_USAGE,
                       "%d columns cannot share %" PRId64
                       " cells: each needs one; 0 is allowed too, for 'zoom' cells each",
                       view->columns, view->width);
    if (view->height < 0 || view->height > FAR || (view->height > 0 && view->height < view->lines))
        return ca_fail(error, CA_USAGE,
                       "%d lines cannot share %" PRId64
                       " cells: each needs one; 0 is allowed too, for 'zoom' cells each",
                       view->lines, view->height);
    if (view->x < -FAR || view->x > FAR || view->y < -FAR || view->y > FAR)
        return ca_fail(error, CA_USAGE,
                       "view at %" PRId64 ",%" PRId64 ": too far from the lattice (2^50 cells)",
                       view->x, view->y);
    ca_view_extent(size, view->axis, &width, &height, &slices);
    if (view->slice < 0 || view->slice >= slices)
        return ca_fail(error, CA_USAGE, "slice %s = %" PRId64 ": 0 ... %" PRId64 " are allowed",
                       letters[view->axis], view->slice, slices - 1);
    if (view->range == CA_RANGE_FIXED &&
        !(view->low < view->high && isfinite(view->high - view->low)))
        return ca_fail(error, CA_USAGE,
                       "range %g ... %g: the first number must be below the second", view->low,
                       view->high);
    if (view->projection && model->dimensions == 2)
        return ca_fail(error, CA_USAGE, "projection '%s': %s is two-dimensional, a slice alone",
                       ca_view_projection_names[view->projection], model->name);
    if (view->projection && view->drawn == CA_CHANGE)
        return ca_fail(error, CA_USAGE,
                       "projection '%s' of changes: a state, its density or a field is allowed",
                       ca_view_projection_names[view->projection]);
    if (view->projection && view->digests)
        return ca_fail(error, CA_USAGE, "a projection has no digests: only a slice has");
    if (view->drawn != CA_FIELD)
        return CA_OK;
    if (view->digests)
        return ca_fail(error, CA_USAGE, "a field has no digests: only cells have");
    return ca_field_find(&field, model, view->field, error);
}

/* The cells along the longest side of a point. */
static int64_t largest_side(const struct ca_view *view)
{
    int64_t across = ca_view_widest(view), down = ca_view_highest(view);

    return across > down ? across : down;
}

/* The most samples along a side of a bin: CA_VIEW_SAMPLES, or fewer where a frame would read more
 * than SAMPLES_MAX or CELLS_MAX. */
static int sample_side(const struct ca_view *view, struct ca_size size)
{
    int64_t side = view->reduce == CA_SAMPLE ? 1 : CA_VIEW_SAMPLES, most = largest_side(view);

    side = side < most ? side : most;
    for (; side > 1; side /= 2) {
        int64_t down = view->lines * side, across = view->columns * side;
        int64_t rows = view->axis == CA_YZ ? down * across : down;

        if (down * across <= SAMPLES_MAX && rows * size.w <= CELLS_MAX)
            break;
    }
    return (int)side;
}

/* Takes at most `side` evenly spaced cells of the part of each bin that lies in the lattice, both
 * of its ends among them: so a wall at the lattice's edge is looked at. */
static void line_make(struct line *line, struct ca_block_axis blocks, int bins, int side)
{
    line->count = 0;
    for (int b = 0; b < bins; b++) {
        int64_t low, high, cells;

        ca_block_side(&blocks, b, &low, &high);
        cells = high > low ? high - low : 0;
        line->first[b] = line->count;
        for (int64_t i = 0, n = cells < side ? cells : side; i < n; i++)
            line->at[line->count++] = low + (n > 1 ? (cells - 1) * i / (n - 1) : 0);
    }
    line->first[bins] = line->count;
}

/* The k-th lattice row that a frame needs. */
static int64_t view_row_of(const struct ca_viewer *viewer, int64_t k)
{
    const struct ca_view *view = &viewer->view;
    int64_t h = viewer->size.h;

    switch (view->axis) {
    case CA_XY:
        return view->slice * h + viewer->down.at[k];
    case CA_XZ:
        return viewer->down.at[k] * h + view->slice;
    default:
        return viewer->down.at[k / viewer->across.count] * h +
               viewer->across.at[k % viewer->across.count];
    }
}

/* Picks the samples of row k, which is the r-th row of the last read. */
static void pick(const struct ca_viewer *viewer, const struct samples *to, int64_t k, int64_t r)
{
    bool deep = viewer->view.axis == CA_YZ;
    const int64_t *at = deep ? &viewer->view.slice : viewer->across.at;
    int64_t count = deep ? 1 : viewer->across.count, from = r * viewer->size.w;
    bool adjacent = at[count - 1] - at[0] == count - 1;
    size_t bytes = ca_type_bytes(viewer->model->type);

    for (int p = 0; p < viewer->model->planes; p++) {
        const void *source = (const char *)viewer->rows.plane[p] + (size_t)from * bytes;
        void *target = (char *)to->plane[p] + (size_t)(k * count) * bytes;

        if (adjacent)
            memcpy(target, (const char *)source + (size_t)at[0] * bytes, (size_t)count * bytes);
        else if (viewer->model->type == CA_F32)
            for (int64_t i = 0; i < count; i++)
                ((float *)target)[i] = ((const float *)source)[at[i]];
        else
            for (int64_t i = 0; i < count; i++)
                ((uint8_t *)target)[i] = ((const uint8_t *)source)[at[i]];
    }
}

/* The number of lattice rows that a frame needs. */
static int64_t view_rows_of(const struct ca_viewer *viewer)
{
    int64_t across = viewer->across.count, down = viewer->down.count;

    return across == 0 ? 0 : viewer->view.axis == CA_YZ ? across * down : down;
}

/* Reads runs of adjacent rows in one call each and picks the samples from them. */
static enum ca_status gather_rows(struct ca_viewer *viewer, struct ca_simulation *simulation,
                                  struct samples *to, struct ca_error *error)
{
    int64_t count = view_rows_of(viewer);
    int64_t width = viewer->size.w * (int64_t)ca_type_bytes(viewer->model->type);
    int64_t most = width < RUN_BYTES ? RUN_BYTES / width : 1;

    CA_TRY(samples_reserve(&viewer->rows, viewer->model, most * viewer->size.w, error));
    for (int64_t k = 0, run; k < count; k += run) {
        int64_t row = view_row_of(viewer, k);

        for (run = 1; run < most && k + run < count; run++)
            if (view_row_of(viewer, k + run) != row + run)
                break;
        CA_TRY(ca_simulation_rows(simulation, viewer->rows.plane, row, run, error));
        for (int64_t r = 0; r < run; r++)
            pick(viewer, to, k + r, r);
    }
    return CA_OK;
}

static struct ca_view_bins bins_of(const struct ca_viewer *viewer)
{
    return (struct ca_view_bins){.across = viewer->across.first,
                                 .down = viewer->down.first,
                                 .columns = viewer->view.columns,
                                 .lines = viewer->view.lines,
                                 .width = viewer->across.count};
}

/* The backend gathers the values of the cells or, with `appearances`, sums their bins. */
static enum ca_status view_fetch(struct ca_viewer *viewer, struct ca_simulation *simulation,
                                 const struct samples *to,
                                 const struct view_appearances *appearances, struct ca_error *error)
{
    const struct line *across = &viewer->across;
    const struct ca_view_bins bins = bins_of(viewer);
    bool deep = viewer->view.axis == CA_YZ;
    int64_t *row = malloc((size_t)view_rows_of(viewer) * sizeof *row);
    struct ca_gather_points points = {.x = deep ? &viewer->view.slice : across->at,
                                      .row = row,
                                      .columns = deep ? 1 : across->count,
                                      .count = view_rows_of(viewer)};
    enum ca_status status;

    if (!row)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a frame of %" PRId64 " rows",
                       points.count);
    for (int64_t k = 0; k < points.count; k++)
        row[k] = view_row_of(viewer, k);
    status = appearances ? ca_simulation_reduce(simulation, &points, &bins, &appearances->u8,
                                                viewer->sums, error)
                         : ca_simulation_gather(simulation, &points, to->plane, error);
    free(row);
    return status;
}

/*
 * If the backend can sum bins, and a sum is smaller than the samples of its bin, it does, and the
 * sums are left in the viewer. Frames of changes, and digests, need the cells.
 */
static enum ca_status sum_on_device(struct ca_viewer *viewer, struct ca_simulation *simulation,
                                    const struct view_appearances *appearances, int side,
                                    struct ca_error *error)
{
    const struct ca_stepper_draw *draw = ca_simulation_stepper(simulation)->draw;
    const struct ca_view *view = &viewer->view;
    size_t bins = (size_t)view->columns * (size_t)view->lines;

    free(viewer->sums);
    viewer->sums = NULL;
    if (!draw || !draw->reduce || !appearances->u8.radix || view->drawn == CA_CHANGE ||
        view->digests ||
        (size_t)side * (size_t)side * (size_t)appearances->u8.planes <= sizeof(struct ca_bin_sum) ||
        view_rows_of(viewer) == 0)
        return CA_OK;
    viewer->sums = calloc(bins, sizeof *viewer->sums);
    if (!viewer->sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a frame of %zu characters", bins);
    return view_fetch(viewer, simulation, NULL, appearances, error);
}

struct bin {
    int x0, x1, y0, y1; /* samples, ends excluded */
};

/* The sum of character number i, as the backend has made it or from the cells. */
static struct ca_bin_sum sum_of(const struct ca_viewer *viewer,
                                const struct view_appearances *appearances, struct bin bin, int i)
{
    const struct ca_view_bins bins = bins_of(viewer);
    const void *const *planes = (const void *const *)viewer->now.plane;
    int counts[CA_CODES_MAX];
    struct ca_bin_sum sum = {0};

    if (viewer->sums)
        return viewer->sums[i];
    if (appearances->u8.radix)
        return ca_bin_sum_of(&bins, &appearances->u8, (const uint8_t *const *)planes, i);
    ca_bin_counts_begin(counts, appearances->u8.codes);
    for (int y = bin.y0; y < bin.y1; y++)
        for (int x = bin.x0; x < bin.x1; x++) {
            struct ca_appearance appearance =
                view_appearance(appearances, planes, (int64_t)y * viewer->across.count + x);

            ca_bin_sum_add(&sum, counts, appearances->u8.solid, &appearance, 1);
        }
    ca_bin_sum_end(&sum, counts, appearances->u8.codes);
    return sum;
}

/* Derives the code from the appearances of a bin's cells, and returns their level. */
static double reduce_appearances(const struct ca_bin_sum *sum, const struct ca_model *model,
                                 enum ca_reduce reduce, struct bin bin, uint8_t *code)
{
    int across = bin.x1 - bin.x0, down = bin.y1 - bin.y0, n = across * down;

    if (ca_draw_of(model)->flow && n > 1) {
        bool wall =
            sum->solid > 0 && (reduce == CA_ANY || sum->solid >= (across < down ? across : down));

        *code =
            wall ? sum->top_solid : ca_draw_of(model)->flow(model, sum->vx, sum->vy, sum->level);
    } else {
        *code = reduce == CA_MEAN ? sum->frequent : sum->top;
    }
    return ca_draw_of(model)->level_full *
           (reduce == CA_MEAN ? sum->level / n : (double)sum->brightest);
}

/* Derives the code from the cells that differ from `base`, and returns the level; without a base
 * none does. */
static double reduce_changes(const struct ca_viewer *viewer, const struct samples *base,
                             struct bin bin, uint8_t *code)
{
    size_t bytes = ca_type_bytes(viewer->model->type);
    int n = 0, differ = 0;

    for (int y = bin.y0; base && y < bin.y1; y++)
        for (int x = bin.x0; x < bin.x1; x++, n++) {
            size_t at = ((size_t)y * (size_t)viewer->across.count + (size_t)x) * bytes;
            bool same = true;

            for (int p = 0; p < viewer->model->planes && same; p++)
                same = memcmp((const char *)viewer->now.plane[p] + at,
                              (const char *)base->plane[p] + at, bytes) == 0;
            differ += !same;
        }
    if (viewer->view.reduce == CA_MEAN) {
        *code = differ > 0 && 2 * differ >= n;
        return n ? (double)differ / n : 0;
    }
    *code = differ > 0;
    return differ > 0;
}

/* The digest of a bin's cells, in their order: each step can be undone, so that a single cell that
 * differs always shows. */
static uint64_t digest_bin(const struct ca_viewer *viewer, struct bin bin)
{
    bool floats = viewer->model->type == CA_F32;
    uint64_t digest = 0;

    for (int p = 0; p < viewer->model->planes; p++)
        for (int y = bin.y0; y < bin.y1; y++)
            for (int x = bin.x0; x < bin.x1; x++) {
                int64_t i = (int64_t)y * viewer->across.count + x;
                uint32_t value = 0;

                if (floats)
                    memcpy(&value, (const float *)viewer->now.plane[p] + i, sizeof value);
                else
                    value = ((const uint8_t *)viewer->now.plane[p])[i];
                digest = (digest ^ value) * UINT64_C(0x9E3779B97F4A7C15);
                digest ^= digest >> 32;
            }
    return digest;
}

static void view_reduce(struct ca_viewer *viewer, const struct view_appearances *appearances,
                        const struct samples *base)
{
    const struct ca_view *view = &viewer->view;
    struct bin bin;

    for (int l = 0, i = 0; l < view->lines; l++) {
        bin.y0 = viewer->down.first[l];
        bin.y1 = viewer->down.first[l + 1];
        for (int c = 0; c < view->columns; c++, i++) {
            uint8_t *code = &viewer->frame.code[i];
            double *value = &viewer->values[i];

            bin.x0 = viewer->across.first[c];
            bin.x1 = viewer->across.first[c + 1];
            if (view->digests)
                for (uint64_t b = 0, digest = digest_bin(viewer, bin); b < CA_VIEW_DIGEST; b++)
                    viewer->frame.digest[(size_t)i * CA_VIEW_DIGEST + b] =
                        (uint8_t)(digest >> 8 * b);
            if (bin.x0 == bin.x1 || bin.y0 == bin.y1) {
                *code = CA_VIEW_OUTSIDE;
                *value = NAN;
            } else if (view->drawn == CA_CHANGE) {
                *value = reduce_changes(viewer, base, bin, code);
            } else {
                struct ca_bin_sum sum = sum_of(viewer, appearances, bin, i);

                *value = reduce_appearances(&sum, appearances->model, view->reduce, bin, code);
            }
        }
    }
}

static enum ca_status frame_reserve(struct ca_viewer *viewer, struct ca_error *error)
{
    size_t size = (size_t)viewer->view.columns * (size_t)viewer->view.lines;
    size_t needed = ca_view_bytes(&viewer->view);

    if (needed > viewer->frame_bytes) {
        uint8_t *bytes = realloc(viewer->frame.code, needed);

        if (!bytes)
            return ca_fail(error, CA_NO_MEMORY, "no memory for a frame (%zu bytes)", needed);
        viewer->frame.code = bytes;
        viewer->frame_bytes = needed;
    }
    free(viewer->values);
    viewer->values = malloc(size * sizeof *viewer->values);
    if (!viewer->values)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a frame of %zu points", size);
    viewer->frame.level = viewer->frame.code + size;
    viewer->frame.digest = viewer->view.digests ? viewer->frame.level + size : NULL;
    return CA_OK;
}

enum ca_status ca_viewer_draw(struct ca_viewer *viewer, struct ca_simulation *simulation,
                              const struct ca_view *view, const struct ca_frame **frame,
                              struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_view *last = &viewer->view;
    const struct samples *base = NULL;
    struct samples swap = viewer->before;
    struct view_appearances appearances;
    int64_t width, height, slices;
    int side;
    bool again; /* the last frame sampled the same cells */

    CA_TRY(ca_view_check(view, setup->model, setup->size, error));
    side = sample_side(view, setup->size);
    again = viewer->samples == side && viewer->model == setup->model &&
            ca_size_equal(viewer->size, setup->size) && ca_view_same_cells(last, view);
    viewer->before = viewer->now;
    viewer->now = swap;
    viewer->view = *view;
    viewer->size = setup->size;
    viewer->model = setup->model;
    viewer->samples = 0;
    ca_view_extent(setup->size, view->axis, &width, &height, &slices);
    line_make(&viewer->across, ca_view_across_of(view, width), view->columns, side);
    line_make(&viewer->down, ca_view_down_of(view, height), view->lines, side);
    CA_TRY(frame_reserve(viewer, error));
    viewer->frame.view = *view;
    viewer->frame.generation = ca_simulation_generation(simulation);
    viewer->frame.sampled =
        side < largest_side(view) && view->drawn != CA_FIELD && !view->projection;
    *frame = &viewer->frame;
    if (view->projection) {
        CA_TRY(view_projection_draw(&viewer->frame, viewer->values, simulation, error));
        ca_view_levels(&viewer->frame, setup->model, viewer->values, &viewer->range);
        if (view->projection == CA_VIEW_DEPTH)
            ca_view_depth_levels(&viewer->frame);
        return CA_OK;
    }
    if (view->drawn == CA_FIELD) {
        CA_TRY(view_field_draw(&viewer->frame, viewer->values, simulation, error));
        ca_view_levels(&viewer->frame, setup->model, viewer->values, &viewer->range);
        return CA_OK;
    }
    view_appearances_make(&appearances, simulation);
    CA_TRY(sum_on_device(viewer, simulation, &appearances, side, error));
    if (!viewer->sums)
        CA_TRY(samples_reserve(&viewer->now, viewer->model,
                               (int64_t)viewer->across.count * viewer->down.count, error));
    if (!viewer->sums && view_rows_of(viewer) > 0)
        CA_TRY(ca_simulation_stepper(simulation)->draw
                   ? view_fetch(viewer, simulation, &viewer->now, NULL, error)
                   : gather_rows(viewer, simulation, &viewer->now, error));
    if (view->drawn == CA_CHANGE && again)
        base = &viewer->before;
    view_reduce(viewer, &appearances, base);
    ca_view_levels(&viewer->frame, setup->model, viewer->values, &viewer->range);
    viewer->samples = viewer->sums ? 0 : side;
    return CA_OK;
}

/* --- appearances of cells: by tables for u8 models, one by one for f32 models ----------------- */

struct ca_appearance view_appearance(const struct view_appearances *appearances,
                                     const void *const planes[], int64_t i)
{
    struct ca_appearance appearance = {0};

    ca_draw_of(appearances->model)
        ->cell(appearances->model, planes, i, appearances->low, appearances->high, &appearance);
    appearance.level =
        appearance.level > 0 ? appearance.level < 1 ? appearance.level : 1 : 0; /* NaN is 0 */
    return appearance;
}

void view_appearances_make(struct view_appearances *appearances,
                           const struct ca_simulation *simulation)
{
    const struct ca_model *model = ca_simulation_setup(simulation)->model;
    int radix = model->max_value + 1, values = 1;

    *appearances = (struct view_appearances){.model = model};
    ca_simulation_range(simulation, &appearances->low, &appearances->high);
    for (int i = 0; ca_draw_of(model)->states[i].name; i++, appearances->u8.codes++)
        appearances->u8.solid[i] = ca_draw_of(model)->states[i].colour == CA_COLOUR_SOLID;
    for (int p = 0; p < model->planes; p++)
        values *= radix;
    if (model->type != CA_U8 || values > 256)
        return;
    appearances->u8.planes = model->planes;
    appearances->u8.radix = radix;
    for (int v = 0; v < values; v++) {
        uint8_t cell[CA_PLANES_MAX];
        const void *planes[CA_PLANES_MAX];

        for (int p = 0, rest = v; p < CA_PLANES_MAX; p++, rest /= radix) {
            cell[p] = (uint8_t)(rest % radix);
            planes[p] = &cell[p];
        }
        appearances->u8.table[v] = view_appearance(appearances, planes, 0);
    }
}
