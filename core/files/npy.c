/* SPDX-License-Identifier: MIT */
/* This file reads and writes NumPy's .npy files: magic, version, length of the header, the header
 * (a Python dictionary of descr, fortran_order and shape in ASCII), then the values as they lie in
 * memory, in C order, the last axis fastest, or in Fortran's, the first one fastest. */
#include "core/files/file.h"
#include "core/base/text.h"
#include "core/files/formats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define HEADER_MAX 65536
#define SHAPE_MAX 8

struct header {
    const char *path;
    const char *text; /* the dictionary */
    const char *at;
    int64_t offset; /* of the dictionary in the file */
    char descr[16];
    int fortran; /* -1: not seen */
    int axes;    /* -1: not seen */
    int64_t shape[SHAPE_MAX];
    struct ca_error *error;
};

/* How the values of a file lie in it. */
struct layout {
    struct ca_size size;
    int64_t offset; /* of the first value */
    bool fortran, swapped,
        are_bool; /* in that order; floats with the high byte first; of np.bool */
};

static enum ca_status npy_refuse(const struct header *header, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum ca_status npy_refuse(const struct header *header, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ca_fail(header->error, CA_IO, "%s: offset %" PRId64 ": %s", header->path,
                   header->offset + (header->at - header->text), what);
}

static void npy_skip_blanks(struct header *header) { header->at += strspn(header->at, " \t\r\n"); }

/* Skips blanks and then `c`, if it is the next character. */
static bool npy_take(struct header *header, char c)
{
    npy_skip_blanks(header);
    if (*header->at != c)
        return false;
    header->at++;
    return true;
}

static enum ca_status read_string(struct header *header, char *text, size_t size)
{
    char quote;
    size_t length;

    npy_skip_blanks(header);
    quote = *header->at;
    if (quote != '\'' && quote != '"')
        return npy_refuse(header, "a quoted name is expected in the header");
    length = strcspn(header->at + 1, quote == '"' ? "\"" : "'");
    if (header->at[1 + length] != quote || length >= size)
        return npy_refuse(header, "a name of at most %zu characters is expected in the header",
                          size - 1);
    memcpy(text, header->at + 1, length);
    text[length] = '\0';
    header->at += length + 2;
    return CA_OK;
}

static enum ca_status read_shape(struct header *header)
{
    if (!npy_take(header, '('))
        return npy_refuse(header, "a shape in parentheses is expected in the header");
    for (header->axes = 0; !npy_take(header, ')'); header->axes++) {
        int64_t side = 0;

        npy_skip_blanks(header);
        if (header->axes == SHAPE_MAX)
            return npy_refuse(header, "more than %d axes in the shape", SHAPE_MAX);
        if (*header->at < '0' || *header->at > '9')
            return npy_refuse(header, "a whole number is expected in the shape");
        for (; *header->at >= '0' && *header->at <= '9'; header->at++) {
            if (side > (INT64_MAX - 9) / 10)
                return npy_refuse(header, "a side of the shape is beyond 2^63");
            side = side * 10 + (*header->at - '0');
        }
        header->shape[header->axes] = side;
        if (!npy_take(header, ',')) {
            npy_skip_blanks(header);
            if (*header->at != ')')
                return npy_refuse(header, "',' or ')' is expected in the shape");
        }
    }
    return CA_OK;
}

static enum ca_status read_dictionary(struct header *header)
{
    header->fortran = header->axes = -1;
    if (!npy_take(header, '{'))
        return npy_refuse(header, "'{' is expected, the start of the header");
    while (!npy_take(header, '}')) {
        char key[16];

        CA_TRY(read_string(header, key, sizeof key));
        if (!npy_take(header, ':'))
            return npy_refuse(header, "':' is expected in the header");
        if (strcmp(key, "descr") == 0) {
            CA_TRY(read_string(header, header->descr, sizeof header->descr));
        } else if (strcmp(key, "fortran_order") == 0) {
            npy_skip_blanks(header);
            header->fortran = strncmp(header->at, "True", 4) == 0;
            if (!header->fortran && strncmp(header->at, "False", 5) != 0)
                return npy_refuse(header, "True or False is expected in the header");
            header->at += header->fortran ? 4 : 5;
        } else if (strcmp(key, "shape") == 0) {
            CA_TRY(read_shape(header));
        } else {
            return npy_refuse(
                header, "'%s' in the header: descr, fortran_order and shape are allowed", key);
        }
        if (!npy_take(header, ',')) {
            npy_skip_blanks(header);
            if (*header->at != '}')
                return npy_refuse(header, "',' or '}' is expected in the header");
        }
    }
    if (!header->descr[0] || header->fortran < 0 || header->axes < 0)
        return npy_refuse(header, "the header lacks %s",
                          !header->descr[0]     ? "descr"
                          : header->fortran < 0 ? "fortran_order"
                                                : "shape");
    npy_skip_blanks(header);
    if (*header->at)
        return npy_refuse(header, "the end of the header is expected");
    return CA_OK;
}

static char *found_shape(char text[256], const struct header *header)
{
    strcpy(text, "(");
    for (int i = 0; i < header->axes; i++)
        ca_text_add(text, 256, "%s%" PRId64, i ? ", " : "", header->shape[i]);
    ca_text_add(text, 256, "%s)", header->axes == 1 ? "," : "");
    return text;
}

/* Checks the header against the model and stores the size and what is known of the values. */
static enum ca_status npy_check(const struct header *header, const struct ca_model *model,
                                struct layout *layout)
{
    struct ca_size *size = &layout->size;
    const char *type = header->descr;
    char planes[16] = "", expected[32], found[256], what[320];
    const int64_t *side = header->shape;
    int axes = model->dimensions + (model->planes > 1);
    bool bytes = model->type == CA_U8;

    /* "(3, H, W)": the shape that a model's states have. */
    if (model->planes > 1)
        snprintf(planes, sizeof planes, "%d, ", model->planes);
    snprintf(expected, sizeof expected, "(%s%sH, W)", planes, model->dimensions == 3 ? "D, " : "");
    found_shape(found, header);
    /* Whether values can be those of a state: bytes have no order, whatever a file says. */
    if (*type && strchr("|<>=", *type))
        type++;
    layout->are_bool = strcmp(type, "b1") == 0;
    layout->swapped = *header->descr == '>';
    if (bytes ? !layout->are_bool && strcmp(type, "u1") != 0
              : strcmp(type, "f4") != 0 || (*header->descr != '<' && *header->descr != '>'))
        return ca_fail(header->error, CA_IO, "%s: values of type '%s', expected %s", header->path,
                       header->descr,
                       bytes ? "'|u1' (bytes) or '|b1' (bool)"
                             : "'<f4' or '>f4' (single-precision floats)");
    layout->fortran = header->fortran;
    if (header->axes != axes || (model->planes > 1 && side[0] != model->planes))
        return ca_fail(header->error, CA_IO, "%s: shape %s, expected %s", header->path, found,
                       expected);
    if (model->planes > 1)
        side++;
    size->d = model->dimensions == 3 ? *side++ : 1;
    size->h = side[0];
    size->w = side[1];
    snprintf(what, sizeof what, "%.200s: shape %.100s", header->path, found);
    if (ca_size_check(*size, model->dimensions, what, header->error) != CA_OK)
        return header->error->status = CA_IO;
    return CA_OK;
}

/* Reads and checks everything before the values, which start at *offset. */
static enum ca_status npy_read_header(FILE *stream, int64_t length, const char *path,
                                      const struct ca_model *model, struct layout *layout,
                                      struct ca_error *error)
{
    unsigned char start[12];
    size_t prefix = 10, bytes;
    char text[HEADER_MAX + 1];
    struct header header = {.path = path, .text = text, .at = text, .error = error};
    int64_t data;

    if (fread(start, 1, 10, stream) != 10 || memcmp(start, MAGIC, 6) != 0)
        return ca_fail(error, CA_IO,
                       "%s: offset 0: this is not a .npy file, which begins with \\x93NUMPY", path);
    if (start[6] < 1 || start[6] > 3)
        return ca_fail(error, CA_IO, "%s: offset 6: format version %d, expected 1 ... 3", path,
                       start[6]);
    bytes = start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        prefix = 12;
        if (fread(start + 10, 1, 2, stream) != 2)
            return ca_fail(error, CA_IO, "%s: offset 10: the file ends in its header", path);
        bytes |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (bytes > HEADER_MAX)
        return ca_fail(error, CA_IO, "%s: offset 8: a header of %zu bytes, at most %d are allowed",
                       path, bytes, HEADER_MAX);
    if (fread(text, 1, bytes, stream) != bytes)
        return ca_fail(error, CA_IO, "%s: offset %zu: the file ends in its header of %zu bytes",
                       path, prefix, bytes);
    text[bytes] = '\0';
    header.offset = (int64_t)prefix;
    CA_TRY(read_dictionary(&header));
    if (strlen(text) != bytes)
        return npy_refuse(&header, "a zero byte in the header");
    CA_TRY(npy_check(&header, model, layout));
    layout->offset = (int64_t)(prefix + bytes);
    data = ca_cells(layout->size) * model->planes * (int64_t)ca_type_bytes(model->type);
    if (length - layout->offset != data)
        return ca_fail(error, CA_IO,
                       "%s: offset %" PRId64 ": %" PRId64 " bytes of values, expected %" PRId64,
                       path, layout->offset, length - layout->offset, data);
    return CA_OK;
}

enum ca_status ca_npy_size(const char *path, const struct ca_model *model, struct ca_size *size,
                           struct ca_error *error)
{
    struct layout layout;
    int64_t length = 0;
    enum ca_status status;
    FILE *stream;

    CA_TRY(ca_file_open(path, &length, &stream, error));
    status = npy_read_header(stream, length, path, model, &layout, error);
    fclose(stream);
    if (status == CA_OK)
        *size = layout.size;
    return status;
}

/* The values of a file: plane after plane, each row after row. */
struct values {
    FILE *stream;
    const char *path;
    const struct ca_model *model; /* of a file that is read */
    struct layout layout;
    char *bytes;  /* all of a file in Fortran order */
    int64_t rows; /* of a plane */
    size_t row_bytes;
    int planes, plane; /* plane: the one that is written, -1: all */
};

static int64_t offset_of(const struct values *values, int p, int64_t row)
{
    return values->layout.offset + (p * values->rows + row) * (int64_t)values->row_bytes;
}

/* The offset of cell x of a row, where the axes are plane, z, y and x, and the first is the
 * fastest. */
static int64_t fortran_offset(const struct values *values, int p, int64_t row, int64_t x)
{
    struct ca_size size = values->layout.size;
    int64_t y = row % size.h, z = row / size.h;

    return values->layout.offset + (p + values->planes * (z + size.d * (y + size.h * x))) *
                                       (int64_t)ca_type_bytes(values->model->type);
}

static enum ca_status check_values(const struct values *values, int p, int64_t first,
                                   const uint8_t *cells, size_t count, struct ca_error *error)
{
    const struct ca_model *model = values->model;
    int max = values->layout.are_bool ? 1 : model->max_value;
    int64_t w = values->layout.size.w;

    for (size_t i = 0; i < count && model->type == CA_U8 && max < 255; i++)
        if (cells[i] > max)
            return ca_fail(error, CA_IO,
                           "%s: offset %" PRId64 ": value %d of plane %s, allowed: 0 ... %d",
                           values->path,
                           values->layout.fortran
                               ? fortran_offset(values, p, first + (int64_t)i / w, (int64_t)i % w)
                               : offset_of(values, p, first) + (int64_t)i,
                           cells[i], model->plane_names[p], max);
    return CA_OK;
}

static enum ca_status npy_read_rows(void *context, void *const planes[], int64_t first,
                                    int64_t rows, struct ca_error *error)
{
    const struct values *values = context;
    size_t bytes = (size_t)rows * values->row_bytes, cell = ca_type_bytes(values->model->type);
    int64_t w = values->layout.size.w;

    for (int p = 0; p < values->planes; p++) {
        size_t got = 0;

        if (values->bytes) {
            /* In Fortran order the cells of a row lie apart. */
            for (int64_t i = 0; i < rows * w; i++)
                memcpy((char *)planes[p] + (size_t)i * cell,
                       values->bytes + fortran_offset(values, p, first + i / w, i % w), cell);
            got = bytes;
        } else if (fseeko(values->stream, offset_of(values, p, first), SEEK_SET) == 0) {
            got = fread(planes[p], 1, bytes, values->stream);
        }
        if (got != bytes)
            return ca_fail(error, CA_IO, "%s: offset %" PRId64 ": the file ends in plane %s",
                           values->path, offset_of(values, p, first) + (int64_t)got,
                           values->model->plane_names[p]);
        if (values->layout.swapped && values->model->type == CA_F32)
            for (size_t i = 0; i < bytes / sizeof(float); i++)
                ((uint32_t *)planes[p])[i] = __builtin_bswap32(((uint32_t *)planes[p])[i]);
        CA_TRY(check_values(values, p, first, planes[p], bytes, error));
    }
    return CA_OK;
}

enum ca_status ca_npy_read(const char *path, const struct ca_model *model, struct ca_size size,
                           const struct ca_row_sink *sink, uint64_t *generation,
                           struct ca_error *error)
{
    struct values values = {.path = path, .model = model, .planes = model->planes};
    struct ca_row_source source = {
        .type = model->type, .planes = model->planes, .rows = npy_read_rows, .context = &values};
    int64_t length = 0;
    enum ca_status status;

    (void)size, (void)generation;
    CA_TRY(ca_file_open(path, &length, &values.stream, error));
    status = npy_read_header(values.stream, length, path, model, &values.layout, error);
    source.size = values.layout.size;
    values.rows = ca_rows(source.size);
    values.row_bytes = (size_t)source.size.w * ca_type_bytes(model->type);
    if (status == CA_OK && values.layout.fortran) {
        size_t got;

        status = ca_file_read(path, length, &values.bytes, &got, error);
        if (status != CA_OK)
            values.bytes = NULL;
        else if ((int64_t)got != length)
            status = ca_fail(error, CA_IO, "%s: it has been replaced while it was read", path);
    }
    if (status == CA_OK)
        status = ca_rows_pass(&source, sink, error);
    free(values.bytes);
    fclose(values.stream);
    return status;
}

static enum ca_status npy_write_rows(void *context, void *const planes[], int64_t first,
                                     int64_t rows, struct ca_error *error)
{
    const struct values *values = context;
    size_t bytes = (size_t)rows * values->row_bytes;

    for (int p = 0; p < values->planes; p++) {
        if (values->plane >= 0 && p != values->plane)
            continue;
        if (values->plane < 0 && values->planes > 1)
            fseeko(values->stream, offset_of(values, p, first), SEEK_SET);
        fwrite(planes[p], 1, bytes, values->stream);
    }
    return ca_file_check(values->stream, error);
}

/* The shape of several planes, or components, over a lattice, or its blocks. */
static struct header header_of(const struct ca_model *model, int planes, struct ca_size size)
{
    struct header header = {.axes = 0};

    if (planes > 1)
        header.shape[header.axes++] = planes;
    if (model->dimensions == 3)
        header.shape[header.axes++] = size.d;
    header.shape[header.axes++] = size.h;
    header.shape[header.axes++] = size.w;
    return header;
}

/* Opens the file and writes all before the values, whose offset it returns in *offset. */
static enum ca_status npy_begin(struct ca_file_writer *writer, const char *path, const char *descr,
                                const struct header *header, int64_t *offset,
                                struct ca_error *error)
{
    unsigned char start[10] = MAGIC "\x01";
    char shape[256], text[512];
    int length, padded;

    length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                      descr, found_shape(shape, header));
    /* The values start at a multiple of 64, after a newline. */
    padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';
    start[8] = (unsigned char)(padded & 255);
    start[9] = (unsigned char)(padded >> 8);
    *offset = (int64_t)sizeof start + padded;

    CA_TRY(ca_file_begin(writer, path, error));
    fwrite(start, 1, sizeof start, writer->stream);
    fwrite(text, 1, (size_t)padded, writer->stream);
    return CA_OK;
}

enum ca_status ca_npy_write(const char *path, const struct ca_model *model,
                            const struct ca_row_source *source, struct ca_error *error)
{
    struct header header = header_of(model, source->planes, source->size);
    struct ca_file_writer writer;
    struct values values = {.rows = ca_rows(source->size),
                            .row_bytes = (size_t)source->size.w * ca_type_bytes(source->type),
                            .planes = source->planes};
    struct ca_row_sink sink = {npy_write_rows, &values};
    enum ca_status status;

    CA_TRY(npy_begin(&writer, path, source->type == CA_F32 ? "<f4" : "|u1", &header,
                     &values.layout.offset, error));
    values.stream = writer.stream;
    /* A pipe gets plane after plane, for which the rows are fetched anew. */
    values.plane = writer.temporary ? -1 : 0;
    do
        status = ca_rows_pass(source, &sink, error);
    while (status == CA_OK && values.plane >= 0 && ++values.plane < values.planes);
    return ca_file_end(&writer, status, error);
}

/* The components of a value, which stand beside each other, become the first axis. */
enum ca_status ca_npy_write_field(const char *path, const struct ca_field_values *of,
                                  struct ca_error *error)
{
    int components = of->field->components;
    int64_t blocks = ca_cells(of->blocks->count), offset;
    struct header header = header_of(of->model, components, of->blocks->count);
    double *ordered = malloc((size_t)(blocks * components) * sizeof *ordered);
    struct ca_file_writer writer;
    enum ca_status status;

    if (!ordered)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %" PRId64 " blocks", blocks);
    for (int64_t i = 0; i < blocks; i++)
        for (int c = 0; c < components; c++)
            ordered[c * blocks + i] = of->values[i * components + c];
    status = npy_begin(&writer, path, "<f8", &header, &offset, error);
    if (status == CA_OK) {
        fwrite(ordered, sizeof *ordered, (size_t)(blocks * components), writer.stream);
        status = ca_file_end(&writer, ca_file_check(writer.stream, error), error);
    }
    free(ordered);
    return status;
}
