/* SPDX-License-Identifier: MIT */
/* This file writes comma-separated values: fields and observables. */
#include <inttypes.h>
#include <math.h>

#include "core/files/file.h"
#include "core/files/formats.h"

enum ca_status ca_csv_write_field(const char *path, const struct ca_field_values *of,
                                  struct ca_error *error)
{
    const struct ca_model *model = of->model;
    const struct ca_field *field = of->field;
    const struct ca_blocks *blocks = of->blocks;
    const double *values = of->values;
    struct ca_file_writer writer;
    char size[64], block[64];

    CA_TRY(ca_file_begin(&writer, path, error));
    ca_file_put(writer.stream,
                "# %s %s, %s%s%s, blocks of %s, mean of %" PRId64 " state%s, generations %" PRIu64
                " ... %" PRIu64 "\nx,y%s",
                model->name, ca_size_format(size, blocks->size, model->dimensions), field->name,
                field->unit ? " in " : "", field->unit ? field->unit : "",
                ca_size_format(block, blocks->block, model->dimensions), of->states,
                of->states == 1 ? "" : "s", of->first, of->last,
                model->dimensions == 3 ? ",z" : "");
    if (field->components == 1)
        ca_file_put(writer.stream, ",%s\n", field->name);
    else
        ca_file_put(writer.stream, ",%s_x,%s_y\n", field->name, field->name);
    for (int64_t z = 0; z < blocks->count.d; z++)
        for (int64_t y = 0; y < blocks->count.h; y++)
            for (int64_t x = 0; x < blocks->count.w; x++) {
                ca_file_put(writer.stream, "%" PRId64 ",%" PRId64, x * blocks->block.w,
                            y * blocks->block.h);
                if (model->dimensions == 3)
                    ca_file_put(writer.stream, ",%" PRId64, z * blocks->block.d);
                for (int c = 0; c < field->components; c++, values++)
                    if (isnan(*values)) /* its sign has no meaning */
                        ca_file_put(writer.stream, ",nan");
                    else
                        ca_file_put(writer.stream, ",%.12g", *values);
                ca_file_put(writer.stream, "\n");
            }
    return ca_file_end(&writer, ca_file_check(writer.stream, error), error);
}

void ca_csv_names(FILE *stream, const struct ca_model *model)
{
    ca_file_put(stream, "generation");
    for (int i = 0; ca_observables(model)[i].name; i++)
        ca_file_put(stream, ",%s", ca_observables(model)[i].name);
    ca_file_put(stream, "\n");
}

void ca_csv_row(FILE *stream, const struct ca_model *model, uint64_t generation,
                const double *values)
{
    ca_file_put(stream, "%" PRIu64, generation);
    for (int i = 0; ca_observables(model)[i].name; i++)
        ca_file_put(stream, ",%.12g", values[i]);
    ca_file_put(stream, "\n");
}
