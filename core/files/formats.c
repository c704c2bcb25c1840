/* SPDX-License-Identifier: MIT */
/* Owns the table of state files; npy.c and pbm.c know what is in them. */
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

static enum ca_status write_pbm(const char *path, const struct ca_model *model,
                                const struct ca_row_source *source, struct ca_error *error)
{
    return ca_pbm_write(path, source, model->picture_mask, error);
}

const struct ca_format ca_formats[] = {
    {".npy", "all planes of a state", NULL, write_npy, ca_npy_size, ca_npy_read},
    {".pbm", "one bit of each cell of a 2D state", has_pictures, write_pbm, NULL, NULL},
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

char *ca_format_endings(char text[CA_TEXT_MAX], const struct ca_model *model)
{
    size_t used = 0;

    text[0] = '\0';
    for (const struct ca_format *f = ca_formats; f->ending; f++)
        if (ca_format_fits(f, model) && used < CA_TEXT_MAX)
            used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, "%s%s", used ? " or " : "",
                                     f->ending);
    return text;
}
