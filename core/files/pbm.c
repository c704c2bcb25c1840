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

/* Opens a picture and reads its header. The caller closes the stream, also after a failure. */
static enum ca_status pbm_begin(struct reader *reader, const char *path, struct ca_error *error)
{
    int64_t w, h, left, wanted;
    char text[192];

    *reader = (struct reader){.path = path, .line = 1, .error = error};
    CA_TRY(ca_file_open(path, &reader->length, &reader->stream, error));
    reader->at = ca_file_skip_mark(reader->stream);
    reader->c = getc_unlocked(reader->stream);
    CA_TRY(pbm_read_header(reader));
    /* The number of bytes is checked against the size before anything is allocated. */
    w = reader->size.w;
    h = reader->size.h;
    left = reader->length - reader->at;
    wanted = reader->plain ? w * h : (w + 7) / 8 * h;
    if (reader->plain ? left >= wanted : left == wanted)
        return CA_OK;
    snprintf(text, sizeof text,
             "%" PRId64 " bytes of cells, expected %s%" PRId64 " for %" PRId64 "x%" PRId64, left,
             reader->plain ? "at least " : "", wanted, w, h);
    return pbm_refuse(reader, text);
}

static void pbm_end(struct reader *reader)
{
    if (reader->stream)
        fclose(reader->stream);
}

static enum ca_status pbm_read_rows(void *context, void *const planes[], int64_t first,
                                    int64_t rows, struct ca_error *error)
{
    struct reader *reader = context;
    int64_t w = reader->size.w;
    uint8_t *cells = planes[0];

    reader->error = error;
    for (int64_t i = 0; i < rows * w;) {
        int64_t bits = reader->plain ? 1 : w - i % w < 8 ? w - i % w : 8;

        if (reader->plain)
            pbm_skip_blanks(reader);
        if (reader->c == EOF)
            return pbm_refuse(reader, "the file ends before the last cell");
        if (reader->plain && reader->c != '0' && reader->c != '1')
            return pbm_refuse(reader, "a cell, 0 or 1, is expected");
        for (int64_t b = 0; b < bits; b++)
            cells[i++] = reader->plain ? reader->c == '1' : reader->c >> (7 - b) & 1;
        pbm_advance(reader);
    }
    if (!reader->plain || first + rows < reader->size.h)
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
    bool plain;
};

static enum ca_status pbm_write_rows(void *context, void *const planes[], int64_t first,
                                     int64_t rows, struct ca_error *error)
{
    const struct picture *picture = context;
    const uint8_t *row = planes[0];

    (void)first;
    for (int64_t y = 0; y < rows; y++, row += picture->w) {
        unsigned byte = 0;

        for (int64_t x = 0; x < picture->w; x++) {
            bool black = row[x] & picture->mask;

            if (picture->plain)
                fputs(black ? "1 " : "0 ", picture->stream);
            byte |= (black ? 128U : 0U) >> x % 8;
            if (!picture->plain && (x % 8 == 7 || x == picture->w - 1)) {
                putc((int)byte, picture->stream);
                byte = 0;
            }
        }
        if (picture->plain)
            putc('\n', picture->stream);
    }
    return ca_file_check(picture->stream, error);
}

enum ca_status ca_pbm_write(const char *path, const struct ca_row_source *source, uint8_t mask,
                            bool plain, struct ca_error *error)
{
    struct picture picture = {.w = source->size.w, .mask = mask, .plain = plain};
    struct ca_row_sink sink = {pbm_write_rows, &picture};
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, error));
    picture.stream = writer.stream;
    ca_file_put(writer.stream, "P%d\n%" PRId64 " %" PRId64 "\n", plain ? 1 : 4, source->size.w,
                source->size.h);
    return ca_file_end(&writer, ca_rows_pass(source, &sink, error), error);
}
