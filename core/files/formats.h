/* SPDX-License-Identifier: MIT */
/*
 * The formats of state files, one row each, chosen by the ending of a path. The first row is the
 * format that holds any model's state without loss.
 */
#ifndef CALAB_CORE_FILES_FORMATS_H
#define CALAB_CORE_FILES_FORMATS_H

#include "core/files/rows.h"

struct ca_format {
    const char *ending; /* with its dot */
    const char *holds;
    bool (*fits)(const struct ca_model *model);     /* can be written; NULL: every model */
    bool (*restores)(const struct ca_model *model); /* a file holds all of a state; NULL: always */
    enum ca_status (*write)(const char *path, const struct ca_model *model,
                            const struct ca_row_source *source, struct ca_error *error);
    /* Both NULL where a file never does. */
    enum ca_status (*size)(const char *path, const struct ca_model *model, struct ca_size *size,
                           struct ca_error *error);
    enum ca_status (*read)(const char *path, const struct ca_model *model,
                           const struct ca_row_sink *sink, struct ca_error *error);
};

/* Ends with a row whose ending is NULL. */
extern const struct ca_format ca_formats[];

/* The row that the ending of `path` chooses, NULL for none. */
const struct ca_format *ca_format_of(const char *path);
static inline bool ca_format_fits(const struct ca_format *format, const struct ca_model *model)
{
    return !format->fits || format->fits(model);
}

/* Whether a file of the format holds all of a state of the model. */
static inline bool ca_format_restores(const struct ca_format *format, const struct ca_model *model)
{
    return format->read && (!format->restores || format->restores(model));
}

/* The endings of those formats for which `allows`, one of the two above, is true:
 * ".npy, .plain.pbm or .pbm". Returns text. */
char *ca_format_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                        bool (*allows)(const struct ca_format *, const struct ca_model *));

#endif
