/* SPDX-License-Identifier: MIT */
/* Owns PBM pictures: P1 (digits) and P4 (bits, rows padded to bytes, the highest bit leftmost). */
#include "core/files/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path;
    const unsigned char *bytes;
    size_t size, at;
    int line;
    struct ca_error *error;
};

static enum ca_status refuse(const struct reader *reader, const char *expected)
{
    return ca_fail(reader->error, CA_IO, "%s:%d: offset %zu: %s", reader->path, reader->line,
                   reader->at, expected);
}

static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skips blanks, and comments from # to the end of the line. */
static void skip_blanks(struct reader *reader)
{
    bool comment = false;

    for (; reader->at < reader->size; reader->at++) {
        int c = reader->bytes[reader->at];

        if (c == '\n') {
            reader->line++;
            comment = false;
        } else if (c == '#') {
            comment = true;
        } else if (!comment && !is_blank(c)) {
            return;
        }
    }
}

static enum ca_status read_side(struct reader *reader, const char *what, int64_t *side)
{
    size_t start;

    skip_blanks(reader);
    start = reader->at;
    *side = 0;
    for (; reader->at < reader->size; reader->at++) {
        int c = reader->bytes[reader->at];

        if (c < '0' || c > '9' || *side > INT64_MAX / 100)
            break;
        *side = *side * 10 + (c - '0');
    }
    if (reader->at == start || (reader->at < reader->size && !is_blank(reader->bytes[reader->at]) &&
                                reader->bytes[reader->at] != '#'))
        return refuse(reader, what);
    return CA_OK;
}

/* Reads magic and size, up to the first byte that may belong to a cell. *plain: P1. */
static enum ca_status read_header(struct reader *reader, bool *plain, struct ca_size *size)
{
    char what[512];

    if (reader->size < 2 || reader->bytes[0] != 'P' ||
        (reader->bytes[1] != '1' && reader->bytes[1] != '4'))
        return refuse(reader, "this is not a PBM picture, which begins with P1 or P4");
    *plain = reader->bytes[1] == '1';
    reader->at = 2;
    size->d = 1;
    CA_TRY(read_side(reader, "the width, a whole number, is expected", &size->w));
    CA_TRY(read_side(reader, "the height, a whole number, is expected", &size->h));
    snprintf(what, sizeof what, "%.400s:%d", reader->path, reader->line);
    if (ca_size_check(*size, 2, what, reader->error) != CA_OK)
        return reader->error->status = CA_IO;
    if (*plain)
        return CA_OK;
    if (reader->at == reader->size || !is_blank(reader->bytes[reader->at]))
        return refuse(reader, "one blank is expected after the height");
    reader->line += reader->bytes[reader->at++] == '\n';
    return CA_OK;
}

/* Checks the number of bytes against the size before anything is allocated. */
static enum ca_status check_length(const struct reader *reader, bool plain, struct ca_size size)
{
    size_t left = reader->size - reader->at;
    size_t wanted = plain ? (size_t)ca_cells(size) : (size_t)((size.w + 7) / 8 * size.h);
    char text[192];

    if (plain ? left >= wanted : left == wanted)
        return CA_OK;
    snprintf(text, sizeof text, "%zu bytes of cells, expected %s%zu for %" PRId64 "x%" PRId64, left,
             plain ? "at least " : "", wanted, size.w, size.h);
    return refuse(reader, text);
}

static enum ca_status read_digits(struct reader *reader, uint8_t *cells, struct ca_size size)
{
    for (int64_t i = 0; i < ca_cells(size); i++) {
        skip_blanks(reader);
        if (reader->at == reader->size)
            return refuse(reader, "the file ends before the last cell");
        if (reader->bytes[reader->at] != '0' && reader->bytes[reader->at] != '1')
            return refuse(reader, "a cell, 0 or 1, is expected");
        cells[i] = reader->bytes[reader->at++] == '1';
    }
    skip_blanks(reader);
    return reader->at == reader->size ? CA_OK : refuse(reader, "more cells than the size says");
}

static void read_bits(const struct reader *reader, uint8_t *cells, struct ca_size size)
{
    const unsigned char *row = reader->bytes + reader->at;

    for (int64_t y = 0; y < size.h; y++, row += (size.w + 7) / 8)
        for (int64_t x = 0; x < size.w; x++)
            cells[y * size.w + x] = row[x / 8] >> (7 - x % 8) & 1;
}

/* Reads the size and, unless `cells` is NULL, the cells. */
static enum ca_status read_picture(const char *path, uint8_t **cells, struct ca_size *size,
                                   struct ca_error *error)
{
    struct reader reader = {.path = path, .line = 1, .error = error};
    struct ca_size found = {0};
    enum ca_status status;
    bool plain = false;
    char *bytes;

    CA_TRY(ca_file_read(path, INT64_C(1) << 46, &bytes, &reader.size, error));
    reader.bytes = (const unsigned char *)bytes;
    status = read_header(&reader, &plain, &found);
    if (status == CA_OK)
        status = check_length(&reader, plain, found);
    if (status == CA_OK && cells && ca_cells(found) > 0) {
        *cells = malloc((size_t)ca_cells(found));
        if (!*cells)
            status = ca_fail(error, CA_NO_MEMORY, "%s: no memory for %" PRId64 " cells", path,
                             ca_cells(found));
        else if (!plain)
            read_bits(&reader, *cells, found);
        else
            status = read_digits(&reader, *cells, found);
        if (status != CA_OK) {
            free(*cells);
            *cells = NULL;
        }
    }
    free(bytes);
    if (status == CA_OK)
        *size = found;
    return status;
}

enum ca_status ca_pbm_size(const char *path, struct ca_size *size, struct ca_error *error)
{
    return read_picture(path, NULL, size, error);
}

enum ca_status ca_pbm_read(const char *path, uint8_t **cells, struct ca_size *size,
                           struct ca_error *error)
{
    *cells = NULL;
    return read_picture(path, cells, size, error);
}

struct picture {
    FILE *stream;
    int64_t w;
    uint8_t mask;
};

static enum ca_status write_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    const struct picture *picture = context;
    const uint8_t *row = planes[0];

    (void)first;
    for (int64_t y = 0; y < rows; y++, row += picture->w)
        for (int64_t x = 0; x < picture->w; x += 8) {
            int byte = 0;

            for (int64_t i = x; i < x + 8 && i < picture->w; i++)
                byte |= ((row[i] & picture->mask) != 0) << (7 - i % 8);
            putc(byte, picture->stream);
        }
    return ca_file_check(picture->stream, error);
}

enum ca_status ca_pbm_write(const char *path, const struct ca_row_source *source, uint8_t mask,
                            struct ca_error *error)
{
    struct picture picture = {.w = source->size.w, .mask = mask};
    struct ca_row_sink sink = {write_rows, &picture};
    struct ca_file_writer writer;
    char start[64];

    CA_TRY(ca_file_begin(&writer, path, error));
    picture.stream = writer.stream;
    snprintf(start, sizeof start, "P4\n%" PRId64 " %" PRId64 "\n", source->size.w, source->size.h);
    fputs(start, writer.stream);
    return ca_file_end(&writer, ca_rows_pass(source, &sink, error), error);
}
