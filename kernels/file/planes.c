/* SPDX-License-Identifier: MIT */
/* This file lays planes of states out in a byte, and takes them from one. */
#include "kernels/file/planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "kernels/file/file_model.h"

void file_planes_make(struct file_model *file)
{
    const struct ca_model_description *d = file->object.fast;
    int shift = 0, first = 0;

    if (d->parts == d->planes) {
        file->plane[0] = (struct file_plane){.name = "cell", .mask = UINT8_MAX};
        return;
    }
    for (int p = 0; p < d->parts; p++) {
        struct file_plane *plane = &file->plane[p];
        int bits = 0;

        while (bits < CA_BIT_PLANES_MAX && d->states[p] > 1 << bits)
            bits++;
        *plane = (struct file_plane){.states = d->states[p],
                                     .shift = shift < CA_BIT_PLANES_MAX ? shift : CA_BIT_PLANES_MAX,
                                     .mask = (1 << bits) - 1,
                                     .first = first};
        shift += bits;
        first += plane->states;
    }
    file->states = shift <= CA_BIT_PLANES_MAX ? 1 << shift : CA_STATES_MAX;
}

int file_plane_of_row(const struct file_model *file, const struct ca_model_row *row)
{
    int plane = -1;

    if (file->object.fast->parts == 1)
        return 0;
    for (int i = 0; i < file->rows; i++)
        if (file->row[i]->kind == CA_ROW_PLANE && file->row[i]->line <= row->line)
            plane = file->row[i]->code;
    return plane;
}

int file_plane_of_state(const struct file_model *file, const char *name)
{
    if (file->object.fast->parts == 1)
        return 0;
    for (int i = 0; i < file->rows; i++)
        if (file->row[i]->kind == CA_ROW_STATE && strcmp(file->row[i]->name, name) == 0)
            return file_plane_of_row(file, file->row[i]);
    return -1;
}

/* --- bytes ------------------------------------------------------------------------------------ */

int file_state_of(const struct file_model *file, int p, uint8_t byte)
{
    return byte >> file->plane[p].shift & file->plane[p].mask;
}

int file_plane_wrong(const struct file_model *file, uint8_t byte)
{
    for (int p = 0; p < file->object.fast->parts; p++)
        if (file_state_of(file, p, byte) >= file->plane[p].states)
            return p;
    return -1;
}

int file_bytes(const struct file_model *file)
{
    int bytes = 1;

    for (int p = 0; p < file->object.fast->parts; p++)
        bytes *= file->plane[p].states;
    return bytes;
}

uint8_t file_byte(const struct file_model *file, int number)
{
    int byte = 0;

    for (int p = 0; p < file->object.fast->parts; number /= file->plane[p++].states)
        byte |= number % file->plane[p].states << file->plane[p].shift;
    return (uint8_t)byte;
}

double file_beyond(const struct file_model *file, int plane)
{
    const struct ca_model_description *d = file->object.fast;
    int byte = 0;

    if (d->parts == d->planes)
        return d->beyond[plane];
    for (int p = 0; p < d->parts; p++)
        byte |= (int)d->beyond[p] << file->plane[p].shift;
    return byte;
}

/* --- what is seen ----------------------------------------------------------------------------- */

/* A plane whose states have no names: digits and letters; the first state is quiet. */
static void name_states(struct file_model *file, const struct file_plane *plane)
{
    static const char glyphs[] = " 123456789abcdefghijklmnopqrstuvwxyz";
    char name[96];

    for (int s = 0; s < plane->states; s++) {
        snprintf(name, sizeof name, "%.80s %d", plane->name, s);
        file->look[plane->first + s] = (struct ca_state_appearance){
            s < (int)sizeof glyphs - 1 ? glyphs[s] : '#',
            s ? CA_COLOUR_PLAIN : CA_COLOUR_QUIET,
            file_text(file, name),
        };
    }
}

void file_planes_complete(struct file_model *file)
{
    int parts = file->object.fast->parts;

    if (parts == file->object.fast->planes) {
        file->plane[0].states = file->states;
        return;
    }
    for (int p = 0; p < parts; p++)
        if (!file->plane[p].named)
            name_states(file, &file->plane[p]);
    for (int p = 0; p < parts; p++) {
        const struct file_plane *plane = &file->plane[p];

        file->parts[p] =
            (struct ca_part){plane->name, plane->help, plane->states, plane->shift, plane->first};
    }
    file->model.parts = file->parts;
    for (int i = 0; i < file_bytes(file); i++) {
        uint8_t byte = file_byte(file, i);
        char name[CA_TEXT_MAX] = "";

        for (int p = 0; p < parts; p++)
            ca_text_add(name, sizeof name, "%s%s", p ? ", " : "",
                        file->look[file->plane[p].first + file_state_of(file, p, byte)].name);
        file->brushes[i] = (struct ca_brush){file_text(file, name), 1, {byte}, false};
    }
}

/* --- fields ----------------------------------------------------------------------------------- */

static void plane_mean(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                       double value[])
{
    const struct file_model *file = file_model_of(means->setup->model);
    int p = (int)(means->field - file->fields);
    const double *sums = ca_block_sums_at(means, x, y, z);
    double sum = 0;

    if (file->object.fast->floats)
        sum = sums[p];
    else
        for (int b = 0; file->plane[p].mask >> b; b++)
            sum += ldexp(sums[file->plane[p].shift + b], b);
    value[0] = sum / ca_block_samples(means, x, y, z);
}

void file_fields_make(struct file_model *file)
{
    const struct ca_model_description *d = file->object.fast;

    for (int i = 0; d->parts > 1 && i < file->rows; i++) {
        const struct ca_model_row *row = file->row[i];
        bool below = d->floats && row->low < 0;

        if (row->kind == CA_ROW_PLANE)
            file->fields[row->code] = (struct ca_field){
                .name = row->name,
                .title = file_text(file, row->help && row->help[0] ? row->help : row->name),
                .unit = row->unit && row->unit[0] ? file_text(file, row->unit) : NULL,
                .components = 1,
                .is_signed = below,
                .value = plane_mean};
    }
    if (d->parts > 1)
        file->observe.fields = file->fields;
}
