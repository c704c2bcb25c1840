/* SPDX-License-Identifier: MIT */
/* The table of formats says which module reads and writes each; npy.c, h5_*.c, pbm.c, rle*.c,
 * pictures.c, asc.c and csv.c know what is in them. Of endings that end alike the longer one comes
 * first. */
#include "core/files/formats.h"
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

static bool has_pictures(const struct ca_model *model)
{
    return model->dimensions == 2 && ca_draw_of(model)->picture_mask != 0;
}

/* A picture's cells are 0 or 1. */
static bool is_picture(const struct ca_model *model)
{
    return has_pictures(model) && ca_draw_of(model)->picture_mask == 1 && model->max_value == 1;
}

static enum ca_status write_pbm(const char *path, const struct ca_model *model,
                                const struct ca_row_source *source, struct ca_error *error)
{
    return ca_pbm_write(path, source, ca_draw_of(model)->picture_mask, false, error);
}

static enum ca_status write_plain_pbm(const char *path, const struct ca_model *model,
                                      const struct ca_row_source *source, struct ca_error *error)
{
    return ca_pbm_write(path, source, ca_draw_of(model)->picture_mask, true, error);
}

static enum ca_status size_pbm(const char *path, const struct ca_model *model, struct ca_size *size,
                               struct ca_error *error)
{
    (void)model;
    return ca_pbm_size(path, size, error);
}

static enum ca_status read_pbm(const char *path, const struct ca_model *model, struct ca_size size,
                               const struct ca_row_sink *sink, uint64_t *generation,
                               struct ca_error *error)
{
    (void)model, (void)size, (void)generation;
    return ca_pbm_read(path, sink, error);
}

/* A model of a file has its name as its rule. */
static bool is_pattern(const struct ca_model *model)
{
    return (ca_rule_notation_of(model) ||
            (model->source && model->type == CA_U8 && model->planes == 1)) &&
           model->dimensions == 2;
}

static bool is_pattern3(const struct ca_model *model)
{
    return ca_rule_notation_of(model) && model->dimensions == 3;
}

/* A grid is of one number a cell, in two dimensions. */
static bool is_grid(const struct ca_model *model, const struct ca_field *field)
{
    return model->dimensions == 2 && field->components == 1;
}

/* The sides of this picture format are even. */
static const struct ca_film_coding mp4 = {
    "pad=ceil(iw/2)*2:ceil(ih/2)*2",
    {"-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", NULL}};
/* A palette for each picture, of which all have few colours. */
static const struct ca_film_coding gif = {
    "split[a][b];[a]palettegen=stats_mode=single:reserve_transparent=0[p];"
    "[b][p]paletteuse=new=1:dither=none",
    {"-f", "gif", NULL}};

const struct ca_format ca_formats[] = {
    {".npy", "NumPy array: all planes of a state, or a field", .write = ca_npy_write,
     .size = ca_npy_size, .read = ca_npy_read, .write_field = ca_npy_write_field},
    {".h5", "HDF5: all of a state with its run and generation; a VTKHDF image for ParaView",
     .seeks = true, .write = ca_h5_write, .size = ca_h5_size, .read = ca_h5_read, .run = ca_h5_run},
    {".plain.pbm", "portable bitmap as digits (P1): one bit of each cell", .fits = has_pictures,
     .restores = is_picture, .write = write_plain_pbm, .size = size_pbm, .read = read_pbm},
    {".pbm", "portable bitmap (P4; P1 is read too): one bit of each cell",
     .parameters = "geometry_file of fhp", .fits = has_pictures, .restores = is_picture,
     .write = write_pbm, .size = size_pbm, .read = read_pbm},
    {".rle", "pattern of Golly with rule, torus and position: the live cells of a state",
     .fits = is_pattern, .restores = is_pattern, .write = ca_rle_write, .check = ca_rle_check,
     .size = ca_rle_size, .read = ca_rle_read, .rule = ca_rle_rule},
    {".rle3", "pattern of Golly in three dimensions: the live cells of a state",
     .fits = is_pattern3, .restores = is_pattern3, .write = ca_rle_write, .check = ca_rle_check,
     .size = ca_rle_size, .read = ca_rle_read, .rule = ca_rle_rule},
    {".pgm", "portable greymap (P5): the brightness of a slice or a projection",
     .write_pixels = ca_pgm_write},
    {".png", "PNG picture: a slice or a projection in the colours of the screen", .colour = true,
     .write_pixels = ca_png_write},
    {".mp4", "MPEG-4 film of a slice or a projection, which ffmpeg makes", .seeks = true,
     .colour = true, .film = &mp4},
    {".gif", "GIF film of a slice or a projection, which ffmpeg makes", .seeks = true,
     .colour = true, .film = &gif},
    {".asc", "ESRI ASCII grid: a field",
     .parameters = "terrain_file, depth_file and source_file of water", .fits_field = is_grid,
     .write_field = ca_asc_write_field},
    {".csv", "comma-separated values: a field, or observables by generation",
     .write_field = ca_csv_write_field, .observable_names = ca_csv_names,
     .observable_row = ca_csv_row},
    {".txt", "text: what the screen of the workbench shows", .screen = true},
    {".ansi", "the same in its colours, as terminal sequences (SGR), for cat", .screen = true,
     .colour = true},
    {.ending = NULL},
};

const struct ca_format *ca_format_of(const char *path)
{
    size_t length = strlen(path);

    for (const struct ca_format *f = ca_formats; f->ending; f++) {
        size_t end = strlen(f->ending);

        if (length > end && strcmp(path + length - end, f->ending) == 0)
            return f;
    }
    return NULL;
}

bool ca_format_fits(const struct ca_format *format, const struct ca_model *model)
{
    return format->write && (!format->fits || format->fits(model));
}

bool ca_format_restores(const struct ca_format *format, const struct ca_model *model)
{
    return format->read && (!format->restores || format->restores(model));
}

bool ca_format_places(const struct ca_format *format, const struct ca_model *model)
{
    return ca_format_restores(format, model) && !format->run;
}

bool ca_format_fits_field(const struct ca_format *format, const struct ca_model *model,
                          const struct ca_field *field)
{
    return format->write_field && (!format->fits_field || format->fits_field(model, field));
}

bool ca_format_draws(const struct ca_format *format, const struct ca_model *model)
{
    (void)model;
    return format->write_pixels != NULL;
}

bool ca_format_shows(const struct ca_format *format, const struct ca_model *model)
{
    (void)model;
    return format->write_pixels || format->film;
}

bool ca_format_tabulates(const struct ca_format *format) { return format->observable_row != NULL; }

/* Joins the endings of the rows whose bit is set. */
static char *join(char text[CA_TEXT_MAX], unsigned rows)
{
    int left = __builtin_popcount(rows);

    text[0] = '\0';
    for (int i = 0; ca_formats[i].ending; i++)
        if (rows >> i & 1)
            ca_text_add(text, CA_TEXT_MAX, "%s%s",
                        !text[0]      ? ""
                        : --left == 1 ? " or "
                                      : ", ",
                        ca_formats[i].ending);
    return text;
}

char *ca_format_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                        bool (*allows)(const struct ca_format *, const struct ca_model *))
{
    unsigned rows = 0;

    for (int i = 0; ca_formats[i].ending; i++)
        rows |= (unsigned)allows(&ca_formats[i], model) << i;
    return join(text, rows);
}

char *ca_format_field_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                              const struct ca_field *field)
{
    unsigned rows = 0;

    for (int i = 0; ca_formats[i].ending; i++) {
        const struct ca_format *f = &ca_formats[i];

        rows |= (unsigned)(field ? ca_format_fits_field(f, model, field) : ca_format_tabulates(f))
                << i;
    }
    return join(text, rows);
}

enum ca_status ca_field_write(const char *path, const struct ca_field_values *values,
                              struct ca_error *error)
{
    return ca_format_of(path)->write_field(path, values, error);
}
