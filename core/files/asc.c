/* SPDX-License-Identifier: MIT */
/* This file reads and writes ESRI ASCII grids: a header of keys and numbers, then rows of numbers
 * from north. */
#include "core/files/file.h"
#include "core/files/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
    const char *no_gaps; /* NULL: cells may have no data; else what the message adds */
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

static enum ca_status asc_refuse(const struct reader *reader, size_t length, const char *expected)
{
    if (length == 0)
        return ca_fail(reader->error, CA_IO, "%s:%d: %s, %s", reader->path, reader->line,
                       reader->at < reader->end ? "a zero byte" : "the file ends", expected);
    return ca_fail(reader->error, CA_IO, "%s:%d: '%.*s', %s", reader->path, reader->line,
                   (int)(length < 40 ? length : 40), reader->at, expected);
}

/* How numbers that are none are written; Windows has some of its own. */
static const struct {
    const char *text;
    double number;
} no_numbers[] = {
    {"nan", NAN}, {"1.#qnan", NAN}, {"1.#ind", NAN}, {"inf", INFINITY}, {"1.#inf", INFINITY},
};

/* The number of a word, whose exponent Fortran writes with a D. false: it is none. */
static bool parse_number(const char *word, size_t length, double *number)
{
    bool minus = *word == '-';
    char text[80], *end;

    if (length == 0 || length >= sizeof text)
        return false;
    for (size_t i = 0; i <= length; i++)
        text[i] = i < length ? (word[i] == 'd' || word[i] == 'D' ? 'e' : word[i]) : '\0';
    if (strspn(text, "0123456789+-.eE") == length) {
        *number = strtod(text, &end);
        return *end == '\0';
    }
    for (size_t i = 0; i < sizeof no_numbers / sizeof no_numbers[0]; i++) {
        const char *rest = word + (*word == '-' || *word == '+');

        if (strlen(no_numbers[i].text) == length - (size_t)(rest - word) &&
            strncasecmp(rest, no_numbers[i].text, strlen(no_numbers[i].text)) == 0) {
            *number = minus ? -no_numbers[i].number : no_numbers[i].number;
            return true;
        }
    }
    return false;
}

/* --- the header ------------------------------------------------------------------------------- */

static enum ca_status read_key(struct reader *reader, size_t length)
{
    int key = 0;

    while (key < KEYS &&
           (strlen(keys[key]) != length || strncasecmp(reader->at, keys[key], length) != 0))
        key++;
    if (length == 6 && strncasecmp(reader->at, "nodata", length) == 0) /* as some write it */
        key = NODATA;
    if (key == KEYS)
        return asc_refuse(reader, length,
                          "expected a header key (ncols, nrows, xllcorner, xllcenter, yllcorner, "
                          "yllcenter, cellsize, dx, dy, nodata_value) or a number");
    if (reader->seen[key])
        return asc_refuse(reader, length, "which stands in the header twice");
    reader->at += length;
    length = next_word(reader);
    if (!parse_number(reader->at, length, &reader->value[key]))
        return asc_refuse(reader, length, "expected a number after the header key");
    reader->seen[key] = true;
    reader->at += length;
    return CA_OK;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_about(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

static enum ca_status not_allowed(const struct reader *reader, int key, const char *allowed)
{
    return ca_fail(reader->error, CA_IO, "%s: %s = %.17g is not allowed: %s", reader->path,
                   keys[key], reader->value[key], allowed);
}

/* Numbers of the header that must be finite, or above 0; and cells must be square. */
static enum ca_status check_place(const struct reader *reader)
{
    const bool *seen = reader->seen;
    const double *value = reader->value;

    for (int key = XLLCORNER; key <= YLLCENTER; key++)
        if (seen[key] && !isfinite(value[key]))
            return not_allowed(reader, key, "a finite number");
    for (int key = CELLSIZE; key <= DY; key++)
        if (seen[key] && !(value[key] > 0 && isfinite(value[key])))
            return not_allowed(reader, key, "a finite number above 0");
    for (int key = XLLCORNER; key <= YLLCORNER; key += 2)
        if (seen[key] && seen[key + 1])
            return ca_fail(reader->error, CA_IO, "%s: %s and %s: one of them is allowed",
                           reader->path, keys[key], keys[key + 1]);
    if (seen[DX] != seen[DY])
        return ca_fail(reader->error, CA_IO,
                       "%s: dx and dy stand in a header together, or cellsize", reader->path);
    if (seen[DX] && !is_about(value[DX], value[DY]))
        return ca_fail(reader->error, CA_IO,
                       "%s: dx = %.9g and dy = %.9g: cells must be square; gdalwarp -tr %.9g %.9g "
                       "makes them so",
                       reader->path, value[DX], value[DY], value[DX], value[DX]);
    if (seen[DX] && seen[CELLSIZE] && !is_about(value[DX], value[CELLSIZE]))
        return ca_fail(reader->error, CA_IO, "%s: cellsize = %.9g, but dx = %.9g", reader->path,
                       value[CELLSIZE], value[DX]);
    return CA_OK;
}

static enum ca_status asc_read_header(struct reader *reader, struct ca_size *size)
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
            return not_allowed(reader, key, "a whole number 1 ... 2147483648");
    }
    CA_TRY(check_place(reader));
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

/* --- values ----------------------------------------------------------------------------------- */

#define HUGE_VALUE 1e30
#define HUGE_TOLERANCE 1e-3

/* Whether a value is that which means no data: the same in single precision. Beyond 1e30, where no
 * altitude is, programs write the lowest float by as many digits as they like, so that a thousandth
 * of it is allowed. */
static bool is_no_data(double value, double no_data)
{
    return isnan(value) || (float)value == (float)no_data ||
           (fabs(no_data) >= HUGE_VALUE && isfinite(no_data) &&
            fabs(value - no_data) <= HUGE_TOLERANCE * fabs(no_data));
}

static enum ca_status asc_read_values(struct reader *reader, float *values, int64_t count)
{
    double no_data = reader->seen[NODATA] ? reader->value[NODATA] : NODATA_DEFAULT;
    char text[320];

    for (int64_t i = 0; i < count; i++) {
        size_t length = next_word(reader);
        double value;

        if (!parse_number(reader->at, length, &value))
            return asc_refuse(reader, length, "expected a number");
        if (is_no_data(value, no_data)) {
            if (reader->no_gaps) {
                snprintf(text, sizeof text, "which means no data; every cell must have a value%s",
                         reader->no_gaps);
                return asc_refuse(reader, length, text);
            }
            value = NAN;
        } else if (!(fabs(value) <= CA_ASC_MAX)) {
            snprintf(text, sizeof text,
                     "expected a number of -%d ... %d, beyond which single precision loses water; "
                     "if it means no data, NODATA_value in the header has to be it",
                     CA_ASC_MAX, CA_ASC_MAX);
            return asc_refuse(reader, length, text);
        }
        values[i] = (float)value + 0.0f; /* -0 becomes +0 */
        reader->at += length;
    }
    if (next_word(reader) > 0 || reader->at < reader->end)
        return asc_refuse(reader, strcspn(reader->at, blanks), "more numbers than ncols x nrows");
    return CA_OK;
}

/* Reads the size and, unless they are NULL, the map and the values. */
static enum ca_status read_grid(const char *path, const char *no_gaps, float **values,
                                struct ca_map *map, struct ca_size *size, struct ca_error *error)
{
    struct reader reader = {.path = path, .line = 1, .no_gaps = no_gaps, .error = error};
    const bool *seen = reader.seen;
    const double *value = reader.value;
    struct ca_size found = {0};
    enum ca_status status;
    size_t length;
    char *bytes;

    CA_TRY(ca_file_read_text(path, INT64_C(1) << 46, &bytes, &length, error));
    reader.at = bytes;
    reader.end = bytes + length;
    status = asc_read_header(&reader, &found);
    if (status == CA_OK && values) {
        *values = malloc((size_t)ca_cells(found) * sizeof **values);
        status = *values ? asc_read_values(&reader, *values, ca_cells(found))
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
    if (status != CA_OK || !map)
        return status;
    *map = (struct ca_map){.cell = seen[CELLSIZE] ? value[CELLSIZE]
                                   : seen[DX]     ? value[DX]
                                                  : 1,
                           .x_is_middle = seen[XLLCENTER],
                           .y_is_middle = seen[YLLCENTER],
                           .has_no_data = seen[NODATA],
                           .no_data = value[NODATA]};
    map->x = value[map->x_is_middle ? XLLCENTER : XLLCORNER]; /* 0 where it was not seen */
    map->y = value[map->y_is_middle ? YLLCENTER : YLLCORNER];
    for (int key = XLLCORNER; key < KEYS; key++)
        map->given |= seen[key];
    return CA_OK;
}

enum ca_status ca_asc_size(const char *path, struct ca_size *size, struct ca_error *error)
{
    return read_grid(path, NULL, NULL, NULL, size, error);
}

enum ca_status ca_asc_map(const char *path, struct ca_map *map, struct ca_error *error)
{
    struct ca_size ignored;

    return read_grid(path, NULL, NULL, map, &ignored, error);
}

enum ca_status ca_asc_read(const char *path, const char *no_gaps, float **values,
                           struct ca_size *size, struct ca_error *error)
{
    *values = NULL;
    return read_grid(path, no_gaps, values, NULL, size, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* As few digits as it takes to read the same number. */
static char *put_number(char text[32], double number)
{
    if (isnan(number))
        return strcpy(text, "nan");
    for (int digits = 9; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return text;
}

/*
 * The last row of the lattice is the southern one. Blocks are cut from its northern end, so that
 * the southern ones may reach beyond it, and the grid with them. Blocks that are not square have dx
 * and dy in place of cellsize.
 */
static void put_header(FILE *stream, const struct ca_blocks *blocks, const struct ca_map *map,
                       const char *gap)
{
    struct ca_size count = blocks->count, block = blocks->block;
    double cell = map->given ? map->cell : 1;
    double x = map->x + (double)blocks->x * cell;
    double y = map->y + (double)(blocks->size.h - blocks->y - count.h * block.h) * cell;
    char text[2][32];

    if (map->x_is_middle)
        x += (double)(block.w - 1) / 2 * cell;
    if (map->y_is_middle)
        y += (double)(block.h - 1) / 2 * cell;
    ca_file_put(stream, "ncols %" PRId64 "\nnrows %" PRId64 "\n%s %s\n%s %s\n", count.w, count.h,
                keys[map->x_is_middle ? XLLCENTER : XLLCORNER], put_number(text[0], x),
                keys[map->y_is_middle ? YLLCENTER : YLLCORNER], put_number(text[1], y));
    put_number(text[0], (double)block.w * cell);
    put_number(text[1], (double)block.h * cell);
    if (block.w == block.h)
        ca_file_put(stream, "cellsize %s\n", text[0]);
    else
        ca_file_put(stream, "dx %s\ndy %s\n", text[0], text[1]);
    ca_file_put(stream, "NODATA_value %s\n", gap);
}

enum ca_status ca_asc_write_field(const char *path, const struct ca_field_values *of,
                                  struct ca_error *error)
{
    struct ca_size count = of->blocks->count;
    const double *value = of->values;
    struct ca_file_writer writer;
    bool is_taken = !of->map->has_no_data;
    double least = 0;
    char gap[32];

    /* No data is written as the number that stood for it in the file of which the lattice was made,
     * unless a cell has that value; else as a number below all values. */
    for (int64_t i = 0; i < ca_cells(count); i++) {
        least = value[i] < least ? value[i] : least; /* never NaN */
        is_taken |= !isnan(value[i]) && is_no_data(value[i], of->map->no_data);
    }
    put_number(gap, !is_taken                ? of->map->no_data
                    : least > NODATA_DEFAULT ? NODATA_DEFAULT
                                             : 10 * floor(least));
    CA_TRY(ca_file_begin(&writer, path, error));
    put_header(writer.stream, of->blocks, of->map, gap);
    for (int64_t y = 0; y < count.h && !ferror(writer.stream); y++)
        for (int64_t x = 0; x < count.w; x++, value++) {
            if (isnan(*value))
                fputs(gap, writer.stream);
            else
                ca_file_put(writer.stream, "%.9g", *value);
            putc(x + 1 < count.w ? ' ' : '\n', writer.stream);
        }
    return ca_file_end(&writer, ca_file_check(writer.stream, error), error);
}
