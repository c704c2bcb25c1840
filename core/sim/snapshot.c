/* SPDX-License-Identifier: MIT */
/* A snapshot's pixels are drawn row by row: this file finds the cells of a pixel and their
 * colour. */
#include "core/sim/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/files/formats.h"
#include "core/sim/view_range.h"
#include "core/sim/frame_text.h"

#define CHUNK_BYTES (1 << 22) /* of a plane that is read at once, a row at least */

static const char *const projections[] = {
    [CA_PROJECT_NONE] = "", [CA_PROJECT_MAX] = "max", [CA_PROJECT_SUM] = "sum"};

/* A whole number without a sign, below 10^10; -1 for any other text. */
static int64_t whole(const char *text)
{
    uint64_t number;

    return ca_read_unsigned(text, &number) && number < UINT64_C(10000000000) ? (int64_t)number : -1;
}

enum ca_status ca_snapshot_set(struct ca_snapshot *snapshot, const char *name, const char *text,
                               struct ca_error *error)
{
    static const char across[] = "zyx"; /* by enum ca_axis */

    if (strcmp(name, "slice") == 0) {
        const char *axis = text[0] ? strchr(across, text[0]) : NULL;
        int64_t slice = axis && text[1] ? whole(text + 1) : -1;

        if (!axis || (text[1] && slice < 0))
            return ca_fail(error, CA_USAGE,
                           "slice = '%.40s' is not allowed: x, y or z, the axis that it is across, "
                           "and its place on that, as in z12; without one it is the middle slice",
                           text);
        snapshot->axis = (enum ca_axis)(axis - across);
        snapshot->slice = slice;
        return CA_OK;
    }
    if (strcmp(name, "project") == 0) {
        for (int i = CA_PROJECT_MAX; i <= CA_PROJECT_SUM; i++)
            if (strcmp(text, projections[i]) == 0) {
                snapshot->projection = (enum ca_projection)i;
                return CA_OK;
            }
        return ca_fail(error, CA_USAGE, "project = '%.40s' is not allowed: max | sum", text);
    }
    if (strcmp(name, "scale") == 0) {
        snapshot->scale = whole(text);
        if (snapshot->scale >= 1 && snapshot->scale <= CA_SNAPSHOT_SCALE_MAX)
            return CA_OK;
        return ca_fail(error, CA_USAGE, "scale = '%.40s' is not allowed: 1 ... %d pixels a cell",
                       text, CA_SNAPSHOT_SCALE_MAX);
    }
    return ca_fail(
        error, CA_USAGE,
        "'%.40s' is not allowed: of a picture slice=, project= and scale= are, and of a film "
        "rate=",
        name);
}

enum ca_status ca_snapshot_check(const struct ca_snapshot *snapshot, const struct ca_model *model,
                                 struct ca_size size, struct ca_error *error)
{
    int64_t width, height, slices;
    char text[64];

    ca_view_extent(size, snapshot->axis, &width, &height, &slices);
    if (model->dimensions == 2 && (snapshot->axis != CA_XY || snapshot->projection))
        return ca_fail(error, CA_USAGE,
                       "%s: %s has two dimensions, so that a picture always shows all of it",
                       snapshot->projection ? "project" : "slice", model->name);
    if (snapshot->slice >= slices)
        return ca_fail(error, CA_USAGE,
                       "slice = %c%" PRId64 " is not in the lattice, which is %s: 0 ... %" PRId64
                       " are",
                       "zyx"[snapshot->axis], snapshot -> slice,
                       ca_size_format(text, size, model->dimensions), slices - 1);
    return CA_OK;
}

/* --- drawing ---------------------------------------------------------------------------------- */

struct drawing {
    struct ca_snapshot snapshot;
    struct ca_simulation *simulation;
    const struct ca_model *model;
    struct ca_size size;
    int64_t w, h, slices; /* cells */
    enum ca_pixel pixel;
    struct view_appearances appearances;
    int colour[CA_CODES_MAX][256]; /* 0xRRGGBB by code and level */
    struct ca_lattice rows;        /* a chunk of the lattice's, */
    int64_t first, count;          /* from row `first` on */
    float *projected;              /* w x h levels; NULL: a slice */
    int64_t line;                  /* that `pixels` are of, from above; -1: none */
    uint8_t *pixels;
};

/* Colours by state, as of a frame in which a point is a cell, or by level. */
static void make_colours(struct drawing *drawing)
{
    const struct ca_model *model = drawing->model;
    const struct ca_frame frame = {.view = {.zoom = 1, .reduce = CA_MEAN, .drawn = CA_STATE}};
    bool by_level = drawing->snapshot.projection || ca_frame_by_level(&frame, model, false);

    for (int c = 0; c < ca_states_count(model) && c < CA_CODES_MAX; c++)
        for (int i = 0; i < 256; i++) {
            enum ca_colour class = ca_draw_of(model)->states[c].colour;
            bool shaded = ca_is_shaded(model) && class != CA_COLOUR_SOLID;
            double level = i / 255.0;

            if (by_level)
                drawing->colour[c][i] =
                    ca_colour_of_ramp(level, false, CA_TONE_DARK, CA_COLOURS_DIRECT);
            else if (class != CA_COLOUR_QUIET) /* which is the dark ground itself */
                drawing->colour[c][i] =
                    ca_colour_of_class(class, shaded ? level : 1, CA_TONE_DARK, CA_COLOURS_DIRECT);
        }
}

static struct ca_appearance appearance_at(const struct drawing *drawing, int64_t i)
{
    const void *const *planes = (const void *const *)drawing->rows.plane;

    if (!drawing->appearances.u8.radix)
        return view_appearance(&drawing->appearances, planes, i);
    return ca_appearance_of(&drawing->appearances.u8, (const uint8_t *const *)planes, i);
}

/* Reads rows from `first` on, as many as a chunk has and the lattice, but not more than `most`. */
static enum ca_status snapshot_read_rows(struct drawing *drawing, int64_t first, int64_t most,
                                         struct ca_error *error)
{
    int64_t left = ca_rows(drawing->size) - first, count = drawing->rows.size.h;

    count = count < left ? count : left;
    count = count < most ? count : most;
    drawing->first = first;
    drawing->count = count;
    return ca_simulation_rows(drawing->simulation, drawing->rows.plane, first, count, error);
}

static enum ca_status project(struct drawing *drawing, struct ca_error *error)
{
    struct ca_size size = drawing->size;
    enum ca_axis axis = drawing->snapshot.axis;

    for (int64_t row = 0; row < ca_rows(size); row++) {
        int64_t z = row / size.h, y = row % size.h;
        int64_t to = axis == CA_XY ? y * size.w : axis == CA_XZ ? z * size.w : z * size.h + y;

        if (row >= drawing->first + drawing->count)
            CA_TRY(snapshot_read_rows(drawing, row, INT64_MAX, error));
        for (int64_t x = 0; x < size.w; x++) {
            float *sum = &drawing->projected[axis == CA_YZ ? to : to + x];
            float level = appearance_at(drawing, (row - drawing->first) * size.w + x).level;

            *sum =
                drawing->snapshot.projection == CA_PROJECT_SUM ? *sum + level : fmaxf(*sum, level);
        }
    }
    for (int64_t i = 0; i < drawing->w * drawing->h; i++)
        if (drawing->snapshot.projection == CA_PROJECT_SUM)
            drawing->projected[i] /= (float)drawing->slices;
    return CA_OK;
}

static void put_pixel(const struct drawing *drawing, uint8_t *pixel, uint8_t code, float level)
{
    int grey = (int)lroundf(level * (drawing->pixel == CA_GREY16 ? 65535 : 255)), colour;

    switch (drawing->pixel) {
    case CA_GREY16:
        *pixel++ = (uint8_t)(grey >> 8);
        *pixel = (uint8_t)grey;
        break;
    case CA_GREY8:
        *pixel = (uint8_t)grey;
        break;
    case CA_RGB:
        colour = drawing->colour[code][grey];
        for (int i = 0; i < 3; i++)
            pixel[i] = (uint8_t)(colour >> (16 - 8 * i));
    }
}

/* Line `line` of the slice, of which the first is above unless it is a height. */
static enum ca_status draw_line(struct drawing *drawing, int64_t line, struct ca_error *error)
{
    struct ca_size size = drawing->size;
    int64_t slice = drawing->snapshot.slice, bytes = ca_pixel_bytes(drawing->pixel);
    bool across = drawing->snapshot.axis == CA_YZ;
    int64_t row = drawing->snapshot.axis == CA_XY ? slice * size.h + line : line * size.h;

    row += drawing->snapshot.axis == CA_XZ ? slice : 0;
    for (int64_t x = 0; x < drawing->w; x++) {
        int64_t at = across ? row + x : row;
        struct ca_appearance cell = {.level = 0};

        if (drawing->projected) {
            cell.level = drawing->projected[line * drawing->w + x];
        } else {
            if (at < drawing->first || at >= drawing->first + drawing->count)
                CA_TRY(snapshot_read_rows(drawing, at,
                                          drawing->snapshot.axis == CA_XZ ? 1 : INT64_MAX, error));
            cell = appearance_at(drawing, (at - drawing->first) * size.w + (across ? slice : x));
        }
        put_pixel(drawing, drawing->pixels + x * bytes, cell.code, cell.level);
    }
    return CA_OK;
}

static enum ca_status draw_row(void *context, int64_t y, uint8_t *row, struct ca_error *error)
{
    struct drawing *drawing = context;
    int64_t scale = drawing->snapshot.scale, bytes = ca_pixel_bytes(drawing->pixel),
            line = y / scale;

    if (ca_draw_of(drawing->model)->z_is_height && drawing->snapshot.axis != CA_XY)
        line = drawing->h - 1 - line;
    if (line != drawing->line)
        CA_TRY(draw_line(drawing, line, error));
    drawing->line = line;
    for (int64_t x = 0; x < drawing->w * scale; x++, row += bytes)
        memcpy(row, drawing->pixels + x / scale * bytes, (size_t)bytes);
    return CA_OK;
}

/* Takes memory for a row of pixels, a chunk of rows and the projection, and makes that. */
static enum ca_status snapshot_prepare(struct drawing *drawing, struct ca_error *error)
{
    int64_t width = drawing->size.w * (int64_t)ca_type_bytes(drawing->model->type);
    int64_t count = CHUNK_BYTES / width, rows = ca_rows(drawing->size);

    view_appearances_make(&drawing->appearances, drawing->simulation);
    make_colours(drawing);
    drawing->pixels = malloc((size_t)(drawing->w * ca_pixel_bytes(drawing->pixel)));
    if (drawing->snapshot.projection)
        drawing->projected = calloc((size_t)(drawing->w * drawing->h), sizeof(float));
    if (!drawing->pixels || (drawing->snapshot.projection && !drawing->projected))
        return ca_fail(error, CA_NO_MEMORY, "no memory for a picture of %" PRId64 "x%" PRId64,
                       drawing->w, drawing->h);
    count = count < 1 ? 1 : count < rows ? count : rows;
    CA_TRY(ca_lattice_alloc(&drawing->rows, (struct ca_size){drawing->size.w, count, 1},
                            drawing->model->type, drawing->model->planes, error));
    return drawing->projected ? project(drawing, error) : CA_OK;
}

static void close_drawing(struct drawing *drawing)
{
    if (drawing) {
        ca_lattice_free(&drawing->rows);
        free(drawing->projected);
        free(drawing->pixels);
    }
    free(drawing);
}

static enum ca_status open_drawing(struct drawing **drawing, const struct ca_snapshot *snapshot,
                                   enum ca_pixel pixel, struct ca_simulation *simulation,
                                   struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    struct drawing *made;
    enum ca_status status;

    CA_TRY(ca_snapshot_check(snapshot, setup->model, setup->size, error));
    made = calloc(1, sizeof *made);
    if (!made)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a picture");
    made->snapshot = *snapshot;
    made->simulation = simulation;
    made->model = setup->model;
    made->size = setup->size;
    made->pixel = pixel;
    made->line = -1;
    ca_view_extent(setup->size, snapshot->axis, &made->w, &made->h, &made->slices);
    if (snapshot->slice < 0)
        made->snapshot.slice = made->slices / 2;
    status = snapshot_prepare(made, error);
    if (status == CA_OK)
        *drawing = made;
    else
        close_drawing(made);
    return status;
}

/* --- whole pictures --------------------------------------------------------------------------- */

static enum ca_pixel pixel_of(const char *path, const struct ca_snapshot *snapshot,
                              const struct ca_model *model)
{
    if (ca_format_of(path)->colour)
        return CA_RGB;
    return model->type == CA_F32 || snapshot->projection == CA_PROJECT_SUM ? CA_GREY16 : CA_GREY8;
}

enum ca_status ca_snapshot_write(const char *path, const struct ca_snapshot *snapshot,
                                 struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_model *model = ca_simulation_setup(simulation)->model;
    struct drawing *drawing;
    struct ca_pixels pixels;
    enum ca_status status;

    CA_TRY(open_drawing(&drawing, snapshot, pixel_of(path, snapshot, model), simulation, error));
    pixels = (struct ca_pixels){drawing->w * snapshot->scale, drawing->h * snapshot->scale,
                                drawing->pixel, draw_row, drawing};
    status = ca_format_of(path)->write_pixels(path, &pixels, error);
    close_drawing(drawing);
    return status;
}

int64_t ca_snapshot_bytes(const char *path, const struct ca_snapshot *snapshot,
                          const struct ca_model *model, struct ca_size size)
{
    int64_t w, h, slices;

    ca_view_extent(size, snapshot->axis, &w, &h, &slices);
    return w * h * ca_pixel_bytes(pixel_of(path, snapshot, model));
}

enum ca_status ca_snapshot_take(struct ca_picture *picture, const char *path,
                                const struct ca_snapshot *snapshot,
                                struct ca_simulation *simulation, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    struct ca_snapshot unscaled = *snapshot;
    enum ca_status status = CA_OK;
    struct drawing *drawing;

    unscaled.scale = 1;
    CA_TRY(open_drawing(&drawing, &unscaled, pixel_of(path, snapshot, setup->model), simulation,
                        error));
    *picture = (struct ca_picture){
        drawing->w, drawing->h, drawing->pixel, snapshot->scale,
        malloc((size_t)ca_snapshot_bytes(path, snapshot, setup->model, setup->size))};
    if (!picture->bytes)
        status = ca_fail(error, CA_NO_MEMORY, "no memory for a picture of %" PRId64 "x%" PRId64,
                         picture->w, picture->h);
    for (int64_t y = 0; y < picture->h && status == CA_OK; y++)
        status = draw_row(drawing, y, picture->bytes + y * ca_picture_row(picture), error);
    close_drawing(drawing);
    if (status != CA_OK)
        ca_picture_free(picture);
    return status;
}

static enum ca_status scaled_row(void *context, int64_t y, uint8_t *row, struct ca_error *error)
{
    const struct ca_picture *picture = context;
    const uint8_t *line = picture->bytes + y / picture->scale * ca_picture_row(picture);
    int64_t bytes = ca_pixel_bytes(picture->pixel);

    (void)error;
    for (int64_t x = 0; x < picture->w * picture->scale; x++)
        memcpy(row + x * bytes, line + x / picture->scale * bytes, (size_t)bytes);
    return CA_OK;
}

enum ca_status ca_picture_write(const char *path, struct ca_picture *picture,
                                struct ca_error *error)
{
    const struct ca_pixels pixels = {picture->w * picture->scale, picture->h * picture->scale,
                                     picture->pixel, scaled_row, picture};

    return ca_format_of(path)->write_pixels(path, &pixels, error);
}

void ca_picture_free(struct ca_picture *picture)
{
    free(picture->bytes);
    *picture = (struct ca_picture){0};
}
