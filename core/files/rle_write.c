/* SPDX-License-Identifier: MIT */
/* This file writes patterns as Golly does, in two passes: one finds the bounding box, the other
 * writes the cells: b and o, or of models of more states . and letters. */
#include <inttypes.h>
#include <string.h>

#include "core/files/formats.h"

#define LINE_MAX_2D 70
#define LINE_MAX_3D 67 /* Golly's 3D.lua begins a line after so many */

struct writer {
    struct ca_size size;
    bool deep, letters;
    /* The bounding box of the live cells, ends included; x1 < x0: there are none. */
    int64_t x0, x1, y0, y1, z0, z1;
    FILE *stream;
    int column;
    int64_t rows, layers; /* ends of them that are not written yet */
};

enum ca_status ca_rle_check(const struct ca_setup *setup, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct ca_size size = setup->size;
    char text[64];

    if (model->dimensions == 3 && !ca_is_torus(setup))
        return ca_fail(error, CA_USAGE,
                       "this lattice is not a torus, which an RLE3 pattern of Golly has to be");
    if (model->dimensions == 3 && (size.w != size.h || size.h != size.d))
        return ca_fail(error, CA_USAGE,
                       "the lattice is %s, but that of an RLE3 pattern of Golly is a cube",
                       ca_size_format(text, size, 3));
    return CA_OK;
}

static enum ca_status measure_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                   struct ca_error *error)
{
    struct writer *writer = context;
    const uint8_t *row = planes[0];
    int64_t w = writer->size.w;

    (void)error;
    for (int64_t r = first; r < first + rows; r++, row += w) {
        int64_t y = r % writer->size.h, z = r / writer->size.h, x0 = 0, x1 = w - 1;

        while (x0 < w && !row[x0])
            x0++;
        if (x0 == w)
            continue;
        while (!row[x1])
            x1--;
        writer->x0 = x0 < writer->x0 ? x0 : writer->x0;
        writer->x1 = x1 > writer->x1 ? x1 : writer->x1;
        writer->y0 = y < writer->y0 ? y : writer->y0;
        writer->y1 = y > writer->y1 ? y : writer->y1;
        writer->z0 = z < writer->z0 ? z : writer->z0;
        writer->z1 = z;
    }
    return CA_OK;
}

/* Two cells are "oo" in three dimensions, and "2o" in two. */
static void put_run(struct writer *writer, int64_t count, const char *tag)
{
    char text[32];
    int length;

    if (count > (writer->deep ? 2 : 1))
        length = snprintf(text, sizeof text, "%" PRId64 "%s", count, tag);
    else
        length = snprintf(text, sizeof text, "%s%s", tag, count == 2 ? tag : "");
    if (writer->deep ? writer->column >= LINE_MAX_3D : writer->column + length > LINE_MAX_2D) {
        putc('\n', writer->stream);
        writer->column = 0;
    }
    fputs(text, writer->stream);
    writer->column += length;
}

static const char *tag_of(const struct writer *writer, uint8_t state, char tag[3])
{
    int more = (state - 1) / 24;

    if (!writer->letters)
        return state ? "o" : "b";
    if (!state)
        return ".";
    tag[0] = (char)('p' + more - 1);
    tag[more ? 1 : 0] = (char)('A' + (state - 1) % 24);
    tag[more ? 2 : 1] = '\0';
    return tag;
}

static void rle_write_put_row(struct writer *writer, const uint8_t *row)
{
    int64_t dead = 0; /* cells before x that are not written yet */

    for (int64_t x = writer->x0, next; x <= writer->x1; x = next) {
        char tag[3];

        for (next = x + 1; next <= writer->x1 && row[next] == row[x];)
            next++;
        if (!row[x]) {
            dead = next - x;
            continue;
        }
        /* Writes the ends of rows and layers before a live cell. */
        if (writer->layers > 0)
            put_run(writer, writer->layers, "/");
        if (writer->rows > 0)
            put_run(writer, writer->rows, "$");
        writer->layers = writer->rows = 0;
        if (dead > 0)
            put_run(writer, dead, tag_of(writer, 0, tag));
        put_run(writer, next - x, tag_of(writer, row[x], tag));
        dead = 0;
    }
}

static enum ca_status rle_write_rows(void *context, void *const planes[], int64_t first,
                                     int64_t rows, struct ca_error *error)
{
    struct writer *writer = context;
    const uint8_t *row = planes[0];

    for (int64_t r = first; r < first + rows; r++, row += writer->size.w) {
        int64_t y = r % writer->size.h, z = r / writer->size.h;

        if (z < writer->z0 || z > writer->z1 || y < writer->y0 || y > writer->y1)
            continue;
        if (y == writer->y0 && z > writer->z0) {
            writer->layers++;
            writer->rows = 0;
        } else if (y > writer->y0) {
            writer->rows++;
        }
        rle_write_put_row(writer, row);
    }
    return ca_file_check(writer->stream, error);
}

static void put_header(const struct writer *writer, const struct ca_row_source *source)
{
    struct ca_size size = writer->size;
    bool any = writer->x1 >= writer->x0;
    int64_t w = any ? writer->x1 - writer->x0 + 1 : 0, h = any ? writer->y1 - writer->y0 + 1 : 0;
    int64_t d = any ? writer->z1 - writer->z0 + 1 : 0;
    char rule[CA_TEXT_MAX], generation[32] = "";

    if (ca_rule_notation_of(source->setup->model))
        ca_rule_notation_of(source->setup->model)->write(source->setup, rule);
    else
        snprintf(rule, sizeof rule, "%s", source->setup->model->name);
    if (source->generation > 0)
        snprintf(generation, sizeof generation, " %s=%" PRIu64, writer->deep ? "gen" : "Gen",
                 source->generation);
    if (!writer->deep) {
        ca_file_put(writer->stream, "#CXRLE Pos=%" PRId64 ",%" PRId64 "%s\n",
                    any ? writer->x0 - size.w / 2 : 0, any ? writer->y0 - size.h / 2 : 0,
                    generation);
        ca_file_put(writer->stream,
                    "x = %" PRId64 ", y = %" PRId64 ", rule = %s:%c%" PRId64 ",%" PRId64 "\n", w, h,
                    rule, ca_is_torus(source->setup) ? 'T' : 'P', size.w, size.h);
        return;
    }
    ca_file_put(writer->stream, "3D version=1 size=%" PRId64, size.w);
    if (any && (writer->x0 || writer->y0 || writer->z0))
        ca_file_put(writer->stream, " pos=%" PRId64 ",%" PRId64 ",%" PRId64, writer->x0, writer->y0,
                    writer->z0);
    ca_file_put(writer->stream, "%s\nx=%" PRId64 " y=%" PRId64 " z=%" PRId64 " rule=%s\n",
                generation, w, h, d, rule);
}

enum ca_status ca_rle_write(const char *path, const struct ca_model *model,
                            const struct ca_row_source *source, struct ca_error *error)
{
    struct writer writer = {.size = source->size,
                            .deep = model->dimensions == 3,
                            .letters = model->max_value > 1,
                            .x0 = INT64_MAX,
                            .x1 = -1,
                            .y0 = INT64_MAX,
                            .y1 = -1,
                            .z0 = INT64_MAX,
                            .z1 = -1};
    const struct ca_row_sink measure = {measure_rows, &writer}, write = {rle_write_rows, &writer};
    struct ca_file_writer file;
    enum ca_status status;

    CA_TRY(ca_rle_check(source->setup, error));
    CA_TRY(ca_rows_pass(source, &measure, error));
    CA_TRY(ca_file_begin(&file, path, error));
    writer.stream = file.stream;
    put_header(&writer, source);
    status = ca_rows_pass(source, &write, error);
    fputs("!\n", file.stream);
    return ca_file_end(&file, status, error);
}
