/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: pictures in files, of a slice of the state, or of its projection along an axis, a
 * pixel a cell or a square of them.
 *
 * A slice has the colours that a dark screen with many colours gives single cells. Projections are
 * of the brightness of cells, the highest along the axis, or the sum by the number of slices, and
 * have the colours of a ramp. In grey formats both are brightness alone: 8 bits, or 16 of sums and
 * of models with floats. A lattice whose z is a height has it upwards.
 */
#ifndef CALAB_CORE_SIM_SNAPSHOT_H
#define CALAB_CORE_SIM_SNAPSHOT_H

#include "core/files/formats.h"
#include "core/sim/view.h"

enum ca_projection { CA_PROJECT_NONE, CA_PROJECT_MAX, CA_PROJECT_SUM };

struct ca_snapshot {
    enum ca_axis axis;
    int64_t slice; /* -1: the middle one */
    enum ca_projection projection;
    int64_t scale; /* pixels across a cell */
};

#define CA_SNAPSHOT_SCALE_MAX 64

static inline struct ca_snapshot ca_snapshot_default(void)
{
    return (struct ca_snapshot){CA_XY, -1, CA_PROJECT_NONE, 1};
}

/*
 * Sets one property by its name and text, as in core/sim/output.h: slice, the axis that it is
 * across and its place on it ("z12", "x"), project ("max", "sum") or scale. CA_USAGE with what is
 * allowed.
 */
enum ca_status ca_snapshot_set(struct ca_snapshot *snapshot, const char *name, const char *text,
                               struct ca_error *error);
/* CA_USAGE where the lattice has not the slice, or is flat and to be projected. */
enum ca_status ca_snapshot_check(const struct ca_snapshot *snapshot, const struct ca_model *model,
                                 struct ca_size size, struct ca_error *error);
/* Writes the present state in the format of the path's ending, which must be one of pictures.
 * CA_USAGE as above, CA_IO, CA_NO_MEMORY. */
enum ca_status ca_snapshot_write(const char *path, const struct ca_snapshot *snapshot,
                                 struct ca_simulation *simulation, struct ca_error *error);

/* A picture in memory, which can be written while the simulation steps on: w x h cells from above,
 * each of them a pixel there and scale x scale pixels in the file. */
struct ca_picture {
    int64_t w, h;
    enum ca_pixel pixel;
    int64_t scale;
    uint8_t *bytes;
};

static inline int64_t ca_picture_row(const struct ca_picture *picture)
{
    return picture->w * ca_pixel_bytes(picture->pixel);
}

/* Bytes that it takes in memory, */
int64_t ca_snapshot_bytes(const char *path, const struct ca_snapshot *snapshot,
                          const struct ca_model *model, struct ca_size size);
/* taking it from the present state for the format of the path's ending, and writing it there. */
enum ca_status ca_snapshot_take(struct ca_picture *picture, const char *path,
                                const struct ca_snapshot *snapshot,
                                struct ca_simulation *simulation, struct ca_error *error);
enum ca_status ca_picture_write(const char *path, struct ca_picture *picture,
                                struct ca_error *error);
void ca_picture_free(struct ca_picture *picture); /* takes {0} */

#endif
