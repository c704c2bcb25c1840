/* SPDX-License-Identifier: MIT */
/*
 * The canonical lattice: what a model's state is, whatever layout a backend keeps.
 *
 * Cell (x, y, z) of a W x H x D lattice stands at index (z * H + y) * W + x of each plane; a plane
 * is an array of bytes (values as the model gives them) or of single-precision floats. A 2D lattice
 * has D = 1. "Row r" is the W cells at (y, z) with r = z * H + y; a lattice has H * D of them.
 */
#ifndef CALAB_CORE_MODEL_LATTICE_H
#define CALAB_CORE_MODEL_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CA_PLANES_MAX 4

enum ca_type { CA_U8, CA_F32 };

struct ca_size {
    int64_t w, h, d;
};

struct ca_lattice {
    struct ca_size size;
    enum ca_type type;
    int planes;
    void *plane[CA_PLANES_MAX]; /* each ca_cells(size) values, aligned to 64 bytes */
};

static inline int64_t ca_cells(struct ca_size size) { return size.w * size.h * size.d; }
static inline int64_t ca_rows(struct ca_size size) { return size.h * size.d; }
/* How many parts of `part` cells, the last perhaps a smaller one, make up `all` of them. */
static inline int64_t ca_divide_up(int64_t all, int64_t part) { return (all + part - 1) / part; }
static inline size_t ca_type_bytes(enum ca_type type) { return type == CA_F32 ? 4 : 1; }
static inline bool ca_size_equal(struct ca_size a, struct ca_size b)
{
    return a.w == b.w && a.h == b.h && a.d == b.d;
}

/*
 * "WxH" or "WxHxD" in decimal to a size. CA_USAGE: not of that form, a side below 1, dimensions
 * (2 or 3) not matched, or more cells than 2^46. `what` names the source in the message
 * ("--size", "FILE:3: size").
 */
enum ca_status ca_size_parse(struct ca_size *size, const char *text, int dimensions,
                             const char *what, struct ca_error *error);
/* The same check for three numbers; a 2D size has d = 1. */
enum ca_status ca_size_check(struct ca_size size, int dimensions, const char *what,
                             struct ca_error *error);

/* "512x512" or "256x256x20" into text. Returns text. */
char *ca_size_format(char text[64], struct ca_size size, int dimensions);

/* The first cell of a pattern goes there in a lattice; not given: nowhere in particular. */
struct ca_at {
    bool given;
    int64_t x, y, z;
};

/* "x,y" or, in three dimensions, "x,y,z" or "x,y" for a z of 0. CA_USAGE: not of that form, or a
 * number below 0 or above every lattice. `what` as above. */
enum ca_status ca_at_parse(struct ca_at *at, const char *text, int dimensions, const char *what,
                           struct ca_error *error);
/* "3,4" or "3,4,5" into text. Returns text. */
char *ca_at_format(char text[64], struct ca_at at, int dimensions);

/* Allocates zeroed planes. CA_NO_MEMORY. Free with ca_lattice_free, which takes {0} too. */
enum ca_status ca_lattice_alloc(struct ca_lattice *lattice, struct ca_size size, enum ca_type type,
                                int planes, struct ca_error *error);
void ca_lattice_free(struct ca_lattice *lattice);
size_t ca_lattice_plane_bytes(const struct ca_lattice *lattice);
/* Copies all planes to a lattice of the same shape. */
void ca_lattice_copy(struct ca_lattice *to, const struct ca_lattice *from);

/* The planes of `lattice` from `row` on. */
void ca_lattice_at(const struct ca_lattice *lattice, int64_t row, void *planes[CA_PLANES_MAX]);

struct ca_difference {
    int64_t count; /* values that differ, over all planes */
    int plane;     /* of the first difference, in index order, then plane order */
    int64_t x, y, z;
    double expected, got;
};

/* Compares two lattices of the same shape: floats differ by their bits, NaN always. */
struct ca_difference ca_lattice_compare(const struct ca_lattice *expected,
                                        const struct ca_lattice *got);
/*
 * The same within a tolerance; 0: by their bits. A value differs where |got - expected| is more
 * than the tolerance times max(1, A), A the largest |expected| of all planes within `reach` cells:
 * the values that it was computed from, whose sums are rounded by their own size. NaN and
 * infinities always differ.
 */
struct ca_difference ca_lattice_compare_within(const struct ca_lattice *expected,
                                               const struct ca_lattice *got, double tolerance,
                                               int reach);

/* Whether no float is infinite or no number. */
bool ca_lattice_is_finite(const struct ca_lattice *lattice);

#ifdef __cplusplus
}
#endif
#endif
