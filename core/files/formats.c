/* SPDX-License-Identifier: MIT */
/*
 * Owns the table of state files; npy.c and pbm.c know what is in them. Of endings that end alike
 * the longer one comes first.
 */
#include "core/files/formats.h"

#include <stdio.h>
#include <string.h>

#include "core/files/file.h"

static enum ca_status write_npy(const char *path, const struct ca_model *model,
                                const struct ca_row_source *source, struct ca_error *error)
{
    return ca_npy_write(path, source, model->dimensions, error);
}

static bool has_pictures(const struct ca_model *model) { return model->picture_mask != 0; }

/* A picture's cells are 0 or 1. */
static bool is_picture(const struct ca_model *model)
{
    return model->picture_mask == 1 && model->max_value == 1;
}

static enum ca_status write_pbm(const char *path, const struct ca_model *model,
                                const struct ca_row_source *source, struct ca_error *error)
{
    return ca_pbm_write(path, source, model->picture_mask, false, error);
}

static enum ca_status write_plain_pbm(const char *path, const struct ca_model *model,
                                      const struct ca_row_source *source, struct ca_error *error)
{
    return ca_pbm_write(path, source, model->picture_mask, true, error);
}

static enum ca_status size_pbm(const char *path, const struct ca_model *model, struct ca_size *size,
                               struct ca_error *error)
{
    (void)model;
    return ca_pbm_size(path, size, error);
}

static enum ca_status read_pbm(const char *path, const struct ca_model *model,
                               const struct ca_row_sink *sink, struct ca_error *error)
{
    (void)model;
    return ca_pbm_read(path, sink, error);
}

const struct ca_format ca_formats[] = {
    {".npy", "all planes of a state", NULL, NULL, write_npy, ca_npy_size, ca_npy_read},
    {".plain.pbm", "one bit of each cell of a 2D state, as digits", has_pictures, is_picture,
     write_plain_pbm, size_pbm, read_pbm},
    {".pbm", "one bit of each cell of a 2D state", has_pictures, is_picture, write_pbm, size_pbm,
     read_pbm},
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

char *ca_format_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                        bool (*allows)(const struct ca_format *, const struct ca_model *))
{
    size_t used = 0;
    int left = 0;

    for (const struct ca_format *f = ca_formats; f->ending; f++)
        left += allows(f, model);
    text[0] = '\0';
    for (const struct ca_format *f = ca_formats; f->ending; f++)
        if (allows(f, model) && used < CA_TEXT_MAX)
            used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, "%s%s",
                                     !used         ? ""
                                     : --left == 1 ? " or "
                                                   : ", ",
                                     f->ending);
    return text;
}
