/* SPDX-License-Identifier: MIT */
/* This file allocates canonical lattices, compares them, and writes sizes as text. */
#include "core/model/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/number.h"

#define CELLS_MAX (INT64_C(1) << 46)
#define SIDE_MAX (INT64_C(1) << 31)
#define PIECE 4096 /* values that are compared at once before the first difference is searched */

enum ca_status ca_size_check(struct ca_size size, int dimensions, const char *what,
                             struct ca_error *error)
{
    const int64_t side[3] = {size.w, size.h, dimensions == 3 ? size.d : 1};
    int64_t cells = 1;
    char text[64];

    for (int i = 0; i < 3; i++)
        if (side[i] < 1 || side[i] > SIDE_MAX)
            return ca_fail(error, CA_USAGE,
                           "%s: %c = %" PRId64 " is out of range, 1 ... %" PRId64 " is allowed",
                           what, "WHD"[i], side[i], SIDE_MAX);
    for (int i = 0; i < 3; i++) {
        if (side[i] > CELLS_MAX / cells)
            return ca_fail(error, CA_USAGE, "%s: %s is too large, at most 2^46 cells are allowed",
                           what, ca_size_format(text, size, dimensions));
        cells *= side[i];
    }
    return CA_OK;
}

/* Reads a number up to `stop` into *side and moves *at behind it. A '-' is accepted, so that -5 is
 * refused as out of range, and so is what has too many digits. */
static bool read_side(const char **at, char stop, int64_t *side)
{
    bool minus = **at == '-';
    const char *first = *at + minus, *end = first + strspn(first, "0123456789");
    uint64_t number;

    if (end == first || *end != stop)
        return false;
    if (!ca_take_digits(first, &number) || number > (uint64_t)INT64_MAX)
        number = INT64_MAX;
    *side = minus ? -(int64_t)number : (int64_t)number;
    *at = end + 1;
    return true;
}

enum ca_status ca_size_parse(struct ca_size *size, const char *text, int dimensions,
                             const char *what, struct ca_error *error)
{
    const char *form = dimensions == 3 ? "WIDTHxHEIGHTxDEPTH" : "WIDTHxHEIGHT";
    int64_t side[3] = {1, 1, 1};
    const char *at = text;

    for (int i = 0; i < dimensions; i++) {
        if (!read_side(&at, i + 1 < dimensions ? 'x' : '\0', &side[i]))
            return ca_fail(error, CA_USAGE, "%s: '%.64s' is not a %dD size, expected %s, as in %s",
                           what, text, dimensions, form,
                           dimensions == 3 ? "256x256x20" : "512x512");
        if (side[i] == INT64_MAX)
            return ca_fail(error, CA_USAGE,
                           "%s: %c in '%.64s' is out of range, 1 ... %" PRId64 " is allowed", what,
                           "WHD"[i], text, SIDE_MAX);
    }
    CA_TRY(ca_size_check((struct ca_size){side[0], side[1], side[2]}, dimensions, what, error));
    *size = (struct ca_size){side[0], side[1], side[2]};
    return CA_OK;
}

/* Two or three numbers with a sign between them. */
static char *format_sides(char text[64], int64_t x, int64_t y, int64_t z, char sign, int dimensions)
{
    int used = snprintf(text, 64, "%" PRId64 "%c%" PRId64, x, sign, y);

    if (dimensions == 3)
        snprintf(text + used, 64 - (size_t)used, "%c%" PRId64, sign, z);
    return text;
}

char *ca_size_format(char text[64], struct ca_size size, int dimensions)
{
    return format_sides(text, size.w, size.h, size.d, 'x', dimensions);
}

enum ca_status ca_at_parse(struct ca_at *at, const char *text, int dimensions, const char *what,
                           struct ca_error *error)
{
    int64_t number[3] = {0, 0, 0};
    const char *from = text;
    int count = 1; /* of numbers, which commas separate */
    bool read = true;

    for (const char *c = text; *c; c++)
        count += *c == ',';
    for (int i = 0; i < count && count <= dimensions && read; i++)
        read = read_side(&from, i + 1 < count ? ',' : '\0', &number[i]);
    if (count < 2 || count > dimensions || !read)
        return ca_fail(error, CA_USAGE, "%s: '%.64s' is not a cell in %dD, expected %s", what, text,
                       dimensions, dimensions == 3 ? "X,Y,Z, as in 3,4,5" : "X,Y, as in 3,4");
    for (int i = 0; i < 3; i++)
        if (number[i] < 0 || number[i] >= SIDE_MAX)
            return ca_fail(error, CA_USAGE,
                           "%s: %c in '%.64s' is out of range, 0 ... %" PRId64 " is allowed", what,
                           "xyz"[i], text, SIDE_MAX - 1);
    *at = (struct ca_at){true, number[0], number[1], number[2]};
    return CA_OK;
}

char *ca_at_format(char text[64], struct ca_at at, int dimensions)
{
    return format_sides(text, at.x, at.y, at.z, ',', dimensions);
}

enum ca_status ca_lattice_alloc(struct ca_lattice *lattice, struct ca_size size, enum ca_type type,
                                int planes, struct ca_error *error)
{
    size_t bytes = (size_t)ca_cells(size) * ca_type_bytes(type);

    *lattice = (struct ca_lattice){.size = size, .type = type, .planes = planes};
    for (int p = 0; p < planes; p++) {
        lattice->plane[p] = ca_zeroed(bytes);
        if (!lattice->plane[p]) {
            ca_lattice_free(lattice);
            return ca_fail(error, CA_NO_MEMORY, "no memory for a plane of %zu bytes", bytes);
        }
    }
    return CA_OK;
}

void ca_lattice_free(struct ca_lattice *lattice)
{
    for (int p = 0; p < lattice->planes; p++)
        ca_release(lattice->plane[p], ca_lattice_plane_bytes(lattice));
    *lattice = (struct ca_lattice){0};
}

size_t ca_lattice_plane_bytes(const struct ca_lattice *lattice)
{
    return (size_t)ca_cells(lattice->size) * ca_type_bytes(lattice->type);
}

void ca_lattice_copy(struct ca_lattice *to, const struct ca_lattice *from)
{
    for (int p = 0; p < from->planes; p++)
        memcpy(to->plane[p], from->plane[p], ca_lattice_plane_bytes(from));
}

void ca_lattice_at(const struct ca_lattice *lattice, int64_t row, void *planes[CA_PLANES_MAX])
{
    size_t offset = (size_t)(row * lattice->size.w) * ca_type_bytes(lattice->type);

    for (int p = 0; p < lattice->planes; p++)
        planes[p] = (char *)lattice->plane[p] + offset;
}

/* Counts the values of [first, last) that differ. The compiler vectorises so short a loop. */
static int differing(const struct ca_lattice *a, const struct ca_lattice *b, int plane,
                     int64_t first, int64_t last)
{
    int count = 0;

    if (a->type == CA_U8) {
        const uint8_t *x = a->plane[plane], *y = b->plane[plane];

        for (int64_t i = first; i < last; i++)
            count += x[i] != y[i];
    } else {
        const uint32_t *x = a->plane[plane], *y = b->plane[plane];
        const float *value = a->plane[plane];

        for (int64_t i = first; i < last; i++)
            count += (x[i] != y[i]) | (isnan(value[i]) != 0);
    }
    return count;
}

static double lattice_value_at(const struct ca_lattice *lattice, int plane, int64_t i)
{
    return lattice->type == CA_U8 ? ((uint8_t *)lattice->plane[plane])[i]
                                  : ((float *)lattice->plane[plane])[i];
}

/* The largest |value| of all planes within `reach` cells of cell i, on the axes and beside them;
 * values that are no numbers do not count. */
static double scale_around(const struct ca_lattice *lattice, int64_t i, int reach)
{
    struct ca_size size = lattice->size;
    int64_t x = i % size.w, row = i / size.w, y = row % size.h;
    double scale = 0;

    for (int64_t dy = -reach; dy <= reach; dy++)
        for (int64_t dx = -reach; dx <= reach; dx++) {
            if (x + dx < 0 || x + dx >= size.w || y + dy < 0 || y + dy >= size.h)
                continue;
            for (int p = 0; p < lattice->planes; p++) {
                double value = fabs(lattice_value_at(lattice, p, i + dy * size.w + dx));

                if (isfinite(value))
                    scale = fmax(scale, value);
            }
        }
    return scale;
}

static int beyond(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                  int64_t first, int64_t last, double tolerance, int reach)
{
    int count = 0;

    if (tolerance == 0)
        return differing(expected, got, plane, first, last);
    for (int64_t i = first; i < last; i++) {
        double wanted = lattice_value_at(expected, plane, i);
        double found = lattice_value_at(got, plane, i), error = fabs(found - wanted);

        count += !isfinite(wanted) || !isfinite(found) ||
                 !(error <= tolerance * fmax(1, fabs(wanted)) ||
                   error <= tolerance * scale_around(expected, i, reach));
    }
    return count;
}

struct ca_difference ca_lattice_compare(const struct ca_lattice *expected,
                                        const struct ca_lattice *got)
{
    return ca_lattice_compare_within(expected, got, 0, 0);
}

struct ca_difference ca_lattice_compare_within(const struct ca_lattice *expected,
                                               const struct ca_lattice *got, double tolerance,
                                               int reach)
{
    struct ca_difference difference = {0};
    int64_t cells = ca_cells(expected->size), first = cells;

    for (int p = 0; p < expected->planes; p++)
        for (int64_t i = 0; i < cells; i += PIECE) {
            int64_t last = i + PIECE < cells ? i + PIECE : cells;
            int count = beyond(expected, got, p, i, last, tolerance, reach);
            int64_t at = i;

            difference.count += count;
            if (count == 0 || i >= first)
                continue;
            while (!beyond(expected, got, p, at, at + 1, tolerance, reach))
                at++;
            if (at >= first)
                continue;
            first = at;
            difference.plane = p;
            difference.expected = lattice_value_at(expected, p, at);
            difference.got = lattice_value_at(got, p, at);
        }
    difference.x = first % expected->size.w;
    difference.y = first / expected->size.w % expected->size.h;
    difference.z = first / expected->size.w / expected->size.h;
    return difference;
}

bool ca_lattice_is_finite(const struct ca_lattice *lattice)
{
    int64_t cells = ca_cells(lattice->size);

    for (int p = 0; p < lattice->planes && lattice->type == CA_F32; p++)
        for (int64_t i = 0; i < cells; i++)
            if (!isfinite(((const float *)lattice->plane[p])[i]))
                return false;
    return true;
}
