/* SPDX-License-Identifier: MIT */
/* Owns how a field of a window is written to a file. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/sim/fields.h"

/* Values, block by block, the components of one beside each other. */
static enum ca_status write_npy(const struct ca_window *window, const struct ca_field *field,
                                const double *values, const char *path, struct ca_error *error)
{
    struct ca_size count = window->blocks.count;
    int64_t blocks = ca_cells(count), shape[4];
    double *ordered = malloc((size_t)(blocks * field->components) * sizeof *ordered);
    enum ca_status status;
    int axes = 0;

    if (!ordered)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %" PRId64 " blocks", blocks);
    for (int64_t i = 0; i < blocks; i++)
        for (int c = 0; c < field->components; c++)
            ordered[c * blocks + i] = values[i * field->components + c];
    if (field->components > 1)
        shape[axes++] = field->components;
    if (window->setup->model->dimensions == 3)
        shape[axes++] = count.d;
    shape[axes++] = count.h;
    shape[axes++] = count.w;
    status = ca_npy_write_doubles(path, ordered, shape, axes, error);
    free(ordered);
    return status;
}

static void put(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(FILE *stream, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
}

static void csv_head(const struct ca_window *window, const struct ca_field *field, FILE *stream)
{
    const struct ca_model *model = window->setup->model;
    char size[64], block[64];
    bool deep = model->dimensions == 3;

    put(stream,
        "# %s %s, %s%s%s, blocks of %s, mean of %" PRId64 " state%s, generations %" PRIu64
        " ... %" PRIu64 "\n",
        model->name, ca_size_format(size, window->blocks.size, model->dimensions), field->name,
        field->unit ? " in " : "", field->unit ? field->unit : "",
        ca_size_format(block, window->blocks.block, model->dimensions), window->states,
        window->states == 1 ? "" : "s", window->first, window->last);
    put(stream, "x,y%s", deep ? ",z" : "");
    if (field->components == 1)
        put(stream, ",%s\n", field->name);
    else
        put(stream, ",%s_x,%s_y\n", field->name, field->name);
}

static enum ca_status write_csv(const struct ca_window *window, const struct ca_field *field,
                                const double *values, const char *path, struct ca_error *error)
{
    const struct ca_blocks *blocks = &window->blocks;
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, error));
    csv_head(window, field, writer.stream);
    for (int64_t z = 0; z < blocks->count.d; z++)
        for (int64_t y = 0; y < blocks->count.h; y++)
            for (int64_t x = 0; x < blocks->count.w; x++) {
                put(writer.stream, "%" PRId64 ",%" PRId64, x * blocks->block.w,
                    y * blocks->block.h);
                if (window->setup->model->dimensions == 3)
                    put(writer.stream, ",%" PRId64, z * blocks->block.d);
                for (int c = 0; c < field->components; c++, values++)
                    if (isnan(*values)) /* its sign has no meaning */
                        put(writer.stream, ",nan");
                    else
                        put(writer.stream, ",%.12g", *values);
                put(writer.stream, "\n");
            }
    return ca_file_end(&writer, ca_file_check(writer.stream, error), error);
}

enum ca_status ca_window_write(const struct ca_window *window, const struct ca_field *field,
                               const char *path, struct ca_error *error)
{
    struct ca_block_means means = ca_window_means(window);
    int64_t count = ca_window_values(window, field);
    double *values = malloc((size_t)count * sizeof *values);
    const char *ending = strrchr(path, '.');
    enum ca_status status;

    if (!values)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %" PRId64 " values", count);
    ca_field_values(field, &means, values);
    status = ending && strcmp(ending, ".npy") == 0 ? write_npy(window, field, values, path, error)
                                                   : write_csv(window, field, values, path, error);
    free(values);
    return status;
}
