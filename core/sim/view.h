/* SPDX-License-Identifier: MIT */
/*
 * View: a 2D slice of the state reduced to a small frame of two bytes a point.
 *
 * A view looks along one axis at one slice: XY at z, XZ at y, YZ at x; columns run along the first
 * letter, lines along the second. A point stands for zoom x zoom cells or, where it becomes a whole
 * character of a terminal, which is twice as high as wide, for zoom x 2 zoom. Where all columns or
 * all lines share a number of cells instead, each of them has n of these or n + 1. Of a larger
 * block than CA_VIEW_SAMPLES squared, that many evenly spaced cells are looked at, those at its
 * edges among them (fewer where reading even those would take long), so that a frame costs about
 * the same however large the lattice is; the frame says so. A field (core/model/field.h) is drawn
 * from all cells, each point a block.
 */
#ifndef CALAB_CORE_SIM_VIEW_H
#define CALAB_CORE_SIM_VIEW_H

#include "core/sim/simulation.h"

#define CA_VIEW_SAMPLES 16
#define CA_VIEW_OUTSIDE 255 /* code of a point beyond the lattice */
#define CA_VIEW_SIDE_MAX 1000
#define CA_FIELD_NAME_MAX 32
#define CA_VIEW_VALUE 0    /* code of a point that has a value of a field, */
#define CA_VIEW_NO_VALUE 1 /* and where the field has none, as that of a gas in a solid; */
#define CA_VIEW_NOTHING 1  /* or where a projection meets nothing along the line of sight */

enum ca_axis { CA_XY, CA_XZ, CA_YZ };
/*
 * How the cells of a point are combined:
 *     any:    the highest code and the brightest level, so that the rarest state shows;
 *     mean:   the most frequent code and the mean level. Solid cells show where there are as many
 * as in a wall of one cell's thickness that crosses the block; sample: the first cell.
 */
enum ca_reduce { CA_ANY, CA_MEAN, CA_SAMPLE };
/*
 * A view shows one slice, or looks along the axis (core/sim/projection.h) and shows of each line of
 * sight: the depth of the first cell, brighter the nearer it is; the number of cells; the highest
 * state, or value of a field.
 */
enum ca_view_projection { CA_VIEW_SLICE, CA_VIEW_DEPTH, CA_VIEW_COUNT, CA_VIEW_MAXIMUM };
enum ca_drawn { CA_STATE, CA_DENSITY, CA_CHANGE, CA_FIELD };
/* The levels 0 ... 255 of a frame range over: all values of the model (of a field, and of counts:
 * those that are shown); round numbers about the values that are shown, kept while these still fit;
 * low ... high. */
enum ca_range { CA_RANGE_FULL, CA_RANGE_AUTO, CA_RANGE_FIXED };

extern const char *const ca_axis_names[];   /* "xy", "xz", "yz", NULL */
extern const char *const ca_reduce_names[]; /* "any", "mean", "sample", NULL */
extern const char *const ca_drawn_names[];  /* "state", "density", "change", "field", NULL */
extern const char *const ca_range_names[];  /* "full", "auto", "fixed", NULL */
/* "slice", "depth", "count", "maximum", NULL */
extern const char *const ca_view_projection_names[];

struct ca_view {
    enum ca_axis axis;
    enum ca_reduce reduce;
    enum ca_drawn drawn;
    int64_t slice;
    int64_t x, y;                  /* first cell of the slice shown, may be negative or beyond */
    int64_t zoom;                  /* cells across a point, >= 1 */
    int columns, lines;            /* of points */
    bool digests;                  /* of each point's cells: they are compared, here or elsewhere */
    char field[CA_FIELD_NAME_MAX]; /* the name of the model's field, under CA_FIELD */
    bool tall;                     /* a point stands for zoom x 2 zoom cells, not zoom x zoom */
    enum ca_range range;
    double low, high; /* under CA_RANGE_FIXED, low < high: in the unit of what is drawn */
    enum ca_view_projection projection; /* of a three-dimensional lattice */
    int64_t width, height; /* cells that all columns, and all lines, share; 0: zoom each */
};

/* Cells down a point, where the lines share none. */
static inline int64_t ca_view_down(const struct ca_view *view)
{
    return view->tall ? 2 * view->zoom : view->zoom;
}

/* The blocks of cells that columns and lines stand for, on a side of the slice of so many cells. */
static inline struct ca_block_axis ca_view_across_of(const struct ca_view *view, int64_t cells)
{
    return view->width > 0 ? ca_block_axis_of(cells, view->x, view->width, view->columns)
                           : ca_block_axis_of(cells, view->x, view->zoom, 1);
}
static inline struct ca_block_axis ca_view_down_of(const struct ca_view *view, int64_t cells)
{
    return view->height > 0 ? ca_block_axis_of(cells, view->y, view->height, view->lines)
                            : ca_block_axis_of(cells, view->y, ca_view_down(view), 1);
}

/* The most cells across and down a point. */
static inline int64_t ca_view_widest(const struct ca_view *view)
{
    struct ca_block_axis axis = ca_view_across_of(view, 0);

    return ca_block_most(&axis);
}
static inline int64_t ca_view_highest(const struct ca_view *view)
{
    struct ca_block_axis axis = ca_view_down_of(view, 0);

    return ca_block_most(&axis);
}

/* Whether a point stands for several cells. */
static inline bool ca_view_is_of_many(const struct ca_view *view)
{
    return ca_view_widest(view) > 1 || ca_view_highest(view) > 1;
}

/* The cell with which a column or a line begins, and the column and line of a cell of the slice
 * that is not before the first one shown. */
static inline int64_t ca_view_column(const struct ca_view *view, int64_t column)
{
    struct ca_block_axis axis = ca_view_across_of(view, 0);

    return ca_block_begin(&axis, column);
}
static inline int64_t ca_view_line(const struct ca_view *view, int64_t line)
{
    struct ca_block_axis axis = ca_view_down_of(view, 0);

    return ca_block_begin(&axis, line);
}
static inline int64_t ca_view_column_of(const struct ca_view *view, int64_t x)
{
    struct ca_block_axis axis = ca_view_across_of(view, 0);

    return ca_block_of(&axis, x);
}
static inline int64_t ca_view_line_of(const struct ca_view *view, int64_t y)
{
    struct ca_block_axis axis = ca_view_down_of(view, 0);

    return ca_block_of(&axis, y);
}

struct ca_frame {
    struct ca_view view;
    uint64_t generation;
    bool sampled; /* blocks were larger than the samples taken */
    /* columns x lines each, line after line. code: state of the model (CA_STATE, CA_DENSITY), or
     * 0 same, 1 other (CA_CHANGE), CA_VIEW_VALUE or CA_VIEW_NO_VALUE (CA_FIELD), or
     * CA_VIEW_OUTSIDE. level: 0 ... 255 for what lies between `low` and `high`, and 0 or 255 for
     * what lies beyond; under CA_MEAN of changes the share of cells that have changed. */
    uint8_t *code, *level;
    /* Under view.digests CA_VIEW_DIGEST bytes each, low byte first: of two frames of one view they
     * differ where the cells that were looked at do. 0 beyond the lattice. NULL without. */
    uint8_t *digest;
    /* The range of the levels, in the unit of the model's levels (ca_model_draw.level_full) or of
     * the field, whose magnitude is drawn where it has two components. That of a field with signs
     * reaches as far below 0 as above. Of a depth they are the distances, in cells, of the darkest
     * level and of the brightest. */
    double low, high;
};

#define CA_VIEW_DIGEST 8
/* Bytes of a frame of a view: codes, levels and, under them, digests. */
static inline size_t ca_view_bytes(const struct ca_view *view)
{
    return (size_t)view->columns * (size_t)view->lines * (view->digests ? 2 + CA_VIEW_DIGEST : 2);
}

/* Width, height and number of slices of the lattice seen along an axis. */
void ca_view_extent(struct ca_size size, enum ca_axis axis, int64_t *width, int64_t *height,
                    int64_t *slices);

/* Whether the points of two views of a lattice stand for the same cells. */
bool ca_view_same_cells(const struct ca_view *a, const struct ca_view *b);

/* CA_USAGE for a view that is not allowed of a lattice: slice outside, sides not in
 * 1 ... CA_VIEW_SIDE_MAX, zoom < 1, fewer cells to share than columns or lines, further than 2^50
 * cells from the lattice, a field that the model has not, digests of a field or a projection, a
 * projection of changes or of a lattice that is flat, or a fixed range whose end is not above its
 * beginning. */
enum ca_status ca_view_check(const struct ca_view *view, const struct ca_model *model,
                             struct ca_size size, struct ca_error *error);

/* A range as text: "auto", or two numbers of which the first is lower, "0 0.4". CA_USAGE. */
enum ca_status ca_range_parse(struct ca_view *view, const char *text, struct ca_error *error);
char *ca_range_format(char *text, size_t size, const struct ca_view *view);
/* Makes a range so many times as wide: about 0 where it begins or ends there, else about its
 * middle. */
void ca_range_scale(double *low, double *high, double factor);

struct ca_viewer; /* keeps the cells of the last frame, for CA_CHANGE */

struct ca_viewer *ca_viewer_new(void); /* NULL without memory */
void ca_viewer_free(struct ca_viewer *viewer);
/*
 * CA_CHANGE shows what has changed since the last frame of the same cells; nothing has where that
 * one was of blocks that a device summed.
 *
 * Draws into *frame, which belongs to the viewer and stays until the next call. CA_USAGE as
 * ca_view_check.
 */
enum ca_status ca_viewer_draw(struct ca_viewer *viewer, struct ca_simulation *simulation,
                              const struct ca_view *view, const struct ca_frame **frame,
                              struct ca_error *error);

#endif
