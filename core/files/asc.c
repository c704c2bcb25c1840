/* SPDX-License-Identifier: MIT */
/* Owns ESRI ASCII grids: a header of keys and numbers, then rows of numbers from north. */
#include "core/files/file.h"
#include "core/files/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NODATA_DEFAULT -9999

enum { NCOLS, NROWS, XLLCORNER, XLLCENTER, YLLCORNER, YLLCENTER, CELLSIZE, DX, DY, NODATA, KEYS };

static const char *const keys[KEYS] = {"ncols",     "nrows",       "xllcorner", "xllcenter",
                                       "yllcorner", "yllcenter",   "cellsize",  "dx",
                                       "dy",        "nodata_value"};

struct reader {
    const char *path, *at, *end;
    int line;
    bool gaps; /* cells may have no data */
    bool seen[KEYS];
    double value[KEYS];
    struct ca_error *error;
};

static const char *const blanks = " \t\r\n\v\f";

/* Moves to the next word. Returns its length, 0: end of the file. */
static size_t next_word(struct reader *reader)
{
    for (; reader->at < reader->end && *reader->at && strchr(blanks, *reader->at); reader->at++)
        reader->line += *reader->at == '\n';
    return reader->at < reader->end ? strcspn(reader->at, blanks) : 0;
}

static enum ca_status refuse(const struct reader *reader, size_t length, const char *expected)
{
    if (length == 0)
        return ca_fail(reader->error, CA_IO, "%s:%d: %s, %s", reader->path, reader->line,
                       reader->at < reader->end ? "a zero byte" : "the file ends", expected);
    return ca_fail(reader->error, CA_IO, "%s:%d: '%.*s', %s", reader->path, reader->line,
                   (int)(length < 40 ? length : 40), reader->at, expected);
}

/* Reads a header line: key and number. */
static enum ca_status read_key(struct reader *reader, size_t length)
{
    int key = 0;
    char *end;

    while (key < KEYS &&
           (strlen(keys[key]) != length || strncasecmp(reader->at, keys[key], length) != 0))
        key++;
    if (key == KEYS)
        return refuse(reader, length,
                      "expected a header key (ncols, nrows, xllcorner, xllcenter, yllcorner, "
                      "yllcenter, cellsize, dx, dy, nodata_value) or a number");
    if (reader->seen[key])
        return refuse(reader, length, "which stands in the header twice");
    reader->at += length;
    length = next_word(reader);
    reader->value[key] = strtod(reader->at, &end);
    if (length == 0 || end != reader->at + length ||
        (key != NODATA && !isfinite(reader->value[key])))
        return refuse(reader, length, "expected a number after the header key");
    reader->seen[key] = true;
    reader->at += length;
    return CA_OK;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static enum ca_status read_header(struct reader *reader, struct ca_size *size)
{
    char what[512];
    size_t length;

    while ((length = next_word(reader)) > 0 && is_letter(*reader->at) &&
           strncasecmp(reader->at, "nan", 3) != 0 && strncasecmp(reader->at, "inf", 3) != 0)
        CA_TRY(read_key(reader, length));
    for (int key = NCOLS; key <= NROWS; key++) {
        double side = reader->value[key];

        if (!reader->seen[key])
            return ca_fail(reader->error, CA_IO, "%s:%d: the header lacks %s", reader->path,
                           reader->line, keys[key]);
        if (!(side >= 1 && side <= 2147483648.0 && side == floor(side)))
            return ca_fail(reader->error, CA_IO,
                           "%s: %s = %.17g is not allowed: a whole number 1 ... 2147483648",
                           reader->path, keys[key], side);
    }
    *size = (struct ca_size){(int64_t)reader->value[NCOLS], (int64_t)reader->value[NROWS], 1};
    snprintf(what, sizeof what, "%.400s: ncols x nrows", reader->path);
    if (ca_size_check(*size, 2, what, reader->error) != CA_OK)
        return reader->error->status = CA_IO;
    /* Every number but the last takes a digit and a blank at least. */
    if (reader->end - reader->at < 2 * ca_cells(*size) - 1)
        return ca_fail(reader->error, CA_IO,
                       "%s:%d: %td bytes are left, too few for %" PRId64 " numbers", reader->path,
                       reader->line, reader->end - reader->at, ca_cells(*size));
    return CA_OK;
}

static enum ca_status read_values(struct reader *reader, float *values, int64_t count)
{
    float nodata = reader->seen[NODATA] ? (float)reader->value[NODATA] : NODATA_DEFAULT;

    for (int64_t i = 0; i < count; i++) {
        size_t length = next_word(reader);
        char *end;
        float value = strtof(reader->at, &end);

        if (length == 0 || end != reader->at + length)
            return refuse(reader, length, "expected a number");
        if (value == nodata || (isnan(value) && isnan(nodata))) {
            if (!reader->gaps)
                return refuse(reader, length, "which means no data; every cell must have a value");
            value = NAN;
        } else if (!isfinite(value)) {
            return refuse(reader, length, "expected a finite single-precision number");
        }
        values[i] = value + 0.0f; /* -0 becomes +0 */
        reader->at += length;
    }
    if (next_word(reader) > 0 || reader->at < reader->end)
        return refuse(reader, strcspn(reader->at, blanks), "more numbers than ncols x nrows");
    return CA_OK;
}

/* Reads the size and, unless `values` is NULL, the values. */
static enum ca_status read_grid(const char *path, bool gaps, float **values, struct ca_size *size,
                                struct ca_error *error)
{
    struct reader reader = {.path = path, .line = 1, .gaps = gaps, .error = error};
    struct ca_size found = {0};
    enum ca_status status;
    size_t length;
    char *bytes;

    CA_TRY(ca_file_read(path, INT64_C(1) << 46, &bytes, &length, error));
    reader.at = bytes;
    reader.end = bytes + length;
    status = read_header(&reader, &found);
    if (status == CA_OK && values) {
        *values = malloc((size_t)ca_cells(found) * sizeof **values);
        status = *values ? read_values(&reader, *values, ca_cells(found))
                         : ca_fail(error, CA_NO_MEMORY, "%s: no memory for %" PRId64 " values",
                                   path, ca_cells(found));
        if (status != CA_OK) {
            free(*values);
            *values = NULL;
        }
    }
    free(bytes);
    if (status == CA_OK)
        *size = found;
    return status;
}

enum ca_status ca_asc_size(const char *path, struct ca_size *size, struct ca_error *error)
{
    return read_grid(path, false, NULL, size, error);
}

enum ca_status ca_asc_read(const char *path, bool gaps, float **values, struct ca_size *size,
                           struct ca_error *error)
{
    *values = NULL;
    return read_grid(path, gaps, values, size, error);
}

/* A number below all values, which the file names as NODATA_value. */
static double no_data(const double *values, int64_t count)
{
    double least = 0;

    for (int64_t i = 0; i < count; i++)
        least = values[i] < least ? values[i] : least; /* never NaN */
    return least > NODATA_DEFAULT ? NODATA_DEFAULT : 10 * floor(least);
}

/* The last row of the lattice is the southern one, whose corner is the origin. Blocks that are not
 * square have dx and dy in place of cellsize. */
enum ca_status ca_asc_write_field(const char *path, const struct ca_field_values *of,
                                  struct ca_error *error)
{
    struct ca_size count = of->blocks->count, block = of->blocks->block;
    const double *value = of->values;
    double gap = no_data(value, ca_cells(count));
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, error));
    ca_file_put(writer.stream, "ncols %" PRId64 "\nnrows %" PRId64 "\nxllcorner 0\nyllcorner 0\n",
                count.w, count.h);
    if (block.w == block.h)
        ca_file_put(writer.stream, "cellsize %" PRId64 "\n", block.w);
    else
        ca_file_put(writer.stream, "dx %" PRId64 "\ndy %" PRId64 "\n", block.w, block.h);
    ca_file_put(writer.stream, "NODATA_value %.9g\n", gap);
    for (int64_t y = 0; y < count.h && !ferror(writer.stream); y++)
        for (int64_t x = 0; x < count.w; x++, value++)
            ca_file_put(writer.stream, "%.9g%c", isnan(*value) ? gap : *value,
                        x + 1 < count.w ? ' ' : '\n');
    return ca_file_end(&writer, ca_file_check(writer.stream, error), error);
}
