/* SPDX-License-Identifier: MIT */
/* This file reads and writes PBM pictures: P1 (digits) and P4 (bits, rows padded to bytes, the
 * highest bit leftmost). */
#include "core/files/file.h"

#include <inttypes.h>

struct reader {
    const char *path;
    FILE *stream;
    int c; /* the byte at `at`, or EOF */
    int64_t length, at;
    int line;
    bool plain; /* P1 */
    struct ca_size size;
    struct ca_error *error;
};

static enum ca_status pbm_refuse(const struct reader *reader, const char *expected)
{
    return ca_fail(reader->error, CA_IO, "%s:%d: offset %" PRId64 ": %s", reader->path,
                   reader->line, reader->at, expected);
}

static void pbm_advance(struct reader *reader)
{
    reader->line += reader->c == '\n';
    reader->at++;
    reader->c = getc_unlocked(reader->stream);
}

static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skips blanks, and comments from # to the end of the line. */
static void pbm_skip_blanks(struct reader *reader)
{
    bool comment = false;

    for (; reader->c != EOF; pbm_advance(reader)) {
        if (reader->c == '\n')
            comment = false;
        else if (reader->c == '#')
            comment = true;
        else if (!comment && !is_blank(reader->c))
            return;
    }
}

static enum ca_status read_side(struct reader *reader, const char *what, int64_t *side)
{
    int64_t start;

    pbm_skip_blanks(reader);
    start = reader->at;
    for (*side = 0; reader->c >= '0' && reader->c <= '9' && *side <= INT64_MAX / 100;
         pbm_advance(reader))
        *side = *side * 10 + (reader->c - '0');
    if (reader->at == start || (reader->c != EOF && !is_blank(reader->c) && reader->c != '#'))
        return pbm_refuse(reader, what);
    return CA_OK;
}

/* Reads magic and size, up to the first byte that may belong to a cell. */
static enum ca_status pbm_read_header(struct reader *reader)
{
    bool known = reader->c == 'P';
    char what[512];

    pbm_advance(reader);
    reader->plain = reader->c == '1';
    if (!known || (!reader->plain && reader->c != '4'))
        return ca_fail(reader->error, CA_IO,
                       "%s:1: offset 0: this is not a PBM picture, which begins with P1 or P4",
                       reader->path);
    pbm_advance(reader);
    reader->size.d = 1;
    CA_TRY(read_side(reader, "the width, a whole number, is expected", &reader->size.w));
    CA_TRY(read_side(reader, "the height, a whole number, is expected", &reader->size.h));
    snprintf(what, sizeof what, "%.400s:%d", reader->path, reader->line);
    if (ca_size_check(reader->size, 2, what, reader->error) != CA_OK)
        return reader->error->status = CA_IO;
    if (reader->plain)
        return CA_OK;
    if (!is_blank(reader->c))
        return pbm_refuse(reader, "one blank is expected after the height");
    pbm_advance(reader);
    return CA_OK;
}

/* Checks the number of bytes against the size before anything is allocated. */
static enum ca_status check_length(const struct reader *reader)
{
    int64_t w = reader->size.w, h = reader->size.h, left = reader->length - reader->at;
    int64_t wanted = reader->plain ? w * h : (w + 7) / 8 * h;
    char text[192];

    if (reader->plain ? left >= wanted : left == wanted)
        return CA_OK;
    snprintf(text, sizeof text,
             "%" PRId64 " bytes of cells, expected %s%" PRId64 " for %" PRId64 "x%" PRId64, left,
             reader->plain ? "at least " : "", wanted, w, h);
    return pbm_refuse(reader, text);
}

/* Opens a picture and reads its header. The caller closes the stream, also after a failure. */
static enum ca_status pbm_begin(struct reader *reader, const char *path, struct ca_error *error)
{
    *reader = (struct reader){.path = path, .line = 1, .error = error};
    CA_TRY(ca_file_open(path, &reader->length, &reader->stream, error));
    reader->at = ca_file_skip_mark(reader->stream);
    reader->c = getc_unlocked(reader->stream);
    CA_TRY(pbm_read_header(reader));
    return check_length(reader);
}

static void pbm_end(struct reader *reader)
{
    if (reader->stream)
        fclose(reader->stream);
}

static enum ca_status read_digits(struct reader *reader, uint8_t *cells, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        pbm_skip_blanks(reader);
        if (reader->c == EOF)
            return pbm_refuse(reader, "the file ends before the last cell");
        if (reader->c != '0' && reader->c != '1')
            return pbm_refuse(reader, "a cell, 0 or 1, is expected");
        cells[i] = reader->c == '1';
        pbm_advance(reader);
    }
    return CA_OK;
}

static enum ca_status read_bits(struct reader *reader, uint8_t *cells, int64_t rows)
{
    for (int64_t y = 0; y < rows; y++, cells += reader->size.w)
        for (int64_t x = 0; x < reader->size.w; x += 8, pbm_advance(reader)) {
            if (reader->c == EOF)
                return pbm_refuse(reader, "the file ends before the last cell");
            for (int64_t i = 0; i < 8 && x + i < reader->size.w; i++)
                cells[x + i] = reader->c >> (7 - i) & 1;
        }
    return CA_OK;
}

static enum ca_status pbm_read_rows(void *context, void *const planes[], int64_t first,
                                    int64_t rows, struct ca_error *error)
{
    struct reader *reader = context;

    reader->error = error;
    if (!reader->plain)
        return read_bits(reader, planes[0], rows);
    CA_TRY(read_digits(reader, planes[0], rows * reader->size.w));
    if (first + rows < reader->size.h)
        return CA_OK;
    pbm_skip_blanks(reader);
    return reader->c == EOF ? CA_OK : pbm_refuse(reader, "more cells than the size says");
}

enum ca_status ca_pbm_size(const char *path, struct ca_size *size, struct ca_error *error)
{
    struct reader reader;
    enum ca_status status = pbm_begin(&reader, path, error);

    pbm_end(&reader);
    if (status == CA_OK)
        *size = reader.size;
    return status;
}

enum ca_status ca_pbm_read(const char *path, const struct ca_row_sink *sink, struct ca_error *error)
{
    struct reader reader;
    enum ca_status status = pbm_begin(&reader, path, error);
    struct ca_row_source source = {reader.size, CA_U8, 1, pbm_read_rows, &reader};

    if (status == CA_OK)
        status = ca_rows_pass(&source, sink, error);
    pbm_end(&reader);
    return status;
}

struct picture {
    FILE *stream;
    int64_t w;
    uint8_t mask;
};

static enum ca_status write_bits(void *context, void *const planes[], int64_t first, int64_t rows,
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

static enum ca_status write_digits(void *context, void *const planes[], int64_t first, int64_t rows,
                                   struct ca_error *error)
{
    const struct picture *picture = context;
    const uint8_t *row = planes[0];

    (void)first;
    for (int64_t y = 0; y < rows; y++, row += picture->w) {
        for (int64_t x = 0; x < picture->w; x++)
            fputs(row[x] & picture->mask ? "1 " : "0 ", picture->stream);
        putc('\n', picture->stream);
    }
    return ca_file_check(picture->stream, error);
}

enum ca_status ca_pbm_write(const char *path, const struct ca_row_source *source, uint8_t mask,
                            bool plain, struct ca_error *error)
{
    struct picture picture = {.w = source->size.w, .mask = mask};
    struct ca_row_sink sink = {plain ? write_digits : write_bits, &picture};
    struct ca_file_writer writer;
    char start[64];

    CA_TRY(ca_file_begin(&writer, path, error));
    picture.stream = writer.stream;
    snprintf(start, sizeof start, "P%d\n%" PRId64 " %" PRId64 "\n", plain ? 1 : 4, source->size.w,
             source->size.h);
    fputs(start, writer.stream);
    return ca_file_end(&writer, ca_rows_pass(source, &sink, error), error);
}
